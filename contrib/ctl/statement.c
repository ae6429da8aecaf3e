/* statement - see statement.h. */
#include "statement.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "control.h"
#include "parse.h"

/* ---- verbs ---- */

static const struct verb_row {
	const char *name, *other; /* NULL: no other name */
	grammar_fn *grammar;
	const char *usage, *summary;
} verbs[N_VERBS] = {
	[VERB_LOG] = { "log", NULL, parse_log,
		       "[log] mandatory|advisory on|off|maybe [[every] N UNIT|once|native] SELECTORS [for N UNIT]",
		       "set whether and how often the metric instances are logged" },
	[VERB_QUERY] = { "query", "enquire", parse_query,
			 "query [mandatory|advisory] [on|off] [unavailable] [count] SELECTORS",
			 "tell what the metric instances hold" },
	[VERB_EXPLAIN] = { "explain", NULL, parse_explain, "explain IDENTIFIER",
			   "tell which rules select a metric instance, and what each did" },
	[VERB_RULES] = { "rules", NULL, parse_nothing, "rules", "list the rules in force" },
	[VERB_FORGET] = { "forget", NULL, parse_forget, "forget ID...|all", "remove rules that came over the socket" },
	[VERB_STATUS] = { "status", NULL, parse_nothing, "status", "show counters, limits and sizes of the plugin" },
	[VERB_SOURCES] = { "sources", NULL, parse_nothing, "sources", "show the sources and their intervals" },
	[VERB_RAW] = { "raw", NULL, NULL, "raw LINE",
		       "send a line of the protocol as it is, print the reply as it is" },
	[VERB_HELP] = { "help", "?", parse_help, "help [COMMAND]", "list the commands, or explain one" },
	[VERB_QUIT] = { "quit", "exit", parse_nothing, "quit", "end" },
};

static const char *const sent_as[N_VERBS] = {
	[VERB_RULES] = "RULES", [VERB_STATUS] = "STATUS", [VERB_SOURCES] = "STATUS"
};

enum verb verb_find(const struct word *word)
{
	for (int v = 0; v < N_VERBS; v++) {
		if (word_is(word, verbs[v].name) || (verbs[v].other != NULL && word_is(word, verbs[v].other)))
			return (enum verb)v;
	}
	return N_VERBS;
}

const char *verb_name(enum verb v)
{
	return verbs[v].name;
}

const char *verb_usage(enum verb v)
{
	return verbs[v].usage;
}

const char *verb_summary(enum verb v)
{
	return verbs[v].summary;
}

/* ---- a statement ---- */

static enum err unknown(const struct word *word, struct why *why)
{
	return why_set(
		why, ERR_INVAL,
		"%s is no command; commands: log, query, explain, rules, forget, status, sources, raw, help, quit",
		excerpt_of(word->text, word->len).text);
}

/* The peer lets `log` be left out. */
static enum verb verb_of(const struct words *w, size_t *used)
{
	enum control       control;
	const struct word *first = &w->list[0];
	*used = 1;
	if (first->kind == WORD_PLAIN && control_parse(first->text, first->len, &control)) {
		*used = 0;
		return VERB_LOG;
	}
	return verb_find(first);
}

enum err statement_parse(struct statement *s, const struct words *w, bool dry_run, bool *is_open, struct why *why)
{
	struct parse p = { .statement = s, .words = w, .dry_run = dry_run, .why = why };
	*s = STATEMENT_INIT;
	*is_open = false;
	if (w->n == 0)
		return why_set(why, ERR_INVAL, "no command; help lists them");
	s->verb = verb_of(w, &p.next);
	if (s->verb == N_VERBS || verbs[s->verb].grammar == NULL)
		return unknown(&w->list[0], why);
	if (sent_as[s->verb] != NULL)
		buf_adds(&s->command, sent_as[s->verb]);
	enum err err = verbs[s->verb].grammar(&p);
	if (err == OK && !p.is_open && (s->command.failed || s->selectors.failed))
		err = why_set(why, ERR_NOMEM, "out of memory; nothing of this statement was done");
	*is_open = err == OK && p.is_open;
	if (err != OK || p.is_open)
		statement_fini(s);
	return err;
}

enum err statement_raw(struct statement *s, const char *line, size_t len, struct why *why)
{
	*s = STATEMENT_INIT;
	s->verb = VERB_RAW;
	buf_add(&s->command, line, len);
	if (!s->command.failed && strspn(buf_text(&s->command), " \t\r") < len)
		return OK;
	enum err err = s->command.failed ? ERR_NOMEM : ERR_INVAL;
	statement_fini(s);
	return why_set(why, err, err == ERR_NOMEM ? "out of memory" : "raw needs a line to send, as: raw STATUS");
}

void statement_fini(struct statement *s)
{
	buf_fini(&s->command);
	buf_fini(&s->selectors);
	*s = STATEMENT_INIT;
}
