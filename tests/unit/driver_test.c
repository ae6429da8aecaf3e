/* driver - when a source is registered anew, and when not; under simulated time, with a daemon that is played (tests/fake/stage.h).  What
 * the real daemon does is shown by tests/integration/driver_test.sh. */
#include "../fake/check.h"
#include "../fake/stage.h"
#include "logger_internal.h"

#define S INT64_C(1000000000)

static const char *const cpu_alone[] = { "cpu", NULL };

static void open_cpu(struct stage *s, unsigned readers)
{
	stage_prepare(s, cpu_alone);
	stage_open(s, readers);
	stage_value(s, "h/cpu-0/t", "cpu", 10);
	stage_value(s, "h/cpu-1/t", "cpu", 10);
	stage_run(s, 1, readers);
}

static bool is_driven(struct stage *s, const char *name)
{
	return atomic_load(&stage_source(s, name)->driven);
}

static void no_source__nothing_is_registered(void **state)
{
	static const char *const none[] = { NULL };
	struct stage             s;
	(void)state;
	stage_prepare(&s, none);
	stage_open(&s, 5);
	assert_null(s.driver);
	assert_int_equal(stage_readers() + stage_log_functions(), 0);
	stage_close(&s);
}

static void only_sources_that_cannot_be_driven__one_error_each_and_nothing_is_registered(void **state)
{
	static const char *const bad[] = { "absent", "strange", NULL };
	struct stage             s;
	(void)state;
	stage_prepare(&s, bad);
	stage_open(&s, 5);
	assert_null(s.driver);
	assert_int_equal(stage_readers() + stage_log_functions(), 0);
	assert_string_equal(stage_log(),
			    "3 log_control: <Source \"absent\">: not driven, only gated: absent cannot be driven\n"
			    "3 log_control: <Source \"strange\">: not driven, only gated: strange cannot be driven\n");
	stage_close(&s);
}

static void unknown_plugin__allowed__is_driven_with_a_warning(void **state)
{
	static const char *const strange[] = { "strange", NULL };
	struct stage             s;
	(void)state;
	stage_prepare(&s, strange);
	s.lab.settings.sources[0].force = true;
	stage_open(&s, 5);
	assert_non_null(s.driver);
	assert_has(stage_log(), "4 log_control: <Source \"strange\">: driven on your word: AllowUnknown is true");
	stage_close(&s);
}

static void no_read_threads__nothing_is_driven(void **state)
{
	struct stage s;
	(void)state;
	stage_prepare(&s, cpu_alone);
	stage_open(&s, 0);
	assert_null(s.driver);
	assert_has(stage_log(), "not driven, only gated: the daemon has no read threads, ReadThreads is -1");
	stage_close(&s);
}

static void reads__as_many_as_read_threads_and_one_log_function(void **state)
{
	struct stage s;
	(void)state;
	open_cpu(&s, 7);
	assert_int_equal(stage_readers(), 7);
	assert_int_equal(stage_log_functions(), 1);
	assert_true(is_driven(&s, "cpu"));
	assert_int_equal(stage_registrations("cpu"), 0);
	stage_close(&s);
}

static void finer_rule__within_one_period_and_back_after_ten_seconds(void **state)
{
	struct stage s;
	(void)state;
	open_cpu(&s, 1);
	lab_ask(&s.lab, "LOG advisory on every=250ms for=20s h/cpu-0/t");
	stage_run(&s, 0.25, 1);
	assert_int_equal(stage_registrations("cpu"), 1);
	assert_true(stage_interval("cpu") == 0.25);
	struct source *cpu = stage_source(&s, "cpu");
	assert_int_equal(cpu->present_ns, S / 4);
	assert_int_equal(cpu->configured_ns, 10 * S);
	assert_int_equal(cpu->pace_ns, 10 * S);
	assert_int_equal(cpu->changes, 1);
	assert_has(stage_log(),
		   "6 log_control: source \"cpu\": read every 0.250 s, 10.000 s before; 10.000 s are configured");
	stage_run(&s, 29, 1);
	assert_int_equal(stage_registrations("cpu"), 1);
	stage_run(&s, 2, 1);
	assert_int_equal(stage_registrations("cpu"), 2);
	assert_true(stage_interval("cpu") == 10);
	assert_int_equal(cpu->present_ns, 10 * S);
	stage_close(&s);
}

/* The value that comes with the change back is off the native instances' grid. */
static void back_at_the_configured_interval__pace_is_kept_for_one_more(void **state)
{
	struct stage s;
	(void)state;
	open_cpu(&s, 1);
	lab_ask(&s.lab, "LOG advisory on every=1s h/cpu-0/t");
	stage_run(&s, 1, 1);
	lab_ask(&s.lab, "FORGET all");
	while (stage_registrations("cpu") < 2)
		stage_run(&s, 0.25, 1);
	stage_run(&s, 14, 1);
	assert_int_equal(stage_source(&s, "cpu")->pace_ns, 10 * S);
	stage_run(&s, 2, 1);
	assert_int_equal(stage_source(&s, "cpu")->pace_ns, 0);
	stage_close(&s);
}

static void rule_for_what_was_never_seen__no_change_until_it_is(void **state)
{
	struct stage s;
	(void)state;
	open_cpu(&s, 1);
	lab_ask(&s.lab, "LOG advisory on every=1s h/cpu-7/t h/new*/*");
	stage_run(&s, 5, 1);
	assert_int_equal(stage_registrations("cpu"), 0);
	stage_value(&s, "h/cpu-7/t", "cpu", 10);
	stage_run(&s, 0.25, 1);
	assert_true(stage_interval("cpu") == 1);
	stage_close(&s);
}

static void source_without_a_value__waits_for_its_first(void **state)
{
	struct stage s;
	(void)state;
	stage_prepare(&s, cpu_alone);
	s.lab.settings.sources[0].min_ms = 30000;
	stage_open(&s, 1);
	stage_run(&s, 60, 1);
	assert_int_equal(stage_registrations("cpu"), 0);
	stage_value(&s, "h/cpu-0/t", "cpu", 10);
	stage_run(&s, 11, 1);
	assert_true(stage_interval("cpu") == 30);
	stage_close(&s);
}

static void max_interval__is_read_rarely_when_logged_rarely(void **state)
{
	struct stage s;
	(void)state;
	stage_prepare(&s, cpu_alone);
	s.lab.settings.sources[0].max_ms = 300000;
	stage_open(&s, 1);
	stage_value(&s, "h/cpu-0/t", "cpu", 10);
	lab_ask(&s.lab, "LOG advisory on every=60s h/cpu-0/t");
	stage_run(&s, 12, 1);
	assert_true(stage_interval("cpu") == 60);
	lab_ask(&s.lab, "LOG advisory off h/cpu-0/t");
	stage_run(&s, 12, 1);
	assert_true(stage_interval("cpu") == 300);
	stage_close(&s);
}

static void post_cache__is_never_read_more_rarely(void **state)
{
	struct stage s;
	(void)state;
	stage_prepare(&s, cpu_alone);
	s.lab.settings.sources[0].max_ms = 300000;
	s.lab.settings.placement = PLACE_POSTCACHE;
	stage_open(&s, 1);
	stage_value(&s, "h/cpu-0/t", "cpu", 10);
	lab_ask(&s.lab, "LOG advisory off h/cpu-0/t");
	stage_run(&s, 60, 1);
	assert_int_equal(stage_registrations("cpu"), 0);
	stage_close(&s);
}

static void two_sources__one_meeting(void **state)
{
	static const char *const two[] = { "cpu", "load", NULL };
	struct stage             s;
	struct buf               lines = BUF_INIT;
	(void)state;
	stage_prepare(&s, two);
	stage_open(&s, 1);
	stage_value(&s, "h/cpu/t", "cpu", 10);
	stage_value(&s, "h/load/t", "load", 10);
	stage_value(&s, "h/df/t", "df", 10);
	lab_ask(&s.lab, "LOG advisory on every=1s */*/*");
	stage_run(&s, 0.25, 1);
	assert_true(stage_interval("cpu") == 1 && stage_interval("load") == 1);
	assert_int_equal(stage_registrations("df"), 0);
	driver_lines(s.driver, &lines);
	assert_string_equal(buf_text(&lines), "driver_sources=2\ndriver_meetings=1\ndriver_meetings_missed=0\n");
	buf_fini(&lines);
	stage_close(&s);
}

static void read_function_gone__is_left_alone_for_ever(void **state)
{
	struct stage s;
	(void)state;
	open_cpu(&s, 1);
	stage_lose("cpu");
	lab_ask(&s.lab, "LOG advisory on every=1s h/cpu-0/t");
	stage_run(&s, 1, 1);
	assert_false(is_driven(&s, "cpu"));
	assert_int_equal(stage_source(&s, "cpu")->pace_ns, 0);
	assert_has(stage_log(), "3 log_control: source \"cpu\": its read function is gone");
	lab_ask(&s.lab, "LOG advisory on every=2s h/cpu-0/t");
	stage_run(&s, 20, 1);
	assert_false(is_driven(&s, "cpu"));
	stage_close(&s);
}

static void last_words_of_the_daemon__no_change_after_them(void **state)
{
	struct stage s;
	(void)state;
	open_cpu(&s, 1);
	driver_hear(s.driver, "Exiting normally, or so they say.");
	lab_ask(&s.lab, "LOG advisory on every=1s h/cpu-0/t");
	stage_run(&s, 1, 1);
	assert_int_equal(stage_registrations("cpu"), 1);
	driver_hear(s.driver, "Exiting normally.");
	lab_ask(&s.lab, "LOG advisory on every=500ms h/cpu-0/t");
	stage_run(&s, 1, 1);
	assert_int_equal(stage_registrations("cpu"), 1);
	stage_close(&s);
}

static uint64_t missed(struct stage *s)
{
	struct buf lines = BUF_INIT;
	driver_lines(s->driver, &lines);
	uint64_t n = strtoull(strstr(buf_text(&lines), "missed=") + 7, NULL, 10);
	buf_fini(&lines);
	return n;
}

/* Two read threads, and one of them never comes: tries after 1, 2, 4 periods more. */
static void missed_meeting__is_tried_again_later_and_later(void **state)
{
	struct stage s;
	(void)state;
	open_cpu(&s, 2);
	lab_ask(&s.lab, "LOG advisory on every=1s h/cpu-0/t");
	stage_run(&s, 0.25, 1);
	assert_int_equal(missed(&s), 1);
	stage_run(&s, 0.25, 1);
	assert_int_equal(missed(&s), 1);
	stage_run(&s, 0.25, 1);
	assert_int_equal(missed(&s), 2);
	stage_run(&s, 0.5, 1);
	assert_int_equal(missed(&s), 2);
	stage_run(&s, 0.25, 1);
	assert_int_equal(missed(&s), 3);
	assert_int_equal(stage_registrations("cpu"), 0);
	stage_close(&s);
}

/* A request that takes long keeps nobody from reading. */
static void logger_busy__the_plan_is_made_later(void **state)
{
	struct stage s;
	(void)state;
	open_cpu(&s, 1);
	lab_ask(&s.lab, "LOG advisory on every=1s h/cpu-0/t");
	pthread_mutex_lock(&s.lab.logger->control);
	s.lab.now.arrival_ns += DRIVER_PERIOD_NS;
	stage_read_once(&s);
	assert_int_equal(stage_registrations("cpu"), 0);
	pthread_mutex_unlock(&s.lab.logger->control);
	stage_run(&s, 0.25, 1);
	assert_int_equal(stage_registrations("cpu"), 1);
	stage_close(&s);
}

static void report__each_driven_source_that_was_seen(void **state)
{
	static const char *const two[] = { "cpu", "load", NULL };
	struct stage             s;
	struct driven_report     r;
	(void)state;
	stage_prepare(&s, two);
	stage_open(&s, 1);
	stage_value(&s, "h/cpu/t", "cpu", 10);
	lab_ask(&s.lab, "LOG advisory on every=2s h/cpu/t");
	stage_run(&s, 0.5, 1);
	assert_true(driver_report(s.driver, 0, &r));
	assert_string_equal(r.name, "cpu");
	assert_true(r.configured_ns == 10 * S && r.present_ns == 2 * S && r.changes == 1);
	assert_true(driver_report(s.driver, 1, &r));
	assert_null(r.name);
	assert_false(driver_report(s.driver, 2, &r));
	assert_false(driver_report(NULL, 0, &r));
	stage_close(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_source__nothing_is_registered),
		cmocka_unit_test(only_sources_that_cannot_be_driven__one_error_each_and_nothing_is_registered),
		cmocka_unit_test(unknown_plugin__allowed__is_driven_with_a_warning),
		cmocka_unit_test(no_read_threads__nothing_is_driven),
		cmocka_unit_test(reads__as_many_as_read_threads_and_one_log_function),
		cmocka_unit_test(finer_rule__within_one_period_and_back_after_ten_seconds),
		cmocka_unit_test(back_at_the_configured_interval__pace_is_kept_for_one_more),
		cmocka_unit_test(rule_for_what_was_never_seen__no_change_until_it_is),
		cmocka_unit_test(source_without_a_value__waits_for_its_first),
		cmocka_unit_test(max_interval__is_read_rarely_when_logged_rarely),
		cmocka_unit_test(post_cache__is_never_read_more_rarely),
		cmocka_unit_test(two_sources__one_meeting),
		cmocka_unit_test(read_function_gone__is_left_alone_for_ever),
		cmocka_unit_test(last_words_of_the_daemon__no_change_after_them),
		cmocka_unit_test(missed_meeting__is_tried_again_later_and_later),
		cmocka_unit_test(logger_busy__the_plan_is_made_later),
		cmocka_unit_test(report__each_driven_source_that_was_seen),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
