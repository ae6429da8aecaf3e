/*
 * instance - one metric instance: what it holds, what the gate remembers of it.
 *
 * Threads  what it holds, will hold and remembers is guarded by the instance's own small lock (memory.lock: 0 free, 1 taken), held
 *          for nanoseconds, with nothing locked, called back or allocated inside.
 * Owns     its name, in the same allocation; its window.
 */
#ifndef LC_INSTANCE_H
#define LC_INSTANCE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "control.h"
#include "gate.h"
#include "ident.h"
#include "lock.h"
#include "source.h"
#include "window.h"

/* At a million of them a value waits for memory more than for anything else.  So what few values need stands in front, and behind it
 * in some 130 bytes what each needs: what it changes, then what it looks at, then the name.  What two threads change of neighbours is
 * more than a cache line apart. */
struct instance {
	/* control side only (the logger's control lock) */
	struct instance
		*next; /* list of the newborn (births lock), then of its source's members, at last of the dropped */
	uint32_t refs; /* replies on their way that point here; keeps it from being dropped */

	/* set before it is published, then constant */
	bool           has_counter; /* a data source of its first value was a COUNTER */
	struct source *source;      /* borrowed; where its first value came from */
	uint64_t       hash;

	/* guarded by lock */
	struct window *window; /* NULL: nothing gathered */
	uint64_t       by;     /* struct hold: what it holds, with `held` */
	struct memory  memory;
	struct held    held;
	bool           has_pending; /* instance_pending() is to come into force */
	bool           has_window;

	/* set before it is published, then constant */
	uint16_t name_len;
	char     name[]; /* the identifier, terminated; behind it struct pending */
};

/* What an instance holds from a step on (DESIGN.md, one step for all). */
struct pending {
	struct hold hold;
	uint64_t    step;
};

/* Where the name ends, and the struct pending begins. */
static inline size_t instance_pending_at(size_t name_len)
{
	return (offsetof(struct instance, name) + name_len + sizeof(uint64_t)) / sizeof(uint64_t) * sizeof(uint64_t);
}

/* Meaningful while has_pending; guarded by lock. */
static inline struct pending *instance_pending(const struct instance *i)
{
	return (struct pending *)((uintptr_t)i + instance_pending_at(i->name_len));
}

/* Asks for what a value needs of `i` before it is needed, all at once. */
static inline void instance_fetch(const struct instance *i, size_t name_len)
{
	const char *from = (const char *)&i->memory.served_ns;
	__builtin_prefetch(from, 1);
	__builtin_prefetch(from + 64);
	__builtin_prefetch(i->name + name_len);
}

/* Whoever walks over many asks for the one so far ahead, and does not know how long its name is. */
#define FETCH_AHEAD 8
#define FETCH_NAME  0

/* A new instance of that name, unlocked, holding nothing yet.  NULL: no memory. */
struct instance *instance_new(struct ident ident);
void             instance_free(struct instance *i);

void instance_lock_contended(struct instance *i); /* the slow half of instance_lock(): spins briefly, then yields */

static inline void instance_lock(struct instance *i)
{
	lock_note_wait(RANK_INSTANCE);
	if (atomic_exchange_explicit(&i->memory.lock, 1, memory_order_acquire) != 0)
		instance_lock_contended(i);
}

static inline void instance_unlock(struct instance *i)
{
	lock_note_given(RANK_INSTANCE);
	atomic_store_explicit(&i->memory.lock, 0, memory_order_release);
}

static inline struct ident instance_ident(const struct instance *i)
{
	return (struct ident){ i->name, i->name_len, i->hash };
}

/* With the lock held: what it holds, a pending hold left aside. */
static inline struct hold instance_hold(const struct instance *i)
{
	return (struct hold){ i->held, i->by };
}

static inline void instance_set_hold(struct instance *i, struct hold hold)
{
	i->held = hold.held;
	i->by = hold.by;
}

/* With the lock held: what it will hold from `step` on. */
static inline void instance_set_pending(struct instance *i, struct hold hold, uint64_t step)
{
	*instance_pending(i) = (struct pending){ hold, step };
	i->has_pending = true;
}

/* With the lock held: has its pending hold come into force at `step` (ledger_step() of the published ledger)? */
static inline bool instance_is_due(const struct instance *i, uint64_t step)
{
	return i->has_pending && instance_pending(i)->step <= step;
}

/* With the lock held: what is in force at `step`.  Nothing changes. */
static inline struct hold instance_peek_locked(const struct instance *i, uint64_t step)
{
	return instance_is_due(i, step) ? instance_pending(i)->hold : instance_hold(i);
}

/* With the lock held: the pending hold comes into force.  Availability is brought in line (gate_changed()) when the
 * change turns the instance on or off or gives it another delta, and for a new once (specification section 8). */
void instance_promote_locked(struct instance *i, int64_t arrival_ns, int64_t default_interval_ns);

/* With the lock held: instance_promote_locked() if its time has come; instance_hold() is what is in force then. */
static inline void instance_settle_locked(struct instance *i, uint64_t step, int64_t arrival_ns,
					  int64_t default_interval_ns)
{
	if (instance_is_due(i, step))
		instance_promote_locked(i, arrival_ns, default_interval_ns);
}

static inline bool hold_equal(struct hold a, struct hold b)
{
	return held_equal(a.held, b.held) && a.by == b.by;
}

#endif
