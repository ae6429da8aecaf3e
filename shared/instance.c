/* instance - see instance.h. */
#include "instance.h"

#include <sched.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define SPINS 64 /* the lock is held for nanoseconds: longer means that its holder was put off the processor */

struct instance *instance_new(struct ident ident)
{
	struct instance *i = calloc(1, offsetof(struct instance, name) + ident.len + 1);
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

void instance_lock_contended(struct instance *i)
{
	unsigned tries = 1;
	do {
		if (tries++ % SPINS == 0)
			sched_yield();
	} while (atomic_exchange_explicit(&i->lock, 1, memory_order_acquire) != 0);
}

static bool moves_deadline(struct hold from, struct hold to)
{
	if (hold_equal(from, to))
		return false;
	return from.held.on != to.held.on || from.held.kind != to.held.kind || from.held.ms != to.held.ms ||
	       to.held.kind == DELTA_ONCE;
}

void instance_promote_locked(struct instance *i, int64_t arrival_ns, int64_t default_interval_ns)
{
	bool moves = moves_deadline(i->hold, i->pending);
	i->hold = i->pending;
	i->pending_step = 0;
	if (moves)
		gate_changed(&i->memory, &i->hold, arrival_ns, default_interval_ns);
}
