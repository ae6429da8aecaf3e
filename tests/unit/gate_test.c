/*
 * gate - by simulated time: records = elapsed / delta, no grid point twice, none skipped, phase below one source interval; and one
 * named test for each branch of the rule (specification section 6).
 *
 * Jitter: with up to a fifth of the source interval nothing slips.  Beyond half of it a value can miss its grid point, and the
 * next one serves that point late: the average stays right, single distances do not.
 */
#include "../fake/check.h"
#include "gate.h"

#define S  INT64_C(1000000000)
#define MS INT64_C(1000000)
#define T0 (INT64_C(1700000000) * S)

static struct hold every(int64_t delta_ns)
{
	return (struct hold){
		{ .on = 1, .kind = DELTA_EVERY, .ms = (uint64_t)(delta_ns / MS) & ((UINT64_C(1) << 40) - 1) }, 0
	};
}

static struct verdict at(struct memory *m, struct hold hold, int64_t time_ns, int64_t interval_ns)
{
	struct moment now = { time_ns, interval_ns, time_ns - T0 + S, 0, 0, ALIGN_START };
	return gate_decide(m, &hold, &now);
}

static struct verdict arrives(struct memory *m, struct hold hold, int64_t time_ns, int64_t interval_ns,
			      int64_t arrival_ns)
{
	struct moment now = { time_ns, interval_ns, arrival_ns, 0, 0, ALIGN_START };
	return gate_decide(m, &hold, &now);
}

/* ---- thirty days ---- */

struct stream {
	const char *name;
	int64_t     source_ns, delta_ns;
	int         jitter_percent;
	enum align  align;
};

static void run_stream(const struct stream *s)
{
	struct memory m = { 0 };
	struct hold   hold = every(s->delta_ns);
	uint64_t      seed = 42;
	int64_t       before = 0, t = T0;
	int64_t       records = 0, last_point = INT64_MIN, anchor = 0, span = 30 * 86400 * S;
	int64_t       n = span / s->source_ns;
	if (n > 300000) {
		n = 300000;
		span = n * s->source_ns;
	}
	for (int64_t i = 0; i < n; i++) {
		int64_t jitter = s->source_ns * s->jitter_percent / 100;
		before = t;
		t = T0 + i * s->source_ns;
		if (jitter > 0)
			t += (int64_t)(random_next(&seed) % (uint64_t)(2 * jitter + 1)) - jitter;
		struct moment  now = { t, s->source_ns, t - T0 + S, 0, 0, s->align };
		struct verdict v = gate_decide(&m, &hold, &now);
		if (!v.logged)
			continue;
		if (records++ == 0 && s->align == ALIGN_START)
			anchor = t;
		if (s->delta_ns <= s->source_ns)
			continue;
		int64_t point = m.served_ns, late = t - point;
		if (point == last_point)
			fail_msg("%s: a grid point is served twice", s->name);
		if (last_point != INT64_MIN && records > 2 && point - last_point != s->delta_ns)
			fail_msg("%s: a grid point is skipped", s->name);
		if ((point - anchor) % s->delta_ns != 0)
			fail_msg("%s: the grid has lost its phase", s->name);
		if (records > 1 && (late >= t - before || -late > s->source_ns / 2))
			fail_msg("%s: a phase error of a source interval (as it was just now) or more", s->name);
		last_point = point;
	}
	int64_t step = s->delta_ns > s->source_ns ? s->delta_ns : s->source_ns, expected = span / step;
	if (records < expected - 1 || records > expected + 1)
		fail_msg("%s: %lld records, expected %lld", s->name, (long long)records, (long long)expected);
}

static void thirty_days__every_stream__records_are_elapsed_over_delta(void **state)
{
	static const struct stream streams[] = {
		{ "10 s by 60 s", 10 * S, 60 * S, 0, ALIGN_START },
		{ "10 s by 60 s, jitter", 10 * S, 60 * S, 20, ALIGN_START },
		{ "10 s by 60 s, jitter, clock", 10 * S, 60 * S, 20, ALIGN_CLOCK },
		{ "7 s by 60 s", 7 * S, 60 * S, 0, ALIGN_START },
		{ "7 s by 60 s, jitter", 7 * S, 60 * S, 20, ALIGN_START },
		{ "7 s by 60 s, clock", 7 * S, 60 * S, 20, ALIGN_CLOCK },
		{ "10 s by 15 s", 10 * S, 15 * S, 0, ALIGN_START },
		{ "10 s by 25 s, jitter", 10 * S, 25 * S, 20, ALIGN_CLOCK },
		{ "1 s by 3 s, jitter", S, 3 * S, 20, ALIGN_START },
		{ "10 s by 10 s, jitter", 10 * S, 10 * S, 20, ALIGN_START },
		{ "10 s by 1 s: nothing is invented", 10 * S, S, 20, ALIGN_START },
		{ "10 s by a day", 10 * S, 86400 * S, 20, ALIGN_CLOCK },
		{ "100 ms by 250 ms", 100 * MS, 250 * MS, 0, ALIGN_START },
	};
	(void)state;
	for (size_t i = 0; i < sizeof(streams) / sizeof(streams[0]); i++)
		run_stream(&streams[i]);
}

/* ---- one test a branch ---- */

static void off__any_value__is_suppressed_and_ends_the_grid(void **state)
{
	struct memory m = { 0 };
	struct hold   off = { { 0 }, 0 };
	(void)state;
	assert_true(at(&m, every(60 * S), T0, 10 * S).logged);
	assert_int_equal(at(&m, off, T0 + 10 * S, 10 * S).reason, REASON_OFF);
	assert_int_equal(m.grid_ns, 0);
	assert_int_equal(at(&m, every(60 * S), T0 + 20 * S, 10 * S).reason, REASON_FIRST);
}

static void native__duplicate_and_late__pass_and_are_counted(void **state)
{
	struct memory m = { 0 };
	struct hold   native = { HELD_DEFAULT, 0 };
	(void)state;
	assert_true(at(&m, native, T0, 10 * S).logged);
	struct verdict v = at(&m, native, T0, 10 * S);
	assert_true(v.logged && v.late && v.duplicate);
	v = at(&m, native, T0 - S, 10 * S);
	assert_true(v.logged && v.late && !v.duplicate);
	assert_int_equal(v.interval_ns, 10 * S);
}

static void every__late_and_duplicate__are_never_due(void **state)
{
	struct memory m = { 0 };
	(void)state;
	assert_true(at(&m, every(S), T0, 10 * S).logged);
	assert_int_equal(at(&m, every(S), T0, 10 * S).reason, REASON_LATE);
	assert_int_equal(at(&m, every(S), T0 - 5 * S, 10 * S).reason, REASON_LATE);
}

static void once__first_value_logged_then_none__until_asked_again(void **state)
{
	struct memory m = { 0 };
	struct hold   once = { { .on = 1, .kind = DELTA_ONCE }, 1 };
	struct moment now = { T0, S, S, 1, 0, ALIGN_START };
	(void)state;
	assert_true(gate_decide(&m, &once, &now).logged);
	now.time_ns += S;
	assert_int_equal(gate_decide(&m, &once, &now).reason, REASON_ONCE_DONE);
	once.by = now.newest_id = 2;
	now.time_ns += S;
	assert_int_equal(gate_decide(&m, &once, &now).reason, REASON_ONCE);
}

static void every__value_leaves_with_the_larger_interval(void **state)
{
	struct memory m = { 0 }, n = { 0 };
	(void)state;
	assert_int_equal(at(&m, every(60 * S), T0, 10 * S).interval_ns, 60 * S);
	assert_int_equal(at(&n, every(S), T0, 10 * S).interval_ns, 10 * S);
}

static void every__two_values_in_one_second__second_is_not_due_and_the_next_is(void **state)
{
	struct memory m = { 0 };
	(void)state;
	assert_true(at(&m, every(60 * S), T0, 100 * MS).logged);
	assert_int_equal(at(&m, every(S), T0 + 100 * MS, 100 * MS).reason, REASON_SAME_SECOND);
	assert_int_equal(at(&m, every(S), T0 + S, 100 * MS).reason, REASON_FIRST);
}

static void every__source_as_slow_as_delta__passes_whole(void **state)
{
	struct memory m = { 0 };
	(void)state;
	assert_true(at(&m, every(10 * S), T0, 10 * S).logged);
	assert_true(at(&m, every(10 * S), T0 + 14 * S, 10 * S).logged);
	/* 6 s later, off the grid, but more than half its interval after the value before */
	assert_int_equal(at(&m, every(10 * S), T0 + 20 * S + 500 * MS, 10 * S).reason, REASON_GRID);
	assert_int_equal(at(&m, every(10 * S), T0 + 25 * S + 600 * MS, 10 * S).reason, REASON_SLOW_SOURCE);
	assert_int_equal(at(&m, every(10 * S), T0 + 26 * S, 10 * S).reason, REASON_BETWEEN);
}

static void every__gap__next_value_at_once_and_the_grid_keeps_its_phase(void **state)
{
	struct memory m = { 0 };
	(void)state;
	assert_true(at(&m, every(60 * S), T0, 10 * S).logged);
	assert_true(at(&m, every(60 * S), T0 + 8 * 3600 * S + 25 * S, 10 * S).logged);
	assert_int_equal((m.served_ns - T0) % (60 * S), 0);
	assert_false(at(&m, every(60 * S), T0 + 8 * 3600 * S + 35 * S, 10 * S).logged);
	assert_true(at(&m, every(60 * S), T0 + 8 * 3600 * S + 60 * S, 10 * S).logged);
}

static void clock_steps_back__run_of_late_values__is_a_step(void **state)
{
	struct memory m = { 0 };
	int64_t       arrival = 100 * S;
	(void)state;
	assert_true(arrives(&m, every(60 * S), T0, 10 * S, arrival).logged);
	assert_int_equal(arrives(&m, every(60 * S), T0 - 3600 * S, 10 * S, arrival += 10 * S).reason, REASON_LATE);
	assert_int_equal(arrives(&m, every(60 * S), T0 - 3590 * S, 10 * S, arrival += 10 * S).reason, REASON_STEP_BACK);
	assert_int_equal(m.newest_ns, T0 - 3590 * S);
	assert_int_equal((T0 - m.served_ns) % (60 * S), 0);
}

static void duplicate_of_the_newest__within_a_run__is_no_step(void **state)
{
	struct memory m = { 0 };
	(void)state;
	assert_true(arrives(&m, every(60 * S), T0, 10 * S, 100 * S).logged);
	assert_int_equal(arrives(&m, every(60 * S), T0 - 30 * S, 10 * S, 110 * S).reason, REASON_LATE);
	struct verdict v = arrives(&m, every(60 * S), T0, 10 * S, 120 * S);
	assert_true(v.late && v.duplicate && !v.logged);
	assert_int_equal(m.newest_ns, T0);
}

static void late_values_out_of_order__begin_a_new_run__and_are_no_step(void **state)
{
	struct memory m = { 0 };
	(void)state;
	assert_true(arrives(&m, every(60 * S), T0, 10 * S, 100 * S).logged);
	for (int i = 0; i < 10; i++) /* each older than the one before */
		assert_int_equal(arrives(&m, every(60 * S), T0 - (i + 1) * 10 * S, 10 * S, (110 + i * 10) * S).reason,
				 REASON_LATE);
}

static void newer_value__ends_a_run_of_late_ones(void **state)
{
	struct memory m = { 0 };
	(void)state;
	arrives(&m, every(60 * S), T0, 10 * S, 100 * S);
	assert_int_equal(arrives(&m, every(60 * S), T0 - 50 * S, 10 * S, 110 * S).reason, REASON_LATE);
	assert_int_equal(arrives(&m, every(60 * S), T0 + 10 * S, 10 * S, 120 * S).reason, REASON_BETWEEN);
	assert_int_equal(arrives(&m, every(60 * S), T0 - 40 * S, 10 * S, 130 * S).reason, REASON_LATE);
}

static void every__reaches_a_grid_point_exactly__is_due(void **state)
{
	struct memory m = { 0 };
	(void)state;
	at(&m, every(60 * S), T0, 10 * S);
	assert_int_equal(at(&m, every(60 * S), T0 + 45 * S, 10 * S).reason, REASON_BETWEEN);
	/* 55 s and half of 10 s: the point at 60 s, to the nanosecond */
	assert_int_equal(at(&m, every(60 * S), T0 + 55 * S, 10 * S).reason, REASON_GRID);
	assert_int_equal(m.served_ns, T0 + 60 * S);
}

static void value_right_after_a_point_served_early__is_between(void **state)
{
	struct memory m = { 0 };
	(void)state;
	at(&m, every(60 * S), T0, 10 * S);
	assert_int_equal(at(&m, every(60 * S), T0 + 56 * S, 10 * S).reason, REASON_GRID);
	/* its own half interval is short, so it does not even reach the point that is served already */
	assert_int_equal(at(&m, every(60 * S), T0 + 57 * S, S).reason, REASON_BETWEEN);
}

static void late_burst__arrives_at_once__is_no_step(void **state)
{
	struct memory m = { 0 };
	(void)state;
	assert_true(arrives(&m, every(60 * S), T0, 10 * S, 100 * S).logged);
	for (int i = 0; i < 20; i++)
		assert_int_equal(arrives(&m, every(60 * S), T0 - 1000 * S + i * 10 * S, 10 * S, 101 * S).reason,
				 REASON_LATE);
	assert_int_equal(m.newest_ns, T0);
}

static void clock_steps_forward__one_record__then_the_grid_goes_on(void **state)
{
	struct memory m = { 0 };
	int           logged = 0;
	(void)state;
	at(&m, every(60 * S), T0, 10 * S);
	for (int i = 0; i < 6; i++)
		logged += at(&m, every(60 * S), T0 + 86400 * S + i * 10 * S, 10 * S).logged;
	assert_int_equal(logged, 1);
}

static void far_future__one_value__is_undone_within_bounded_silence(void **state)
{
	struct memory m = { 0 };
	int64_t       arrival = 100 * S, silent = 0;
	(void)state;
	arrives(&m, every(60 * S), T0, 10 * S, arrival);
	arrives(&m, every(60 * S), INT64_C(8876000000) * S, 10 * S, arrival);
	for (int i = 1; i < 20; i++) {
		if (arrives(&m, every(60 * S), T0 + i * 10 * S, 10 * S, arrival += 10 * S).logged)
			break;
		silent += 10 * S;
	}
	assert_true(silent <= 2 * 60 * S + 2 * 10 * S);
}

static void driven__native_read_faster__is_gated_on_its_configured_interval(void **state)
{
	struct memory m = { 0 };
	struct hold   native = { HELD_DEFAULT, 0 };
	int           logged = 0;
	(void)state;
	for (int i = 0; i < 400; i++) {
		struct moment  now = { T0 + i * 250 * MS, 250 * MS, S + i * 250 * MS, 0, 10 * S, ALIGN_START };
		struct verdict v = gate_decide(&m, &native, &now);
		logged += v.logged;
		assert_int_equal(v.logged ? v.interval_ns : 10 * S, 10 * S);
	}
	assert_int_equal(logged, 10);
}

/* ---- availability ---- */

static void available__source_dies__false_one_interval_after_it_was_due(void **state)
{
	struct memory m = { 0 };
	(void)state;
	assert_false(gate_is_available(&m, S));
	arrives(&m, every(60 * S), T0, 10 * S, 100 * S);
	assert_true(gate_is_available(&m, 100 * S));
	assert_true(gate_is_available(&m, 170 * S));
	assert_false(gate_is_available(&m, 170 * S + 1));
	arrives(&m, every(60 * S), T0 + 300 * S, 10 * S, 400 * S);
	assert_true(gate_is_available(&m, 400 * S));
}

static void available__turned_off__is_frozen_as_it_was(void **state)
{
	struct memory alive = { 0 }, dead = { 0 };
	struct hold   off = { { 0 }, 0 };
	(void)state;
	arrives(&alive, every(10 * S), T0, 10 * S, 100 * S);
	gate_changed(&alive, &off, 105 * S, 10 * S);
	assert_true(gate_is_available(&alive, 10000 * S));
	arrives(&dead, every(10 * S), T0, 10 * S, 100 * S);
	gate_changed(&dead, &off, 200 * S, 10 * S);
	assert_false(gate_is_available(&dead, 10000 * S));
}

static void available__new_delta__due_one_source_interval_after_the_request(void **state)
{
	struct memory m = { 0 };
	struct hold   slow = every(3600 * S);
	(void)state;
	arrives(&m, every(10 * S), T0, 10 * S, 100 * S);
	gate_changed(&m, &slow, 105 * S, 10 * S);
	assert_true(gate_is_available(&m, 125 * S));
	assert_false(gate_is_available(&m, 125 * S + 1));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(thirty_days__every_stream__records_are_elapsed_over_delta),
		cmocka_unit_test(off__any_value__is_suppressed_and_ends_the_grid),
		cmocka_unit_test(native__duplicate_and_late__pass_and_are_counted),
		cmocka_unit_test(every__late_and_duplicate__are_never_due),
		cmocka_unit_test(once__first_value_logged_then_none__until_asked_again),
		cmocka_unit_test(every__value_leaves_with_the_larger_interval),
		cmocka_unit_test(every__two_values_in_one_second__second_is_not_due_and_the_next_is),
		cmocka_unit_test(every__source_as_slow_as_delta__passes_whole),
		cmocka_unit_test(every__gap__next_value_at_once_and_the_grid_keeps_its_phase),
		cmocka_unit_test(clock_steps_back__run_of_late_values__is_a_step),
		cmocka_unit_test(duplicate_of_the_newest__within_a_run__is_no_step),
		cmocka_unit_test(late_values_out_of_order__begin_a_new_run__and_are_no_step),
		cmocka_unit_test(newer_value__ends_a_run_of_late_ones),
		cmocka_unit_test(every__reaches_a_grid_point_exactly__is_due),
		cmocka_unit_test(value_right_after_a_point_served_early__is_between),
		cmocka_unit_test(late_burst__arrives_at_once__is_no_step),
		cmocka_unit_test(clock_steps_forward__one_record__then_the_grid_goes_on),
		cmocka_unit_test(far_future__one_value__is_undone_within_bounded_silence),
		cmocka_unit_test(driven__native_read_faster__is_gated_on_its_configured_interval),
		cmocka_unit_test(available__source_dies__false_one_interval_after_it_was_due),
		cmocka_unit_test(available__turned_off__is_frozen_as_it_was),
		cmocka_unit_test(available__new_delta__due_one_source_interval_after_the_request),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
