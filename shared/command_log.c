/* command_log - LOG and ENQUIRE; see command_internal.h. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "command_internal.h"
#include "hints.h"

/* ---- LOG ---- */

static enum err log_words(struct call *c, struct ask *ask)
{
	const struct span *w = c->request.words;
	if (!control_parse(w[1].text, w[1].len, &ask->control))
		return why_set(&c->why, ERR_INVAL, "%s is no control; write mandatory or advisory",
			       excerpt_of(w[1].text, w[1].len).text);
	enum err err = call_check_right(c, ask->control == CONTROL_MANDATORY ? RIGHT_MANDATORY : RIGHT_ADVISORY,
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
	return call_flag(c, "dryrun", &r->dry_run);
}

static void log_first_line(struct buf *b, const struct outcomes *o, unsigned hints)
{
	buf_addf(b, "%zu Values ", o->n_rows);
	if (o->dry_run) {
		buf_addf(b, "before=%.6g after=%.6g", o->before, o->after);
		hints_format(hints, b);
		buf_addc(b, '\n');
		return;
	}
	if (o->id == 0)
		buf_adds(b, "id=-");
	else
		buf_addf(b, "id=%" PRIu64, o->id);
	buf_addf(b, " keep=%s", o->saved ? "saved" : "temporary");
	if (o->ends_ms >= 0)
		buf_addf(b, " ends=%" PRId64, (o->ends_ms + 999) / 1000);
	hints_format(hints, b);
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
		call_audit(c, o.id);
	log_first_line(&c->reply->text, &o, hints_of(&r->ask, &o, logger_settings(c->session->logger)->rrd_writer));
	reply_rows(c->reply, c->session->logger, &o);
	return OK;
}

enum err run_log(struct call *c)
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
		err = call_selectors(c, 3, &r.selectors, &r.n_selectors);
	return err == OK ? log_run(c, &r) : err;
}

/* ---- ENQUIRE ---- */

/* Reads one filter word; false: it is none, or there was one of its kind, so the selectors begin. */
static bool filter_read(struct span w, struct enquiry *e)
{
	enum control control;
	enum state   state;
	if (memchr(w.text, '/', w.len) != NULL)
		return false;
	if (e->control < 0 && control_parse(w.text, w.len, &control))
		e->control = (int)control;
	else if (e->on < 0 && state_parse(w.text, w.len, &state) && state != STATE_MAYBE)
		e->on = state == STATE_ON;
	else if (!e->unavailable && span_is(w, "unavailable"))
		e->unavailable = true;
	else
		return false;
	return true;
}

enum err run_enquire(struct call *c)
{
	static const char *const allowed[] = { "count", NULL };
	struct enquiry           e = { .control = -1, .on = -1 };
	struct outcomes          o = OUTCOMES_INIT;
	size_t                   from = 1;
	bool                     count = false;
	enum err                 err = request_check_options(&c->request, allowed, &c->why);
	if (err == OK)
		err = call_flag(c, "count", &count);
	if (err != OK)
		return err;
	while (from < c->request.n_words && filter_read(c->request.words[from], &e))
		from++;
	err = call_selectors(c, from, &e.selectors, &e.n_selectors);
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
