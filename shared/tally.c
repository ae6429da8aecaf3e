/* tally - see tally.h. */
#include "tally.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

#define STRIPES 64
#define SHARED  (STRIPES - 1) /* of those that find no other free: more than a daemon has threads that judge values */

struct stripe {
	_Alignas(128) _Atomic uint64_t count[COUNTED_MAX];
};

struct tally {
	struct stripe stripes[STRIPES];
};

/* Which stripe this thread uses, plus one, in every tally the same; given back when the thread ends. */
static _Thread_local unsigned my_stripe;
static _Atomic uint64_t       taken = UINT64_C(1) << SHARED;
static pthread_key_t          at_end;
static pthread_once_t         once = PTHREAD_ONCE_INIT;
static bool                   has_key;

static void give_back(void *stripe)
{
	atomic_fetch_and_explicit(&taken, ~(UINT64_C(1) << ((uintptr_t)stripe - 1)), memory_order_release);
}

static void make_key(void)
{
	has_key = pthread_key_create(&at_end, give_back) == 0;
}

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

/* The first that is free; SHARED, for good, if none is, or if nobody would hear of the thread's end. */
static unsigned take_stripe(void)
{
	uint64_t before = atomic_load_explicit(&taken, memory_order_relaxed), bit;
	pthread_once(&once, make_key);
	do {
		bit = ~before & (before + 1);
		if (bit == 0 || !has_key)
			return SHARED;
	} while (!atomic_compare_exchange_weak_explicit(&taken, &before, before | bit, memory_order_acquire,
							memory_order_relaxed));
	unsigned stripe = (unsigned)__builtin_ctzll(bit);
	if (pthread_setspecific(at_end, (void *)(uintptr_t)(stripe + 1)) == 0)
		return stripe;
	give_back((void *)(uintptr_t)(stripe + 1));
	return SHARED;
}

void tally_count(struct tally *t, enum counted what)
{
	if (my_stripe == 0)
		my_stripe = take_stripe() + 1;
	_Atomic uint64_t *count = &t->stripes[my_stripe - 1].count[what];
	/* a stripe that is ours alone needs no locked instruction, which would cost as much as the gate's decision */
	if (my_stripe - 1 != SHARED)
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
