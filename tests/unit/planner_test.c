/* planner - from what the instances of a source hold to the interval it is read at; a test for each sentence of specification
 * section 10. */
#include "../fake/check.h"
#include "planner.h"

#define S  INT64_C(1000000000)
#define MS INT64_C(1000000)

static const struct held   off = { 0 }, native = HELD_DEFAULT;
static const struct held   once = { .on = 1, .kind = DELTA_ONCE };
static const struct limits ten = { .configured_ns = 10 * S };

static struct held every(int64_t delta_ns)
{
	return (struct held){ .on = 1,
			      .kind = DELTA_EVERY,
			      .ms = (uint64_t)(delta_ns / MS) & ((UINT64_C(1) << 40) - 1) };
}

static struct held average(int64_t delta_ns)
{
	struct held h = every(delta_ns);
	h.value = VALUE_AVERAGE;
	return h;
}

/* The interval for up to three instances; `off` adds nothing but an instance. */
static int64_t of(struct held a, struct held b, struct held c, const struct limits *limits)
{
	struct needs      n = { 0 };
	const struct held all[] = { a, b, c };
	for (size_t i = 0; i < 3; i++)
		planner_add_need(&n, all[i], false, limits->configured_ns);
	return planner_interval(&n, limits);
}

static int64_t of_two(int64_t a_ns, int64_t b_ns)
{
	const struct limits wide = { .configured_ns = 3600 * S };
	return of(every(a_ns), every(b_ns), off, &wide);
}

/* ---- the interval that is needed ---- */

static void deltas__common_divisor_if_at_least_a_quarter_of_the_smallest(void **state)
{
	(void)state;
	assert_int_equal(of_two(10 * S, 15 * S), 5 * S);
	assert_int_equal(of_two(10 * S, 60 * S), 10 * S);
	assert_int_equal(of_two(250 * MS, 10 * S), 250 * MS);
	assert_int_equal(of_two(4 * S, 5 * S), 1 * S); /* just a quarter */
	assert_int_equal(of_two(6 * S, 8 * S), 2 * S);
}

static void deltas__otherwise_the_smallest(void **state)
{
	(void)state;
	assert_int_equal(of_two(7 * S, 11 * S), 7 * S);
	assert_int_equal(of_two(11 * S, 7 * S), 7 * S);
	assert_int_equal(of_two(60 * S, 61 * S), 60 * S);
	assert_int_equal(of_two(5 * S, 6 * S), 5 * S); /* a fifth */
	assert_int_equal(of_two(4001 * MS, 5 * S), 4001 * MS);
}

static void deltas__in_any_order_and_number__same_interval(void **state)
{
	const struct limits wide = { .configured_ns = 3600 * S };
	(void)state;
	assert_int_equal(of(every(6 * S), every(10 * S), every(15 * S), &wide), 6 * S); /* their divisor is 1 s */
	assert_int_equal(of(every(15 * S), every(6 * S), every(10 * S), &wide), 6 * S);
	assert_int_equal(of(every(12 * S), every(18 * S), every(30 * S), &wide), 6 * S);
	assert_int_equal(of(every(30 * S), every(12 * S), every(18 * S), &wide), 6 * S);
}

static void native__needs_the_configured_interval(void **state)
{
	const struct limits slow = { .configured_ns = 10 * S, .max_ns = 300 * S };
	(void)state;
	assert_int_equal(of(native, every(60 * S), off, &slow), 10 * S);
	assert_int_equal(of(native, every(250 * MS), off, &slow), 250 * MS);
	assert_int_equal(of(native, every(15 * S), off, &slow), 5 * S);
}

static void value_other_than_last__needs_the_configured_interval(void **state)
{
	const struct limits slow = { .configured_ns = 10 * S, .max_ns = 300 * S };
	(void)state;
	for (unsigned value = VALUE_AVERAGE; value <= VALUE_MAX; value++) {
		struct held h = every(60 * S);
		assert_int_equal(of(h, off, off, &slow), 60 * S);
		h.value = value & 3;
		assert_int_equal(of(h, off, off, &slow), 10 * S);
	}
}

static void value_other_than_last__delta_below_the_configured_interval__is_read_at_delta(void **state)
{
	(void)state;
	assert_int_equal(of(average(S), off, off, &ten), S);
}

static void once__to_come_needs_the_configured_interval__and_done_nothing(void **state)
{
	const struct limits slow = { .configured_ns = 10 * S, .max_ns = 300 * S };
	struct needs        to_come = { 0 }, done = { 0 };
	(void)state;
	planner_add_need(&to_come, once, true, slow.configured_ns);
	assert_int_equal(planner_interval(&to_come, &slow), 10 * S);
	planner_add_need(&done, once, false, slow.configured_ns);
	assert_int_equal(planner_interval(&done, &slow), 300 * S);
	planner_add_need(&done, every(60 * S), false, slow.configured_ns);
	planner_add_need(&done, once, false, slow.configured_ns);
	assert_int_equal(planner_interval(&done, &slow), 60 * S);
}

/* 100 ms in the host's units of 2^-30 s, and back: one nanosecond short. */
static void configured_interval__odd_by_a_nanosecond__has_its_common_divisor_all_the_same(void **state)
{
	const struct limits odd = { .configured_ns = 100 * MS - 1, .max_ns = 10 * S };
	const struct limits tiny = { .configured_ns = 1000, .max_ns = 10 * S };
	(void)state;
	assert_int_equal(of(native, every(150 * MS), off, &odd), 50 * MS);
	assert_int_equal(of(native, every(10 * S), off, &odd), 100 * MS - 1); /* as the daemon has it */
	assert_int_equal(of(native, off, off, &tiny), 1000);
}

/* ---- limits ---- */

static void min_interval__is_not_gone_below(void **state)
{
	const struct limits l = { .configured_ns = 10 * S, .min_ns = S };
	(void)state;
	assert_int_equal(of(every(250 * MS), off, off, &l), S);
	assert_int_equal(of(every(S), off, off, &l), S);
	assert_int_equal(of(every(2 * S), off, off, &l), 2 * S);
}

static void max_interval__is_not_gone_above(void **state)
{
	const struct limits l = { .configured_ns = 10 * S, .max_ns = 300 * S };
	(void)state;
	assert_int_equal(of(every(600 * S), off, off, &l), 300 * S);
	assert_int_equal(of(every(60 * S), off, off, &l), 60 * S);
}

static void max_interval__not_set__is_the_configured_one(void **state)
{
	(void)state;
	assert_int_equal(of(every(60 * S), off, off, &ten), 10 * S);
	assert_int_equal(of(off, off, off, &ten), 10 * S);
	assert_int_equal(of(every(S), off, off, &ten), S);
}

static void max_interval__below_the_configured_one__holds_for_native_too(void **state)
{
	const struct limits l = { .configured_ns = 10 * S, .max_ns = 2 * S };
	(void)state;
	assert_int_equal(of(native, off, off, &l), 2 * S);
}

static void nothing_on__idle_interval(void **state)
{
	const struct limits l = { .configured_ns = 10 * S, .max_ns = 60 * S, .idle_ns = 300 * S };
	(void)state;
	assert_int_equal(of(off, off, off, &l), 300 * S);
	assert_int_equal(of(off, every(600 * S), off, &l), 60 * S);
	assert_int_equal(of(off, once, off, &l), 60 * S); /* a once that is done is on */
}

static void nothing_on__idle_interval_not_set__is_max_interval(void **state)
{
	const struct limits l = { .configured_ns = 10 * S, .max_ns = 60 * S };
	(void)state;
	assert_int_equal(of(off, off, off, &l), 60 * S);
}

static void no_instance_seen__configured_interval(void **state)
{
	const struct limits l = { .configured_ns = 10 * S, .max_ns = 60 * S, .idle_ns = 300 * S };
	const struct needs  none = { 0 };
	(void)state;
	assert_int_equal(planner_interval(&none, &l), 10 * S);
}

static void postcache__never_slower_than_configured(void **state)
{
	const struct limits l = {
		.configured_ns = 10 * S, .min_ns = 20 * S, .max_ns = 60 * S, .idle_ns = 300 * S, .never_slower = true
	};
	const struct limits fast = { .configured_ns = 10 * S, .max_ns = 60 * S, .never_slower = true };
	(void)state;
	assert_int_equal(of(off, off, off, &l), 10 * S);
	assert_int_equal(of(every(60 * S), off, off, &l), 10 * S);
	assert_int_equal(of(every(S), off, off, &fast), S);
}

static void min_interval__above_the_others__wins(void **state)
{
	const struct limits l = { .configured_ns = 10 * S, .min_ns = 20 * S, .max_ns = 15 * S, .idle_ns = 12 * S };
	(void)state;
	assert_int_equal(of(native, off, off, &l), 20 * S);
	assert_int_equal(of(off, off, off, &l), 20 * S);
}

static void million_instances__largest_delta__no_overflow(void **state)
{
	const struct limits l = { .configured_ns = 10 * S, .max_ns = (int64_t)DELTA_MAX_MS * MS };
	struct needs        n = { 0 };
	(void)state;
	for (int i = 0; i < 1000000; i++)
		planner_add_need(&n, every((int64_t)DELTA_MAX_MS * MS), false, l.configured_ns);
	assert_int_equal(planner_interval(&n, &l), (int64_t)DELTA_MAX_MS * MS);
	planner_add_need(&n, every(MS), false, l.configured_ns);
	assert_int_equal(planner_interval(&n, &l), MS);
}

/* ---- over time ---- */

static void faster__at_once(void **state)
{
	struct plan p;
	(void)state;
	plan_init(&p, 10 * S);
	assert_int_equal(plan_due_ns(&p), INT64_MAX);
	assert_int_equal(plan_follow(&p, S, 100 * S), S);
	assert_int_equal(plan_follow(&p, 250 * MS, 100 * S), 250 * MS);
	assert_int_equal(plan_due_ns(&p), INT64_MAX);
}

static void slower__only_after_ten_seconds_without_a_need_for_more(void **state)
{
	struct plan p;
	(void)state;
	plan_init(&p, S);
	assert_int_equal(plan_follow(&p, 10 * S, 100 * S), S);
	assert_int_equal(plan_due_ns(&p), 110 * S);
	assert_int_equal(plan_follow(&p, 10 * S, 110 * S - 1), S);
	assert_int_equal(plan_follow(&p, 10 * S, 110 * S), 10 * S);
	assert_int_equal(plan_due_ns(&p), INT64_MAX);
}

static void slower__need_comes_back_meanwhile__ten_seconds_begin_anew(void **state)
{
	struct plan p;
	(void)state;
	plan_init(&p, S);
	plan_follow(&p, 10 * S, 100 * S);
	assert_int_equal(plan_follow(&p, S, 109 * S), S);
	assert_int_equal(plan_due_ns(&p), INT64_MAX);
	assert_int_equal(plan_follow(&p, 10 * S, 111 * S), S);
	assert_int_equal(plan_follow(&p, 10 * S, 120 * S), S);
	assert_int_equal(plan_follow(&p, 10 * S, 121 * S), 10 * S);
}

static void slower__need_in_between_for_less_than_now__is_kept_for_its_own_ten_seconds(void **state)
{
	struct plan p;
	(void)state;
	plan_init(&p, S);
	plan_follow(&p, 10 * S, 100 * S);
	plan_follow(&p, 5 * S, 107 * S);
	plan_follow(&p, 10 * S, 108 * S);
	assert_int_equal(plan_follow(&p, 10 * S, 110 * S), 5 * S);
	assert_int_equal(plan_due_ns(&p), 120 * S);
	assert_int_equal(plan_follow(&p, 10 * S, 119 * S), 5 * S);
	assert_int_equal(plan_follow(&p, 10 * S, 120 * S), 10 * S);
}

/* Whatever is asked when: never slower than what was needed within the last ten seconds, and never faster than that for longer
 * than twenty. */
static void follow__random_needs__are_met_at_once_and_left_in_time(void **state)
{
	enum { SECONDS = 3000 };
	static int64_t needed[SECONDS];
	uint64_t       seed = 11;
	struct plan    p;
	(void)state;
	plan_init(&p, 10 * S);
	for (int t = 0; t < SECONDS; t++) {
		bool    changes = t == 0 || random_below(&seed, 12) == 0;
		int64_t least10 = INT64_MAX, least20 = INT64_MAX;
		needed[t] = changes ? (1 + random_below(&seed, 20)) * S : needed[t - 1];
		int64_t read_ns = plan_follow(&p, needed[t], (1000 + t) * S);
		for (int k = t; k >= 0 && k > t - 20; k--) {
			least10 = k > t - 10 && needed[k] < least10 ? needed[k] : least10;
			least20 = needed[k] < least20 ? needed[k] : least20;
		}
		assert_true(read_ns <= least10);
		assert_true(t < 20 || read_ns >= least20);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(deltas__common_divisor_if_at_least_a_quarter_of_the_smallest),
		cmocka_unit_test(deltas__otherwise_the_smallest),
		cmocka_unit_test(deltas__in_any_order_and_number__same_interval),
		cmocka_unit_test(native__needs_the_configured_interval),
		cmocka_unit_test(value_other_than_last__needs_the_configured_interval),
		cmocka_unit_test(value_other_than_last__delta_below_the_configured_interval__is_read_at_delta),
		cmocka_unit_test(once__to_come_needs_the_configured_interval__and_done_nothing),
		cmocka_unit_test(configured_interval__odd_by_a_nanosecond__has_its_common_divisor_all_the_same),
		cmocka_unit_test(min_interval__is_not_gone_below),
		cmocka_unit_test(max_interval__is_not_gone_above),
		cmocka_unit_test(max_interval__not_set__is_the_configured_one),
		cmocka_unit_test(max_interval__below_the_configured_one__holds_for_native_too),
		cmocka_unit_test(nothing_on__idle_interval),
		cmocka_unit_test(nothing_on__idle_interval_not_set__is_max_interval),
		cmocka_unit_test(no_instance_seen__configured_interval),
		cmocka_unit_test(postcache__never_slower_than_configured),
		cmocka_unit_test(min_interval__above_the_others__wins),
		cmocka_unit_test(million_instances__largest_delta__no_overflow),
		cmocka_unit_test(faster__at_once),
		cmocka_unit_test(slower__only_after_ten_seconds_without_a_need_for_more),
		cmocka_unit_test(slower__need_comes_back_meanwhile__ten_seconds_begin_anew),
		cmocka_unit_test(slower__need_in_between_for_less_than_now__is_kept_for_its_own_ten_seconds),
		cmocka_unit_test(follow__random_needs__are_met_at_once_and_left_in_time),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
