/*
 * check - cmocka with the headers it wants in front of it, and what our tests share.
 */
#ifndef LC_CHECK_H
#define LC_CHECK_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Fails with both texts when `text` does not hold `part`. */
#define assert_has(text, part)                                                   \
	do {                                                                     \
		if (strstr((text), (part)) == NULL)                              \
			fail_msg("\"%s\" does not hold \"%s\"", (text), (part)); \
	} while (0)

/* A repeatable random number; the seed is the caller's state. */
static inline uint64_t random_next(uint64_t *state)
{
	uint64_t z = (*state += UINT64_C(0x9e3779b97f4a7c15)); /* splitmix64 */
	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return z ^ (z >> 31);
}

static inline unsigned random_below(uint64_t *state, unsigned n)
{
	return (unsigned)(random_next(state) % n);
}

/* How often: `fallback`, or what the environment variable says, for long runs by hand. */
static inline long times_from(const char *variable, long fallback)
{
	const char *text = getenv(variable);
	return text == NULL ? fallback : atol(text);
}

#endif
