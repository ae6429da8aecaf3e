/*
 * parse - the grammar behind each verb; statement.c's own.
 *
 * Threads  one at a time.
 * Errors   ERR_INVAL with a sentence.  OK with `is_open`: the words so far are right, and more are needed.
 */
#ifndef CTL_PARSE_H
#define CTL_PARSE_H

#include "statement.h"

struct parse {
	struct statement   *statement; /* is filled */
	const struct words *words;
	size_t              next; /* word to read */
	bool                dry_run;
	bool                is_open;
	struct why         *why;

	/* log only */
	bool has_every, has_for;
};

typedef enum err grammar_fn(struct parse *p);

grammar_fn parse_log, parse_query, parse_explain, parse_forget, parse_nothing, parse_help;

/* `every`, already read away, or the first word of an interval itself: adds every=... to the command. */
enum err parse_every(struct parse *p);
/* A duration of one word (10s) or two (10 sec), at p->next: adds NAME=... to the command. */
enum err parse_duration(struct parse *p, const char *name);
/* Is the next word the start of an interval? */
bool     parse_is_interval(const struct word *word);

#endif
