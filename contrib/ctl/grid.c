/* grid - see grid.h: cells, and the table for people. */
#include "grid.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "delta.h"

#define MAX_COLUMNS 16

void grid_init(struct grid *g, const struct column *columns, size_t n_columns)
{
	*g = (struct grid){ columns, n_columns, 0, BUF_INIT };
}

void grid_fini(struct grid *g)
{
	buf_fini(&g->cells);
}

void grid_add(struct grid *g, const char *text)
{
	buf_add(&g->cells, text, strlen(text) + 1);
	g->n_cells++;
}

void grid_addf(struct grid *g, const char *fmt, ...)
{
	char    text[64];
	va_list args;
	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	grid_add(g, text);
}

/* ---- one cell, for people ---- */

void printable_add(struct buf *b, const char *text)
{
	for (const char *c = text; *c != '\0'; c++) {
		if (*c >= 0x20 && *c <= 0x7e)
			buf_addc(b, *c);
		else
			buf_addf(b, "\\x%02x", (unsigned char)*c);
	}
}

/* Would this text be read as anything but itself, by the daemon, in a statement or in a list? */
static bool needs_quotes(const char *text)
{
	for (const char *c = text; *c != '\0'; c++) {
		if (*c < 0x21 || *c > 0x7e || strchr("\"\\{},#", *c) != NULL)
			return true;
	}
	return text[0] == '\0' ||
	       text[strspn(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_")] == '=';
}

void identifier_add(struct buf *b, const char *identifier)
{
	if (needs_quotes(identifier))
		buf_add_quoted(b, identifier, strlen(identifier));
	else
		buf_adds(b, identifier);
}

/* A duration in milliseconds; what is no number is printed as it is. */
static void duration_add(struct buf *b, const char *text, uint64_t unit_ms)
{
	char    *end;
	uint64_t n = strtoull(text, &end, 10);
	if (isdigit((unsigned char)text[0]) && *end == '\0' && n <= UINT64_MAX / unit_ms)
		buf_adds(b, duration_format(n * unit_ms).text);
	else
		printable_add(b, text);
}

static void time_add(struct buf *b, const char *text)
{
	char     *end, date[64];
	time_t    t = (time_t)strtoll(text, &end, 10);
	struct tm tm;
	if (end != text && *end == '\0' && localtime_r(&t, &tm) != NULL &&
	    strftime(date, sizeof(date), "%Y-%m-%dT%H:%M:%S%z", &tm) > 0)
		buf_adds(b, date);
	else
		printable_add(b, text);
}

static void cell_add(struct buf *b, enum column_kind kind, const char *text)
{
	switch (kind) {
	case COLUMN_DELTA:
		duration_add(b, strcmp(text, "0") == 0 ? "-" : text, 1);
		return;
	case COLUMN_MS:
		duration_add(b, text, 1);
		return;
	case COLUMN_LEFT_S:
		duration_add(b, text, 1000);
		return;
	case COLUMN_TIME_S:
		time_add(b, text);
		return;
	case COLUMN_IDENTIFIER:
		identifier_add(b, text);
		return;
	case COLUMN_FREE:
		buf_add_quoted(b, text, strlen(text));
		return;
	case COLUMN_TEXT:
	case COLUMN_NUMBER:
	case COLUMN_ANY:
	case COLUMN_FLAGS:
		printable_add(b, text);
		return;
	}
}

/* ---- the table ---- */

/* The head: the name in capitals, without its unit. */
static void head_add(struct buf *b, const struct column *c)
{
	size_t len = strlen(c->name);
	if (len > 3 && strcmp(c->name + len - 3, "_ms") == 0)
		len -= 3;
	else if (len > 2 && strcmp(c->name + len - 2, "_s") == 0)
		len -= 2;
	for (size_t i = 0; i < len; i++)
		buf_addc(b, (char)toupper((unsigned char)c->name[i]));
}

/* One cell as it is printed; `head` NULL: the columns' names. */
static const char *cell_text(struct buf *b, const struct column *c, const char *cell)
{
	b->len = 0;
	if (cell == NULL)
		head_add(b, c);
	else
		cell_add(b, c->kind, cell);
	return buf_text(b);
}

static void measure(const struct grid *g, struct buf *b, size_t width[MAX_COLUMNS])
{
	const char *cell = g->cells.data;
	for (size_t i = 0; i < g->n_columns; i++)
		width[i] = strlen(cell_text(b, &g->columns[i], NULL));
	for (size_t i = 0; i < g->n_cells; i++) {
		size_t k = i % g->n_columns, len = strlen(cell_text(b, &g->columns[k], cell));
		width[k] = len > width[k] ? len : width[k];
		cell += strlen(cell) + 1;
	}
}

static bool is_last(const struct grid *g, size_t column)
{
	for (size_t i = column + 1; i < g->n_columns; i++) {
		if (!g->columns[i].json_only)
			return false;
	}
	return true;
}

/* Prints one row and returns the first cell of the next. */
static const char *row_print(const struct grid *g, struct buf *b, const size_t *width, const char *cell, FILE *out)
{
	for (size_t i = 0; i < g->n_columns; i++) {
		const char *text = cell_text(b, &g->columns[i], cell);
		if (!g->columns[i].json_only)
			fprintf(out, "%-*s%s", is_last(g, i) ? 0 : (int)width[i], text, is_last(g, i) ? "\n" : "  ");
		if (cell != NULL)
			cell += strlen(cell) + 1;
	}
	return cell;
}

void grid_print(const struct grid *g, FILE *out)
{
	struct buf  b = BUF_INIT;
	size_t      width[MAX_COLUMNS] = { 0 };
	const char *cell = g->cells.data;
	if (g->n_cells == 0)
		return;
	measure(g, &b, width);
	row_print(g, &b, width, NULL, out);
	for (size_t i = 0; i < g->n_cells / g->n_columns; i++)
		cell = row_print(g, &b, width, cell, out);
	buf_fini(&b);
}
