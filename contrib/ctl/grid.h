/*
 * grid - lines of a reply as rows of named cells, and how people and programs see them.
 *
 * Role     neutral form between the replies (show.c) and the two ways to print them: a table (grid.c), JSON (json.c).
 * Threads  one at a time.
 * Owns     its cells.
 * Errors   no memory sets `cells.failed`: check it before printing.
 */
#ifndef CTL_GRID_H
#define CTL_GRID_H

#include <stdbool.h>
#include <stdio.h>

#include "buf.h"

/* What the text of a cell is; "-" is nothing, null in JSON. */
enum column_kind {
	COLUMN_TEXT,
	COLUMN_NUMBER,
	COLUMN_ANY,        /* a number, true, false, or text */
	COLUMN_MS,         /* for people: 10s */
	COLUMN_DELTA,      /* the same, and 0 is nothing for people: the flag says once */
	COLUMN_LEFT_S,     /* seconds left; for people: 15min */
	COLUMN_TIME_S,     /* since the epoch; for people: date and time */
	COLUMN_FLAGS,      /* comma-separated */
	COLUMN_IDENTIFIER, /* any bytes */
	COLUMN_FREE,       /* any bytes; "-" is just that */
};

struct column {
	const char      *name; /* as in JSON; the table's head has it without the unit, in capitals */
	enum column_kind kind;
	bool             json_only;
};

struct grid {
	const struct column *columns; /* borrowed */
	size_t               n_columns, n_cells;
	struct buf           cells; /* row by row, each cell terminated */
};

void grid_init(struct grid *g, const struct column *columns, size_t n_columns);
void grid_fini(struct grid *g);
/* Adds the next cell; rows fill from left to right.  The text holds no NUL. */
void grid_add(struct grid *g, const char *text);
void grid_addf(struct grid *g, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Prints a head and all rows, columns as wide as their widest cell.  Nothing unprintable reaches the terminal. */
void grid_print(const struct grid *g, FILE *out);

/* An identifier as it can be typed again: bare, or in the quotes of the protocol where it needs them. */
void identifier_add(struct buf *b, const char *identifier);
/* Text with \xHH for whatever is not printable. */
void printable_add(struct buf *b, const char *text);

#endif
