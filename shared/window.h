/*
 * window - what is kept of the values that are left out (specification section 7).
 *
 * Role     sums of ABSOLUTE, and average, min, max of GAUGE over the samples since the last logged one.
 * Threads  one at a time for each window (the instance's lock).
 * Owns     40 bytes or less a data source; made when first needed, freed when nothing is gathered any more.
 * Errors   window_new() returns NULL when memory runs out: the caller fails open and counts it.
 */
#ifndef LC_WINDOW_H
#define LC_WINDOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "control.h"
#include "gate.h"

/* The host's kinds of data source, with the host's numbers (DS_TYPE_*; asserted in plugin/target.c). */
enum kind { KIND_COUNTER = 0, KIND_GAUGE = 1, KIND_DERIVE = 2, KIND_ABSOLUTE = 3 };

union number {
	uint64_t counter;
	double   gauge;
	int64_t  derive;
	uint64_t absolute;
};

struct window;

struct window *window_new(size_t n);
void           window_free(struct window *w); /* NULL is fine */
size_t         window_count(const struct window *w);

/* Must a window exist to take in this value (after the verdict)?  Native and off never need a new one. */
bool window_is_needed(struct held held, const struct verdict *verdict, const uint8_t *kinds, size_t n);
/* Takes in one value list under its verdict; off forgets the gauges.  `n` is window_count(). */
void window_collect(struct window *w, struct held held, const struct verdict *verdict, const union number *values,
		    const uint8_t *kinds, size_t n);
/* Writes what a logged value list carries over `values` (in: the sample's own) and empties the window. */
void window_emit(struct window *w, struct held held, union number *values, const uint8_t *kinds, size_t n);
/* Nothing gathered: the window may be freed. */
bool window_is_empty(const struct window *w);

#endif
