/*
 * script - lines of text -> statements, for files, pipes and the prompt.
 *
 * Role     knows where a statement ends: at the end of the line that completes it.  A list in braces, or a
 *          statement that lacks words, goes on in the next line; a line that begins with a command ends what was
 *          left open.  An error costs its own statement and no other.
 * Threads  one at a time.
 * Owns     words of the statement that is still open.
 */
#ifndef CTL_SCRIPT_H
#define CTL_SCRIPT_H

#include <stdbool.h>
#include <stddef.h>

#include "statement.h"

struct script {
	struct words words;
	unsigned     line;        /* of the last line read */
	unsigned     begin;       /* where the open statement began */
	bool         is_skipping; /* inside a list of a statement that has failed */
	bool         dry_run;
};

#define SCRIPT_INIT ((struct script){ WORDS_INIT, 0, 0, false, false })

/* Called for each statement, or (`s` NULL) for each that is wrong, with the line where it began. */
typedef void statement_fn(void *ctx, const struct statement *s, unsigned line, const char *error);

/* Takes one line (no line end). */
void script_line(struct script *script, const char *line, size_t len, statement_fn *fn, void *ctx);
/* The input has ended: a statement that is still open is an error. */
void script_end(struct script *script, statement_fn *fn, void *ctx);
bool script_is_open(const struct script *script);
void script_fini(struct script *script);

#endif
