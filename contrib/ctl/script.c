/* script - see script.h. */
#include "script.h"

#include <string.h>
#include <strings.h>

bool script_is_open(const struct script *script)
{
	return script->words.n > 0 || script->is_skipping;
}

static void fail(struct script *script, const char *error, statement_fn *fn, void *ctx)
{
	bool in_list = script->words.in_list;
	words_clear(&script->words);
	script->is_skipping = in_list;
	fn(ctx, NULL, script->begin, error);
}

/* Does the line begin with a command?  Nothing inside a statement can look so: a selector has a slash. */
static enum verb verb_of_line(const char *line, size_t len, size_t *verb_end)
{
	size_t from = 0, to;
	char   text[16];
	while (from < len && (line[from] == ' ' || line[from] == '\t'))
		from++;
	for (to = from; to < len && line[to] != ' ' && line[to] != '\t' && line[to] != '\r';)
		to++;
	*verb_end = to;
	if (to - from >= sizeof(text))
		return N_VERBS;
	memcpy(text, line + from, to - from);
	text[to - from] = '\0';
	return verb_find(&(struct word){ WORD_PLAIN, text, to - from, 0 });
}

static void raw_line(struct script *script, const char *rest, size_t len, statement_fn *fn, void *ctx)
{
	struct statement s;
	struct why       why;
	while (len > 0 && (*rest == ' ' || *rest == '\t')) {
		rest++;
		len--;
	}
	if (statement_raw(&s, rest, len, &why) != OK) {
		fn(ctx, NULL, script->line, why.text);
		return;
	}
	fn(ctx, &s, script->line, NULL);
	statement_fini(&s);
}

/* The line is over: is the statement whole? */
static void line_ended(struct script *script, statement_fn *fn, void *ctx)
{
	struct statement s;
	struct why       why;
	bool             is_open;
	if (script->words.n == 0 || script->words.in_list)
		return;
	if (statement_parse(&s, &script->words, script->dry_run, &is_open, &why) != OK) {
		fail(script, why.text, fn, ctx);
		return;
	}
	if (is_open)
		return;
	words_clear(&script->words);
	fn(ctx, &s, script->begin, NULL);
	statement_fini(&s);
}

/* After a failed statement: lines up to the } of its list are lost with it. */
static bool skip(struct script *script, const char *line, size_t len)
{
	const char *close = memchr(line, '}', len);
	script->is_skipping = close == NULL;
	return true;
}

static const char unfinished[] = "the statement is not complete; it lacks a selector or other words, or its list a }";

void script_line(struct script *script, const char *line, size_t len, statement_fn *fn, void *ctx)
{
	struct why why;
	size_t     verb_end, before;
	script->line++;
	enum verb verb = verb_of_line(line, len, &verb_end);
	if (verb != N_VERBS && script->words.n > 0)
		fail(script, unfinished, fn, ctx);
	if (verb != N_VERBS)
		script->is_skipping = false;
	if (script->is_skipping && skip(script, line, len))
		return;
	if (verb == VERB_RAW) {
		raw_line(script, line + verb_end, len - verb_end, fn, ctx);
		return;
	}
	before = script->words.n;
	if (before == 0)
		script->begin = script->line;
	if (words_add_line(&script->words, line, len, &why) != OK)
		fail(script, why.text, fn, ctx);
	else if (script->words.n > before)
		line_ended(script, fn, ctx);
}

void script_end(struct script *script, statement_fn *fn, void *ctx)
{
	if (script->words.n > 0)
		fail(script, unfinished, fn, ctx);
	script->is_skipping = false;
}

void script_fini(struct script *script)
{
	words_fini(&script->words);
	*script = SCRIPT_INIT;
}
