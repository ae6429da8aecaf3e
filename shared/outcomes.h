/*
 * outcomes - builds the rows of a reply; the logger's own, see struct outcomes in logger.h.
 *
 * Threads  control lock held.
 * Errors   ERR_NOMEM, ERR_FULL (more lines than any reply may have); what was built so far is still outcomes_fini_locked()'s
 *          to free.
 */
#ifndef LC_OUTCOMES_H
#define LC_OUTCOMES_H

#include "logger.h"

/* A reply may name each instance that there may be so often, beside a line a selector.  One line of a client has room for a
 * hundred thousand patterns, which must not cost that many times the memory of all instances. */
#define LINES_AN_INSTANCE 16
/* Nor that many times the time that all instances take: ten seconds or so, in which no other request is looked at. */
#define LOOKS_MAX ((size_t)1 << 28)

struct rows {
	struct outcomes *out;
	size_t           size;  /* room in out->rows */
	size_t           most;  /* rows */
	size_t           looks; /* at names, to find them */
	enum err         err;   /* of all that was added */
};

/* Begins the rows of `n` groups. */
enum err rows_init(struct rows *r, struct outcomes *o, struct logger *lg, size_t n);
/* Says why they could not be made. */
enum err rows_failed(const struct rows *r, enum err err, struct why *why);
/* Begins the lines of one selector; takes its own reference. */
void     rows_group(struct rows *r, struct selector *s);
/* So many names were looked at for it. */
void     rows_looked(struct rows *r, size_t n);
/* One line of the group begun last; `i` (NULL: unseen) is referenced. */
void     rows_add(struct rows *r, struct instance *i, struct held held, enum outcome outcome);
void     outcomes_fini_locked(struct outcomes *o);

#endif
