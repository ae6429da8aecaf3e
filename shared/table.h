/*
 * table - every metric instance, found by identifier, and listed in order of identifier.
 *
 * Role     identifier -> struct instance.  Look-ups are wait-free against everything; the data path adds newcomers.
 * Threads  any thread may find and add, inside an RCU read section (rcu.h); the rest is the control side's.
 * Locks    births lock: structure changes (add, drop), short and bounded: a shard is a small table of its own, so that
 *          growing one takes microseconds (a tenth of a millisecond at a million instances).  Taken inside the control
 *          lock, never the other way round; instance locks inside it.
 * Owns     its instances; one is dropped only when nobody refers to it, and freed after a grace period.
 * Errors   ERR_FULL at max_instances, ERR_NOMEM.
 */
#ifndef LC_TABLE_H
#define LC_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "err.h"
#include "instance.h"

struct table;

struct table *table_new(size_t max_instances);
void          table_free(struct table *t); /* nobody else is inside any more */

/* Any thread, RCU read section, no lock.  NULL: not there.  Valid until the read section ends. */
struct instance *table_find(const struct table *t, struct ident ident);

/* The births lock.  Between the two no newcomer appears and none is dropped. */
void     table_lock_births(struct table *t);
void     table_unlock_births(struct table *t);
/* Publishes `i` (births lock held; its name is not in the table).  The table owns it from then on. */
enum err table_add_locked(struct table *t, struct instance *i);

size_t table_count(const struct table *t);   /* any thread */
bool   table_is_full(const struct table *t); /* any thread; a moment's picture */

/* Control side: takes the newborn into the roster and the lists of their sources.  ERR_NOMEM: they stay newborn. */
enum err                table_settle(struct table *t);
/* Control side: all instances as of the last table_settle(), in order of identifier (bytes compared).  `n` is their
 * number; the array stays valid and unchanged until the next table_settle() or table_sweep(). */
struct instance *const *table_roster(const struct table *t, size_t *n);
/* The part of the roster whose identifiers begin with `prefix`. */
struct instance *const *table_range(const struct table *t, const char *prefix, size_t len, size_t *n);
/* The instances born since the last table_settle(), newest first, linked by `next`.  Births lock held; the control side
 * may follow the links without it until it settles or sweeps: what is born meanwhile stands in front. */
struct instance        *table_newborn_locked(const struct table *t);

/* Control side: drops every instance for which `is_over` says so and which no reply points to (NULL: none), then frees
 * them, and what the growth of shards left behind, after a grace period; shards and roster shrink.  Returns how many
 * were dropped.  `is_over` is called with and without the births lock, which is taken for one instance at a time. */
size_t table_sweep(struct table *t, bool (*is_over)(void *ctx, struct instance *i), void *ctx);

#endif
