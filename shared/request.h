/*
 * request - one line of the protocol -> words, options and values (specification section 11).
 *
 * Role     pure text work; what the fuzzer feeds.
 * Threads  pure functions.
 * Owns     a struct request borrows the line, which is rewritten in place (quotes resolved); the arrays are its own.
 * Errors   ERR_INVAL, ERR_NOMEM; the request is then as REQUEST_INIT.
 */
#ifndef LC_REQUEST_H
#define LC_REQUEST_H

#include <stdbool.h>
#include <stddef.h>

#include "err.h"

struct span {
	const char *text; /* not terminated; may hold any byte but LF and NUL */
	size_t      len;
};

struct option {
	struct span name; /* as written; compare without regard to case */
	struct span value;
};

struct request {
	size_t         n_words; /* the command is words[0]: the first word, even if it looks like an option */
	struct span   *words;   /* what is no option, in order */
	size_t         n_options;
	struct option *options;
};

#define REQUEST_INIT ((struct request){ 0, NULL, 0, NULL })

/* Splits `line` (no LF; a CR at the end is dropped).  An empty line gives n_words == 0 and OK.  A NUL, an open quote, text
 * after a closing quote, a bad escape, an option given twice: ERR_INVAL. */
enum err request_parse(struct request *r, char *line, size_t len, struct why *why);
void     request_fini(struct request *r);

/* The value of option `name` (any letter case), NULL when absent. */
const struct span *request_option(const struct request *r, const char *name);
/* Checks that every option is one of the NULL-terminated `allowed`; the message names the first other and lists them. */
enum err           request_check_options(const struct request *r, const char *const *allowed, struct why *why);
bool               span_is(struct span s, const char *word); /* without regard to letter case */

#endif
