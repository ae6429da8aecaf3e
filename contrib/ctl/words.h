/*
 * words - text of a statement -> words: quotes resolved, lists in braces marked, comments and commas gone.
 *
 * Role     pure text work.  A statement may come as lines of a file, or as the arguments of a command line.
 * Threads  one at a time.
 * Owns     the texts of its words, until words_clear() or words_fini().
 * Errors   ERR_INVAL with a sentence, ERR_NOMEM; the words of the line at fault are then incomplete: clear them.
 */
#ifndef CTL_WORDS_H
#define CTL_WORDS_H

#include <stdbool.h>
#include <stddef.h>

#include "err.h"

enum word_kind {
	WORD_PLAIN,  /* as written: a keyword, a number, a selector */
	WORD_QUOTED, /* was in quotes from its start on: a selector and nothing else */
	WORD_OPTION, /* NAME=VALUE, as in the line protocol */
	WORD_OPEN,   /* { */
	WORD_CLOSE,  /* } */
};

struct word {
	enum word_kind kind;
	char          *text; /* terminated; may hold any byte */
	size_t         len;
	size_t         name_len; /* of NAME in a WORD_OPTION; else 0 */
};

struct words {
	size_t       n;
	struct word *list;
	bool         in_list; /* between { and } */
};

#define WORDS_INIT ((struct words){ 0, NULL, false })

/* Adds the words of one line (no line end).  Words are separated by blanks and tabs; a word that starts with `#` begins
 * a comment; a word that starts with `"` or the value behind NAME= may be quoted as in the line protocol.  Inside { and
 * } commas separate words as well, but not those in a [set]; outside, braces and commas inside a word are plain
 * characters. */
enum err words_add_line(struct words *w, const char *line, size_t len, struct why *why);
/* Adds one argument of a command line: one word, blanks and all, or `{`, or `}`, or one with a comma behind it in a
 * list. */
enum err words_add_argument(struct words *w, const char *text, struct why *why);
void     words_clear(struct words *w);
void     words_fini(struct words *w);

/* Is it this keyword, in any letter case?  Only a WORD_PLAIN can be. */
bool word_is(const struct word *word, const char *keyword);

#endif
