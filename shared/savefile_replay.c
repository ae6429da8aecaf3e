/* savefile_replay - the text of a state file -> the entries in force; see savefile_internal.h. */
#include <stdlib.h>
#include <string.h>

#include "record.h"
#include "savefile_internal.h"

/* Some of the text is no record.  What stood there may have been entries, whose ids must not be given again: more than this
 * they cannot have been. */
static void lose(struct replay *r, size_t len)
{
	if (len == 0)
		return;
	r->got->dropped++;
	r->lost += len;
	r->got->newest_id += 1 + len / RECORD_MIN_LEN;
}

static enum err replay_entry(struct replay *r, struct entry *e)
{
	struct ledger *new;
	if (ledger_find(r->ledger, ORIGIN_SOCKET, e->id) != NULL)
		return OK; /* one id, one entry */
	enum err err = ledger_add(r->ledger, e, SIZE_MAX, &new, NULL);
	if (err == OK) {
		ledger_free(r->ledger);
		r->ledger = new;
	}
	return err;
}

/* Of the ids those are passed over that were replaced since, or whose own record was damaged. */
static enum err replay_forget(struct replay *r, uint64_t *ids, size_t n)
{
	struct ledger *new;
	size_t left = 0;
	for (size_t i = 0; i < n; i++) {
		if (ledger_find(r->ledger, ORIGIN_SOCKET, ids[i]) != NULL)
			ids[left++] = ids[i];
	}
	if (left == 0)
		return OK;
	enum err err = ledger_remove(r->ledger, ids, left, &new, NULL);
	if (err == OK) {
		ledger_free(r->ledger);
		r->ledger = new;
	}
	return err;
}

static enum err replay_record(struct replay *r, const struct record *record)
{
	r->got->kept++;
	r->records++;
	if (record->newest > r->got->newest_id)
		r->got->newest_id = record->newest;
	if (record->kind == RECORD_ENTRY)
		return replay_entry(r, record->entry);
	return record->kind == RECORD_FORGET ? replay_forget(r, record->ids, record->n_ids) : OK;
}

/* One piece of text that should be a record; false: it is none.  *err: ERR_NOMEM. */
static bool replay_piece(struct replay *r, char *text, size_t len, enum err *err)
{
	struct record record;
	bool          whole = false;
	*err = record_read(&record, text, len, r->own_host, r->boot_ns, r->wall_ns);
	if (*err == OK && record.kind != RECORD_DAMAGED) {
		whole = true;
		*err = replay_record(r, &record);
	}
	record_fini(&record);
	return whole;
}

/* A line that is no record may hold some all the same: where a line end was damaged, or a block of the disk was lost.
 * `end` is how far whole records reach. */
static enum err replay_damaged(struct replay *r, char *line, size_t len, size_t *end)
{
	enum err err = OK;
	size_t   from = 0, start, stop;
	*end = 0;
	while (err == OK && record_search(line, len, from, &start, &stop)) {
		if (replay_piece(r, line + start, stop - start, &err)) {
			lose(r, start - *end);
			*end = stop;
		}
		from = stop;
	}
	if (err == OK)
		lose(r, len - *end);
	return err;
}

/* Behind the last line end: what a crash left of a record, or a record whose line end was damaged. */
static enum err replay_tail(struct replay *r, char *text, size_t len)
{
	size_t   end;
	enum err err = replay_damaged(r, text, len, &end);
	r->end += end;
	r->midline = end > 0;
	return err;
}

enum err replay_text(struct replay *r, struct buf *text, size_t at)
{
	enum err err = OK;
	char    *newline;
	r->ledger = ledger_new(HELD_DEFAULT);
	r->end = at;
	if (r->ledger == NULL)
		return ERR_NOMEM;
	while (err == OK && r->end < text->len &&
	       (newline = memchr(text->data + r->end, '\n', text->len - r->end)) != NULL) {
		char  *line = text->data + r->end;
		size_t len = (size_t)(newline - line), end;
		if (!replay_piece(r, line, len, &err) && err == OK)
			err = replay_damaged(r, line, len, &end);
		r->end += len + 1;
	}
	if (err == OK && r->end < text->len)
		err = replay_tail(r, text->data + r->end, text->len - r->end);
	return err;
}

enum err replay_deliver(struct replay *r, recover_fn *each, void *ctx)
{
	struct ledger *left;
	for (size_t i = 0; i < ledger_count(r->ledger); i++)
		r->got->ended += ledger_get(r->ledger, i)->ends_ns <= r->boot_ns;
	enum err err = ledger_expire(r->ledger, r->boot_ns, &left);
	if (err == OK && left != NULL) {
		ledger_free(r->ledger);
		r->ledger = left;
	}
	for (size_t i = 0; i < ledger_count(r->ledger) && err == OK; i++)
		err = each(ctx, (struct entry *)ledger_get(r->ledger, i));
	return err;
}
