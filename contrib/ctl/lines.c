/* lines - see lines.h. */
#include "lines.h"

#include <stdlib.h>
#include <string.h>

#include "request.h"

#define COUNT(list) (sizeof(list) / sizeof((list)[0]))

/* ---- RULES: ID ORIGIN uid= at= ends= keep= instances= note= "LOG ..." ---- */

static const struct column rule_columns[] = {
	{ "id", COLUMN_TEXT, false },          { "origin", COLUMN_TEXT, false },   { "uid", COLUMN_NUMBER, false },
	{ "at_s", COLUMN_TIME_S, false },      { "ends_s", COLUMN_LEFT_S, false }, { "keep", COLUMN_TEXT, false },
	{ "instances", COLUMN_NUMBER, false }, { "note", COLUMN_FREE, false },     { "request", COLUMN_TEXT, false },
};

static void span_add(struct grid *g, const struct span *s)
{
	if (s != NULL && memchr(s->text, '\0', s->len) == NULL)
		buf_add(&g->cells, s->text, s->len);
	buf_addc(&g->cells, '\0');
	g->n_cells++;
}

static void rule_add(struct grid *g, const struct request *r)
{
	static const char *const options[] = { "uid", "at", "ends", "keep", "instances", "note" };
	span_add(g, &r->words[0]);
	span_add(g, &r->words[1]);
	for (size_t i = 0; i < COUNT(options); i++)
		span_add(g, request_option(r, options[i]));
	span_add(g, &r->words[2]);
}

/* ---- EXPLAIN: ID DID CONTROL STATE DELTA ---- */

static const struct column step_columns[] = {
	{ "id", COLUMN_TEXT, false },    { "did", COLUMN_TEXT, false },       { "control", COLUMN_TEXT, false },
	{ "state", COLUMN_TEXT, false }, { "delta_ms", COLUMN_DELTA, false },
};

static void step_add(struct grid *g, const struct request *r)
{
	for (size_t i = 0; i < COUNT(step_columns); i++)
		span_add(g, &r->words[i]);
}

/* ---- lines of words ---- */

static bool words_line(struct grid *g, const char *line, size_t n_words,
		       void (*add)(struct grid *, const struct request *))
{
	struct request r = REQUEST_INIT;
	char          *copy = strdup(line);
	bool is_right = copy != NULL && request_parse(&r, copy, strlen(copy), NULL) == OK && r.n_words == n_words;
	if (is_right)
		add(g, &r);
	request_fini(&r);
	free(copy);
	return is_right;
}

/* ---- STATUS: name=value ---- */

static const struct column name_columns[] = { { "name", COLUMN_TEXT, false }, { "value", COLUMN_ANY, false } };

static bool name_line(struct grid *g, const char *line)
{
	const char *equals = strchr(line, '=');
	if (equals == NULL)
		return false;
	struct span name = { line, (size_t)(equals - line) };
	span_add(g, &name);
	grid_add(g, equals + 1);
	return true;
}

/* ---- STATUS: source.NAME.configured_ms= and what follows it ---- */

static const struct column source_columns[] = {
	{ "source", COLUMN_IDENTIFIER, false }, { "configured_ms", COLUMN_MS, false },
	{ "present_ms", COLUMN_MS, false },     { "driven", COLUMN_ANY, false },
	{ "changes", COLUMN_ANY, false },
};

/* A line `source.NAME.ATTRIBUTE=value`: whatever NAME has in it, the attribute has neither dot nor equals sign. */
struct attribute {
	struct span source, name;
	const char *value;
};

static bool attribute_read(const char *line, struct attribute *a)
{
	const char *equals = strrchr(line, '='), *dot = equals;
	if (strncmp(line, "source.", 7) != 0 || equals == NULL)
		return false;
	while (dot > line && *dot != '.')
		dot--;
	if (dot <= line + 6)
		return false;
	*a = (struct attribute){ { line + 7, (size_t)(dot - line - 7) },
				 { dot + 1, (size_t)(equals - dot - 1) },
				 equals + 1 };
	return true;
}

static bool same_source(const struct attribute *a, const struct attribute *b)
{
	return a->source.len == b->source.len && memcmp(a->source.text, b->source.text, a->source.len) == 0;
}

/* One row from the lines of one source, which stand together; returns the line behind them. */
static size_t source_add(struct grid *g, const struct lc_reply *reply, size_t first, const struct attribute *source)
{
	const char      *cells[COUNT(source_columns)] = { NULL };
	struct attribute a;
	size_t           i = first;
	for (; i < reply->n_lines && attribute_read(reply->lines[i], &a) && same_source(&a, source); i++) {
		for (size_t k = 1; k < COUNT(source_columns); k++) {
			if (span_is(a.name, source_columns[k].name))
				cells[k] = a.value;
		}
	}
	span_add(g, &source->source);
	for (size_t k = 1; k < COUNT(source_columns); k++)
		grid_add(g, cells[k] == NULL ? "-" : cells[k]);
	return i;
}

static void sources_read(struct grid *g, const struct lc_reply *reply)
{
	struct attribute a;
	for (size_t i = 0; i < reply->n_lines;)
		i = attribute_read(reply->lines[i], &a) ? source_add(g, reply, i, &a) : i + 1;
}

/* ---- all ---- */

static bool line_read(struct grid *g, enum verb verb, const char *line)
{
	if (verb == VERB_RULES)
		return words_line(g, line, 3, rule_add);
	if (verb == VERB_EXPLAIN)
		return words_line(g, line, COUNT(step_columns), step_add);
	return name_line(g, line);
}

bool lines_read(struct grid *g, enum verb verb, const struct lc_reply *reply)
{
	if (verb == VERB_SOURCES) {
		grid_init(g, source_columns, COUNT(source_columns));
		sources_read(g, reply);
		return true;
	}
	if (verb == VERB_RULES)
		grid_init(g, rule_columns, COUNT(rule_columns));
	else if (verb == VERB_EXPLAIN)
		grid_init(g, step_columns, COUNT(step_columns));
	else
		grid_init(g, name_columns, COUNT(name_columns));
	for (size_t i = 0; i < reply->n_lines; i++) {
		if (!line_read(g, verb, reply->lines[i]))
			return false;
	}
	return true;
}
