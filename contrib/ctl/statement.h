/*
 * statement - words -> what the client program is to do: the peer's statement grammar (pmlc(1)), and ours beside it.
 *
 * Role     one table of verbs; each knows its grammar, its help line, and the line of the protocol that it becomes.
 * Threads  pure functions.
 * Owns     a struct statement its command line and selectors.
 * Errors   ERR_INVAL names the word at fault and what may stand there; the statement is then as STATEMENT_INIT.
 */
#ifndef CTL_STATEMENT_H
#define CTL_STATEMENT_H

#include <stdbool.h>
#include <stddef.h>

#include "buf.h"
#include "err.h"
#include "words.h"

enum verb {
	VERB_LOG,
	VERB_QUERY,
	VERB_EXPLAIN,
	VERB_RULES,
	VERB_FORGET,
	VERB_STATUS,
	VERB_SOURCES,
	VERB_RAW,
	VERB_HELP,
	VERB_QUIT,
	N_VERBS
};

struct statement {
	enum verb  verb;
	struct buf command; /* the line to send; empty where nothing is sent */
	size_t     n_selectors;
	struct buf selectors; /* their texts, each terminated, in order; for help the name of a verb */
};

#define STATEMENT_INIT ((struct statement){ VERB_LOG, BUF_INIT, 0, BUF_INIT })

/* Reads a whole statement.  `is_open` says, with OK, that it only lacks words that may still come (`s` is then of no
 * use). `dry_run` adds dryrun=true to a log statement. */
enum err statement_parse(struct statement *s, const struct words *w, bool dry_run, bool *is_open, struct why *why);
/* A raw statement: sends `line` as it is. */
enum err statement_raw(struct statement *s, const char *line, size_t len, struct why *why);
void     statement_fini(struct statement *s);

/* The verb that a word names, in any letter case; N_VERBS: none.  mandatory and advisory begin a log statement, but are
 * none. */
enum verb   verb_find(const struct word *word);
const char *verb_name(enum verb v);
/* What stands behind the verb, and one sentence. */
const char *verb_usage(enum verb v);
const char *verb_summary(enum verb v);

#endif
