/*
 * table - every metric instance, found by identifier, and listed in order of identifier.
 *
 * Role     identifier -> struct instance.  Look-ups are wait-free against everything; the data path adds newcomers.
 * Threads  any thread may find and add, inside an RCU read section (rcu.h); the rest is the control side's.
 * Locks    births lock: structure changes (add, drop), short and bounded: a shard is a small table of its own, so that
 *          growing one takes microseconds.  Taken inside the control lock, never the other way round; instance locks inside it.
 * Owns     its instances; a dropped one is freed after a grace period and when its last reference is gone.
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
void table_lock_births(struct table *t);
void table_unlock_births(struct table *t);
/* Publishes `i` (births lock held; its name is not in the table).  The table owns it from then on. */
enum err table_add_locked(struct table *t, struct instance *i);

size_t table_count(const struct table *t); /* any thread */

/* Control side: takes the newborn into the list, then gives all instances in order of identifier (bytes compared). `n` is
 * their number; the array stays valid and unchanged until the next call of a control-side function here. */
struct instance *const *table_roster(struct table *t, size_t *n);
/* The part of the roster, as of the last table_roster(), whose identifiers begin with `prefix`: newborn stay where they are, so
 * that a request of many selectors can still tell who came after it began. */
struct instance *const *table_range(struct table *t, const char *prefix, size_t len, size_t *n);
/* The instances born since the last table_roster(), newest first, linked by `next`, and their number.  Births
 * lock held; the links stay as they are until the next control-side function here, so the control side may follow them without
 * the lock: what is born meanwhile stands in front. */
struct instance *table_newborn_locked(const struct table *t, size_t *n);

/* Control side: drops every instance for which `is_over` says so and which no reply points to (NULL: none), then frees them,
 * and what the growth of shards left behind, after a grace period.  Returns how many were dropped.  `is_over` is called with and
 * without the births lock, which is taken for one instance at a time. */
size_t table_sweep(struct table *t, bool (*is_over)(void *ctx, struct instance *i), void *ctx);

#endif
