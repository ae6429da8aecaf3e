/*
 * gate - see gate.h; specification section 6.
 *
 * The grid is kept as its delta and the last served point.  A served point never leaves the grid (it only moves by whole
 * deltas), so the anchor need not be remembered, and asking "has a later point been reached?" is a subtraction.
 */
#include "gate.h"

#include <stddef.h>

#define SECOND_NS INT64_C(1000000000)
#define MS_NS     INT64_C(1000000)

/* struct memory.grid_ns after a value that native let pass: no grid, but a phase to go on from if the source is read faster. */
#define GRID_NATIVE INT64_C(-1)

static int64_t min64(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

static int64_t max64(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

#define DS_NS INT64_C(100000000)

static uint32_t ds_of(int64_t ns)
{
	return (uint32_t)(((uint64_t)ns + DS_NS - 1) / DS_NS);
}

void gate_born(struct memory *m, int64_t arrival_ns)
{
	m->arrival_ds = ds_of(arrival_ns);
}

int64_t gate_unseen_ns(const struct memory *m, int64_t arrival_ns)
{
	return arrival_ns - (int64_t)m->arrival_ds * DS_NS;
}

/* What is known of this value before the rule is asked. */
struct view {
	int64_t delta_ns; /* of the grid: delta, or the pace of a driven source; 0 when not gated on a grid */
	int64_t gap_ns;   /* to the value before; -1: none, or late */
	bool    late, duplicate, step;
};

static int64_t grid_delta(const struct hold *hold, const struct moment *now)
{
	if (hold->held.kind == DELTA_EVERY)
		return (int64_t)hold->held.ms * MS_NS;
	return hold->held.kind == DELTA_NATIVE ? now->pace_ns : 0;
}

/* Late values in a row, each newer than the one before, that arrive over at least half a source interval: the clock has stepped
 * back.  A burst arrives faster, and a single late value is alone. */
static bool has_stepped(struct memory *m, const struct moment *now)
{
	if (!m->in_run || now->time_ns <= m->run_last_ns) {
		m->in_run = true;
		m->run_first_ns = now->arrival_ns;
		m->run_last_ns = now->time_ns;
		return false;
	}
	m->run_last_ns = now->time_ns;
	return now->arrival_ns - m->run_first_ns >= now->interval_ns - now->interval_ns / 2;
}

/* Places the value among those seen, and remembers it if it is the newest or the clock has stepped. */
static struct view look(struct memory *m, const struct hold *hold, const struct moment *now)
{
	struct view v = { .delta_ns = grid_delta(hold, now), .gap_ns = -1 };
	bool        behind = m->seen && now->time_ns <= m->newest_ns;
	v.duplicate = behind && now->time_ns == m->newest_ns;
	v.step = behind && !v.duplicate && has_stepped(m, now);
	v.late = behind && !v.step;
	if (!behind && m->seen)
		v.gap_ns = now->time_ns - m->newest_ns;
	if (!behind || v.step)
		m->in_run = false;
	if (!v.late) {
		m->seen = true;
		m->newest_ns = now->time_ns;
		m->interval_ns = now->interval_ns;
		m->arrival_ds = ds_of(now->arrival_ns);
	}
	return v;
}

/* Half the source interval: the smaller of what the value carries and its distance from the value before; at most half of
 * delta. */
static int64_t half_source(const struct view *v, const struct moment *now)
{
	int64_t source_ns = v->gap_ns < 0 ? now->interval_ns : min64(now->interval_ns, v->gap_ns);
	return min64(source_ns, v->delta_ns) / 2;
}

/* rrdcached takes no two values of one second; a source that is as slow as delta is not held up by that. */
static bool is_same_second(const struct memory *m, const struct view *v, const struct moment *now)
{
	return v->delta_ns >= SECOND_NS && v->delta_ns > now->interval_ns && m->in_log &&
	       now->time_ns / SECOND_NS == m->last_logged_ns / SECOND_NS;
}

/* From the last served point to `reached_ns`.  A clock that has stepped back to 1970 can leave that point before 1970, by less than a
 * delta, and from there to the last possible time stamp is more than 64 bits hold. */
static int64_t since_served(const struct memory *m, int64_t reached_ns)
{
	int64_t since_ns;
	return __builtin_sub_overflow(reached_ns, m->served_ns, &since_ns) ? INT64_MAX : since_ns;
}

static enum reason judge_grid(const struct memory *m, const struct view *v, const struct moment *now)
{
	if (m->grid_ns != v->delta_ns)
		return is_same_second(m, v, now) ? REASON_SAME_SECOND : REASON_FIRST;
	int64_t reached_ns = since_served(m, now->time_ns + half_source(v, now));
	if (v->step && reached_ns < 0)
		return REASON_STEP_BACK;
	if (reached_ns >= v->delta_ns)
		return is_same_second(m, v, now) ? REASON_SAME_SECOND : REASON_GRID;
	if (v->gap_ns >= 0 && now->interval_ns >= v->delta_ns && v->gap_ns >= now->interval_ns - now->interval_ns / 2)
		return REASON_SLOW_SOURCE;
	return REASON_BETWEEN;
}

static enum reason judge(const struct memory *m, const struct hold *hold, const struct view *v,
			 const struct moment *now)
{
	if (!hold->held.on)
		return REASON_OFF;
	if (hold->held.kind == DELTA_NATIVE && v->delta_ns == 0)
		return REASON_NATIVE;
	if (v->late)
		return REASON_LATE;
	if (hold->held.kind == DELTA_ONCE)
		return gate_once_done(m, hold) ? REASON_ONCE_DONE : REASON_ONCE;
	return judge_grid(m, v, now);
}

static bool is_logged(enum reason r)
{
	switch (r) {
	case REASON_NATIVE:
	case REASON_ONCE:
	case REASON_FIRST:
	case REASON_STEP_BACK:
	case REASON_GRID:
	case REASON_SLOW_SOURCE:
		return true;
	case REASON_OFF:
	case REASON_LATE:
	case REASON_ONCE_DONE:
	case REASON_SAME_SECOND:
	case REASON_BETWEEN:
		return false;
	}
	return true;
}

/* The largest multiple of `step` that is not above `x`. */
static int64_t floor_to(int64_t x, int64_t step)
{
	int64_t rest = x % step;
	return x - (rest < 0 ? rest + step : rest);
}

/* Serves the latest grid point that the value has reached; the first value of a delta makes the grid. */
static void serve(struct memory *m, const struct view *v, const struct moment *now)
{
	int64_t reached_ns = now->time_ns + half_source(v, now);
	if (m->grid_ns != v->delta_ns) {
		m->grid_ns = v->delta_ns;
		m->served_ns = now->align == ALIGN_CLOCK ? floor_to(reached_ns, v->delta_ns) : now->time_ns;
		return;
	}
	m->served_ns += floor_to(since_served(m, reached_ns), v->delta_ns);
}

/* A source that native let pass whole is read faster now: its delta has not changed, so the grid goes on from the last logged value
 * and no record comes early. */
static void go_on_from_native(struct memory *m, const struct view *v, enum align align)
{
	m->grid_ns = v->delta_ns;
	m->served_ns = m->last_logged_ns;
	if (align == ALIGN_CLOCK)
		m->served_ns = floor_to(m->last_logged_ns + v->delta_ns / 2, v->delta_ns);
}

/* A deadline that has passed by more than one source interval (at least a second) ends availability. */
static bool has_lapsed(const struct memory *m, int64_t arrival_ns)
{
	return m->waits && arrival_ns - m->due_by_ns > max64(m->interval_ns, SECOND_NS);
}

bool gate_is_available(const struct memory *m, int64_t arrival_ns)
{
	return m->available && !has_lapsed(m, arrival_ns);
}

static bool waits_for_nothing(const struct memory *m, const struct hold *hold)
{
	return !hold->held.on || gate_once_done(m, hold);
}

/* When the next value is due (specification section 8). */
static void set_deadline(struct memory *m, const struct view *v, const struct moment *now)
{
	int64_t wait_ns = now->interval_ns;
	if (v->delta_ns != 0 && m->grid_ns == v->delta_ns)
		wait_ns = max64(wait_ns, m->served_ns - now->time_ns + m->grid_ns);
	m->waits = true;
	m->due_by_ns = now->arrival_ns + wait_ns;
}

static void remember_logged(struct memory *m, const struct moment *now)
{
	m->in_log = m->available = true;
	if (now->newest_id > m->logged_at)
		m->logged_at = now->newest_id;
	m->last_logged_ns = now->time_ns;
}

struct verdict gate_decide(struct memory *m, const struct hold *hold, const struct moment *now)
{
	m->available = gate_is_available(m, now->arrival_ns);
	struct view v = look(m, hold, now);
	if (m->grid_ns == GRID_NATIVE && v.delta_ns != 0 && hold->held.kind == DELTA_NATIVE)
		go_on_from_native(m, &v, now->align);
	enum reason    reason = judge(m, hold, &v, now);
	struct verdict verdict = { is_logged(reason), reason, v.late, v.duplicate, now->interval_ns };
	if (verdict.logged) {
		remember_logged(m, now);
		verdict.interval_ns = max64(v.delta_ns, now->interval_ns);
		if (v.delta_ns != 0)
			serve(m, &v, now);
		else
			m->grid_ns = hold->held.kind == DELTA_NATIVE ? GRID_NATIVE : 0;
	} else if (reason == REASON_OFF) {
		m->grid_ns = 0;
	}
	if (waits_for_nothing(m, hold))
		m->waits = false;
	else if (!v.late || verdict.logged) /* available is true with each logged value, the late ones of native too */
		set_deadline(m, &v, now);
	return verdict;
}

bool gate_once_done(const struct memory *m, const struct hold *hold)
{
	return hold->held.on && hold->held.kind == DELTA_ONCE && m->in_log && m->logged_at >= hold->by;
}

void gate_changed(struct memory *m, const struct hold *hold, int64_t arrival_ns, int64_t default_interval_ns)
{
	m->available = gate_is_available(m, arrival_ns);
	m->waits = !waits_for_nothing(m, hold);
	m->due_by_ns = arrival_ns + (m->interval_ns != 0 ? m->interval_ns : default_interval_ns);
}

uint64_t gate_shown_delta_ms(const struct memory *m, struct held held, int64_t configured_ns,
			     int64_t default_interval_ns)
{
	if (!held.on || held.kind == DELTA_ONCE)
		return 0;
	if (held.kind == DELTA_EVERY)
		return held.ms;
	int64_t interval_ns = configured_ns;
	if (interval_ns == 0)
		interval_ns = m != NULL && m->seen ? m->interval_ns : default_interval_ns;
	int64_t ms = interval_ns / MS_NS + (interval_ns % MS_NS != 0);
	return ms < 1 ? 1 : (uint64_t)ms;
}
