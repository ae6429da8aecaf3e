/* model - see model.h. */
#include "model.h"

#include <math.h>
#include <string.h>

#define S  INT64_C(1000000000)
#define MS INT64_C(1000000)

/* ---- section 3 ---- */

static bool glob(const char *p, const char *p_end, const char *t, const char *t_end)
{
	if (p == p_end)
		return t == t_end;
	if (*p == '*')
		return glob(p + 1, p_end, t, t_end) || (t < t_end && glob(p, p_end, t + 1, t_end));
	return t < t_end && (*p == '?' || *p == *t) && glob(p + 1, p_end, t + 1, t_end);
}

/* Selectors here have three parts and no sets. */
bool model_matches(const char *selector, const char *name)
{
	for (int part = 0; part < 3; part++) {
		const char *p_end = selector + strcspn(selector, "/"), *t_end = name + strcspn(name, "/");
		bool        bare = part > 0 && p_end - selector >= 2 && p_end[-1] == '*' && p_end[-2] == '-';
		if (!glob(selector, p_end, name, t_end) && !(bare && glob(selector, p_end - 2, name, t_end)))
			return false;
		selector = p_end + (*p_end == '/');
		name = t_end + (*t_end == '/');
	}
	return true;
}

static bool is_pattern(const char *selector)
{
	return strpbrk(selector, "*?") != NULL;
}

/* ---- section 4 ---- */

/* false: refused */
static bool rule(struct m_held *h, struct m_ask a, int64_t by)
{
	if (!a.mandatory && h->mandatory)
		return false;
	if (a.maybe && !h->mandatory)
		return true;
	h->mandatory = a.mandatory && !a.maybe;
	h->on = a.on;
	h->kind = a.on ? a.kind : M_NATIVE;
	h->ms = a.on && a.kind == M_EVERY ? a.ms : 0;
	h->value = a.on ? a.value : M_LAST;
	h->by = by;
	return true;
}

/* ---- section 5 ---- */

static bool selects(const struct m_entry *e, const char *name)
{
	for (int i = 0; i < e->n; i++) {
		if (model_matches(e->selectors[i], name))
			return true;
	}
	return false;
}

struct m_held model_fold(const struct model *m, const char *name)
{
	struct m_held h = { .on = true, .kind = M_NATIVE };
	for (int i = 0; i < m->n_entries; i++) {
		if (selects(&m->entries[i], name))
			rule(&h, m->entries[i].ask, m->entries[i].id);
	}
	return h;
}

static void drop_selector(struct m_entry *e, int i)
{
	e->selectors[i] = e->selectors[--e->n];
}

static void drop_empty(struct model *m)
{
	int n = 0;
	for (int i = 0; i < m->n_entries; i++) {
		if (m->entries[i].n > 0)
			m->entries[n++] = m->entries[i];
	}
	m->n_entries = n;
}

static bool same_ask(struct m_ask a, struct m_ask b)
{
	return a.mandatory == b.mandatory && a.maybe == b.maybe && a.on == b.on && a.kind == b.kind && a.ms == b.ms &&
	       a.value == b.value;
}

static bool names(const struct m_entry *e, const char *selector)
{
	for (int i = 0; i < e->n; i++) {
		if (strcmp(e->selectors[i], selector) == 0)
			return true;
	}
	return false;
}

static bool is_dead(const struct m_entry *old, const struct m_entry *new)
{
	if (new->ask.maybe)
		return false;
	if (new->ends == INT64_MAX)
		return new->ask.mandatory || !old->ask.mandatory;
	return same_ask(old->ask, new->ask) && old->ends <= new->ends;
}

static void bury(struct model *m, const struct m_entry *new)
{
	for (int i = 0; i < m->n_entries; i++) {
		struct m_entry *old = &m->entries[i];
		for (int s = old->n - 1; s >= 0; s--) {
			if (names(new, old->selectors[s]) && is_dead(old, new))
				drop_selector(old, s);
		}
	}
	drop_empty(m);
}

static void merge_maybes(struct model *m)
{
	for (int i = 0; i < m->n_entries; i++) {
		struct m_entry *old = &m->entries[i];
		if (!old->ask.maybe)
			continue;
		for (int k = i + 1; k < m->n_entries && m->entries[k].ask.mandatory; k++) {
			const struct m_entry *new = &m->entries[k];
			if (!new->ask.maybe || old->ends > new->ends)
				continue;
			for (int s = old->n - 1; s >= 0; s--) {
				if (names(new, old->selectors[s]))
					drop_selector(old, s);
			}
		}
	}
	drop_empty(m);
}

static bool once_done(const struct m_instance *i, struct m_held h)
{
	return h.on && h.kind == M_ONCE && i->in_log && i->logged_at >= h.by;
}

bool model_available(const struct m_instance *i, int64_t mono)
{
	int64_t grace = i->interval > S ? i->interval : S;
	return i->available && !(i->waits && mono > i->due_by + grace);
}

/* Section 8: what is held has changed. */
static void changed(struct m_instance *i, struct m_held h, int64_t mono)
{
	i->available = model_available(i, mono);
	i->waits = h.on && !once_done(i, h);
	i->due_by = mono + (i->interval != 0 ? i->interval : 10 * S);
}

/* A request that turns an instance on or off or changes its delta, and a once asked again: only these move the due time. */
static bool moves(struct m_held a, struct m_held b)
{
	return a.on != b.on || a.kind != b.kind || a.ms != b.ms || (b.on && b.kind == M_ONCE && a.by != b.by);
}

static void fold_all(const struct model *m, struct m_held out[M_INSTANCES])
{
	for (int i = 0; i < m->n_instances; i++)
		out[i] = model_fold(m, m->instances[i].name);
}

static void note_changes(struct model *m, const struct m_held before[M_INSTANCES], int64_t mono)
{
	for (int i = 0; i < m->n_instances; i++) {
		struct m_held h = model_fold(m, m->instances[i].name);
		if (moves(before[i], h))
			changed(&m->instances[i], h, mono);
	}
}

int64_t model_request(struct model *m, struct m_ask ask, const char *const *selectors, int n, int64_t ends,
		      int64_t mono)
{
	struct m_held  before[M_INSTANCES];
	struct m_entry e = { .id = m->next_id, .ends = ends, .ask = ask };
	for (int i = 0; i < n; i++) {
		struct m_held h = model_fold(m, selectors[i]);
		if (!names(&e, selectors[i]) && (is_pattern(selectors[i]) || rule(&h, ask, 0)))
			e.selectors[e.n++] = selectors[i];
	}
	if (e.n == 0 || m->n_entries == M_ENTRIES)
		return 0;
	fold_all(m, before);
	m->next_id++;
	bury(m, &e);
	m->entries[m->n_entries++] = e;
	merge_maybes(m);
	note_changes(m, before, mono);
	return e.id;
}

static void take_out(struct model *m, int at, int64_t mono)
{
	struct m_held before[M_INSTANCES];
	fold_all(m, before);
	m->entries[at].n = 0;
	drop_empty(m);
	merge_maybes(m);
	note_changes(m, before, mono);
}

bool model_forget(struct model *m, int64_t id, int64_t mono)
{
	for (int i = 0; i < m->n_entries; i++) {
		if (m->entries[i].id == id) {
			take_out(m, i, mono);
			return true;
		}
	}
	return false;
}

void model_expire(struct model *m, int64_t boot, int64_t mono)
{
	struct m_held before[M_INSTANCES];
	fold_all(m, before);
	for (int i = 0; i < m->n_entries; i++) {
		if (m->entries[i].ends <= boot)
			m->entries[i].n = 0;
	}
	drop_empty(m);
	merge_maybes(m);
	note_changes(m, before, mono);
}

struct m_instance *model_instance(struct model *m, const char *name)
{
	for (int i = 0; i < m->n_instances; i++) {
		if (strcmp(m->instances[i].name, name) == 0)
			return &m->instances[i];
	}
	struct m_instance *new = &m->instances[m->n_instances++];
	memset(new, 0, sizeof(*new));
	new->name = name;
	return new;
}

/* ---- section 6 ---- */

static int64_t floor_div(int64_t a, int64_t b)
{
	return a / b - (a % b < 0);
}

static bool is_step(struct m_instance *i, int64_t t, int64_t interval, int64_t mono)
{
	if (!i->has_run || t <= i->run_last) {
		i->has_run = true;
		i->run_first = mono;
		i->run_last = t;
		return false;
	}
	i->run_last = t;
	return 2 * (mono - i->run_first) >= interval;
}

static int64_t half_source(int64_t interval, int64_t gap, int64_t delta)
{
	int64_t source = gap >= 0 && gap < interval ? gap : interval;
	return (source < delta ? source : delta) / 2;
}

static bool same_second(const struct m_instance *i, int64_t t, int64_t delta, int64_t interval)
{
	return delta >= S && delta > interval && i->in_log && t / S == i->last_logged / S;
}

/* Is a value under a delta due? */
static bool is_due(const struct m_instance *i, int64_t delta, int64_t t, int64_t interval, int64_t gap, bool step)
{
	if (!i->has_grid || i->grid_ms * MS != delta)
		return !same_second(i, t, delta, interval);
	int64_t point = floor_div(t + half_source(interval, gap, delta) - i->anchor, delta);
	if (step && point < i->served)
		return true;
	if (point > i->served)
		return !same_second(i, t, delta, interval);
	return gap >= 0 && interval >= delta && 2 * gap >= interval;
}

static void serve(struct model *m, struct m_instance *i, struct m_held h, int64_t t, int64_t interval, int64_t gap)
{
	int64_t delta = h.ms * MS;
	if (!i->has_grid || i->grid_ms != h.ms) {
		i->anchor = m->align_clock ? 0 : t;
		i->grid_ms = h.ms;
		i->has_grid = true;
	}
	i->served = floor_div(t + half_source(interval, gap, delta) - i->anchor, delta);
}

/* ---- section 7 ---- */

static double gauge_of(const struct m_instance *i, struct m_held h, double last)
{
	double sum = 0, min = INFINITY, max = -INFINITY;
	int    n = 0;
	if (h.kind != M_EVERY || h.value == M_LAST)
		return last;
	for (int k = 0; k < i->n_samples; k++) {
		if (isnan(i->samples[k]))
			continue;
		sum += i->samples[k];
		min = fmin(min, i->samples[k]);
		max = fmax(max, i->samples[k]);
		n++;
	}
	if (n == 0)
		return NAN;
	return h.value == M_AVERAGE ? sum / n : h.value == M_MIN ? min : max;
}

struct m_verdict model_value(struct model *m, const char *name, int64_t t, int64_t interval, int64_t mono,
			     bool absolute, double gauge, uint64_t count)
{
	struct m_instance *i = model_instance(m, name);
	struct m_held      h = model_fold(m, name);
	i->available = model_available(i, mono);
	bool    behind = i->seen && t <= i->newest, duplicate = behind && t == i->newest;
	bool    step = behind && !duplicate && is_step(i, t, interval, mono), late = behind && !step;
	int64_t gap = i->seen && !behind ? t - i->newest : -1;
	if (!behind || step)
		i->has_run = false;
	if (!late) {
		i->seen = true;
		i->newest = t;
		i->interval = interval;
	}
	if (h.on && absolute && (!duplicate || h.kind == M_NATIVE))
		i->sum += count;
	if (h.on && !absolute && !late && i->n_samples < M_SAMPLES)
		i->samples[i->n_samples++] = gauge;
	bool logged = h.on &&
		      (h.kind == M_NATIVE ||
		       (!late && (h.kind == M_ONCE ? !once_done(i, h) : is_due(i, h.ms * MS, t, interval, gap, step))));
	struct m_verdict v = { .logged = logged, .interval = interval };
	if (!h.on)
		i->n_samples = 0;
	if (!h.on || (logged && h.kind != M_EVERY))
		i->has_grid = false;
	if (logged) {
		i->in_log = i->available = true;
		i->logged_at = m->next_id - 1 > i->logged_at ? m->next_id - 1 : i->logged_at;
		i->last_logged = t;
		if (h.kind == M_EVERY)
			serve(m, i, h, t, interval, gap);
		if (h.kind == M_EVERY && h.ms * MS > interval)
			v.interval = h.ms * MS;
		v.gauge = gauge_of(i, h, gauge);
		v.absolute = (int64_t)i->sum;
		i->n_samples = 0;
		i->sum = 0;
	}
	/* section 8: when the next value is due */
	if (!h.on || once_done(i, h)) {
		i->waits = false;
	} else if (!late || logged) {
		int64_t wait = interval;
		if (h.kind == M_EVERY && i->has_grid && i->grid_ms == h.ms &&
		    i->anchor + (i->served + 1) * h.ms * MS - t > wait)
			wait = i->anchor + (i->served + 1) * h.ms * MS - t;
		i->waits = true;
		i->due_by = mono + wait;
	}
	return v;
}
