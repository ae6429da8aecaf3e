/* reply - see reply.h, and command.h for what others may call. */
#include "reply.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "instance.h"
#include "word.h"

#define PIECE 65536 /* made ahead of the client at most, beside one line */

/* Room for the first line is made before anything is changed: what was changed can then be told. */
#define FIRST_LINE 300

struct reply *reply_new(void)
{
	static const char room[FIRST_LINE];
	struct reply     *r = calloc(1, sizeof(*r));
	if (r == NULL)
		return NULL;
	r->outcomes = OUTCOMES_INIT;
	buf_add(&r->text, room, sizeof(room));
	r->text.len = 0;
	if (!r->text.failed)
		return r;
	free(r);
	return NULL;
}

struct reply *reply_nomem(void)
{
	static const char                 text[] = "-12 out of memory; nothing was changed, try again later\n";
	static _Thread_local struct reply last_resort;
	last_resort = (struct reply){ .is_static = true, .text = { (char *)text, sizeof(text) - 1, 0, false } };
	return &last_resort;
}

static void empty(struct reply *r)
{
	buf_fini(&r->text);
	outcomes_fini(&r->outcomes);
	entries_fini(&r->entries);
	free(r->audit);
	*r = (struct reply){ .outcomes = OUTCOMES_INIT };
}

void reply_free(struct reply *r)
{
	if (r == NULL || r->is_static)
		return;
	empty(r);
	free(r);
}

bool reply_is_over(const struct reply *r)
{
	return r->sent == r->text.len && r->next == r->n_lines;
}

bool reply_is_cut(const struct reply *r)
{
	return r->is_cut;
}

struct reply *reply_fail(struct reply *r, enum err e, const char *text)
{
	empty(r);
	buf_addf(&r->text, "%d %s\n", err_number(e), text);
	if (!r->text.failed)
		return r;
	reply_free(r);
	return reply_nomem();
}

struct reply *reply_error(enum err e, const char *text)
{
	struct reply *r = reply_new();
	return r == NULL ? reply_nomem() : reply_fail(r, e, text);
}

const char *reply_audit(const struct reply *r)
{
	return r->audit;
}

/* ---- numbers, without stdio: a reply may have a million lines ---- */

static void add_number(struct buf *b, uint64_t n)
{
	char   digits[20];
	size_t i = sizeof(digits);
	do {
		digits[--i] = (char)('0' + n % 10);
		n /= 10;
	} while (n > 0);
	buf_add(b, digits + i, sizeof(digits) - i);
}

static void add_word(struct buf *b, uint32_t word)
{
	char text[10] = { '0', 'x' };
	for (int i = 9; i >= 2; i--, word >>= 4)
		text[i] = "0123456789abcdef"[word & 15];
	buf_add(b, text, sizeof(text));
}

/* ---- lines of LOG and ENQUIRE ---- */

static const char *const outcome_names[] = {
	[OUTCOME_DONE] = "done", [OUTCOME_REFUSED] = "refused", [OUTCOME_NONE] = "none",
	[OUTCOME_HELD] = "held", [OUTCOME_WOULD] = "would",
};

static void add_flag(struct buf *b, bool is_set, const char *name, bool *any)
{
	if (!is_set)
		return;
	buf_adds(b, *any ? "," : " ");
	buf_adds(b, name);
	*any = true;
}

static void add_flags(struct buf *b, struct held held, const struct facts *f)
{
	bool any = false;
	add_flag(b, f->in_log, "inlog", &any);
	add_flag(b, f->available, "avail", &any);
	add_flag(b, held.on && held.kind == DELTA_NATIVE, "native", &any);
	add_flag(b, held.on && held.kind == DELTA_ONCE, "once", &any);
	add_flag(b, f->timed, "timed", &any);
	add_flag(b, f->driven, "driven", &any);
	add_flag(b, !f->seen, "unseen", &any);
	buf_adds(b, any ? " " : " - ");
}

static void add_held(struct buf *b, struct held held, const struct facts *f)
{
	add_word(b, word_make(held, f->available, f->in_log, f->delta_ms));
	buf_addc(b, ' ');
	buf_adds(b, control_name(held.mandatory ? CONTROL_MANDATORY : CONTROL_ADVISORY));
	buf_adds(b, held.on ? " on " : " off ");
	add_number(b, f->delta_ms);
	buf_addc(b, ' ');
	if (f->source_interval_ns > 0)
		add_number(b, ((uint64_t)f->source_interval_ns + 999999) / 1000000);
	else
		buf_addc(b, '-');
	add_flags(b, held, f);
}

static void row_line(struct reply *r, size_t i, struct buf *out, const struct now *now)
{
	while (i >= r->group_end)
		r->group_end += r->outcomes.groups[++r->group].n_rows;
	if (i + FETCH_AHEAD < r->n_lines && r->outcomes.rows[i + FETCH_AHEAD].instance != NULL)
		instance_fetch(r->outcomes.rows[i + FETCH_AHEAD].instance, FETCH_NAME);
	const struct row       *row = &r->outcomes.rows[i];
	const struct row_group *group = &r->outcomes.groups[r->group];
	enum outcome            outcome = (enum outcome)row->held.spare;
	add_number(out, r->group + 1);
	buf_addc(out, ' ');
	buf_adds(out, outcome_names[outcome]);
	buf_addc(out, ' ');
	if (outcome == OUTCOME_NONE) {
		buf_adds(out, "0x00000000 - - - - - ");
	} else {
		struct facts facts = logger_facts(r->logger, row, now);
		if (row->instance == NULL)
			facts.timed = logger_is_timed(r->logger, selector_ident(group->selector));
		add_held(out, row->held, &facts);
	}
	if (row->instance != NULL) {
		buf_add_quoted(out, row->instance->name, row->instance->name_len);
	} else {
		struct ident name = selector_ident(group->selector);
		buf_add_quoted(out, name.text, name.len);
	}
	buf_addc(out, '\n');
}

void reply_rows(struct reply *r, struct logger *lg, struct outcomes *o)
{
	r->logger = lg;
	r->outcomes = *o;
	r->n_lines = o->n_rows;
	r->line = row_line;
	r->group = 0;
	r->group_end = o->n_groups == 0 ? 0 : o->groups[0].n_rows;
	*o = OUTCOMES_INIT;
}

/* ---- lines of RULES ---- */

static void add_ends(struct buf *b, const struct entry *e, const struct now *now)
{
	if (e->ends_ns == ENTRY_FOREVER) {
		buf_adds(b, " ends=-");
		return;
	}
	int64_t left_ns = e->ends_ns - now->boot_ns;
	add_number((buf_adds(b, " ends="), b), left_ns <= 0 ? 0 : ((uint64_t)left_ns + 999999999) / 1000000000);
}

static void entry_line(struct reply *r, size_t i, struct buf *out, const struct now *now)
{
	const struct entry *e = r->entries.list[i];
	struct buf          request = BUF_INIT;
	bool                config = e->origin == ORIGIN_CONFIG;
	buf_addf(out, "%s%" PRIu64 " %s uid=", config ? "c" : "", e->id, config ? "config" : "socket");
	if (config)
		buf_addc(out, '-');
	else
		add_number(out, e->uid);
	buf_addf(out, " at=%" PRId64, e->at_s);
	add_ends(out, e, now);
	buf_addf(out, " keep=%s instances=%zu note=",
		 config     ? "config"
		 : e->saved ? "saved"
			    : "temporary",
		 logger_selected(r->logger, e));
	buf_add_quoted(out, e->note == NULL ? "" : e->note, e->note == NULL ? 0 : strlen(e->note));
	buf_addc(out, ' ');
	entry_format(e, &request);
	buf_add_quoted(out, request.data, request.len);
	buf_addc(out, '\n');
	out->failed |= request.failed;
	buf_fini(&request);
}

void reply_entries(struct reply *r, struct logger *lg, struct entries *e)
{
	r->logger = lg;
	r->entries = *e;
	r->n_lines = e->n;
	r->line = entry_line;
	r->is_slow = true; /* logger_selected() */
	*e = ENTRIES_INIT;
}

/* ---- reading ---- */

/* Makes lines until a piece is full. */
static void make_more(struct reply *r, const struct now *now)
{
	r->text.len = r->sent = 0;
	do
		r->line(r, r->next++, &r->text, now);
	while (r->next < r->n_lines && r->text.len < PIECE && !r->text.failed && !r->is_slow);
	if (r->text.failed) {
		r->is_cut = true;
		r->text.len = 0;
		r->next = r->n_lines;
	}
}

size_t reply_read(struct reply *r, char *out, size_t size, const struct now *now)
{
	size_t used = 0;
	while (used < size) {
		if (r->sent == r->text.len) {
			if (r->next == r->n_lines || (r->is_slow && used > 0))
				break;
			make_more(r, now);
		}
		size_t n = r->text.len - r->sent;
		if (n > size - used)
			n = size - used;
		memcpy(out + used, r->text.data + r->sent, n);
		used += n;
		r->sent += n;
	}
	return used;
}
