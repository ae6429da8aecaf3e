/*
 * quote - text in quotes as the line protocol writes it (specification section 11): \" \\ \xHH, nothing else.
 *
 * Role     reads what buf_add_quoted() writes; for the server's words, the client's replies and its statements.
 * Threads  pure function.
 */
#ifndef LC_QUOTE_H
#define LC_QUOTE_H

#include "err.h"

/* Reads from behind the opening quote to behind the closing one: `in` moves there, the plain text goes to `out`, which
 * moves behind it and may be the same memory (it never gets ahead of `in`).  Not terminated; may hold any byte.
 * ERR_INVAL: the end comes first, or a bad escape; `in` and `out` then stand where reading stopped. */
enum err quote_read(const char **in, const char *end, char **out, struct why *why);

#endif
