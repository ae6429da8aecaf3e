/* tally - see tally.h. */
#include "tally.h"

#include <stdatomic.h>
#include <stdlib.h>

#define STRIPES 32 /* a power of two; more than a daemon has write threads */

struct stripe {
	_Alignas(128) _Atomic uint64_t count[COUNTED_MAX];
};

struct tally {
	struct stripe stripes[STRIPES];
};

/* Which stripe this thread uses, plus one; handed out in turn. */
static _Thread_local unsigned my_stripe;
static atomic_uint            next_stripe;

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

void tally_count(struct tally *t, enum counted what)
{
	if (my_stripe == 0)
		my_stripe = 1 + (atomic_fetch_add_explicit(&next_stripe, 1, memory_order_relaxed) & (STRIPES - 1));
	atomic_fetch_add_explicit(&t->stripes[my_stripe - 1].count[what], 1, memory_order_relaxed);
}

uint64_t tally_read(const struct tally *t, enum counted what)
{
	uint64_t sum = 0;
	for (size_t s = 0; s < STRIPES; s++)
		sum += atomic_load_explicit(&((struct tally *)t)->stripes[s].count[what], memory_order_relaxed);
	return sum;
}
