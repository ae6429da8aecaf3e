/*
 * logger_change - a new ledger is put in force as one step; FORGET, and entries that end.  See DESIGN.md.
 */
#include <stdlib.h>

#include "logger_internal.h"

struct hold logger_hold(const struct logger *lg, struct instance *i)
{
	instance_lock(i);
	struct hold hold = instance_peek_locked(i, ledger_step(logger_ledger(lg)));
	instance_unlock(i);
	return hold;
}

size_t logger_select(struct logger *lg, const struct selector *s, instance_fn *fn, void *ctx)
{
	struct ident ident = selector_ident(s);
	size_t       n;
	if (!selector_is_pattern(s)) {
		struct instance *i = table_find(lg->table, ident);
		if (i != NULL)
			fn(ctx, i);
		return 1;
	}
	struct instance *const *list = table_range(lg->table, ident.text, selector_prefix(s), &n);
	for (size_t k = 0; k < n; k++) {
		if (k + FETCH_AHEAD < n)
			instance_fetch(list[k + FETCH_AHEAD], FETCH_NAME);
		if (selector_matches(s, list[k]->name, list[k]->name_len))
			fn(ctx, list[k]);
	}
	return n;
}

/* From the step on `i` holds `next`; nothing is stored when that is what it holds already. */
static void prepare(const struct change *c, struct instance *i, struct hold now, struct hold next)
{
	if (hold_equal(now, next))
		return;
	instance_lock(i);
	instance_set_pending(i, next, c->step);
	instance_unlock(i);
}

void change_prepare(struct change *c, struct instance *i)
{
	struct hold now = logger_hold(c->logger, i), next = now;
	if (c->added != NULL)
		control_next(&next, &c->added->ask, entry_by(c->added));
	else
		next = ledger_fold(c->ledger, instance_ident(i));
	prepare(c, i, now, next);
}

/* A change that is on its way is shown to newcomers, who then prepare themselves (logger.c), and those born before, but
 * after the request took its rows, are prepared here.  They are folded: that is quick whatever the number of selectors.
 */
static void announce(struct change *c)
{
	struct logger *lg = c->logger;
	table_lock_births(lg->table);
	atomic_store_explicit(&lg->coming, c->ledger, memory_order_release);
	struct instance *newborn = table_newborn_locked(lg->table);
	table_unlock_births(lg->table);
	for (struct instance *i = newborn; i != NULL; i = i->next)
		prepare(c, i, logger_hold(lg, i), ledger_fold(c->ledger, instance_ident(i)));
}

void change_finish(struct change *c, struct instance *i)
{
	instance_lock(i);
	instance_settle_locked(i, c->step, c->now->arrival_ns, c->logger->default_interval_ns);
	instance_unlock(i);
}

void logger_reclaim(struct logger *lg)
{
	if (lg->n_retired == 0)
		return;
	rcu_grace();
	for (size_t i = 0; i < lg->n_retired; i++)
		ledger_free(lg->retired[i]);
	lg->n_retired = lg->retired_bytes = 0;
}

/* To be freed after a grace period.  There is room: change_publish() has seen to that. */
static void retire(struct logger *lg, struct ledger *l)
{
	lg->retired[lg->n_retired++] = l;
	lg->retired_bytes += 4096 + ledger_count(l) * sizeof(void *) + ledger_selector_count(l) * 6 * sizeof(void *);
}

void change_publish(struct change *c)
{
	struct logger *lg = c->logger;
	if (lg->n_retired == RETIRED_MAX || lg->retired_bytes >= RETIRED_BYTES)
		logger_reclaim(lg);
	ledger_set_step(c->ledger, c->step);
	announce(c);
	table_lock_births(lg->table);
	retire(lg, atomic_exchange(&lg->ledger, c->ledger));
	atomic_store_explicit(&lg->coming, NULL, memory_order_release);
	struct instance *newborn = table_newborn_locked(lg->table);
	table_unlock_births(lg->table);
	for (struct instance *i = newborn; i != NULL; i = i->next)
		change_finish(c, i);
}

static void prepare_one(void *ctx, struct instance *i)
{
	change_prepare(ctx, i);
}

static void finish_one(void *ctx, struct instance *i)
{
	change_finish(ctx, i);
}

#define WALKS_MAX 16 /* patterns: with more it is cheaper to look at every instance once */

static size_t count_patterns(const struct change *c)
{
	size_t n = 0;
	for (size_t k = 0; k < c->n_removed; k++) {
		for (size_t s = 0; s < c->removed[k]->n_selectors; s++)
			n += selector_is_pattern(c->removed[k]->selectors[s]);
	}
	return n;
}

/* Calls `fn` for every instance that the removed entries select (or for all, when that is cheaper: it does no harm). */
static void each_removed(struct change *c, instance_fn *fn)
{
	if (count_patterns(c) > WALKS_MAX) {
		size_t                  n;
		struct instance *const *list = table_roster(c->logger->table, &n);
		for (size_t k = 0; k < n; k++)
			fn(c, list[k]);
		return;
	}
	for (size_t k = 0; k < c->n_removed; k++) {
		for (size_t s = 0; s < c->removed[k]->n_selectors; s++)
			logger_select(c->logger, c->removed[k]->selectors[s], fn, c);
	}
}

/* Puts `new` in force, which lacks the entries `removed`. */
static void apply_removal(struct logger *lg, struct ledger *new, struct entry *const *removed, size_t n,
			  const struct now *now)
{
	struct change c = { .logger = lg, .ledger = new, .removed = removed, .n_removed = n, .now = now };
	c.step = ledger_step(logger_ledger(lg)) + 1;
	table_settle(lg->table); /* without memory for that, all newborn are folded */
	each_removed(&c, prepare_one);
	change_publish(&c);
	each_removed(&c, finish_one);
}

/* The entries of `old` that are to go, and their ids. */
struct going {
	struct entry **list; /* borrowed from the ledger */
	uint64_t      *ids;
	size_t         n;
};

static void going_fini(struct going *g)
{
	free(g->list);
	free(g->ids);
}

static enum err going_init(struct going *g, size_t room)
{
	*g = (struct going){ malloc((room + 1) * sizeof(struct entry *)), malloc((room + 1) * sizeof(uint64_t)), 0 };
	return g->list == NULL || g->ids == NULL ? ERR_NOMEM : OK;
}

static void going_add(struct going *g, const struct entry *e)
{
	g->list[g->n] = (struct entry *)e;
	g->ids[g->n++] = e->id;
}

static int entry_order(const void *left, const void *right)
{
	const struct entry *a = *(struct entry *const *)left, *b = *(struct entry *const *)right;
	return a->id < b->id ? -1 : a->id > b->id;
}

/* An id that was named twice goes once. */
static void going_unique(struct going *g)
{
	size_t n = 0;
	qsort(g->list, g->n, sizeof(*g->list), entry_order);
	for (size_t i = 0; i < g->n; i++) {
		if (i == 0 || g->list[i] != g->list[i - 1])
			g->list[n++] = g->list[i];
	}
	for (size_t i = 0; i < n; i++)
		g->ids[i] = g->list[i]->id;
	g->n = n;
}

static enum err choose_all(struct going *g, const struct ledger *l, may_forget_fn *may, void *ctx)
{
	for (size_t i = 0; i < ledger_count(l); i++) {
		const struct entry *e = ledger_get(l, i);
		if (e->origin == ORIGIN_SOCKET && may(ctx, e))
			going_add(g, e);
	}
	return OK;
}

static enum err choose_ids(struct going *g, const struct ledger *l, const uint64_t *ids, size_t n, may_forget_fn *may,
			   void *ctx, struct why *why)
{
	for (size_t i = 0; i < n; i++) {
		const struct entry *e = ledger_find(l, ORIGIN_SOCKET, ids[i]);
		if (e == NULL)
			return why_set(why, ERR_UNKNOWN, "no entry %llu is in force; RULES lists those that are",
				       (unsigned long long)ids[i]);
		if (!may(ctx, e))
			return why_set(why, ERR_DENIED,
				       "entry %llu is %s, and FORGET of it needs that right; RULES shows it",
				       (unsigned long long)ids[i], control_name(e->ask.control));
		going_add(g, e);
	}
	going_unique(g);
	return OK;
}

static enum err forget_locked(struct logger *lg, struct going *g, const struct now *now, struct why *why)
{
	struct ledger *new;
	enum err err = ledger_remove(logger_ledger(lg), g->ids, g->n, &new, why);
	if (err != OK)
		return err;
	if (lg->savefile != NULL)
		err = savefile_forget(lg->savefile, g->ids, g->n, now->wall_ns, why);
	if (err != OK) {
		ledger_free(new);
		return err;
	}
	apply_removal(lg, new, g->list, g->n, now);
	return OK;
}

enum err logger_forget(struct logger *lg, const uint64_t *ids, size_t n, may_forget_fn *may, void *ctx,
		       const struct now *now, size_t *gone, struct why *why)
{
	struct going g;
	lock_take(&lg->control, RANK_CONTROL);
	const struct ledger *l = logger_ledger(lg);
	enum err             err = going_init(&g, n > 0 ? n : ledger_count(l));
	if (err != OK)
		why_set(why, err, "out of memory; nothing was changed, try again later");
	else if (n > 0)
		err = choose_ids(&g, l, ids, n, may, ctx, why);
	else
		err = choose_all(&g, l, may, ctx);
	if (err == OK && g.n > 0)
		err = forget_locked(lg, &g, now, why);
	if (err == OK)
		*gone = g.n;
	going_fini(&g);
	lock_give(&lg->control, RANK_CONTROL);
	return err;
}

/* ---- time ---- */

static enum err end_entries(struct logger *lg, const struct now *now, size_t *ended)
{
	struct ledger *l = logger_ledger(lg), *new = NULL;
	struct going   g;
	if (ledger_next_end(l) > now->boot_ns)
		return OK;
	enum err err = going_init(&g, ledger_count(l));
	for (size_t i = 0; i < ledger_count(l) && err == OK; i++) {
		if (ledger_get(l, i)->ends_ns <= now->boot_ns)
			going_add(&g, ledger_get(l, i));
	}
	if (err == OK)
		err = ledger_expire(l, now->boot_ns, &new);
	if (err == OK && new != NULL) {
		apply_removal(lg, new, g.list, g.n, now);
		*ended = g.n;
	}
	going_fini(&g);
	return err;
}

struct age {
	int64_t arrival_ns, history_ns;
};

/* Unseen for HistoryTimeout and for ten of its own intervals (specification section 17). */
static bool is_over(void *ctx, struct instance *i)
{
	const struct age *age = ctx;
	instance_lock(i);
	int64_t unseen_ns = gate_unseen_ns(&i->memory, age->arrival_ns), ten_ns;
	if (__builtin_mul_overflow(i->memory.interval_ns, 10, &ten_ns))
		ten_ns = INT64_MAX; /* an interval of thirty years is odd, but may be sent */
	instance_unlock(i);
	return unseen_ns > age->history_ns && unseen_ns > ten_ns;
}

#define SECOND_NS INT64_C(1000000000)

/* How often the whole roster is looked through: an eighth of HistoryTimeout, from a second to five minutes. */
static int64_t sweep_period(int64_t history_ns)
{
	int64_t period_ns = history_ns / 8;
	if (period_ns < SECOND_NS)
		return SECOND_NS;
	return period_ns > 300 * SECOND_NS ? 300 * SECOND_NS : period_ns;
}

static void sweep(struct logger *lg, const struct now *now)
{
	struct age age = { now->arrival_ns, (int64_t)lg->settings->history_ms * 1000000 };
	bool       full = now->arrival_ns - lg->swept_ns >= sweep_period(age.history_ns);
	if (full)
		lg->swept_ns = now->arrival_ns;
	table_settle(lg->table); /* newcomers are put in order now, not when a request waits for it */
	if (table_sweep(lg->table, full ? is_over : NULL, &age) > 0)
		logger_stir(lg);
}

enum err logger_tick(struct logger *lg, const struct now *now, size_t *ended)
{
	size_t n = 0;
	lock_take(&lg->control, RANK_CONTROL);
	enum err err = end_entries(lg, now, &n);
	sweep(lg, now);
	logger_reclaim(lg);
	if (lg->savefile != NULL && savefile_wants_compaction(lg->savefile, logger_ledger(lg)))
		savefile_compact(lg->savefile, logger_ledger(lg), now->boot_ns, now->wall_ns, NULL);
	lock_give(&lg->control, RANK_CONTROL);
	if (ended != NULL)
		*ended = n;
	return err;
}

int64_t logger_next_end(struct logger *lg)
{
	lock_take(&lg->control, RANK_CONTROL);
	int64_t end_ns = ledger_next_end(logger_ledger(lg));
	lock_give(&lg->control, RANK_CONTROL);
	return end_ns;
}
