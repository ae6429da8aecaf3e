/*
 * gate - by simulated time: records = elapsed / delta, no grid point twice, none skipped, phase below one source interval;
 * late values, bursts, and clocks that step (specification section 6).
 *
 * Jitter of up to half the source interval makes no slips: as many records as grid points, each point served once.  The phase
 * error stays below the distance to the value before, which jitter makes longer than the nominal interval now and then (7.5 s at
 * 7 s and a fifth of jitter).  Beyond half, points are skipped where two values in a row are further apart than delta, never
 * doubled: 10 s by 25 s loses 1 of 100,000 at 60 %, 1 of 130 with jitter as long as the interval.
 */
#include "../fake/stream.h"

/* ---- thirty days ---- */

struct stream {
	const char *name;
	int64_t     source_ns, delta_ns;
	int         jitter_percent;
	enum align  align;
};

/* Enough for 30 days of a value a second; a faster source runs as long as that many last. */
enum { MOST_VALUES = 30 * 86400 };

static void run_stream(const struct stream *s)
{
	struct memory m = { 0 };
	struct hold   hold = every(s->delta_ns);
	uint64_t      seed = 42;
	int64_t       before = 0, t = T0;
	int64_t       records = 0, last_point = INT64_MIN, anchor = 0, span = 30 * 86400 * S;
	int64_t       n = span / s->source_ns;
	if (n > MOST_VALUES) {
		n = MOST_VALUES;
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
		{ "10 s by 25 s, much jitter", 10 * S, 25 * S, 49, ALIGN_START },
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

/* ---- late values and clock steps ---- */

static void clock_steps_back__run_of_late_values__is_a_step(void **state)
{
	struct memory m = { 0 };
	int64_t       arrival = 100 * S;
	(void)state;
	assert_true(arrives(&m, every(60 * S), T0, 10 * S, arrival).logged);
	assert_int_equal(arrives(&m, every(60 * S), T0 - 3600 * S, 10 * S, arrival += 10 * S).reason, REASON_LATE);
	assert_int_equal(arrives(&m, every(60 * S), T0 - 3590 * S, 10 * S, arrival += 10 * S).reason, REASON_STEP_BACK);
	assert_int_equal(m.newest_ns, T0 - 3590 * S);
	assert_int_equal(gate_unseen_ns(&m, arrival), 0);
	assert_int_equal(m.served_ns, T0 - 3600 * S); /* the latest point of the same grid that is reached */
}

static void clock_steps_back__late_values_over_just_half_an_interval__are_a_step(void **state)
{
	struct memory burst = { 0 }, step = { 0 };
	(void)state;
	arrives(&burst, every(60 * S), T0, 10 * S, 100 * S);
	arrives(&burst, every(60 * S), T0 - 50 * S, 10 * S, 110 * S);
	assert_int_equal(arrives(&burst, every(60 * S), T0 - 40 * S, 10 * S, 115 * S - 1).reason, REASON_LATE);
	arrives(&step, every(60 * S), T0, 10 * S, 100 * S);
	arrives(&step, every(60 * S), T0 - 50 * S, 10 * S, 110 * S);
	assert_int_equal(arrives(&step, every(60 * S), T0 - 40 * S, 10 * S, 115 * S).reason, REASON_STEP_BACK);
}

static void late_value_older_than_the_last_of_its_run__begins_a_new_run(void **state)
{
	struct memory m = { 0 };
	(void)state;
	arrives(&m, every(60 * S), T0, 10 * S, 100 * S);
	arrives(&m, every(60 * S), T0 - 100 * S, 10 * S, 110 * S);
	arrives(&m, every(60 * S), T0 - 90 * S, 10 * S, 111 * S);
	assert_int_equal(arrives(&m, every(60 * S), T0 - 95 * S, 10 * S, 120 * S).reason, REASON_LATE);
	assert_int_equal(arrives(&m, every(60 * S), T0 - 85 * S, 10 * S, 124 * S).reason, REASON_LATE);
	assert_int_equal(arrives(&m, every(60 * S), T0 - 75 * S, 10 * S, 125 * S).reason, REASON_STEP_BACK);
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

static void clock_steps_back__not_beyond_the_last_served_point__no_extra_record(void **state)
{
	struct memory m = { 0 };
	(void)state;
	arrives(&m, every(60 * S), T0, 10 * S, 100 * S);
	arrives(&m, every(60 * S), T0 + 50 * S, 10 * S, 150 * S);
	assert_int_equal(arrives(&m, every(60 * S), T0 + 20 * S, 10 * S, 160 * S).reason, REASON_LATE);
	assert_int_equal(arrives(&m, every(60 * S), T0 + 30 * S, 10 * S, 170 * S).reason, REASON_BETWEEN);
	assert_int_equal(m.newest_ns, T0 + 30 * S);
	assert_int_equal(arrives(&m, every(60 * S), T0 + 60 * S, 10 * S, 200 * S).reason, REASON_GRID);
}

static void clock_steps_back__any_way__silence_is_bounded(void **state)
{
	static const int64_t sources[] = { 250 * MS, S, 7 * S, 10 * S, 60 * S };
	static const int64_t deltas[] = { S, 3 * S, 10 * S, 15 * S, 60 * S, 600 * S };
	uint64_t             seed = 7;
	(void)state;
	for (int n = 0; n < 3000; n++) {
		int64_t       source_ns = sources[random_below(&seed, 5)], delta_ns = deltas[random_below(&seed, 6)];
		int64_t       back_ns = (int64_t)(random_next(&seed) % (uint64_t)(5 * delta_ns));
		unsigned      before = 1 + random_below(&seed, 50);
		int64_t       bound_ns = delta_ns < source_ns ? 3 * source_ns : 2 * delta_ns + 2 * source_ns;
		int64_t       last_ns = 0, arrival_ns = S;
		struct memory m = { 0 };
		for (unsigned i = 0; i < before + 3000; i++, arrival_ns += source_ns) {
			int64_t time_ns = T0 + (int64_t)i * source_ns - (i >= before ? back_ns : 0);
			if (arrives(&m, every(delta_ns), time_ns, source_ns, arrival_ns).logged)
				last_ns = arrival_ns;
			assert_true(last_ns != 0 && arrival_ns - last_ns <= bound_ns);
			if (i > before && arrival_ns > last_ns + bound_ns)
				break;
		}
	}
}

/* Whatever stamps come: no arithmetic that is not defined (the sanitizers look on), and what is logged is never late. */
static void any_time_stamp__from_1970_to_the_last_there_is__is_judged(void **state)
{
	static const int64_t ends[] = { 0, 1, S, T0, INT64_MAX - 11 * 366 * 86400 * S };
	uint64_t             seed = 3;
	struct memory        m = { 0 };
	int64_t              arrival_ns = 0;
	(void)state;
	for (int n = 0; n < 200000; n++) {
		static const uint64_t deltas_ms[] = { 1, 1000, 60000, DELTA_MAX_MS };
		struct hold           hold = { { .on = 1, .kind = DELTA_EVERY }, 0 };
		struct moment         now = { .time_ns = ends[random_below(&seed, 5)],
					      .interval_ns = ends[random_below(&seed, 5)] };
		hold.held.ms = deltas_ms[random_below(&seed, 4)] & ((UINT64_C(1) << 40) - 1);
		if (now.time_ns < INT64_MAX / 2)
			now.time_ns += random_below(&seed, 4) * (int64_t)DELTA_MAX_MS * MS / 3;
		now.arrival_ns = arrival_ns += random_below(&seed, 1000) * MS;
		now.align = random_below(&seed, 2) ? ALIGN_CLOCK : ALIGN_START;
		now.pace_ns = random_below(&seed, 3) == 0 ? 10 * S : 0;
		hold = random_below(&seed, 4) == 0 ? native : hold;
		struct verdict v = gate_decide(&m, &hold, &now);
		assert_true(v.interval_ns >= now.interval_ns);
		assert_false(v.logged && v.late && v.reason != REASON_NATIVE);
		assert_true(!v.logged || gate_is_available(&m, arrival_ns));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(thirty_days__every_stream__records_are_elapsed_over_delta),
		cmocka_unit_test(clock_steps_back__run_of_late_values__is_a_step),
		cmocka_unit_test(clock_steps_back__late_values_over_just_half_an_interval__are_a_step),
		cmocka_unit_test(late_value_older_than_the_last_of_its_run__begins_a_new_run),
		cmocka_unit_test(duplicate_of_the_newest__within_a_run__is_no_step),
		cmocka_unit_test(late_values_out_of_order__begin_a_new_run__and_are_no_step),
		cmocka_unit_test(newer_value__ends_a_run_of_late_ones),
		cmocka_unit_test(late_burst__arrives_at_once__is_no_step),
		cmocka_unit_test(clock_steps_forward__one_record__then_the_grid_goes_on),
		cmocka_unit_test(far_future__one_value__is_undone_within_bounded_silence),
		cmocka_unit_test(clock_steps_back__not_beyond_the_last_served_point__no_extra_record),
		cmocka_unit_test(clock_steps_back__any_way__silence_is_bounded),
		cmocka_unit_test(any_time_stamp__from_1970_to_the_last_there_is__is_judged),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
