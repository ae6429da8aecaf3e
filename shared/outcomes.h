/*
 * outcomes - builds the rows of a reply; the logger's own, see struct outcomes in logger.h.
 *
 * Threads  control lock held.
 * Errors   ERR_NOMEM; what was built so far is still outcomes_fini_locked()'s to free.
 */
#ifndef LC_OUTCOMES_H
#define LC_OUTCOMES_H

#include "logger.h"

struct rows {
	struct outcomes *out;
	size_t           size; /* room in out->rows */
	bool             failed;
};

/* Room for `n` groups. */
enum err outcomes_init(struct outcomes *o, struct logger *lg, size_t n);
/* Begins the lines of one selector; takes its own reference. */
void     rows_group(struct rows *r, struct selector *s);
/* One line of the group begun last; `i` (NULL: unseen) is referenced. */
void     rows_add(struct rows *r, struct instance *i, struct held held, enum outcome outcome);
void     outcomes_fini_locked(struct outcomes *o);

#endif
