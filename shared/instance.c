/* instance - see instance.h. */
#include "instance.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>

#define SPINS 64 /* the lock is held for nanoseconds: longer means that its holder was put off the processor */

struct instance *instance_new(struct ident ident)
{
	struct instance *i = calloc(1, sizeof(*i) + ident.len + 1);
	if (i == NULL)
		return NULL;
	i->hash = ident.hash;
	i->name_len = (uint16_t)ident.len;
	memcpy(i->name, ident.text, ident.len);
	return i;
}

void instance_free(struct instance *i)
{
	if (i == NULL)
		return;
	window_free(i->window);
	free(i);
}

void instance_lock(struct instance *i)
{
	for (unsigned tries = 1; atomic_exchange_explicit(&i->lock, 1, memory_order_acquire) != 0; tries++) {
		if (tries % SPINS == 0)
			sched_yield();
	}
}

void instance_unlock(struct instance *i)
{
	atomic_store_explicit(&i->lock, 0, memory_order_release);
}

struct hold instance_hold_locked(struct instance *i, uint64_t step)
{
	if (i->pending_step != 0 && i->pending_step <= step) {
		i->hold = i->pending;
		i->pending_step = 0;
	}
	return i->hold;
}
