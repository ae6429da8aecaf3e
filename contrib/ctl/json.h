/*
 * json - answers for programs: one JSON object a statement, each on a line of its own.
 *
 * Role     {"statement": ..., ...}; an error is {"statement": ..., "error": -22, "message": ...}.  Bytes that are
 *          no UTF-8 are shown as U+FFFD; an identifier that has some comes a second time as "quoted", in the words
 *          of the protocol.
 * Threads  one at a time.
 */
#ifndef CTL_JSON_H
#define CTL_JSON_H

#include <stdio.h>

#include "grid.h"
#include "log_control.h"
#include "statement.h"

/* `title` is the reply's first line behind the number; its name=value become members.  `s` has the selectors. */
void json_grid(FILE *out, const struct statement *s, const char *title, const struct grid *g);
/* Two columns, name and value, as one object. */
void json_names(FILE *out, const struct statement *s, const struct grid *g);
void json_raw(FILE *out, const struct statement *s, const struct lc_reply *reply);
/* `s` NULL: the statement could not be read. */
void json_error(FILE *out, const struct statement *s, int error, const char *message);

#endif
