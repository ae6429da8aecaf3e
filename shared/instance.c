/* instance - see instance.h. */
#include "instance.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>

#define SPINS 64 /* the lock is held for nanoseconds: longer means that its holder was put off the processor */

struct instance *instance_new(struct ident ident)
{
	struct instance *i = calloc(1, instance_pending_at(ident.len) + sizeof(struct pending));
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
	} while (atomic_exchange_explicit(&i->memory.lock, 1, memory_order_acquire) != 0);
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
	struct hold from = instance_hold(i), to = instance_pending(i)->hold;
	instance_set_hold(i, to);
	i->has_pending = false;
	if (moves_deadline(from, to))
		gate_changed(&i->memory, &to, arrival_ns, default_interval_ns);
}
