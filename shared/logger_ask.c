/* logger_ask - what the logger tells: ENQUIRE, flags, entries, figures; see logger.h. */
#include <stdlib.h>
#include <string.h>

#include "logger_internal.h"
#include "outcomes.h"

struct asking {
	struct logger        *logger;
	const struct enquiry *enquiry;
	const struct now     *now;
	struct rows           rows;
	size_t                n_known; /* metric instances that the selectors so far select, whatever the filters say */
};

static bool is_wanted(const struct asking *a, struct instance *i, struct held held)
{
	const struct enquiry *e = a->enquiry;
	if ((e->control >= 0 && (int)held.mandatory != e->control) || (e->on >= 0 && (int)held.on != e->on))
		return false;
	if (!e->unavailable)
		return true;
	if (i == NULL || !held.on)
		return held.on;
	instance_lock(i);
	bool available = gate_is_available(&i->memory, a->now->arrival_ns);
	instance_unlock(i);
	return !available;
}

static void ask_instance(void *ctx, struct instance *i)
{
	struct asking *a = ctx;
	struct held    held = logger_hold(a->logger, i).held;
	a->n_known++;
	if (is_wanted(a, i, held))
		rows_add(&a->rows, i, held, OUTCOME_HELD);
}

/* Filters leave lines out; a pattern that selects nothing says so, filters or not: it may be a slip of the pen. */
static void ask_selector(struct asking *a, struct selector *s)
{
	rows_group(&a->rows, s);
	if (!selector_is_pattern(s)) {
		struct instance *i = table_find(a->logger->table, selector_ident(s));
		struct held      held = ledger_fold(logger_ledger(a->logger), selector_ident(s)).held;
		if (i != NULL)
			ask_instance(a, i);
		else if (is_wanted(a, NULL, held))
			rows_add(&a->rows, NULL, held, OUTCOME_HELD);
		return;
	}
	size_t before = a->n_known;
	rows_looked(&a->rows, logger_select(a->logger, s, ask_instance, a));
	if (a->n_known == before)
		rows_add(&a->rows, NULL, (struct held){ 0 }, OUTCOME_NONE);
}

static enum err ask_all(struct logger *lg, const struct enquiry *e, const struct now *now, struct outcomes *out,
			struct why *why)
{
	struct asking a = { .logger = lg, .enquiry = e, .now = now };
	enum err      err = rows_init(&a.rows, out, lg, e->n_selectors);
	if (err == OK)
		err = table_settle(lg->table);
	for (size_t i = 0; i < e->n_selectors && err == OK; i++) {
		ask_selector(&a, e->selectors[i]);
		err = a.rows.err;
	}
	return err == OK ? OK : rows_failed(&a.rows, err, why);
}

enum err logger_enquire(struct logger *lg, struct enquiry *e, const struct now *now, struct outcomes *out,
			struct why *why)
{
	struct outcomes o = OUTCOMES_INIT;
	lock_take(&lg->control, RANK_CONTROL);
	enum err err = ask_all(lg, e, now, &o, why);
	if (err != OK)
		outcomes_fini_locked(&o);
	for (size_t i = 0; i < e->n_selectors; i++)
		selector_unref(e->selectors[i]);
	lock_give(&lg->control, RANK_CONTROL);
	free(e->selectors);
	e->selectors = NULL;
	e->n_selectors = 0;
	if (err == OK)
		*out = o;
	return err;
}

/* Does the entry that decided end by itself?  A maybe that met no mandatory left the hold with an earlier maybe, which
 * it may have replaced since: then the fold tells who decided now.  Inside a read section. */
static bool is_timed(const struct ledger *l, struct ident ident, uint64_t by)
{
	if (by == 0)
		return false;
	const struct entry *e = ledger_find(l, ORIGIN_SOCKET, by);
	if (e == NULL || e->ask.state == STATE_MAYBE)
		e = ledger_find(l, ORIGIN_SOCKET, ledger_fold(l, ident).by);
	return e != NULL && e->ends_ns != ENTRY_FOREVER;
}

bool logger_is_timed(struct logger *lg, struct ident ident)
{
	rcu_enter();
	const struct ledger *l = logger_ledger(lg);
	bool                 timed = is_timed(l, ident, ledger_fold(l, ident).by);
	rcu_leave();
	return timed;
}

struct facts logger_facts(struct logger *lg, const struct row *row, const struct now *now)
{
	struct facts     f = { .seen = row->instance != NULL };
	struct instance *i = row->instance;
	if (i == NULL) {
		f.delta_ms = gate_shown_delta_ms(NULL, row->held, 0, lg->default_interval_ns);
		return f;
	}
	f.driven = atomic_load_explicit(&i->source->driven, memory_order_relaxed);
	int64_t configured_ns = f.driven ? atomic_load_explicit(&i->source->configured_ns, memory_order_relaxed) : 0;
	rcu_enter();
	const struct ledger *ledger = logger_ledger(lg);
	instance_lock(i);
	f.in_log = i->memory.in_log;
	f.available = gate_is_available(&i->memory, now->arrival_ns);
	f.source_interval_ns = i->memory.interval_ns;
	f.delta_ms = gate_shown_delta_ms(&i->memory, row->held, configured_ns, lg->default_interval_ns);
	/* not promoted: that is the task of whoever also brings availability in line */
	uint64_t by = instance_peek_locked(i, ledger_step(ledger)).by;
	instance_unlock(i);
	f.timed = is_timed(ledger, instance_ident(i), by);
	rcu_leave();
	return f;
}

enum err logger_entries(struct logger *lg, struct entries *out)
{
	lock_take(&lg->control, RANK_CONTROL);
	const struct ledger *l = logger_ledger(lg);
	size_t               n = ledger_count(l);
	struct entry       **list = malloc((n + 1) * sizeof(*list));
	for (size_t i = 0; list != NULL && i < n; i++)
		list[i] = entry_ref((struct entry *)ledger_get(l, i));
	lock_give(&lg->control, RANK_CONTROL);
	if (list == NULL)
		return ERR_NOMEM;
	*out = (struct entries){ lg, n, list };
	return OK;
}

void entries_fini(struct entries *e)
{
	if (e->logger == NULL)
		return;
	lock_take(&e->logger->control, RANK_CONTROL);
	for (size_t i = 0; i < e->n; i++)
		entry_unref(e->list[i]);
	lock_give(&e->logger->control, RANK_CONTROL);
	free(e->list);
	*e = ENTRIES_INIT;
}

/* Counts each instance once: for the exact selector that names it, else for the first pattern that selects it. */
struct counting {
	struct selector **exact; /* sorted; NULL: no memory, so an instance counts for each selector */
	size_t            n_exact, n;
	uint64_t         *counted; /* a bit for each place in the roster; NULL: no memory, likewise */
};

static int exact_compare(const void *key, const void *item)
{
	struct ident a = *(const struct ident *)key, b = selector_ident(*(struct selector *const *)item);
	if (a.hash != b.hash)
		return a.hash < b.hash ? -1 : 1;
	if (a.len != b.len)
		return a.len < b.len ? -1 : 1;
	return memcmp(a.text, b.text, a.len);
}

/* Was the instance at that place counted before?  From now on it is. */
static bool is_counted(const struct counting *c, const struct instance *i, size_t place)
{
	struct ident ident = instance_ident(i);
	if (c->n_exact > 0 && bsearch(&ident, c->exact, c->n_exact, sizeof(*c->exact), exact_compare) != NULL)
		return true;
	if (c->counted == NULL)
		return false;
	uint64_t bit = UINT64_C(1) << place % 64, before = c->counted[place / 64];
	c->counted[place / 64] |= bit;
	return (before & bit) != 0;
}

/* The exact selectors of the entry, each once, in order. */
static void counting_init(struct counting *c, const struct entry *e)
{
	*c = (struct counting){ .exact = malloc((e->n_selectors + 1) * sizeof(*c->exact)) };
	if (c->exact == NULL)
		return;
	size_t n = 0;
	for (size_t s = 0; s < e->n_selectors; s++) {
		if (!selector_is_pattern(e->selectors[s]))
			c->exact[n++] = e->selectors[s];
	}
	qsort(c->exact, n, sizeof(*c->exact), selector_compare);
	for (size_t s = 0; s < n; s++) {
		if (s == 0 || !selector_same(c->exact[s], c->exact[s - 1]))
			c->exact[c->n_exact++] = c->exact[s];
	}
}

static void count_pattern(struct counting *c, const struct table *t, const struct selector *s)
{
	size_t                  all, n;
	struct instance *const *roster = table_roster(t, &all);
	struct instance *const *list = table_range(t, selector_ident(s).text, selector_prefix(s), &n);
	for (size_t k = 0; k < n; k++) {
		if (selector_matches(s, list[k]->name, list[k]->name_len) &&
		    !is_counted(c, list[k], (size_t)(list - roster) + k))
			c->n++;
	}
}

size_t logger_selected(struct logger *lg, const struct entry *e)
{
	struct counting c;
	size_t          all;
	counting_init(&c, e);
	lock_take(&lg->control, RANK_CONTROL);
	table_settle(lg->table);
	table_roster(lg->table, &all);
	c.counted = calloc(all / 64 + 1, sizeof(*c.counted));
	for (size_t s = 0; s < e->n_selectors; s++) {
		if (selector_is_pattern(e->selectors[s]))
			count_pattern(&c, lg->table, e->selectors[s]);
		else if (c.exact == NULL)
			c.n += table_find(lg->table, selector_ident(e->selectors[s])) != NULL;
	}
	for (size_t s = 0; s < c.n_exact; s++)
		c.n += table_find(lg->table, selector_ident(c.exact[s])) != NULL;
	lock_give(&lg->control, RANK_CONTROL);
	free(c.counted);
	free(c.exact);
	return c.n;
}

void logger_explain(struct logger *lg, struct ident ident, step_fn *fn, void *ctx)
{
	lock_take(&lg->control, RANK_CONTROL);
	ledger_explain(logger_ledger(lg), ident, fn, ctx);
	lock_give(&lg->control, RANK_CONTROL);
}

void logger_figures(struct logger *lg, struct figures *out)
{
	rcu_enter(); /* a read thread of the host asks: it must not wait for a request */
	const struct ledger *l = logger_ledger(lg);
	*out = (struct figures){
		.instances = table_count(lg->table),
		.max_instances = lg->settings->max_instances,
		.entries = ledger_count(l),
		.selectors = ledger_selector_count(l),
		.max_selectors = lg->settings->max_rules,
		.newest_id = ledger_newest_id(l),
	};
	rcu_leave();
	for (size_t c = 0; c < COUNTED_MAX; c++)
		out->counted[c] = tally_read(lg->tally, (enum counted)c);
}

void logger_count(struct logger *lg, enum counted what)
{
	tally_count(lg->tally, what);
}

struct sources *logger_sources(struct logger *lg)
{
	return lg->sources;
}

const char *logger_own_host(const struct logger *lg)
{
	return lg->own_host;
}

const struct settings *logger_settings(const struct logger *lg)
{
	return lg->settings;
}

bool logger_each_need(struct logger *lg, const struct source *source, need_fn *fn, void *ctx)
{
	if (!lock_try(&lg->control, RANK_CONTROL))
		return false;
	table_settle(lg->table);
	uint64_t step = ledger_step(logger_ledger(lg));
	for (struct instance *i = source->members; i != NULL; i = i->next) {
		instance_lock(i);
		struct hold hold = instance_peek_locked(i, step);
		bool to_come = hold.held.on && hold.held.kind == DELTA_ONCE && !gate_once_done(&i->memory, &hold);
		instance_unlock(i);
		fn(ctx, hold.held, to_come);
	}
	lock_give(&lg->control, RANK_CONTROL);
	return true;
}

uint64_t logger_epoch(struct logger *lg)
{
	rcu_enter();
	uint64_t step = ledger_step(logger_ledger(lg));
	rcu_leave();
	return step + atomic_load_explicit(&lg->stirs, memory_order_relaxed);
}
