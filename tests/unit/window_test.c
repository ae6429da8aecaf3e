/* window - what is gathered, what is left out, and what ends it (specification section 7). */
#include <math.h>

#include "../fake/check.h"
#include "window.h"

static const uint8_t     gauge[] = { KIND_GAUGE }, absolute[] = { KIND_ABSOLUTE };
static const struct held average = { .on = 1, .kind = DELTA_EVERY, .ms = 1000, .value = VALUE_AVERAGE };
static const struct held native = { .on = 1, .kind = DELTA_NATIVE, .value = VALUE_AVERAGE };

static const struct verdict left_out = { .reason = REASON_BETWEEN };
static const struct verdict logged = { .logged = true, .reason = REASON_GRID };
static const struct verdict late = { .reason = REASON_LATE, .late = true };
static const struct verdict twin = { .reason = REASON_LATE, .late = true, .duplicate = true };

static void add_gauge(struct window *w, struct held held, struct verdict v, double value)
{
	union number n = { .gauge = value };
	window_collect(w, held, &v, &n, gauge, 1);
}

static void add_absolute(struct window *w, struct held held, struct verdict v, uint64_t value)
{
	union number n = { .absolute = value };
	window_collect(w, held, &v, &n, absolute, 1);
}

static double emit_gauge(struct window *w, struct held held, double own)
{
	union number n = { .gauge = own };
	window_emit(w, held, &n, gauge, 1);
	return n.gauge;
}

static uint64_t emit_absolute(struct window *w, struct held held, uint64_t own)
{
	union number n = { .absolute = own };
	window_emit(w, held, &n, absolute, 1);
	return n.absolute;
}

static void gauge__late_and_nan__are_left_out_of_the_average(void **state)
{
	struct window *w = window_new(1);
	(void)state;
	add_gauge(w, average, left_out, 2);
	add_gauge(w, average, late, 100);
	add_gauge(w, average, left_out, NAN);
	add_gauge(w, average, logged, 4);
	assert_true(emit_gauge(w, average, 4) == 3);
	assert_true(window_is_empty(w));
	window_free(w);
}

static void gauge__min_and_max__over_the_samples_since_the_last_logged_one(void **state)
{
	const struct held   min = { .on = 1, .kind = DELTA_EVERY, .ms = 1000, .value = VALUE_MIN };
	const struct held   max = { .on = 1, .kind = DELTA_EVERY, .ms = 1000, .value = VALUE_MAX };
	static const double samples[] = { 5, -1, 9, 3 };
	struct window      *w = window_new(1);
	(void)state;
	for (size_t i = 0; i < 4; i++)
		add_gauge(w, min, left_out, samples[i]);
	assert_true(emit_gauge(w, min, 3) == -1);
	for (size_t i = 0; i < 4; i++)
		add_gauge(w, max, left_out, samples[i]);
	assert_true(emit_gauge(w, max, 3) == 9);
	add_gauge(w, max, logged, 2);
	assert_true(emit_gauge(w, max, 2) == 2);
	window_free(w);
}

static void gauge__all_nan__gives_nan(void **state)
{
	const struct held min = { .on = 1, .kind = DELTA_EVERY, .ms = 1000, .value = VALUE_MIN };
	struct window    *w = window_new(1);
	(void)state;
	add_gauge(w, min, left_out, NAN);
	assert_true(isnan(emit_gauge(w, min, NAN)));
	add_gauge(w, average, left_out, NAN);
	assert_true(isnan(emit_gauge(w, average, NAN)));
	window_free(w);
}

static void gauge__off__ends_the_window(void **state)
{
	struct window *w = window_new(1);
	(void)state;
	add_gauge(w, average, left_out, 100);
	add_gauge(w, (struct held){ 0 }, (struct verdict){ .reason = REASON_OFF }, 50);
	add_gauge(w, average, logged, 4);
	assert_true(emit_gauge(w, average, 4) == 4);
	window_free(w);
}

static void gauge__value_under_native_and_once__has_no_effect(void **state)
{
	const struct held once = { .on = 1, .kind = DELTA_ONCE, .value = VALUE_MAX };
	struct window    *w = window_new(1);
	(void)state;
	add_gauge(w, average, left_out, 100);
	assert_true(emit_gauge(w, native, 4) == 4);
	add_gauge(w, average, left_out, 100);
	assert_true(emit_gauge(w, once, 5) == 5);
	window_free(w);
}

static void absolute__late_counts_and_a_duplicate_does_not(void **state)
{
	struct window *w = window_new(1);
	(void)state;
	add_absolute(w, average, left_out, 1);
	add_absolute(w, average, late, 2);
	add_absolute(w, average, twin, 100);
	add_absolute(w, average, logged, 4);
	assert_false(window_is_empty(w));
	assert_int_equal(emit_absolute(w, average, 4), 7);
	assert_true(window_is_empty(w));
	add_absolute(w, average, logged, 5);
	assert_int_equal(emit_absolute(w, average, 5), 5); /* nothing of it comes twice */
	assert_int_equal(emit_absolute(w, average, 6), 6); /* nothing gathered: its own */
	window_free(w);
}

static void sources_of_a_type__each_by_itself(void **state)
{
	const uint8_t  kinds[] = { KIND_ABSOLUTE, KIND_GAUGE, KIND_DERIVE };
	union number   n[3] = { { .absolute = 1 }, { .gauge = 10 }, { .derive = 100 } };
	struct window *w = window_new(3);
	(void)state;
	assert_int_equal(window_count(w), 3);
	window_collect(w, average, &left_out, n, kinds, 3);
	n[1].gauge = 20;
	n[2].derive = 200;
	window_collect(w, average, &logged, n, kinds, 3);
	window_emit(w, average, n, kinds, 3);
	assert_int_equal(n[0].absolute, 2);
	assert_true(n[1].gauge == 15);
	assert_int_equal(n[2].derive, 200); /* the raw counter of the logged sample */
	window_free(w);
}

static void absolute__duplicate_under_native__passes_as_it_comes(void **state)
{
	struct verdict passed = { .logged = true, .reason = REASON_NATIVE, .late = true, .duplicate = true };
	struct window *w = window_new(1);
	(void)state;
	add_absolute(w, average, left_out, 1);
	add_absolute(w, native, passed, 2);
	assert_int_equal(emit_absolute(w, native, 2), 3);
	window_free(w);
}

static void absolute__off__adds_nothing_and_keeps_what_was_gathered(void **state)
{
	struct window *w = window_new(1);
	(void)state;
	add_absolute(w, average, left_out, 1);
	add_absolute(w, (struct held){ 0 }, (struct verdict){ .reason = REASON_OFF }, 50);
	add_absolute(w, average, logged, 4);
	assert_int_equal(emit_absolute(w, average, 4), 5);
	window_free(w);
}

static void is_needed__only_for_what_is_left_out_and_gathered(void **state)
{
	const uint8_t derive[] = { KIND_DERIVE };
	(void)state;
	assert_true(window_is_needed(average, &left_out, gauge, 1));
	assert_true(window_is_needed(average, &late, absolute, 1));
	assert_false(window_is_needed(average, &late, gauge, 1));
	assert_false(window_is_needed(average, &twin, absolute, 1));
	assert_false(window_is_needed(average, &left_out, derive, 1));
	assert_false(window_is_needed(average, &logged, gauge, 1));
	assert_false(window_is_needed((struct held){ 0 }, &left_out, gauge, 1));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(gauge__late_and_nan__are_left_out_of_the_average),
		cmocka_unit_test(gauge__min_and_max__over_the_samples_since_the_last_logged_one),
		cmocka_unit_test(gauge__all_nan__gives_nan),
		cmocka_unit_test(gauge__off__ends_the_window),
		cmocka_unit_test(gauge__value_under_native_and_once__has_no_effect),
		cmocka_unit_test(absolute__late_counts_and_a_duplicate_does_not),
		cmocka_unit_test(sources_of_a_type__each_by_itself),
		cmocka_unit_test(absolute__duplicate_under_native__passes_as_it_comes),
		cmocka_unit_test(absolute__off__adds_nothing_and_keeps_what_was_gathered),
		cmocka_unit_test(is_needed__only_for_what_is_left_out_and_gathered),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
