/*
 * gate - what a driven source, read faster than configured, does to native (section 10); availability (section 8); the delta
 * that replies show.
 */
#include "../fake/stream.h"

/* ---- native on a driven source ---- */

static void driven__native_read_faster__is_gated_on_its_configured_interval(void **state)
{
	struct memory m = { 0 };
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

static void driven__read_faster_from_now__no_record_comes_early(void **state)
{
	struct memory m = { 0 };
	int64_t       t = T0;
	(void)state;
	for (int i = 0; i < 3; i++, t += 10 * S)
		assert_int_equal(paced(&m, native, t, 10 * S, 0).reason, REASON_NATIVE);
	t -= 10 * S; /* the last value; 250 ms from now on */
	for (int i = 1; i < 40; i++)
		assert_int_equal(paced(&m, native, t + i * 250 * MS, 250 * MS, 10 * S).reason, REASON_BETWEEN);
	assert_int_equal(paced(&m, native, t + 10 * S, 250 * MS, 10 * S).reason, REASON_GRID);
	assert_int_equal(m.served_ns, t + 10 * S);
	/* and back */
	assert_int_equal(paced(&m, native, t + 20 * S, 10 * S, 0).reason, REASON_NATIVE);
}

static void driven__read_faster_with_align_clock__grid_is_that_of_the_clock(void **state)
{
	struct memory m = { 0 };
	struct moment now = { T0 + 3 * S, 10 * S, S, 0, 0, ALIGN_CLOCK };
	int64_t       logged_ns = 0;
	(void)state;
	assert_true(gate_decide(&m, &native, &now).logged);
	now.interval_ns = 250 * MS;
	now.pace_ns = 10 * S;
	for (now.time_ns = T0 + 3250 * MS; logged_ns == 0; now.time_ns += 250 * MS)
		logged_ns = gate_decide(&m, &native, &now).logged ? now.time_ns : 0;
	assert_int_equal(logged_ns, T0 + 10 * S);
}

static void driven__read_faster_with_align_clock__point_that_native_has_reached_is_served(void **state)
{
	struct memory m = { 0 };
	struct moment now = { T0 + 8 * S, 10 * S, S, 0, 0, ALIGN_CLOCK };
	(void)state;
	assert_true(gate_decide(&m, &native, &now).logged);
	now.interval_ns = 250 * MS;
	now.pace_ns = 10 * S;
	now.time_ns = T0 + 10 * S; /* it stands for the value at 8 s */
	assert_int_equal(gate_decide(&m, &native, &now).reason, REASON_BETWEEN);
	now.time_ns = T0 + 20 * S;
	assert_int_equal(gate_decide(&m, &native, &now).reason, REASON_GRID);
}

static void driven__once_in_between__first_value_is_logged(void **state)
{
	const struct hold once = { { .on = 1, .kind = DELTA_ONCE }, 1 };
	struct memory     m = { 0 };
	(void)state;
	assert_int_equal(paced(&m, once, T0, 10 * S, 10 * S).reason, REASON_ONCE);
	assert_int_equal(paced(&m, native, T0 + 5 * S, S, 10 * S).reason, REASON_FIRST);
}

static void driven__off_or_another_delta_in_between__first_value_is_logged(void **state)
{
	struct memory m = { 0 };
	(void)state;
	assert_true(paced(&m, native, T0, 10 * S, 0).logged);
	assert_false(paced(&m, off, T0 + 10 * S, 10 * S, 0).logged);
	assert_int_equal(paced(&m, native, T0 + 11 * S, S, 10 * S).reason, REASON_FIRST);
	assert_int_equal(paced(&m, every(2 * S), T0 + 12 * S, S, 10 * S).reason, REASON_FIRST);
	assert_int_equal(paced(&m, native, T0 + 13 * S, S, 10 * S).reason, REASON_FIRST);
}

static void driven__every_goes_on_at_its_own_delta(void **state)
{
	struct memory m = { 0 };
	int           logged = 0;
	(void)state;
	for (int i = 0; i < 400; i++) {
		struct verdict v = paced(&m, every(S), T0 + i * 250 * MS, 250 * MS, 10 * S);
		logged += v.logged;
		assert_int_equal(v.logged ? v.interval_ns : S, S);
	}
	assert_int_equal(logged, 100);
}

static void driven__late_value_under_native__is_not_logged_while_read_faster(void **state)
{
	struct memory m = { 0 };
	(void)state;
	assert_true(paced(&m, native, T0, 250 * MS, 10 * S).logged);
	assert_int_equal(paced(&m, native, T0, 250 * MS, 10 * S).reason, REASON_LATE);
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

static void available__delta_below_the_source_interval__due_one_source_interval_later(void **state)
{
	struct memory m = { 0 };
	(void)state;
	arrives(&m, every(S), T0, 10 * S, 100 * S);
	assert_true(gate_is_available(&m, 120 * S));
	assert_false(gate_is_available(&m, 120 * S + 1));
}

static void available__value_meets_off__is_frozen_as_it_was(void **state)
{
	struct memory m = { 0 };
	(void)state;
	arrives(&m, every(10 * S), T0, 10 * S, 100 * S);
	arrives(&m, off, T0 + 10 * S, 10 * S, 110 * S);
	assert_true(gate_is_available(&m, 10000 * S));
}

static void available__changed__goes_by_the_interval_last_carried_and_else_by_the_default(void **state)
{
	struct memory seen = { 0 }, none = { 0 };
	(void)state;
	arrives(&seen, every(10 * S), T0, 10 * S, 100 * S);
	gate_changed(&seen, &native, 100 * S, 60 * S);
	assert_false(gate_is_available(&seen, 120 * S + 1));
	arrives(&none, every(10 * S), T0, 0, 100 * S); /* a value list without an interval */
	gate_changed(&none, &native, 100 * S, 60 * S);
	assert_true(gate_is_available(&none, 161 * S));
	assert_false(gate_is_available(&none, 161 * S + 1));
}

static void available__before_the_first_logged_value__is_false(void **state)
{
	struct memory m = { 0 };
	(void)state;
	assert_false(gate_is_available(&m, 0));
	gate_changed(&m, &native, 0, 10 * S);
	assert_false(gate_is_available(&m, S));
	arrives(&m, off, T0, 10 * S, S);
	assert_false(gate_is_available(&m, S));
}

static void available__fast_source__has_a_second_beyond_its_due_time(void **state)
{
	struct memory m = { 0 };
	(void)state;
	arrives(&m, native, T0, 100 * MS, 100 * S);
	assert_true(gate_is_available(&m, 101 * S + 100 * MS));
	assert_false(gate_is_available(&m, 101 * S + 100 * MS + 1));
}

static void available__late_values__do_not_move_the_due_time(void **state)
{
	struct memory m = { 0 };
	(void)state;
	arrives(&m, every(10 * S), T0, 10 * S, 100 * S);
	for (int i = 0; i < 10; i++) /* each older than the one before */
		arrives(&m, every(10 * S), T0 - (i + 1) * 100 * S, 10 * S, (100 + i) * S);
	assert_true(gate_is_available(&m, 120 * S));
	assert_false(gate_is_available(&m, 120 * S + 1));
}

static void available__late_value_that_native_logs__is_true(void **state)
{
	struct memory m = { 0 };
	(void)state;
	arrives(&m, native, T0, 10 * S, 100 * S);
	assert_false(gate_is_available(&m, 200 * S));
	assert_true(arrives(&m, native, T0 - 50 * S, 10 * S, 200 * S).logged);
	assert_true(gate_is_available(&m, 220 * S));
	assert_false(gate_is_available(&m, 220 * S + 1));
}

/* Nobody asked while the source was silent, and the value that ends the silence is not logged. */
static void available__lapsed_before_a_value_between_grid_points__stays_false(void **state)
{
	struct memory m = { 0 };
	(void)state;
	arrives(&m, every(60 * S), T0, 10 * S, 100 * S);
	assert_int_equal(arrives(&m, every(60 * S), T0 + 10 * S, 10 * S, 300 * S).reason, REASON_BETWEEN);
	assert_false(gate_is_available(&m, 300 * S));
	assert_int_equal(arrives(&m, every(60 * S), T0 + 60 * S, 10 * S, 350 * S).reason, REASON_GRID);
	assert_true(gate_is_available(&m, 350 * S));
}

static void available__once_done__is_frozen(void **state)
{
	const struct hold once = { { .on = 1, .kind = DELTA_ONCE }, 1 }, again = { { .on = 1, .kind = DELTA_ONCE }, 2 };
	struct memory     m = { 0 };
	struct moment     now = { T0, 10 * S, 100 * S, 1, 0, ALIGN_START };
	(void)state;
	gate_decide(&m, &once, &now);
	assert_true(gate_is_available(&m, 10000 * S));
	now.time_ns += 10 * S;
	now.arrival_ns += 10 * S;
	gate_decide(&m, &once, &now);
	assert_true(gate_is_available(&m, 10000 * S));
	/* a once to come is due one source interval after the request */
	gate_changed(&m, &again, 10000 * S, 10 * S);
	assert_true(gate_is_available(&m, 10020 * S));
	assert_false(gate_is_available(&m, 10020 * S + 1));
}

static void available__interval_of_centuries__true_after_its_value(void **state)
{
	struct memory m = { 0 };
	int64_t       longest_ns = INT64_MAX - 11 * 366 * 86400 * S;
	(void)state;
	arrives(&m, native, T0, longest_ns, 100 * S);
	assert_true(gate_is_available(&m, 100 * S));
	assert_true(gate_is_available(&m, 10 * 365 * 86400 * S));
}

/* ---- what replies show ---- */

static void shown_delta__native__is_the_source_interval_and_at_least_one(void **state)
{
	struct memory m = { 0 }, fast = { 0 };
	(void)state;
	assert_int_equal(gate_shown_delta_ms(NULL, native.held, 0, 10 * S), 10000);
	assert_int_equal(gate_shown_delta_ms(&m, native.held, 0, 10 * S), 10000);
	arrives(&m, native, T0, 7 * S + 1, S);
	assert_int_equal(gate_shown_delta_ms(&m, native.held, 0, 10 * S), 7001);
	assert_int_equal(gate_shown_delta_ms(&m, native.held, 60 * S, 10 * S), 60000);
	arrives(&fast, native, T0, 0, S);
	assert_int_equal(gate_shown_delta_ms(&fast, native.held, 0, 10 * S), 1);
}

static void shown_delta__off_and_once_are_zero__and_every_its_own(void **state)
{
	const struct held once = { .on = 1, .kind = DELTA_ONCE };
	(void)state;
	assert_int_equal(gate_shown_delta_ms(NULL, off.held, 60 * S, 10 * S), 0);
	assert_int_equal(gate_shown_delta_ms(NULL, once, 60 * S, 10 * S), 0);
	assert_int_equal(gate_shown_delta_ms(NULL, every(250 * MS).held, 60 * S, 10 * S), 250);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(driven__native_read_faster__is_gated_on_its_configured_interval),
		cmocka_unit_test(driven__read_faster_from_now__no_record_comes_early),
		cmocka_unit_test(driven__read_faster_with_align_clock__grid_is_that_of_the_clock),
		cmocka_unit_test(driven__read_faster_with_align_clock__point_that_native_has_reached_is_served),
		cmocka_unit_test(driven__once_in_between__first_value_is_logged),
		cmocka_unit_test(driven__off_or_another_delta_in_between__first_value_is_logged),
		cmocka_unit_test(driven__every_goes_on_at_its_own_delta),
		cmocka_unit_test(driven__late_value_under_native__is_not_logged_while_read_faster),
		cmocka_unit_test(available__source_dies__false_one_interval_after_it_was_due),
		cmocka_unit_test(available__turned_off__is_frozen_as_it_was),
		cmocka_unit_test(available__new_delta__due_one_source_interval_after_the_request),
		cmocka_unit_test(available__delta_below_the_source_interval__due_one_source_interval_later),
		cmocka_unit_test(available__value_meets_off__is_frozen_as_it_was),
		cmocka_unit_test(available__changed__goes_by_the_interval_last_carried_and_else_by_the_default),
		cmocka_unit_test(available__before_the_first_logged_value__is_false),
		cmocka_unit_test(available__fast_source__has_a_second_beyond_its_due_time),
		cmocka_unit_test(available__late_values__do_not_move_the_due_time),
		cmocka_unit_test(available__late_value_that_native_logs__is_true),
		cmocka_unit_test(available__lapsed_before_a_value_between_grid_points__stays_false),
		cmocka_unit_test(available__once_done__is_frozen),
		cmocka_unit_test(available__interval_of_centuries__true_after_its_value),
		cmocka_unit_test(shown_delta__native__is_the_source_interval_and_at_least_one),
		cmocka_unit_test(shown_delta__off_and_once_are_zero__and_every_its_own),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
