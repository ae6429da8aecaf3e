/* planner - see planner.h; specification section 10. */
#include "planner.h"

#define MS_NS INT64_C(1000000)

/* The gate keeps the others right on average, so reading more often than this for a common divisor's sake is waste. */
#define MOST_READS_A_NEED 4

static int64_t min64(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

static int64_t max64(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

/* Deltas are whole milliseconds.  The host keeps its intervals in units of 2^-30 s, so that 100 ms come as 99999999 ns: one
 * odd nanosecond must not take the common divisor away. */
static uint64_t whole_ms(int64_t ns)
{
	int64_t ms = ns / MS_NS + (ns % MS_NS >= MS_NS / 2);
	return ms < 1 ? 1 : (uint64_t)ms;
}

static uint64_t common_divisor(uint64_t a, uint64_t b)
{
	while (b != 0) {
		uint64_t rest = a % b;
		a = b;
		b = rest;
	}
	return a;
}

/* 0: none.  Values over which an average, minimum or maximum is taken come at the configured interval, or at delta where that is
 * shorter (section 6: a delta below the source's interval is read faster). */
static uint64_t need_ms(struct held held, bool once_to_come, int64_t configured_ns)
{
	uint64_t configured_ms = whole_ms(configured_ns);
	switch ((enum delta_kind)held.kind) {
	case DELTA_NATIVE:
		return configured_ms;
	case DELTA_ONCE:
		return once_to_come ? configured_ms : 0;
	case DELTA_EVERY:
		return held.value == VALUE_LAST || held.ms < configured_ms ? held.ms : configured_ms;
	}
	return configured_ms;
}

void planner_add_need(struct needs *n, struct held held, bool once_to_come, int64_t configured_ns)
{
	n->seen = true;
	if (!held.on)
		return;
	n->on = true;
	uint64_t ms = need_ms(held, once_to_come, configured_ns);
	if (ms == 0)
		return;
	n->common_ms = common_divisor(ms, n->common_ms);
	if (n->smallest_ms == 0 || ms < n->smallest_ms)
		n->smallest_ms = ms;
}

/* What the instances ask for, no longer than the longest that the limits have for it. */
static int64_t wanted_ns(const struct needs *n, const struct limits *limits, int64_t max_ns)
{
	if (!n->seen)
		return limits->configured_ns;
	if (!n->on && limits->idle_ns != 0)
		return limits->idle_ns;
	if (n->smallest_ms == 0)
		return max_ns;
	uint64_t ms = n->common_ms * MOST_READS_A_NEED >= n->smallest_ms ? n->common_ms : n->smallest_ms;
	/* exactly what the daemon gave it, so that a source that needs nothing special is not told apart by a rounding */
	int64_t  ns = ms == whole_ms(limits->configured_ns) ? limits->configured_ns : (int64_t)ms * MS_NS;
	return min64(ns, max_ns);
}

int64_t planner_interval(const struct needs *n, const struct limits *limits)
{
	int64_t max_ns = limits->max_ns != 0 ? limits->max_ns : limits->configured_ns;
	int64_t ns = max64(wanted_ns(n, limits, max_ns), limits->min_ns);
	return limits->never_slower ? min64(ns, limits->configured_ns) : ns;
}

void plan_init(struct plan *p, int64_t interval_ns)
{
	*p = (struct plan){ .interval_ns = interval_ns };
}

int64_t plan_follow(struct plan *p, int64_t needed_ns, int64_t arrival_ns)
{
	if (needed_ns <= p->interval_ns) {
		plan_init(p, needed_ns);
		return p->interval_ns;
	}
	if (!p->waits) {
		p->waits = true;
		p->since_ns = arrival_ns;
		p->next_ns = needed_ns;
	}
	p->next_ns = min64(p->next_ns, needed_ns);
	if (arrival_ns - p->since_ns < PLANNER_PATIENCE_NS)
		return p->interval_ns;
	/* what is needed now may be longer still; then that has its own ten seconds */
	plan_init(p, p->next_ns);
	return needed_ns > p->interval_ns ? plan_follow(p, needed_ns, arrival_ns) : p->interval_ns;
}

int64_t plan_due_ns(const struct plan *p)
{
	return p->waits ? p->since_ns + PLANNER_PATIENCE_NS : INT64_MAX;
}
