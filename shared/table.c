/*
 * table - see table.h.
 *
 * The table is 128 small open-addressed tables, by the low bits of the hash, so that growing one takes microseconds.  A shard is one
 * word: where its slots are, and the logarithm of their number in the low bits.  A slot is one word too: a pointer, in the middle of
 * the word (user space has 48 bits of address on the machines that Debian supports, and what is allocated stands at multiples of
 * 16), and the top 20 bits of the hash around it, by which probing starts, so that growing looks at no instance.  Both are published by a
 * single store, so readers need no lock; what readers may still look at is freed after a grace period.
 */
#include "table.h"

#include <malloc.h>
#include <stdlib.h>
#include <string.h>

#include "lock.h"
#include "rcu.h"
#include "roster.h"

#define N_SHARDS     128
#define LOG2_MASK    ((uintptr_t)63)
#define FIRST_LOG2   3 /* a cache line */
#define LOW_BITS     4
#define LOW_MASK     ((UINT64_C(1) << LOW_BITS) - 1)
#define HIGH_SHIFT   48
#define POINTER_MASK (((UINT64_C(1) << HIGH_SHIFT) - 1) & ~LOW_MASK)
#define TOMB         UINT64_C(1) /* a slot whose instance was dropped: probing goes on */

_Static_assert(_Alignof(max_align_t) == 1 << LOW_BITS, "the low bits of an allocated pointer are free");

typedef _Atomic uint64_t slot; /* 0: never used */

/* What readers need not know of a shard. */
struct shard {
	uint32_t used; /* slots that are not 0, tombs included */
	uint32_t live;
};

/* Slots that were replaced; readers may still be inside. */
struct limbo {
	struct limbo *next;
	slot         *slots;
};

struct table {
	/* constant */
	size_t max_instances;

	/* births lock */
	pthread_mutex_t  births;
	struct instance *newborn;
	size_t           n_newborn;
	struct limbo    *limbo;
	struct shard     shards[N_SHARDS];

	/* control side */
	struct roster roster;

	/* births lock to write, any thread to read */
	_Atomic size_t    count;
	_Atomic uintptr_t words[N_SHARDS];
};

struct table *table_new(size_t max_instances)
{
	struct table *t = calloc(1, sizeof(*t));
	if (t == NULL)
		return NULL;
	t->max_instances = max_instances;
	pthread_mutex_init(&t->births, NULL);
	return t;
}

static slot *slots_of(uintptr_t word)
{
	return (slot *)(word & ~LOG2_MASK);
}

static size_t mask_of(uintptr_t word)
{
	return ((size_t)1 << (word & LOG2_MASK)) - 1;
}

/* The bits of the hash that stand in a slot. */
static uint64_t tag_of(uint64_t hash)
{
	const unsigned low = HIGH_SHIFT - LOW_BITS;
	return (hash >> HIGH_SHIFT << HIGH_SHIFT) | ((hash >> low) & LOW_MASK);
}

static uint64_t slot_of(struct instance *i)
{
	return tag_of(i->hash) | (uintptr_t)i;
}

static struct instance *instance_of(uint64_t s)
{
	return (struct instance *)(uintptr_t)(s & POINTER_MASK);
}

/* Where probing starts: by a slot or a tag. */
static size_t home_of(uint64_t s)
{
	return (size_t)(s >> HIGH_SHIFT << LOW_BITS | (s & LOW_MASK));
}

static size_t shard_of(uint64_t hash)
{
	return (size_t)hash & (N_SHARDS - 1);
}

static uintptr_t word_of(const struct table *t, size_t shard, memory_order order)
{
	return atomic_load_explicit(&((struct table *)t)->words[shard], order);
}

static bool is_it(const struct instance *i, struct ident ident)
{
	return i->name_len == ident.len && memcmp(i->name, ident.text, ident.len) == 0;
}

struct instance *table_find(const struct table *t, struct ident ident)
{
	uintptr_t word = word_of(t, shard_of(ident.hash), memory_order_acquire);
	if (word == 0)
		return NULL;
	const uint64_t tag = tag_of(ident.hash);
	slot          *slots = slots_of(word);
	size_t         mask = mask_of(word);
	for (size_t i = home_of(tag) & mask;; i = (i + 1) & mask) {
		uint64_t s = atomic_load_explicit(&slots[i], memory_order_acquire);
		if (s == 0)
			return NULL;
		if (s == TOMB || ((s ^ tag) & ~POINTER_MASK) != 0)
			continue;
		instance_fetch(instance_of(s), ident.len);
		if (is_it(instance_of(s), ident))
			return instance_of(s);
	}
}

void table_lock_births(struct table *t)
{
	lock_take(&t->births, RANK_BIRTHS);
}

void table_unlock_births(struct table *t)
{
	lock_give(&t->births, RANK_BIRTHS);
}

static void slot_put(slot *slots, size_t mask, uint64_t s)
{
	size_t at = home_of(s) & mask;
	while (atomic_load_explicit(&slots[at], memory_order_relaxed) != 0)
		at = (at + 1) & mask;
	atomic_store_explicit(&slots[at], s, memory_order_release);
}

/* Moves what lives into fresh slots of 2^log2; the old ones go to limbo. */
static enum err shard_rebuild(struct table *t, size_t shard, uintptr_t log2)
{
	size_t          n = (size_t)1 << log2, bytes = n * sizeof(slot);
	slot           *slots = aligned_alloc(64, bytes);
	struct limbo   *limbo = malloc(sizeof(*limbo));
	const uintptr_t old = word_of(t, shard, memory_order_relaxed);
	if (slots == NULL || limbo == NULL) {
		free(slots);
		free(limbo);
		return ERR_NOMEM;
	}
	memset((void *)slots, 0, bytes);
	for (size_t i = 0; old != 0 && i <= mask_of(old); i++) {
		uint64_t s = atomic_load_explicit(&slots_of(old)[i], memory_order_relaxed);
		if (s != 0 && s != TOMB)
			slot_put(slots, n - 1, s);
	}
	t->shards[shard].used = t->shards[shard].live;
	atomic_store_explicit(&t->words[shard], (uintptr_t)slots | log2, memory_order_release);
	*limbo = (struct limbo){ t->limbo, old == 0 ? NULL : slots_of(old) };
	t->limbo = limbo;
	return OK;
}

/* Room for one more: at most three quarters full, so that a look-up that misses ends soon.  Tombs go first. */
static enum err shard_reserve(struct table *t, size_t shard)
{
	uintptr_t word = word_of(t, shard, memory_order_relaxed), log2 = word & LOG2_MASK;
	if (word == 0)
		return shard_rebuild(t, shard, FIRST_LOG2);
	if (4 * ((size_t)t->shards[shard].used + 1) <= 3 * (mask_of(word) + 1))
		return OK;
	return shard_rebuild(t, shard, 4 * (size_t)t->shards[shard].live > mask_of(word) ? log2 + 1 : log2);
}

enum err table_add_locked(struct table *t, struct instance *i)
{
	if (atomic_load_explicit(&t->count, memory_order_relaxed) >= t->max_instances)
		return ERR_FULL;
	size_t   shard = shard_of(i->hash);
	enum err err = shard_reserve(t, shard);
	if (err != OK)
		return err;
	uintptr_t word = word_of(t, shard, memory_order_relaxed);
	i->next = t->newborn;
	t->newborn = i;
	t->n_newborn++;
	slot_put(slots_of(word), mask_of(word), slot_of(i));
	t->shards[shard].used++;
	t->shards[shard].live++;
	atomic_fetch_add_explicit(&t->count, 1, memory_order_relaxed);
	return OK;
}

size_t table_count(const struct table *t)
{
	return atomic_load_explicit(&((struct table *)t)->count, memory_order_relaxed);
}

bool table_is_full(const struct table *t)
{
	return table_count(t) >= t->max_instances;
}

static struct instance *newborn_take(struct table *t, size_t *n)
{
	table_lock_births(t);
	struct instance *newborn = t->newborn;
	*n = t->n_newborn;
	t->newborn = NULL;
	t->n_newborn = 0;
	table_unlock_births(t);
	return newborn;
}

static void newborn_give_back(struct table *t, struct instance *newborn, size_t n)
{
	struct instance **end = &newborn;
	while (*end != NULL)
		end = &(*end)->next;
	table_lock_births(t);
	*end = t->newborn;
	t->newborn = newborn;
	t->n_newborn += n;
	table_unlock_births(t);
}

/* Into the list of its source; tables in tests may do without one. */
static void member_add(struct instance *i)
{
	i->next = NULL;
	if (i->source == NULL)
		return;
	i->next = i->source->members;
	i->source->members = i;
}

enum err table_settle(struct table *t)
{
	size_t           n;
	struct instance *newborn = newborn_take(t, &n);
	enum err         err = roster_merge(&t->roster, newborn, n);
	if (err != OK) {
		newborn_give_back(t, newborn, n);
		return err;
	}
	while (newborn != NULL) {
		struct instance *next = newborn->next;
		member_add(newborn);
		newborn = next;
	}
	return OK;
}

struct instance *const *table_roster(const struct table *t, size_t *n)
{
	*n = t->roster.n;
	return t->roster.list;
}

struct instance *const *table_range(const struct table *t, const char *prefix, size_t len, size_t *n)
{
	size_t first;
	roster_range(&t->roster, prefix, len, &first, n);
	return *n == 0 ? NULL : t->roster.list + first;
}

struct instance *table_newborn_locked(const struct table *t)
{
	return t->newborn;
}

/* Takes `i` out of its shard if it is over; births lock held. */
static bool drop_locked(struct table *t, struct instance *i, bool (*is_over)(void *, struct instance *), void *ctx)
{
	if (!is_over(ctx, i))
		return false;
	size_t    shard = shard_of(i->hash);
	uintptr_t word = word_of(t, shard, memory_order_relaxed);
	size_t    at = home_of(slot_of(i)) & mask_of(word);
	while (atomic_load_explicit(&slots_of(word)[at], memory_order_relaxed) != slot_of(i))
		at = (at + 1) & mask_of(word);
	atomic_store_explicit(&slots_of(word)[at], TOMB, memory_order_release);
	t->shards[shard].live--;
	atomic_fetch_sub_explicit(&t->count, 1, memory_order_relaxed);
	return true;
}

static void limbo_free(struct limbo *l)
{
	while (l != NULL) {
		struct limbo *next = l->next;
		free((void *)l->slots);
		free(l);
		l = next;
	}
}

/* Drops what is over from shards and roster; gives the list of the dropped. */
static struct instance *drop_all(struct table *t, bool (*is_over)(void *, struct instance *), void *ctx, size_t *n)
{
	struct instance *gone = NULL;
	size_t           kept = 0;
	*n = 0;
	for (size_t k = 0; k < t->roster.n; k++) {
		struct instance *i = t->roster.list[k];
		bool             over = i->refs == 0 && is_over(ctx, i);
		if (over) {
			table_lock_births(t);
			over = drop_locked(t, i, is_over, ctx);
			table_unlock_births(t);
		}
		if (!over) {
			t->roster.list[kept++] = i;
			continue;
		}
		i->next = gone;
		gone = i;
		(*n)++;
	}
	t->roster.n = kept;
	return gone;
}

/* The lists of the sources, made anew without those that are gone. */
static void members_rebuild(struct table *t, const struct instance *gone)
{
	for (const struct instance *i = gone; i != NULL; i = i->next) {
		if (i->source != NULL)
			i->source->members = NULL;
	}
	for (size_t k = 0; k < t->roster.n; k++) {
		if (t->roster.list[k]->source != NULL)
			t->roster.list[k]->source->members = NULL;
	}
	for (size_t k = 0; k < t->roster.n; k++)
		member_add(t->roster.list[k]);
}

/* A shard of which little is left is made smaller; without memory for that it stays as it is. */
static void shard_shrink(struct table *t, size_t shard)
{
	table_lock_births(t);
	uintptr_t word = word_of(t, shard, memory_order_relaxed), log2 = word & LOG2_MASK;
	while (log2 > FIRST_LOG2 && 8 * (size_t)t->shards[shard].live < (size_t)1 << log2)
		log2--;
	if (word != 0 && log2 != (word & LOG2_MASK))
		shard_rebuild(t, shard, log2);
	table_unlock_births(t);
}

static void limbo_clear(struct table *t, struct instance *gone)
{
	table_lock_births(t);
	struct limbo *limbo = t->limbo;
	t->limbo = NULL;
	table_unlock_births(t);
	if (gone == NULL && limbo == NULL)
		return;
	rcu_grace();
	limbo_free(limbo);
	while (gone != NULL) {
		struct instance *next = gone->next;
		instance_free(gone);
		gone = next;
	}
}

#define TRIM_AFTER 10000 /* instances: then the C library is asked to give memory back to the system */

size_t table_sweep(struct table *t, bool (*is_over)(void *ctx, struct instance *i), void *ctx)
{
	size_t           n = 0;
	struct instance *gone = NULL;
	if (is_over != NULL && table_settle(t) == OK)
		gone = drop_all(t, is_over, ctx, &n);
	if (gone != NULL) {
		members_rebuild(t, gone);
		roster_shrink(&t->roster);
		for (size_t s = 0; s < N_SHARDS; s++)
			shard_shrink(t, s);
	}
	limbo_clear(t, gone);
	if (n >= TRIM_AFTER)
		malloc_trim(0);
	return n;
}

void table_free(struct table *t)
{
	if (t == NULL)
		return;
	for (size_t s = 0; s < N_SHARDS; s++) {
		uintptr_t word = word_of(t, s, memory_order_relaxed);
		for (size_t i = 0; word != 0 && i <= mask_of(word); i++) {
			uint64_t in = atomic_load_explicit(&slots_of(word)[i], memory_order_relaxed);
			if (in != 0 && in != TOMB)
				instance_free(instance_of(in));
		}
		if (word != 0)
			free((void *)slots_of(word));
	}
	limbo_free(t->limbo);
	roster_fini(&t->roster);
	pthread_mutex_destroy(&t->births);
	free(t);
}
