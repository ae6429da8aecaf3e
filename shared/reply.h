/*
 * reply - what a command has still to say: a first line, then lines made one by one as the client reads.
 *
 * Threads  one at a time.
 * Owns     its text, and whatever its source of lines holds.
 */
#ifndef LC_REPLY_H
#define LC_REPLY_H

#include "buf.h"
#include "command.h"

/* Makes line number `i` at the end of `out`, LF included. */
typedef void line_fn(struct reply *r, size_t i, struct buf *out, const struct now *now);

struct reply {
	struct buf text; /* made and not yet handed out */
	size_t     sent; /* of `text` */
	size_t     next, n_lines;
	line_fn   *line;      /* NULL: all lines stand in `text` */
	bool       is_slow;   /* a line may take long to make: one a piece */
	bool       is_cut;    /* out of memory in the middle */
	bool       is_static; /* `text` is not ours to free */

	/* sources of lines */
	struct logger  *logger;
	struct outcomes outcomes;
	size_t          group, group_end; /* of the row made next: its group, and the first row behind that */
	struct entries  entries;

	char *audit;
};

/* An empty reply; NULL: no memory. */
struct reply *reply_new(void);
/* The reply that says there is no memory; never fails. */
struct reply *reply_nomem(void);
/* Turns `r` into an error: one line. */
struct reply *reply_fail(struct reply *r, enum err e, const char *text);
/* The first line of a reply of `n` lines that are made by `line`. */
void          reply_rows(struct reply *r, struct logger *lg, struct outcomes *o); /* takes over the outcomes */
void          reply_entries(struct reply *r, struct logger *lg, struct entries *e);

#endif
