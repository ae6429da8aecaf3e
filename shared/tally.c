/* tally - see tally.h. */
#include "tally.h"

#include <stdatomic.h>
#include <stdlib.h>

#define STRIPES 32 /* more than a daemon has write threads; those that come too late share the last */

struct stripe {
	_Alignas(128) _Atomic uint64_t count[COUNTED_MAX];
};

struct tally {
	struct stripe stripes[STRIPES];
};

/* Which stripe this thread uses, plus one; handed out in turn, in every tally the same. */
static _Thread_local unsigned my_stripe;
static _Atomic uint64_t       next_stripe;

struct tally *tally_new(void)
{
	struct tally *t = aligned_alloc(128, sizeof(*t));
	for (size_t s = 0; t != NULL && s < STRIPES; s++) {
		for (size_t c = 0; c < COUNTED_MAX; c++)
			atomic_init(&t->stripes[s].count[c], 0);
	}
	return t;
}

void tally_free(struct tally *t)
{
	free(t);
}

static unsigned take_stripe(void)
{
	uint64_t n = 1 + atomic_fetch_add_explicit(&next_stripe, 1, memory_order_relaxed);
	return n < STRIPES ? (unsigned)n : STRIPES;
}

void tally_count(struct tally *t, enum counted what)
{
	if (my_stripe == 0)
		my_stripe = take_stripe();
	_Atomic uint64_t *count = &t->stripes[my_stripe - 1].count[what];
	/* a stripe that is ours alone needs no locked instruction, which would cost as much as the gate's decision */
	if (my_stripe < STRIPES)
		atomic_store_explicit(count, atomic_load_explicit(count, memory_order_relaxed) + 1,
				      memory_order_relaxed);
	else
		atomic_fetch_add_explicit(count, 1, memory_order_relaxed);
}

uint64_t tally_read(const struct tally *t, enum counted what)
{
	uint64_t sum = 0;
	for (size_t s = 0; s < STRIPES; s++)
		sum += atomic_load_explicit(&((struct tally *)t)->stripes[s].count[what], memory_order_relaxed);
	return sum;
}
