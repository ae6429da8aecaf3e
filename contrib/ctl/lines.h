/*
 * lines - lines of RULES, EXPLAIN and STATUS replies -> rows of a grid.
 *
 * Threads  pure.
 */
#ifndef CTL_LINES_H
#define CTL_LINES_H

#include <stdbool.h>

#include "grid.h"
#include "log_control.h"
#include "statement.h"

/* Fills `g` (the caller's to grid_fini() in every case).  False: a line is not of the form it should have. */
bool lines_read(struct grid *g, enum verb verb, const struct lc_reply *reply);

#endif
