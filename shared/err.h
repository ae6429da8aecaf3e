/*
 * err - what can go wrong, as a value, and the words that go with it.
 *
 * Role     one enumeration for the whole project; its number on the wire is minus errno, as in collectd-unixsock(5).
 * Owns     nothing: a struct why is the caller's, usually on its stack.
 * Errors   these functions cannot fail.
 */
#ifndef LC_ERR_H
#define LC_ERR_H

#include <stddef.h>

enum err {
	OK = 0,
	ERR_INVAL,   /* -22  malformed, or not allowed by the specification */
	ERR_UNKNOWN, /* -2   names something that does not exist */
	ERR_IO,      /* -5   a file could not be read or written */
	ERR_BUSY,    /* -11  not now: too many clients, still starting */
	ERR_NOMEM,   /* -12 */
	ERR_DENIED,  /* -13  the caller lacks the right */
	ERR_SPACE,   /* -28  the disk is full */
	ERR_FULL,    /* -105 a configured limit is reached */
};

/* The number of `e` in a reply: 0 for OK, else minus errno. */
int err_number(enum err e);

/* The sentence for a person: subject, limit, way out.  Always terminated; a longer text ends in "...". */
struct why {
	char text[512];
};

/* Fills `why` (may be NULL) as printf does and returns `e`, so that `return why_set(...)` reads as one step. */
enum err why_set(struct why *why, enum err e, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

/* A piece of somebody's text made fit for a message: quoted, bytes outside 0x20..0x7e as \xHH, cut with "..." . */
struct excerpt {
	char text[100];
};
struct excerpt excerpt_of(const char *text, size_t len);

#endif
