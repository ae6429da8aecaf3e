/*
 * logger_internal - what the files of the logger share; nobody else includes it.
 */
#ifndef LC_LOGGER_INTERNAL_H
#define LC_LOGGER_INTERNAL_H

#include <stdatomic.h>

#include "instance.h"
#include "lock.h"
#include "logger.h"
#include "rcu.h"
#include "savefile.h"
#include "table.h"

/* Ledgers wait for one common grace period, which may take 10 ms while values flow: many when they are small. */
#define RETIRED_MAX   1024
#define RETIRED_BYTES ((size_t)8 << 20)

struct logger {
	/* constant */
	const struct settings *settings; /* borrowed */
	char                  *own_host;
	int64_t                default_interval_ns;
	struct table          *table;
	struct sources        *sources;
	struct tally          *tally;

	/* stored under control lock and births lock; loaded by any thread in a read section */
	_Atomic(struct ledger *) ledger;
	_Atomic(struct ledger *) coming; /* the next one, while a change is being prepared; else NULL.  For newcomers */

	/* control lock */
	pthread_mutex_t  control;
	struct savefile *savefile; /* NULL: rules are temporary */
	struct ledger   *retired[RETIRED_MAX];
	size_t           n_retired, retired_bytes; /* bytes: at most, they share pages */
	int64_t          swept_ns;                 /* arrival clock of the last sweep */

	/* atomic, relaxed */
	_Atomic uint64_t stirs; /* newcomers, drops, onces done: with the step of the ledger, logger_epoch() */
};

/* The published ledger; control lock held, or inside a read section. */
static inline struct ledger *logger_ledger(const struct logger *lg)
{
	return atomic_load_explicit(&((struct logger *)lg)->ledger, memory_order_acquire);
}

/* What `i` holds in force; control lock held. */
struct hold logger_hold(const struct logger *lg, struct instance *i);

/* Something that planning of reads depends on has changed; any thread. */
static inline void logger_stir(struct logger *lg)
{
	atomic_fetch_add_explicit(&lg->stirs, 1, memory_order_relaxed);
}

/* An order of selectors in which the same ones stand together; for qsort() and bsearch() over pointers. */
int selector_compare(const void *left, const void *right);

/* Calls `fn` for each known instance that `s` selects, in order of identifier, and gives how many names were looked at; control
 * lock held. */
typedef void instance_fn(void *ctx, struct instance *i);
size_t       logger_select(struct logger *lg, const struct selector *s, instance_fn *fn, void *ctx);

/* One change of the ledger, to be made in a single step.  Nothing here can fail. */
struct change {
	struct logger       *logger;
	struct ledger       *ledger;  /* the new one; taken over by change_publish() */
	const struct entry  *added;   /* LOG: what instances hold goes one rule further ... */
	struct entry *const *removed; /* ... FORGET and end: those that these select are folded anew */
	size_t               n_removed;
	uint64_t             step;
	const struct now    *now;
};

/* Gives `i` what it will hold from the step on; harmless where the change does not touch it. */
void change_prepare(struct change *c, struct instance *i);
/* Prepares the newborn, then publishes: from here on every value is judged by the new ledger. */
void change_publish(struct change *c);
/* After it was published: brings the availability of `i` in line with what it holds now. */
void change_finish(struct change *c, struct instance *i);
/* Frees retired ledgers; waits for a grace period if there are any.  Control lock held. */
void logger_reclaim(struct logger *lg);

#endif
