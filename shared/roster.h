/*
 * roster - the metric instances in order of identifier, for the control side.
 *
 * Role     a sorted array; newcomers are sorted and merged in batches.
 * Threads  control side only.
 * Owns     the array, not the instances.
 */
#ifndef LC_ROSTER_H
#define LC_ROSTER_H

#include <stddef.h>

#include "err.h"
#include "instance.h"

struct roster {
	struct instance **list;
	size_t            n, size;
};

void     roster_fini(struct roster *r);
/* Merges a list (linked by `next`, `n` long) in.  ERR_NOMEM: nothing was merged. */
enum err roster_merge(struct roster *r, struct instance *newborn, size_t n);
/* Gives back room that is no longer needed. */
void     roster_shrink(struct roster *r);
/* Index range of the identifiers that begin with `prefix`. */
void     roster_range(const struct roster *r, const char *prefix, size_t len, size_t *first, size_t *n);

#endif
