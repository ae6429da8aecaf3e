/* command - see command.h; specification section 11. */
#include "command.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "command_internal.h"

static const struct row_of_table {
	struct command command;
	handler_fn    *run;
} table[] = {
#define COMMAND(verb, handler, min, max, needs, usage, summary) \
	{ { #verb, min, max, needs, usage, summary }, run_##handler },
#include "command.def"
#undef COMMAND
};

#define N_COMMANDS (sizeof(table) / sizeof(table[0]))

size_t command_count(void)
{
	return N_COMMANDS;
}

const struct command *command_at(size_t i)
{
	return &table[i].command;
}

/* ---- common steps ---- */

enum err call_no_memory(struct call *c)
{
	return why_set(&c->why, ERR_NOMEM, "out of memory; nothing was changed, try again later");
}

enum err call_check_right(struct call *c, enum right right, const char *what)
{
	if ((c->session->rights & right) != 0)
		return OK;
	return why_set(&c->why, ERR_DENIED,
		       "%s needs the right \"%s\", which uid %lu does not have; the administrator gives it in <Access>",
		       what, right_name(right), (unsigned long)c->session->caller->uid);
}

enum err call_selectors(struct call *c, size_t from, struct selector ***list, size_t *n)
{
	const struct request *r = &c->request;
	if (from >= r->n_words)
		return why_set(&c->why, ERR_INVAL,
			       "no selector is named; write one or more, as \"*/cpu-*/cpu-idle\" (HELP %.*s)",
			       (int)r->words[0].len, r->words[0].text);
	struct selector **made = calloc(r->n_words - from, sizeof(*made));
	if (made == NULL)
		return call_no_memory(c);
	enum err err = OK;
	size_t   k = 0;
	for (size_t i = from; i < r->n_words && err == OK; i++) {
		err = selector_parse(&made[k], r->words[i].text, r->words[i].len, logger_own_host(c->session->logger),
				     &c->why);
		k += err == OK;
	}
	if (err != OK) {
		while (k > 0)
			selector_unref(made[--k]);
		free(made);
		return err;
	}
	*list = made;
	*n = k;
	return OK;
}

static bool flag_parse(struct span s, bool *out)
{
	bool yes = span_is(s, "true") || span_is(s, "yes") || span_is(s, "on") || span_is(s, "1");
	bool no = span_is(s, "false") || span_is(s, "no") || span_is(s, "off") || span_is(s, "0");
	if (yes || no)
		*out = yes;
	return yes || no;
}

enum err call_flag(struct call *c, const char *name, bool *out)
{
	const struct span *s = request_option(&c->request, name);
	if (s == NULL || flag_parse(*s, out))
		return OK;
	return why_set(&c->why, ERR_INVAL, "%s=%s is neither true nor false; write %s=true", name,
		       excerpt_of(s->text, s->len).text, name);
}

#define AUDIT_MAX 300 /* the host cuts log lines at 1023 bytes */

void call_audit(struct call *c, uint64_t id)
{
	struct buf text = BUF_INIT;
	if (id != 0)
		buf_addf(&text, "id=%" PRIu64 " ", id);
	for (size_t i = 0; i < c->request.n_words && text.len <= AUDIT_MAX; i++) {
		if (i > 0)
			buf_addc(&text, ' ');
		if (i < 3)
			buf_add(&text, c->request.words[i].text, c->request.words[i].len);
		else
			buf_add_quoted(&text, c->request.words[i].text, c->request.words[i].len);
	}
	for (size_t i = 0; i < c->request.n_options && text.len <= AUDIT_MAX; i++) {
		const struct option *o = &c->request.options[i];
		buf_addf(&text, " %.*s=", (int)o->name.len, o->name.text);
		buf_add_quoted(&text, o->value.text, o->value.len);
	}
	if (text.len > AUDIT_MAX) {
		text.len = AUDIT_MAX - 3;
		buf_adds(&text, "...");
	}
	if (buf_text(&text)[0] != '\0')
		c->reply->audit = strdup(buf_text(&text));
	buf_fini(&text);
}

/* ---- STATUS and HELP ---- */

static const char *const counted_names[COUNTED_MAX] = {
	[COUNT_PASSED] = "values_passed",
	[COUNT_SUPPRESSED] = "values_suppressed",
	[COUNT_LATE] = "values_late",
	[COUNT_DUPLICATE] = "values_duplicate",
	[COUNT_FAILED_OPEN] = "values_failed_open",
	[COUNT_ACCEPTED] = "requests_accepted",
	[COUNT_REFUSED] = "requests_refused",
	[COUNT_FAILED] = "requests_failed",
};

/* As replies show it: rounded up, since the host's clock cuts 100 ms to a little less. */
static int64_t ms_of(int64_t ns)
{
	return ns / 1000000 + (ns % 1000000 > 0);
}

static void add_sources(struct logger *lg, struct buf *b)
{
	struct sources *all = logger_sources(lg);
	for (size_t i = 0; i < sources_count(all); i++) {
		struct source *s = sources_at(all, i);
		bool           driven = atomic_load(&s->driven);
		int64_t        configured_ns = atomic_load(&s->configured_ns);
		int64_t        present_ns = driven ? atomic_load(&s->present_ns) : configured_ns;
		buf_addf(b, "source.%s.configured_ms=%" PRId64 "\n", s->name, ms_of(configured_ns));
		buf_addf(b, "source.%s.present_ms=%" PRId64 "\n", s->name, ms_of(present_ns));
		buf_addf(b, "source.%s.driven=%s\n", s->name, driven ? "true" : "false");
		if (driven)
			buf_addf(b, "source.%s.changes=%" PRIu64 "\n", s->name, (uint64_t)atomic_load(&s->changes));
	}
}

static void add_status(struct call *c, struct buf *b)
{
	struct figures           f;
	const struct settings   *s = logger_settings(c->session->logger);
	static const char *const places[] = { "PreCache", "PostCache", "none" };
	logger_figures(c->session->logger, &f);
	for (size_t i = 0; i < COUNTED_MAX; i++)
		buf_addf(b, "%s=%" PRIu64 "\n", counted_names[i], f.counted[i]);
	buf_addf(b, "instances=%zu\nmax_instances=%zu\n", f.instances, f.max_instances);
	buf_addf(b, "rules=%zu\nselectors=%zu\nmax_rules=%zu\nnewest_id=%" PRIu64 "\n", f.entries, f.selectors,
		 f.max_selectors, f.newest_id);
	buf_addf(b, "max_clients=%zu\nmin_interval_ms=%" PRIu64 "\nhistory_timeout_ms=%" PRIu64 "\n", s->max_clients,
		 s->min_ms, s->history_ms);
	buf_addf(b, "chain=%s\nalign=%s\nown_host=%s\n", places[s->placement],
		 s->align == ALIGN_CLOCK ? "clock" : "start", logger_own_host(c->session->logger));
	if (c->session->extra != NULL)
		c->session->extra->fn(c->session->extra->ctx, b);
	add_sources(c->session->logger, b);
}

static void add_lines(struct call *c, struct buf *lines, const char *title)
{
	size_t n = 0;
	for (size_t i = 0; i < lines->len; i++)
		n += lines->data[i] == '\n';
	buf_addf(&c->reply->text, "%zu %s\n", n, title);
	buf_add(&c->reply->text, lines->data, lines->len);
	c->reply->text.failed |= lines->failed;
	buf_fini(lines);
}

enum err run_status(struct call *c)
{
	static const char *const none[] = { NULL };
	struct buf               lines = BUF_INIT;
	enum err                 err = request_check_options(&c->request, none, &c->why);
	if (err != OK)
		return err;
	add_status(c, &lines);
	add_lines(c, &lines, "Status");
	return OK;
}

static const struct row_of_table *find(struct span verb)
{
	for (size_t i = 0; i < N_COMMANDS; i++) {
		if (span_is(verb, table[i].command.verb))
			return &table[i];
	}
	return NULL;
}

static enum err unknown(struct call *c, struct span verb)
{
	struct buf names = BUF_INIT;
	for (size_t i = 0; i < N_COMMANDS; i++)
		buf_addf(&names, "%s%s", i == 0 ? "" : ", ", table[i].command.verb);
	enum err err = why_set(&c->why, ERR_INVAL, "unknown command %s; commands: %s",
			       excerpt_of(verb.text, verb.len).text, buf_text(&names));
	buf_fini(&names);
	return err;
}

enum err run_help(struct call *c)
{
	static const char *const none[] = { NULL };
	struct buf               lines = BUF_INIT;
	enum err                 err = request_check_options(&c->request, none, &c->why);
	if (err != OK)
		return err;
	if (c->request.n_words == 2) {
		const struct row_of_table *row = find(c->request.words[1]);
		if (row == NULL)
			return unknown(c, c->request.words[1]);
		buf_addf(&lines, "%s\n%s\n", row->command.usage, row->command.summary);
	} else {
		for (size_t i = 0; i < N_COMMANDS; i++)
			buf_addf(&lines, "%s\n", table[i].command.usage);
	}
	add_lines(c, &lines, "Help");
	return OK;
}

/* ---- dispatch ---- */

static enum err check_arity(struct call *c, const struct command *command)
{
	int n = (int)c->request.n_words - 1;
	if (n >= command->min_words && (command->max_words == ARITY_ANY || n <= command->max_words))
		return OK;
	if (n == 2 && command->needs == NEEDS_BY_CONTROL)
		return why_set(&c->why, ERR_INVAL, "no selector is named; usage: %s", command->usage);
	return why_set(&c->why, ERR_INVAL, "usage: %s", command->usage);
}

static enum err dispatch(struct call *c)
{
	const struct row_of_table *row = find(c->request.words[0]);
	if (row == NULL)
		return unknown(c, c->request.words[0]);
	enum err err = check_arity(c, &row->command);
	if (err == OK && row->command.needs == NEEDS_ENQUIRE)
		err = call_check_right(c, RIGHT_ENQUIRE, row->command.verb);
	return err == OK ? row->run(c) : err;
}

struct reply *command_run(const struct session *session, char *line, size_t len, const struct now *now)
{
	struct call c = { session, REQUEST_INIT, now, reply_new(), { "" } };
	if (c.reply == NULL)
		return reply_nomem();
	enum err err = request_parse(&c.request, line, len, &c.why);
	if (err == OK && c.request.n_words > 0)
		err = dispatch(&c);
	if (err == OK && c.reply->text.failed)
		err = call_no_memory(&c);
	if (err != OK) {
		logger_count(session->logger, COUNT_FAILED);
		c.reply = reply_fail(c.reply, err, c.why.text);
	}
	request_fini(&c.request);
	return c.reply;
}
