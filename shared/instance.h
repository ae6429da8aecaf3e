/*
 * instance - one metric instance: what it holds, what the gate remembers of it.
 *
 * Threads  `hold`, `pending` and `memory` are guarded by the instance's own small lock, held for nanoseconds, with
 *          nothing locked, called back or allocated inside.
 * Owns     its name, in the same allocation; its window.
 */
#ifndef LC_INSTANCE_H
#define LC_INSTANCE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "control.h"
#include "gate.h"
#include "ident.h"
#include "lock.h"
#include "source.h"
#include "window.h"

/* At a million of them a value waits for memory more than for anything else: what every value needs stands together, the name
 * at the end, and what few need stands in front. */
struct instance {
	/* control side only (the logger's control lock) */
	struct instance
		*next; /* list of the newborn (births lock), then of its source's members, at last of the dropped */
	uint32_t refs; /* replies on their way that point here; keeps it from being dropped */

	/* guarded by lock */
	struct hold    pending; /* what it holds from step `pending_step` on (DESIGN.md, one step for all) */
	struct memory  memory;
	struct hold    hold;
	uint64_t       pending_step; /* 0: none */
	struct window *window;       /* NULL: nothing gathered */

	/* set before it is published, then constant */
	struct source *source; /* borrowed; where its first value came from */
	uint64_t       hash;
	uint16_t       name_len;
	bool           has_counter; /* a data source of its first value was a COUNTER */

	/* the instance's lock; 0 free, 1 taken */
	_Atomic uint8_t lock;

	char name[]; /* the identifier, terminated; constant */
};

/* Asks for what a value needs of `i` before it is needed, all at once. */
static inline void instance_fetch(const struct instance *i)
{
	const char *from = (const char *)&i->memory.grid_ns;
	__builtin_prefetch(from);
	__builtin_prefetch(from + 64);
	__builtin_prefetch(from + 128);
}

/* Whoever walks over many asks for the one so far ahead. */
#define FETCH_AHEAD 8

/* A new instance of that name, unlocked, holding nothing yet.  NULL: no memory. */
struct instance *instance_new(struct ident ident);
void             instance_free(struct instance *i);

void instance_lock_contended(struct instance *i); /* the slow half of instance_lock(): spins briefly, then yields */

static inline void instance_lock(struct instance *i)
{
	lock_note_wait(RANK_INSTANCE);
	if (atomic_exchange_explicit(&i->lock, 1, memory_order_acquire) != 0)
		instance_lock_contended(i);
}

static inline void instance_unlock(struct instance *i)
{
	lock_note_given(RANK_INSTANCE);
	atomic_store_explicit(&i->lock, 0, memory_order_release);
}

static inline struct ident instance_ident(const struct instance *i)
{
	return (struct ident){ i->name, i->name_len, i->hash };
}

/* With the lock held: what is in force at `step` (ledger_step() of the published ledger).  Nothing changes. */
static inline struct hold instance_peek_locked(const struct instance *i, uint64_t step)
{
	return i->pending_step != 0 && i->pending_step <= step ? i->pending : i->hold;
}

/* With the lock held: the pending hold comes into force.  Availability is brought in line (gate_changed()) when the
 * change turns the instance on or off or gives it another delta, and for a new once (specification section 8). */
void instance_promote_locked(struct instance *i, int64_t arrival_ns, int64_t default_interval_ns);

/* instance_peek_locked(), and promoted first if its time has come. */
static inline struct hold instance_hold_locked(struct instance *i, uint64_t step, int64_t arrival_ns,
					       int64_t default_interval_ns)
{
	if (i->pending_step != 0 && i->pending_step <= step)
		instance_promote_locked(i, arrival_ns, default_interval_ns);
	return i->hold;
}

static inline bool hold_equal(struct hold a, struct hold b)
{
	return held_equal(a.held, b.held) && a.by == b.by;
}

#endif
