/* gate - one named test for each branch of the rule (specification section 6); over time: gate_time_test.c. */
#include "../fake/stream.h"

static void off__any_value__is_suppressed_and_ends_the_grid(void **state)
{
	struct memory m = { 0 };
	(void)state;
	assert_true(at(&m, every(60 * S), T0, 10 * S).logged);
	assert_int_equal(at(&m, off, T0 + 10 * S, 10 * S).reason, REASON_OFF);
	assert_int_equal(m.grid_ns, 0);
	assert_int_equal(at(&m, every(60 * S), T0 + 20 * S, 10 * S).reason, REASON_FIRST);
}

static void native__duplicate_and_late__pass_and_are_counted(void **state)
{
	struct memory m = { 0 };
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

static void once__of_the_configuration__has_its_value_to_come(void **state)
{
	const struct hold once = { { .on = 1, .kind = DELTA_ONCE }, 0 };
	struct memory     m = { 0 };
	(void)state;
	assert_false(gate_once_done(&m, &once));
	assert_int_equal(at(&m, once, T0, 10 * S).reason, REASON_ONCE);
	assert_int_equal(at(&m, once, T0 + 10 * S, 10 * S).reason, REASON_ONCE_DONE);
}

/* Two values in flight: the second to be judged had looked at the ledger before the first. */
static void once__logged_under_an_older_ledger_later__stays_done(void **state)
{
	const struct hold once = { { .on = 1, .kind = DELTA_ONCE }, 5 };
	struct memory     m = { 0 };
	struct moment     now = { T0, S, S, 5, 0, ALIGN_START };
	(void)state;
	assert_true(gate_decide(&m, &native, &now).logged);
	now.time_ns += S;
	now.newest_id = 4;
	assert_true(gate_decide(&m, &native, &now).logged);
	assert_true(gate_once_done(&m, &once));
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

static void align_clock__first_value_just_before_a_point_of_the_clock__serves_it(void **state)
{
	struct memory m = { 0 };
	struct moment now = { T0 + 40 * S - 4 * S, 10 * S, S, 0, 0, ALIGN_CLOCK };
	struct hold   minute = every(60 * S);
	(void)state;
	assert_int_equal(gate_decide(&m, &minute, &now).reason, REASON_FIRST);
	assert_int_equal(m.served_ns, T0 + 40 * S); /* a whole minute */
	now.time_ns += 10 * S;
	assert_int_equal(gate_decide(&m, &minute, &now).reason, REASON_BETWEEN);
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

static void half_interval__of_a_source_slower_than_delta__is_at_most_half_of_delta(void **state)
{
	struct memory m = { 0 };
	(void)state;
	at(&m, every(10 * S), T0, 100 * S);
	/* half of the 24 s since the value before would reach the point at 30 s */
	assert_true(at(&m, every(10 * S), T0 + 24 * S, 100 * S).logged);
	assert_int_equal(m.served_ns, T0 + 20 * S);
}

static void same_second__grid_point_reached_in_it__is_served_by_the_next_value(void **state)
{
	struct memory m = { 0 };
	(void)state;
	at(&m, every(S), T0, 100 * MS);
	assert_int_equal(at(&m, every(S), T0 + 860 * MS, 100 * MS).reason, REASON_BETWEEN);
	assert_int_equal(at(&m, every(S), T0 + 960 * MS, 100 * MS).reason, REASON_SAME_SECOND);
	assert_int_equal(at(&m, every(S), T0 + 1060 * MS, 100 * MS).reason, REASON_GRID);
	assert_int_equal(m.served_ns, T0 + S);
}

static void same_second__delta_below_a_second_or_source_as_slow_as_delta__is_logged(void **state)
{
	struct memory fast = { 0 }, slow = { 0 };
	(void)state;
	at(&fast, every(500 * MS), T0, 100 * MS);
	assert_int_equal(at(&fast, every(500 * MS), T0 + 500 * MS, 100 * MS).reason, REASON_GRID);
	at(&slow, every(S), T0 + 50 * MS, S);
	assert_true(at(&slow, every(S), T0 + 950 * MS, S).logged);
}

static void same_second__nothing_was_logged_yet__is_logged(void **state)
{
	struct memory m = { 0 };
	(void)state;
	assert_int_equal(arrives(&m, every(S), 100 * MS, 100 * MS, S).reason, REASON_FIRST);
}

static void native_and_once__in_between__end_the_grid(void **state)
{
	const struct hold once = { { .on = 1, .kind = DELTA_ONCE }, 1 };
	struct memory     m = { 0 };
	(void)state;
	at(&m, every(60 * S), T0, 10 * S);
	assert_int_equal(at(&m, native, T0 + 10 * S, 10 * S).reason, REASON_NATIVE);
	assert_int_equal(at(&m, every(60 * S), T0 + 20 * S, 10 * S).reason, REASON_FIRST);
	assert_int_equal(at(&m, once, T0 + 30 * S, 10 * S).reason, REASON_ONCE);
	assert_int_equal(at(&m, every(60 * S), T0 + 40 * S, 10 * S).reason, REASON_FIRST);
}

static void state_that_no_value_met__leaves_no_trace(void **state)
{
	struct memory m = { 0 };
	(void)state;
	at(&m, every(60 * S), T0, 10 * S);
	gate_changed(&m, &off, 5 * S, 10 * S);
	gate_changed(&m, &native, 6 * S, 10 * S);
	assert_int_equal(at(&m, every(60 * S), T0 + 10 * S, 10 * S).reason, REASON_BETWEEN);
	assert_int_equal(at(&m, every(60 * S), T0 + 60 * S, 10 * S).reason, REASON_GRID);
}

static void once__late_value__is_not_it(void **state)
{
	const struct hold once = { { .on = 1, .kind = DELTA_ONCE }, 1 };
	struct memory     m = { 0 };
	(void)state;
	at(&m, every(60 * S), T0, 10 * S);
	assert_int_equal(at(&m, once, T0 - 5 * S, 10 * S).reason, REASON_LATE);
	assert_int_equal(at(&m, once, T0 + 10 * S, 10 * S).reason, REASON_ONCE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(off__any_value__is_suppressed_and_ends_the_grid),
		cmocka_unit_test(native__duplicate_and_late__pass_and_are_counted),
		cmocka_unit_test(every__late_and_duplicate__are_never_due),
		cmocka_unit_test(once__first_value_logged_then_none__until_asked_again),
		cmocka_unit_test(once__of_the_configuration__has_its_value_to_come),
		cmocka_unit_test(once__logged_under_an_older_ledger_later__stays_done),
		cmocka_unit_test(every__value_leaves_with_the_larger_interval),
		cmocka_unit_test(every__two_values_in_one_second__second_is_not_due_and_the_next_is),
		cmocka_unit_test(every__source_as_slow_as_delta__passes_whole),
		cmocka_unit_test(every__gap__next_value_at_once_and_the_grid_keeps_its_phase),
		cmocka_unit_test(every__reaches_a_grid_point_exactly__is_due),
		cmocka_unit_test(align_clock__first_value_just_before_a_point_of_the_clock__serves_it),
		cmocka_unit_test(value_right_after_a_point_served_early__is_between),
		cmocka_unit_test(half_interval__of_a_source_slower_than_delta__is_at_most_half_of_delta),
		cmocka_unit_test(same_second__grid_point_reached_in_it__is_served_by_the_next_value),
		cmocka_unit_test(same_second__delta_below_a_second_or_source_as_slow_as_delta__is_logged),
		cmocka_unit_test(same_second__nothing_was_logged_yet__is_logged),
		cmocka_unit_test(native_and_once__in_between__end_the_grid),
		cmocka_unit_test(state_that_no_value_met__leaves_no_trace),
		cmocka_unit_test(once__late_value__is_not_it),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
