/* command - see command.h; specification section 11. */
#include "command.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "reply.h"
#include "request.h"

/* What a handler works with.  It fills the reply, or says why not. */
struct call {
	const struct session *session;
	struct request        request;
	const struct now     *now;
	struct reply         *reply;
	struct why            why;
};

typedef enum err handler_fn(struct call *c);

#define COMMAND(verb, handler, min, max, needs, usage, summary) static handler_fn run_##handler;
#include "command.def"
#undef COMMAND

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

static enum err no_memory(struct call *c)
{
	return why_set(&c->why, ERR_NOMEM, "out of memory; nothing was changed, try again later");
}

static enum err check_right(struct call *c, enum right right, const char *what)
{
	if ((c->session->rights & right) != 0)
		return OK;
	return why_set(&c->why, ERR_DENIED,
		       "%s needs the right \"%s\", which uid %lu does not have; the administrator gives it in <Access>",
		       what, right_name(right), (unsigned long)c->session->caller->uid);
}

/* Parses words[from..] as selectors.  On success *list is the caller's, or the logger's that takes it over. */
static enum err parse_selectors(struct call *c, size_t from, struct selector ***list, size_t *n)
{
	const struct request *r = &c->request;
	if (from >= r->n_words)
		return why_set(&c->why, ERR_INVAL,
			       "no selector is named; write one or more, as \"*/cpu-*/cpu-idle\" (HELP %.*s)",
			       (int)r->words[0].len, r->words[0].text);
	struct selector **made = calloc(r->n_words - from, sizeof(*made));
	if (made == NULL)
		return no_memory(c);
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

static enum err option_flag(struct call *c, const char *name, bool *out)
{
	const struct span *s = request_option(&c->request, name);
	if (s == NULL || flag_parse(*s, out))
		return OK;
	return why_set(&c->why, ERR_INVAL, "%s=%s is neither true nor false; write %s=true", name,
		       excerpt_of(s->text, s->len).text, name);
}

/* ---- LOG ---- */

static enum err log_words(struct call *c, struct ask *ask)
{
	const struct span *w = c->request.words;
	if (!control_parse(w[1].text, w[1].len, &ask->control))
		return why_set(&c->why, ERR_INVAL, "%s is no control; write mandatory or advisory",
			       excerpt_of(w[1].text, w[1].len).text);
	enum err err = check_right(c, ask->control == CONTROL_MANDATORY ? RIGHT_MANDATORY : RIGHT_ADVISORY,
				   ask->control == CONTROL_MANDATORY ? "LOG mandatory" : "LOG advisory");
	if (err != OK)
		return err;
	if (!state_parse(w[2].text, w[2].len, &ask->state))
		return why_set(&c->why, ERR_INVAL, "%s is no state; write on, off or maybe",
			       excerpt_of(w[2].text, w[2].len).text);
	return OK;
}

static enum err log_delta(struct call *c, struct ask *ask)
{
	const struct span *every = request_option(&c->request, "every");
	const struct span *value = request_option(&c->request, "value");
	if (every != NULL) {
		enum err err = delta_parse(every->text, every->len, "every", &ask->delta, &c->why);
		if (err != OK)
			return err;
	}
	if (value != NULL && !value_parse(value->text, value->len, &ask->value))
		return why_set(&c->why, ERR_INVAL, "value=%s is none of last, average, min, max",
			       excerpt_of(value->text, value->len).text);
	return ask_check(ask, logger_settings(c->session->logger)->min_ms, &c->why);
}

#define NOTE_MAX 1000

static enum err log_rest(struct call *c, struct log_request *r, char note[NOTE_MAX + 1])
{
	const struct span *span = request_option(&c->request, "for");
	if (span != NULL) {
		enum err err = duration_parse(span->text, span->len, "for", &r->for_ms, &c->why);
		if (err != OK)
			return err;
		if (r->for_ms == 0)
			return why_set(&c->why, ERR_INVAL,
				       "for=0 would end at once; name a time, as for=15min, or leave it out");
	}
	span = request_option(&c->request, "note");
	if (span != NULL) {
		if (span->len > NOTE_MAX || memchr(span->text, '\0', span->len) != NULL)
			return why_set(&c->why, ERR_INVAL,
				       "note has %zu bytes, or a NUL; the limit is %d bytes: shorten it", span->len,
				       NOTE_MAX);
		memcpy(note, span->text, span->len);
		note[span->len] = '\0';
		r->note = note;
	}
	return option_flag(c, "dryrun", &r->dry_run);
}

/* The text of an accepted change for the log: what was asked, at most 300 characters. */
static void set_audit(struct call *c)
{
	struct buf text = BUF_INIT;
	for (size_t i = 0; i < c->request.n_words && text.len < 300; i++) {
		if (i > 0)
			buf_addc(&text, ' ');
		if (i < 3)
			buf_add(&text, c->request.words[i].text, c->request.words[i].len);
		else
			buf_add_quoted(&text, c->request.words[i].text, c->request.words[i].len);
	}
	for (size_t i = 0; i < c->request.n_options && text.len < 300; i++) {
		const struct option *o = &c->request.options[i];
		buf_addf(&text, " %.*s=", (int)o->name.len, o->name.text);
		buf_add_quoted(&text, o->value.text, o->value.len);
	}
	if (text.len > 300) {
		text.len = 297;
		buf_adds(&text, "...");
	}
	if (buf_text(&text)[0] != '\0')
		c->reply->audit = strdup(buf_text(&text));
	buf_fini(&text);
}

static void log_first_line(struct buf *b, const struct outcomes *o)
{
	buf_addf(b, "%zu Values ", o->n_rows);
	if (o->dry_run) {
		buf_addf(b, "before=%.6g after=%.6g\n", o->before, o->after);
		return;
	}
	if (o->id == 0)
		buf_adds(b, "id=-");
	else
		buf_addf(b, "id=%" PRIu64, o->id);
	buf_addf(b, " keep=%s", o->saved ? "saved" : "temporary");
	if (o->ends_ms >= 0)
		buf_addf(b, " ends=%" PRId64, (o->ends_ms + 999) / 1000);
	buf_addc(b, '\n');
}

static bool any_refused(const struct outcomes *o)
{
	for (size_t i = 0; i < o->n_rows; i++) {
		if (o->rows[i].held.spare == OUTCOME_REFUSED)
			return true;
	}
	return false;
}

static enum err log_run(struct call *c, struct log_request *r)
{
	struct outcomes o = OUTCOMES_INIT;
	enum err        err = logger_log(c->session->logger, r, c->now, &o, &c->why);
	if (err != OK)
		return err;
	if (!o.dry_run)
		logger_count(c->session->logger, any_refused(&o) ? COUNT_REFUSED : COUNT_ACCEPTED);
	if (o.id != 0)
		set_audit(c);
	if (c->reply->audit != NULL) {
		char      *text = c->reply->audit;
		struct buf with_id = BUF_INIT;
		buf_addf(&with_id, "id=%" PRIu64 " %s", o.id, text);
		if (!with_id.failed && buf_text(&with_id)[0] != '\0') {
			c->reply->audit = strdup(buf_text(&with_id));
			free(text);
		}
		buf_fini(&with_id);
	}
	log_first_line(&c->reply->text, &o);
	reply_rows(c->reply, c->session->logger, &o);
	return OK;
}

static enum err run_log(struct call *c)
{
	static const char *const allowed[] = { "every", "for", "value", "note", "dryrun", NULL };
	struct log_request       r = { .uid = c->session->caller->uid };
	char                     note[NOTE_MAX + 1];
	enum err                 err = log_words(c, &r.ask);
	if (err == OK)
		err = request_check_options(&c->request, allowed, &c->why);
	if (err == OK)
		err = log_delta(c, &r.ask);
	if (err == OK)
		err = log_rest(c, &r, note);
	if (err == OK)
		err = parse_selectors(c, 3, &r.selectors, &r.n_selectors);
	return err == OK ? log_run(c, &r) : err;
}

/* ---- ENQUIRE ---- */

/* Reads one filter word; false: it is none, so the selectors begin. */
static bool filter_read(struct span w, struct enquiry *e)
{
	enum control control;
	enum state   state;
	if (memchr(w.text, '/', w.len) != NULL)
		return false;
	if (control_parse(w.text, w.len, &control))
		e->control = (int)control;
	else if (state_parse(w.text, w.len, &state) && state != STATE_MAYBE)
		e->on = state == STATE_ON;
	else if (span_is(w, "unavailable"))
		e->unavailable = true;
	else
		return false;
	return true;
}

static enum err run_enquire(struct call *c)
{
	static const char *const allowed[] = { "count", NULL };
	struct enquiry           e = { .control = -1, .on = -1 };
	struct outcomes          o = OUTCOMES_INIT;
	size_t                   from = 1;
	bool                     count = false;
	enum err                 err = request_check_options(&c->request, allowed, &c->why);
	if (err == OK)
		err = option_flag(c, "count", &count);
	if (err != OK)
		return err;
	while (from < c->request.n_words && filter_read(c->request.words[from], &e))
		from++;
	err = parse_selectors(c, from, &e.selectors, &e.n_selectors);
	if (err == OK)
		err = logger_enquire(c->session->logger, &e, c->now, &o, &c->why);
	if (err != OK)
		return err;
	if (count) {
		size_t n = 0;
		for (size_t i = 0; i < o.n_rows; i++)
			n += o.rows[i].held.spare != OUTCOME_NONE;
		buf_addf(&c->reply->text, "0 Values count=%zu\n", n);
		outcomes_fini(&o);
		return OK;
	}
	buf_addf(&c->reply->text, "%zu Values\n", o.n_rows);
	reply_rows(c->reply, c->session->logger, &o);
	return OK;
}

/* ---- EXPLAIN ---- */

struct explaining {
	struct buf lines;
	size_t     n;
};

static void explain_step(void *ctx, const struct step *s)
{
	struct explaining *x = ctx;
	struct held        h = s->after.held;
	if (s->entry == NULL)
		buf_adds(&x->lines, "default -");
	else
		buf_addf(&x->lines, "%s%" PRIu64 " %s", s->entry->origin == ORIGIN_CONFIG ? "c" : "", s->entry->id,
			 s->refused ? "refused" : "took");
	buf_addf(&x->lines, " %s %s ", control_name(h.mandatory ? CONTROL_MANDATORY : CONTROL_ADVISORY),
		 h.on ? "on" : "off");
	if (!h.on)
		buf_adds(&x->lines, "0");
	else if (h.kind == DELTA_EVERY)
		buf_addf(&x->lines, "%" PRIu64, (uint64_t)h.ms);
	else
		buf_adds(&x->lines, h.kind == DELTA_ONCE ? "once" : "native");
	buf_addc(&x->lines, '\n');
	x->n++;
}

static enum err run_explain(struct call *c)
{
	static const char *const none[] = { NULL };
	char                     name[IDENT_MAX + 1];
	struct ident             ident;
	struct explaining        x = { BUF_INIT, 0 };
	const struct span       *w = &c->request.words[1];
	enum err                 err = request_check_options(&c->request, none, &c->why);
	if (err == OK)
		err = ident_parse(w->text, w->len, logger_own_host(c->session->logger), name, &ident, &c->why);
	if (err != OK)
		return err;
	logger_explain(c->session->logger, ident, explain_step, &x);
	buf_addf(&c->reply->text, "%zu Steps\n", x.n);
	buf_add(&c->reply->text, x.lines.data, x.lines.len);
	c->reply->text.failed |= x.lines.failed;
	buf_fini(&x.lines);
	return OK;
}

/* ---- RULES and FORGET ---- */

static enum err run_rules(struct call *c)
{
	static const char *const none[] = { NULL };
	struct entries           e = ENTRIES_INIT;
	enum err                 err = request_check_options(&c->request, none, &c->why);
	if (err == OK)
		err = logger_entries(c->session->logger, &e);
	if (err == ERR_NOMEM)
		return no_memory(c);
	if (err != OK)
		return err;
	buf_addf(&c->reply->text, "%zu Rules\n", e.n);
	reply_entries(c->reply, c->session->logger, &e);
	return OK;
}

static bool may_forget(void *ctx, const struct entry *e)
{
	const struct session *s = ctx;
	return (s->rights & (e->ask.control == CONTROL_MANDATORY ? RIGHT_MANDATORY : RIGHT_ADVISORY)) != 0;
}

static enum err id_parse(struct call *c, struct span w, uint64_t *id)
{
	uint64_t n = 0;
	size_t   i = 0;
	if (w.len > 1 && (w.text[0] == 'c' || w.text[0] == 'C') && w.text[1] >= '0' && w.text[1] <= '9')
		return why_set(
			&c->why, ERR_INVAL,
			"entry %s comes from collectd.conf; change it there, or ask for something else over the socket",
			excerpt_of(w.text, w.len).text);
	for (; i < w.len && w.text[i] >= '0' && w.text[i] <= '9' && n < UINT64_MAX / 10 - 1; i++)
		n = n * 10 + (uint64_t)(w.text[i] - '0');
	if (i == 0 || i < w.len)
		return why_set(&c->why, ERR_INVAL, "%s is no id of an entry; RULES lists them in its first column",
			       excerpt_of(w.text, w.len).text);
	*id = n;
	return OK;
}

static enum err forget_ids(struct call *c, size_t n, uint64_t *ids)
{
	for (size_t i = 0; i < n; i++) {
		enum err err = id_parse(c, c->request.words[1 + i], &ids[i]);
		if (err != OK)
			return err;
	}
	return OK;
}

static enum err run_forget(struct call *c)
{
	static const char *const none[] = { NULL };
	size_t                   n = c->request.n_words - 1, gone = 0;
	bool                     all = n == 1 && span_is(c->request.words[1], "all");
	uint64_t                *ids = calloc(n, sizeof(*ids));
	enum err                 err = ids == NULL ? no_memory(c) : request_check_options(&c->request, none, &c->why);
	if (err == OK && (c->session->rights & (RIGHT_ADVISORY | RIGHT_MANDATORY)) == 0)
		err = check_right(c, RIGHT_ADVISORY, "FORGET");
	if (err == OK && !all)
		err = forget_ids(c, n, ids);
	if (err == OK)
		err = logger_forget(c->session->logger, ids, all ? 0 : n, may_forget, (void *)c->session, c->now, &gone,
				    &c->why);
	free(ids);
	if (err != OK)
		return err;
	logger_count(c->session->logger, COUNT_ACCEPTED);
	if (gone > 0)
		set_audit(c);
	buf_addf(&c->reply->text, "0 Forgotten entries=%zu\n", gone);
	return OK;
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

static void add_sources(struct logger *lg, struct buf *b)
{
	struct sources *all = logger_sources(lg);
	for (size_t i = 0; i < sources_count(all); i++) {
		struct source *s = sources_at(all, i);
		bool           driven = atomic_load(&s->driven);
		int64_t        configured_ns = atomic_load(&s->configured_ns);
		int64_t        present_ns = driven ? atomic_load(&s->present_ns) : configured_ns;
		buf_addf(b, "source.%s.configured_ms=%" PRId64 "\n", s->name, configured_ns / 1000000);
		buf_addf(b, "source.%s.present_ms=%" PRId64 "\n", s->name, present_ns / 1000000);
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

static enum err run_status(struct call *c)
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

static enum err run_help(struct call *c)
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
		err = check_right(c, RIGHT_ENQUIRE, row->command.verb);
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
	else if (err == OK && c.request.n_options > 0)
		err = why_set(&c.why, ERR_INVAL, "the line has options but no command; HELP lists the commands");
	if (err == OK && c.reply->text.failed)
		err = no_memory(&c);
	if (err != OK) {
		logger_count(session->logger, COUNT_FAILED);
		c.reply = reply_fail(c.reply, err, c.why.text);
	}
	request_fini(&c.request);
	return c.reply;
}
