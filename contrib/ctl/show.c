/* show - see show.h. */
#include "show.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "advice.h"
#include "delta.h"
#include "grid.h"
#include "json.h"
#include "lines.h"

static void grid_show(const struct statement *s, const char *title, const struct grid *g, bool json)
{
	if (json)
		json_grid(stdout, s, title, g);
	else
		grid_print(g, stdout);
}

/* ---- log and query ---- */

static const struct column value_columns[] = {
	{ "selector", COLUMN_NUMBER, false },
	{ "outcome", COLUMN_TEXT, false },
	{ "word", COLUMN_NUMBER, true },
	{ "control", COLUMN_TEXT, false },
	{ "state", COLUMN_TEXT, false },
	{ "delta_ms", COLUMN_DELTA, false },
	{ "interval_ms", COLUMN_MS, false },
	{ "flags", COLUMN_FLAGS, false },
	{ "identifier", COLUMN_IDENTIFIER, false },
};

static const char *const outcome_names[] = {
	[PMLC_DONE] = "done", [PMLC_REFUSED] = "refused", [PMLC_NONE] = "none",
	[PMLC_HELD] = "held", [PMLC_WOULD] = "would",
};

static const char *control_word(int control)
{
	return control == PMLC_MANDATORY ? "mandatory" : control == PMLC_ADVISORY ? "advisory" : "-";
}

static const char *state_word(int state)
{
	return state == PMLC_ON ? "on" : state == PMLC_OFF ? "off" : "-";
}

static void ms_add(struct grid *g, int64_t ms)
{
	if (ms < 0)
		grid_add(g, "-");
	else
		grid_addf(g, "%" PRId64, ms);
}

static void flags_add(struct grid *g, unsigned flags)
{
	static const char *const names[] = { "inlog", "avail", "native", "once", "timed", "driven", "unseen" };
	char                     text[64] = "";
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if ((flags & 1u << i) == 0)
			continue;
		strcat(text, text[0] == '\0' ? "" : ",");
		strcat(text, names[i]); /* all of them together are 44 characters */
	}
	grid_add(g, text[0] == '\0' ? "-" : text);
}

static void row_add(struct grid *g, size_t selector, const struct lc_row *row)
{
	grid_addf(g, "%zu", selector);
	grid_add(g, outcome_names[row->outcome]);
	grid_addf(g, "%" PRIu32, row->word);
	grid_add(g, control_word(row->control));
	grid_add(g, state_word(row->state));
	ms_add(g, row->delta_ms);
	ms_add(g, row->source_interval_ms);
	flags_add(g, row->flags);
	grid_add(g, row->identifier);
}

/* What a request changed, behind the table. */
static void entry_print(const struct lc_status *status)
{
	const char *dry = strstr(status->message, "before="), *hint = strstr(status->message, " hint=");
	const char *count = strstr(status->message, "count=");
	if (dry != NULL) {
		struct buf text = BUF_INIT, figures = BUF_INIT;
		buf_add(&figures, dry, hint == NULL ? strlen(dry) : (size_t)(hint - dry));
		printable_add(&text, buf_text(&figures));
		printf("nothing was changed; logged values a second of what was selected: %s\n", buf_text(&text));
		buf_fini(&figures);
		buf_fini(&text);
	} else if (count != NULL) {
		printf("%.*s\n", (int)strspn(count + 6, "0123456789"), count + 6);
	} else if (status->id > 0) {
		printf("rule %" PRIu64 ", %s", status->id,
		       status->saved ? "saved" : "not saved: a restart of the daemon ends it");
		if (status->ends_s >= 0)
			printf(", ends in %s", duration_format((uint64_t)status->ends_s * 1000).text);
		putchar('\n');
	} else if (strstr(status->message, "id=-") != NULL) {
		puts("no rule stayed");
	}
}

/* One line to stderr for each row that needs attention, the first ones of many. */
struct notes {
	size_t refused, none;
};

#define NOTES_MAX 10

static void refused_note(const char *name, const struct lc_row *row)
{
	fprintf(stderr,
		"collectd-logctl: refused: %s is mandatory %s; ask mandatory, or forget the rule that holds it "
		"(explain tells)\n",
		name, state_word(row->state));
}

static void none_note(const char *name, bool is_query)
{
	fprintf(stderr, "collectd-logctl: %s selects nothing yet%s\n", name,
		is_query ? "" : "; the rule waits for what it will select");
}

static void row_note(struct notes *n, const struct lc_row *row, bool is_query)
{
	struct buf name = BUF_INIT;
	identifier_add(&name, row->identifier);
	if (row->outcome == PMLC_REFUSED && n->refused++ < NOTES_MAX)
		refused_note(buf_text(&name), row);
	else if (row->outcome == PMLC_NONE && n->none++ < NOTES_MAX)
		none_note(buf_text(&name), is_query);
	buf_fini(&name);
}

static enum shown notes_end(const struct notes *n)
{
	if (n->refused > NOTES_MAX)
		fprintf(stderr, "collectd-logctl: refused: %zu more\n", n->refused - NOTES_MAX);
	if (n->none > NOTES_MAX)
		fprintf(stderr, "collectd-logctl: %zu more selectors select nothing yet\n", n->none - NOTES_MAX);
	return n->refused + n->none > 0 ? SHOWN_REFUSED : SHOWN_APPLIED;
}

static enum shown values_show(const struct statement *s, struct lc_reply *reply, bool json)
{
	struct lc_status *status = NULL;
	struct grid       g;
	struct notes      notes = { 0, 0 };
	int               err = lc_reply_status(reply, s->n_selectors, &status);
	if (err != 0)
		return err == -ENOMEM ? SHOWN_NO_MEMORY : SHOWN_GARBLED;
	grid_init(&g, value_columns, sizeof(value_columns) / sizeof(value_columns[0]));
	for (size_t i = 0; i < status->n_elements; i++) {
		for (size_t k = 0; k < status->elements[i].n_rows; k++)
			row_add(&g, i + 1, &status->elements[i].rows[k]);
	}
	bool failed = g.cells.failed;
	if (!failed)
		grid_show(s, status->message, &g, json);
	if (!json)
		entry_print(status);
	if (!json && s->verb == VERB_LOG)
		advice_on_sources(stdout, status);
	fflush(stdout);
	advice_on_hints(stderr, status);
	for (size_t i = 0; i < status->n_elements; i++) {
		for (size_t k = 0; k < status->elements[i].n_rows; k++)
			row_note(&notes, &status->elements[i].rows[k], s->verb == VERB_QUERY);
	}
	grid_fini(&g);
	lc_status_free(status);
	enum shown shown = notes_end(&notes);
	return failed ? SHOWN_NO_MEMORY : shown;
}

/* ---- the others ---- */

static void raw_show(const struct statement *s, const struct lc_reply *reply, bool json)
{
	if (json) {
		json_raw(stdout, s, reply);
		return;
	}
	printf(reply->text[0] == '\0' ? "%d%s\n" : "%d %s\n", reply->number, reply->text);
	for (size_t i = 0; i < reply->n_lines; i++)
		puts(reply->lines[i]);
}

static void forgotten_show(const struct statement *s, const struct lc_reply *reply, bool json)
{
	struct grid none;
	const char *entries = strstr(reply->text, "entries=");
	size_t      n = entries == NULL ? 0 : strspn(entries + 8, "0123456789");
	grid_init(&none, value_columns, 1);
	if (json)
		json_grid(stdout, s, reply->text, &none);
	else
		printf("%.*s rules forgotten\n", (int)n, n == 0 ? "" : entries + 8);
	grid_fini(&none);
}

static bool lines_show(const struct statement *s, const struct lc_reply *reply, bool json, enum shown *shown)
{
	struct grid g;
	bool        is_known = lines_read(&g, s->verb, reply);
	if (is_known && g.cells.failed)
		*shown = SHOWN_NO_MEMORY;
	else if (is_known && s->verb == VERB_STATUS && json)
		json_names(stdout, s, &g);
	else if (is_known)
		grid_show(s, reply->text, &g, json);
	grid_fini(&g);
	return is_known;
}

enum shown show_reply(const struct statement *s, struct lc_reply *reply, bool json)
{
	enum shown shown = SHOWN_APPLIED;
	if (s->verb == VERB_LOG || s->verb == VERB_QUERY)
		return values_show(s, reply, json);
	if (s->verb == VERB_RAW)
		raw_show(s, reply, json);
	else if (s->verb == VERB_FORGET)
		forgotten_show(s, reply, json);
	else if (!lines_show(s, reply, json, &shown))
		shown = SHOWN_GARBLED;
	lc_reply_free(reply);
	return shown;
}

void show_help(const struct statement *s)
{
	const char *one = s->selectors.len > 0 ? s->selectors.data : NULL;
	for (int v = 0; v < N_VERBS; v++) {
		const char *name = verb_name((enum verb)v);
		if (one != NULL && (strlen(name) != s->selectors.len || memcmp(name, one, s->selectors.len) != 0))
			continue;
		printf("%s\n    %s\n", verb_usage((enum verb)v), verb_summary((enum verb)v));
	}
	if (one == NULL)
		puts("SELECTORS: one or more of HOST/PLUGIN/TYPE or PLUGIN/TYPE, patterns too; or a list { A, B },\n"
		     "    which may go over several lines.  UNIT: msec, sec, min, hour, day.  # begins a comment.\n"
		     "    Keywords in any letter case.");
}
