/* command_rules - EXPLAIN, RULES and FORGET; see command_internal.h. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command_internal.h"

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

enum err run_explain(struct call *c)
{
	static const char *const none[] = { NULL };
	char                     name[IDENT_MAX + 1];
	struct ident             ident = { 0 };
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

enum err run_rules(struct call *c)
{
	static const char *const none[] = { NULL };
	struct entries           e = ENTRIES_INIT;
	enum err                 err = request_check_options(&c->request, none, &c->why);
	if (err == OK)
		err = logger_entries(c->session->logger, &e);
	if (err == ERR_NOMEM)
		return call_no_memory(c);
	if (err != OK)
		return err;
	buf_addf(&c->reply->text, "%zu Rules\n", e.n);
	reply_entries(c->reply, c->session->logger, &e);
	return OK;
}

/* Which entries may go, and which one was judged last. */
struct forgetting {
	unsigned   rights;
	enum right needed;
	uint64_t   id;
};

static bool may_forget(void *ctx, const struct entry *e)
{
	struct forgetting *f = ctx;
	f->id = e->id;
	f->needed = e->ask.control == CONTROL_MANDATORY ? RIGHT_MANDATORY : RIGHT_ADVISORY;
	return (f->rights & f->needed) != 0;
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

/* Who has neither right does not hear which entries there are. */
static enum err may_forget_at_all(struct call *c)
{
	if ((c->session->rights & (RIGHT_ADVISORY | RIGHT_MANDATORY)) != 0)
		return OK;
	return why_set(
		&c->why, ERR_DENIED,
		"FORGET needs the right \"advisory\" or \"mandatory\", as the entry is, and uid %lu does not have "
		"either; the administrator gives it in <Access>",
		(unsigned long)c->session->caller->uid);
}

enum err run_forget(struct call *c)
{
	static const char *const none[] = { NULL };
	size_t                   n = c->request.n_words - 1, gone = 0;
	bool                     all = n == 1 && span_is(c->request.words[1], "all");
	uint64_t                *ids = calloc(n, sizeof(*ids));
	struct forgetting        f = { c->session->rights, RIGHT_ADVISORY, 0 };
	char                     what[48] = "FORGET";
	enum err err = ids == NULL ? call_no_memory(c) : request_check_options(&c->request, none, &c->why);
	if (err == OK)
		err = may_forget_at_all(c);
	if (err == OK && !all)
		err = forget_ids(c, n, ids);
	if (err == OK)
		err = logger_forget(c->session->logger, ids, all ? 0 : n, may_forget, &f, c->now, &gone, &c->why);
	if (f.id != 0)
		snprintf(what, sizeof(what), "FORGET of entry %" PRIu64, f.id);
	if (err == ERR_DENIED && f.id != 0)
		err = call_check_right(c, f.needed, what);
	free(ids);
	if (err != OK)
		return err;
	logger_count(c->session->logger, COUNT_ACCEPTED);
	if (gone > 0)
		call_audit(c, 0);
	buf_addf(&c->reply->text, "0 Forgotten entries=%zu\n", gone);
	return OK;
}
