/*
 * delta - the logging interval that a request carries: native, once, or every so many milliseconds.
 *
 * Role     text <-> value for `every=`, `for=`, `Every` and MinInterval (specification sections 4, 8, 11, 14).
 * Units    milliseconds.
 * Errors   ERR_INVAL with the subject, the limit and what is accepted; out-parameters stay as they were.
 */
#ifndef LC_DELTA_H
#define LC_DELTA_H

#include <stddef.h>
#include <stdint.h>

#include "err.h"

enum delta_kind { DELTA_NATIVE, DELTA_ONCE, DELTA_EVERY };

struct delta {
	enum delta_kind kind;
	uint64_t        ms; /* > 0 for DELTA_EVERY, else 0 */
};

/* 10 years, leap days included; the largest delta and the longest `for=`. */
#define DELTA_MAX_MS (UINT64_C(3653) * 24 * 3600 * 1000)

/* A number with ms, s (the default), min, h or d: `0.5`, `250ms`, `1.5h`.  A fraction of a millisecond, `inf`, `nan`, a
 * sign, or more than DELTA_MAX_MS is an error.  `what` names the subject in the message ("every", "for", "MinInterval"). */
enum err duration_parse(const char *text, size_t len, const char *what, uint64_t *ms, struct why *why);

/* As duration_parse(), and also `once` and `native` in any letter case.  Zero is DELTA_ONCE. */
enum err delta_parse(const char *text, size_t len, const char *what, struct delta *delta, struct why *why);

/* Text that delta_parse() reads back to the same delta: "native", "once", "10s", "250ms"; whole units, largest first. */
struct delta_text {
	char text[32];
};
struct delta_text delta_format(struct delta delta);
/* The same for a plain duration. */
struct delta_text duration_format(uint64_t ms);

#endif
