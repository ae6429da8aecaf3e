/*
 * Stories: requests, values and time against a real logger, to the letter of the protocol (specification sections 4, 5, 7, 8, 11).
 */
#include <math.h>

#include "../fake/check.h"
#include "../fake/lab.h"

#define IDLE "own/cpu-0/cpu-idle"

static int open_lab(void **state)
{
	struct lab *lab = calloc(1, sizeof(*lab));
	assert_non_null(lab);
	lab_open(lab, HELD_DEFAULT);
	*state = lab;
	return 0;
}

static int close_lab(void **state)
{
	lab_close(*state);
	free(*state);
	return 0;
}

/* A source of one value every `interval_s` for `n` values: how many are logged? */
static int feed(struct lab *lab, const char *name, double interval_s, int n)
{
	int logged = 0;
	for (int i = 0; i < n; i++) {
		logged += lab_gauge(lab, name, interval_s, i);
		lab_advance(lab, interval_s);
	}
	return logged;
}

static void log__example_of_the_manual__reply_to_the_letter(void **state)
{
	struct lab *lab = *state;
	lab_gauge(lab, "web1/cpu-0/cpu-idle", 10, 1);
	lab_gauge(lab, "web1/load/load", 10, 1);
	lab_ask(lab, "LOG mandatory off \"web1/load/load\"");
	assert_string_equal(lab_ask(lab, "log ADVISORY on every=10s \"*/cpu-*/cpu-idle\" \"web1/load/load\" "
					 "\"db*/x/y\" \"web1/new/gauge\""),
			    "4 Values id=2 keep=temporary\n"
			    "1 done 0x0002710d advisory on 10000 10000 inlog,avail \"web1/cpu-0/cpu-idle\"\n"
			    "2 refused 0x0000000e mandatory off 0 10000 inlog,avail \"web1/load/load\"\n"
			    "3 none 0x00000000 - - - - - \"db*/x/y\"\n"
			    "4 done 0x00027101 advisory on 10000 - unseen \"web1/new/gauge\"\n");
	assert_has(lab_ask(lab, "RULES"), "2 socket uid=1000 at=1700000000 ends=- keep=temporary instances=1 note=\"\" "
					  "\"LOG advisory on every=10s "
					  "\\\"*/cpu-*/cpu-idle\\\" \\\"db*/x/y\\\" \\\"web1/new/gauge\\\"\"\n");
	assert_string_equal(lab_ask(lab, "EXPLAIN \"web1/load/load\""),
			    "2 Steps\ndefault - advisory on native\n1 took mandatory off 0\n");
}

static void every__thins__and_forget_gives_back(void **state)
{
	struct lab *lab = *state;
	assert_int_equal(feed(lab, IDLE, 10, 6), 6);
	lab_ask(lab, "LOG advisory on every=60s \"cpu-*/*\"");
	assert_int_equal(feed(lab, IDLE, 10, 60), 10);
	assert_true(lab->interval_s == 60 || lab->interval_s == 10);
	assert_string_equal(lab_ask(lab, "FORGET 1"), "0 Forgotten entries=1\n");
	assert_int_equal(feed(lab, IDLE, 10, 6), 6);
}

static void newcomer__takes_the_state_of_every_earlier_request(void **state)
{
	struct lab *lab = *state;
	lab_ask(lab, "LOG mandatory off \"*/*/*\"");
	lab_ask(lab, "LOG mandatory on every=30s \"own/disk-*/*\"");
	assert_int_equal(feed(lab, "own/eth/if", 10, 6), 0);
	assert_int_equal(feed(lab, "own/disk-sda/ops", 10, 6), 2);
}

static void timed__reverts_to_what_it_would_hold_without_it(void **state)
{
	struct lab *lab = *state;
	lab_gauge(lab, IDLE, 10, 1);
	lab_ask(lab, "LOG advisory on every=60s \"" IDLE "\"");
	assert_has(lab_ask(lab, "LOG mandatory on every=1s for=15min note=\"the incident\" \"" IDLE "\""),
		   "1 Values id=2 keep=temporary ends=900\n");
	assert_has(lab_ask(lab, "ENQUIRE \"" IDLE "\""), "mandatory on 1000 10000 inlog,avail,timed");
	assert_has(lab_ask(lab, "RULES"), "ends=900 keep=temporary instances=1 note=\"the incident\"");
	lab_advance(lab, 899);
	assert_has(lab_ask(lab, "ENQUIRE \"" IDLE "\""), "mandatory on 1000");
	lab_ask(lab, "LOG advisory on every=30s \"" IDLE "\""); /* refused: leaves nothing behind */
	lab_advance(lab, 1);
	assert_has(lab_ask(lab, "ENQUIRE \"" IDLE "\""), "advisory on 60000");
	assert_has(lab_ask(lab, "RULES"), "1 Rules\n");
}

static void timed_maybe__opens_the_door_for_a_while(void **state)
{
	struct lab *lab = *state;
	lab_ask(lab, "LOG mandatory off \"*/cpu-*/*\"");
	lab_gauge(lab, IDLE, 10, 1);
	lab_ask(lab, "LOG mandatory maybe for=60 \"*/cpu-*/*\"");
	lab_ask(lab, "LOG advisory on every=5s \"*/cpu-*/*\"");
	assert_has(lab_ask(lab, "ENQUIRE " IDLE), "advisory on 5000");
	lab_advance(lab, 60);
	assert_has(lab_ask(lab, "ENQUIRE " IDLE), "mandatory off 0");
}

static void maybe__permanent_before_a_timed_one__stays(void **state)
{
	struct lab *lab = *state;
	lab_ask(lab, "LOG mandatory on every=5s \"" IDLE "\"");
	lab_ask(lab, "LOG mandatory maybe \"" IDLE "\"");
	lab_ask(lab, "LOG mandatory maybe for=10 \"" IDLE "\"");
	lab_advance(lab, 10);
	assert_has(lab_ask(lab, "ENQUIRE " IDLE), "advisory off 0");
}

static void maybe__asked_again_and_again__is_one_entry(void **state)
{
	struct lab *lab = *state;
	for (int i = 0; i < 50; i++)
		lab_ask(lab, "LOG mandatory maybe \"" IDLE "\"");
	assert_has(lab_ask(lab, "RULES"), "1 Rules\n50 socket");
}

static void once__each_instance_has_its_own__and_asking_again_logs_once_more(void **state)
{
	struct lab *lab = *state;
	lab_ask(lab, "LOG mandatory on every=once \"*/cpu-*/*\"");
	assert_int_equal(feed(lab, IDLE, 10, 5), 1);
	assert_int_equal(feed(lab, "own/cpu-1/cpu-idle", 10, 5), 1);
	assert_has(lab_ask(lab, "ENQUIRE " IDLE), "0x0000000f mandatory on 0 10000 inlog,avail,once");
	lab_ask(lab, "LOG mandatory on every=0 \"*/cpu-*/*\"");
	assert_int_equal(feed(lab, IDLE, 10, 5), 1);
}

static void once__in_force_again_after_a_timed_entry__logs_nothing_more(void **state)
{
	struct lab *lab = *state;
	lab_ask(lab, "LOG advisory on every=once \"" IDLE "\"");
	lab_ask(lab, "LOG mandatory on every=10s for=30 \"" IDLE "\"");
	assert_int_equal(feed(lab, IDLE, 10, 3), 3);
	assert_has(lab_ask(lab, "ENQUIRE " IDLE), "advisory on 0 10000");
	assert_int_equal(feed(lab, IDLE, 10, 3), 0);
}

static void repeated_request__keeps_the_phase(void **state)
{
	struct lab *lab = *state;
	int         logged = 0;
	for (int i = 0; i < 60; i++) {
		lab_ask(lab, "LOG advisory on every=60s \"" IDLE "\"");
		logged += lab_gauge(lab, IDLE, 10, i);
		lab_advance(lab, 10);
	}
	assert_int_equal(logged, 10);
}

static void unmet_state__leaves_no_trace(void **state)
{
	struct lab *lab = *state;
	lab_ask(lab, "LOG advisory on every=60s \"" IDLE "\"");
	assert_true(lab_gauge(lab, IDLE, 10, 1));
	lab_ask(lab, "LOG advisory off \"" IDLE "\"");
	lab_ask(lab, "LOG advisory on every=60s \"" IDLE "\"");
	lab_advance(lab, 10);
	assert_false(lab_gauge(lab, IDLE, 10, 1));
}

static void value_average__over_the_window__and_nan_left_out(void **state)
{
	struct lab *lab = *state;
	lab_ask(lab, "LOG advisory on every=30s value=average \"" IDLE "\"");
	const double in[] = { 1, 2, 3, 4, NAN, 6, 8 };
	for (int i = 0; i < 7; i++) {
		bool logged = lab_gauge(lab, IDLE, 10, in[i]);
		if (i == 3)
			assert_true(logged && fabs(lab->value.gauge - 3) < 1e-9);
		if (i == 6)
			assert_true(logged && fabs(lab->value.gauge - 7) < 1e-9);
		lab_advance(lab, 10);
	}
	lab_ask(lab, "LOG advisory on every=30s value=max \"" IDLE "\"");
	assert_false(lab_gauge(lab, IDLE, 10, 50));
	lab_advance(lab, 10);
	assert_false(lab_gauge(lab, IDLE, 10, 5));
	lab_advance(lab, 10);
	assert_true(lab_gauge(lab, IDLE, 10, 6) && lab->value.gauge == 50);
}

static void absolute__sum_out_is_sum_in(void **state)
{
	struct lab *lab = *state;
	uint64_t    in = 0, out = 0;
	lab_ask(lab, "LOG advisory on every=60s \"*/*/*\"");
	for (uint64_t i = 0; i < 61; i++) {
		in += i;
		if (lab_value(lab, IDLE, lab->now.wall_ns, 10, (union number){ .absolute = i }, KIND_ABSOLUTE))
			out += lab->value.absolute;
		lab_advance(lab, 10);
	}
	assert_int_equal(in, out);
}

static void dry_run__tells_and_changes_nothing(void **state)
{
	struct lab *lab = *state;
	feed(lab, IDLE, 10, 3);
	assert_string_equal(lab_ask(lab, "LOG advisory on every=100s dryrun=true \"cpu-*/*\" \"" IDLE "\""),
			    "2 Values before=0.1 after=0.01\n"
			    "1 would 0x00186a0d advisory on 100000 10000 inlog,avail \"" IDLE "\"\n"
			    "2 would 0x00186a0d advisory on 100000 10000 inlog,avail \"" IDLE "\"\n");
	assert_string_equal(lab_ask(lab, "RULES"), "0 Rules\n");
	assert_has(lab_ask(lab, "ENQUIRE " IDLE), "native");
}

static void enquire__filters_and_count(void **state)
{
	struct lab *lab = *state;
	feed(lab, "own/a/x", 10, 2);
	feed(lab, "own/b/x", 10, 1);
	lab_ask(lab, "LOG mandatory off \"own/b/x\"");
	assert_has(lab_ask(lab, "ENQUIRE mandatory \"*/*/*\""),
		   "1 Values\n1 held 0x0000000e mandatory off 0 10000 inlog,avail \"own/b/x\"\n");
	assert_string_equal(lab_ask(lab, "ENQUIRE ON count=true \"*/*/*\""), "0 Values count=1\n");
	assert_string_equal(lab_ask(lab, "ENQUIRE unavailable \"*/*/*\""), "0 Values\n");
	lab_advance(lab, 100);
	assert_has(lab_ask(lab, "ENQUIRE unavailable \"*/*/*\""), "\"own/a/x\"");
}

static void exact_selector__one_line_whatever_happens(void **state)
{
	struct lab *lab = *state;
	assert_has(lab_ask(lab, "ENQUIRE never/seen/x"),
		   "1 held 0x00027101 advisory on 10000 - native,unseen \"never/seen/x\"\n");
	assert_has(lab_ask(lab, "LOG advisory on every=1s for=60 never/seen/x"), "advisory on 1000 - timed,unseen");
	lab_advance(lab, 60);
	lab_ask(lab, "LOG mandatory off never/*/x");
	assert_string_equal(
		lab_ask(lab, "LOG advisory on never/seen/x"),
		"1 Values id=- keep=temporary\n1 refused 0x00000002 mandatory off 0 - unseen \"never/seen/x\"\n");
}

static void bad_requests__one_clear_error_and_nothing_changed(void **state)
{
	static const struct {
		const char *line, *part;
	} rows[] = {
		{ "LOG advisory maybe a/b", "-22 advisory maybe" },
		{ "LOG mandatory on every=-1 a/b", "-22 every=" },
		{ "LOG mandatory off every=inf a/b", "-22 every=" },
		{ "LOG mandatory off every=nan a/b", "-22 every=" },
		{ "LOG mandatory on every=0.0005 a/b", "whole milliseconds" },
		{ "LOG mandatory on every=5ms a/b", "MinInterval (100 ms); ask for every=100ms or more" },
		{ "LOG mandatory on every=3654d a/b", "3653d" },
		{ "LOG mandatory on", "-22" },
		{ "LOG mandatory on every=10", "-22" },
		{ "LOG sometimes on a/b", "write mandatory or advisory" },
		{ "LOG mandatory perhaps a/b", "write on, off or maybe" },
		{ "LOG mandatory on for=0 a/b", "-22 for=0" },
		{ "LOG mandatory on value=median a/b", "average" },
		{ "LOG mandatory on color=red a/b", "unknown option" },
		{ "LOG mandatory on every=1 EVERY=2 a/b", "given twice" },
		{ "LOG mandatory on \"a/b", "quote is not closed" },
		{ "LOG mandatory on a/b good/c/d bad", "[HOST/]PLUGIN" },
		{ "FORGET", "usage: FORGET" },
		{ "FORGET x", "no id" },
		{ "FORGET 99", "-2 no entry 99" },
		{ "FORGET c1", "comes from collectd.conf" },
		{ "EXPLAIN a", "[HOST/]PLUGIN" },
		{ "ENQUIRE", "usage: ENQUIRE" },
		{ "ENQUIRE count=perhaps a/b", "neither true nor false" },
		{ "GETVAL a/b", "unknown command" },
		{ "every=10", "unknown command" },
	};
	struct lab *lab = *state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const char *reply = lab_ask(lab, "%s", rows[i].line);
		if (reply[0] != '-' || strchr(reply, '\n') != reply + strlen(reply) - 1)
			fail_msg("%s: %s", rows[i].line, reply);
		assert_has(reply, rows[i].part);
	}
	assert_string_equal(lab_ask(lab, "RULES"), "0 Rules\n");
	assert_string_equal(lab_ask(lab, "  \t \r"), "");
}

static void history__unseen_for_long__instance_is_dropped_and_rules_stay(void **state)
{
	struct lab *lab = *state;
	lab_ask(lab, "LOG mandatory on every=once \"*/*/*\"");
	assert_int_equal(feed(lab, IDLE, 10, 3), 1);
	lab_advance(lab, 24 * 3600 + 1);
	assert_has(lab_ask(lab, "STATUS"), "instances=0\n");
	assert_int_equal(feed(lab, IDLE, 10, 3), 1);
}

static void flags__thousands_of_instances__each_as_its_own_values_say(void **state)
{
	struct lab *lab = *state;
	char        name[64];
	enum { N = 3000 };
	lab_ask(lab, "LOG mandatory on every=60s \"h/p-*/t\"");
	for (int i = 0; i < N; i++) { /* a third never comes, a third comes once, a third goes on */
		snprintf(name, sizeof(name), "h/p-%05d/t", i);
		if (i % 3 != 0)
			lab_gauge(lab, name, 10, i);
	}
	for (int round = 0; round < 20; round++) {
		lab_advance(lab, 10);
		for (int i = 2; i < N; i += 3) {
			snprintf(name, sizeof(name), "h/p-%05d/t", i);
			lab_gauge(lab, name, 10, i);
		}
	}
	lab_ask(lab, "ENQUIRE \"h/p-*/t\"");
	const char *at = lab->reply;
	for (int i = 0; i < N; i++) {
		char expected[160];
		if (i % 3 == 0)
			continue;
		at = strchr(at, '\n') + 1;
		snprintf(expected, sizeof(expected), "1 held 0x000ea60%c mandatory on 60000 10000 %s \"h/p-%05d/t\"\n",
			 i % 3 == 1 ? 'b' : 'f', i % 3 == 1 ? "inlog" : "inlog,avail", i);
		assert_memory_equal(at, expected, strlen(expected));
	}
	assert_has(lab->reply, "2000 Values\n");
}

/* A rule of the file is folded first, never replaced, and FORGET of all that came over the socket leads back to it. */
static void configuration__is_never_replaced__and_forget_leads_back_to_it(void **state)
{
	struct lab lab;
	(void)state;
	memset(&lab, 0, sizeof(lab));
	assert_int_equal(settings_init(&lab.settings), OK);
	lab.settings.logs = calloc(1, sizeof(*lab.settings.logs));
	lab.settings.n_logs = 1;
	lab.settings.logs[0] = (struct log_block){
		.number = 1, .n_metrics = 1, .ask = { CONTROL_ADVISORY, STATE_ON, { DELTA_EVERY, 60000 }, VALUE_LAST }
	};
	lab.settings.logs[0].metrics = calloc(1, sizeof(char *));
	lab.settings.logs[0].metrics[0] = strdup("cpu-*/*");
	lab_start(&lab);
	assert_has(lab_ask(&lab, "ENQUIRE " IDLE), "advisory on 60000");
	lab_ask(&lab, "LOG mandatory off \"cpu-*/*\"");
	lab_ask(&lab, "LOG advisory on every=1s \"cpu-*/*\"");
	assert_has(lab_ask(&lab, "RULES"), "3 Rules\nc1 config uid=- ");
	assert_has(lab_ask(&lab, "ENQUIRE " IDLE), "mandatory off 0");
	assert_has(lab_ask(&lab, "EXPLAIN " IDLE),
		   "c1 took advisory on 60000\n1 took mandatory off 0\n2 refused mandatory off 0\n");
	lab_ask(&lab, "FORGET all");
	assert_has(lab_ask(&lab, "ENQUIRE " IDLE), "advisory on 60000");
	lab_close(&lab);
}

int main(void)
{
#define STORY(name) cmocka_unit_test_setup_teardown(name, open_lab, close_lab)
	const struct CMUnitTest tests[] = {
		STORY(log__example_of_the_manual__reply_to_the_letter),
		STORY(every__thins__and_forget_gives_back),
		STORY(newcomer__takes_the_state_of_every_earlier_request),
		STORY(timed__reverts_to_what_it_would_hold_without_it),
		STORY(timed_maybe__opens_the_door_for_a_while),
		STORY(maybe__permanent_before_a_timed_one__stays),
		STORY(maybe__asked_again_and_again__is_one_entry),
		STORY(once__each_instance_has_its_own__and_asking_again_logs_once_more),
		STORY(once__in_force_again_after_a_timed_entry__logs_nothing_more),
		STORY(repeated_request__keeps_the_phase),
		STORY(unmet_state__leaves_no_trace),
		STORY(value_average__over_the_window__and_nan_left_out),
		STORY(absolute__sum_out_is_sum_in),
		STORY(dry_run__tells_and_changes_nothing),
		STORY(enquire__filters_and_count),
		STORY(exact_selector__one_line_whatever_happens),
		STORY(bad_requests__one_clear_error_and_nothing_changed),
		STORY(history__unseen_for_long__instance_is_dropped_and_rules_stay),
		cmocka_unit_test(configuration__is_never_replaced__and_forget_leads_back_to_it),
		STORY(flags__thousands_of_instances__each_as_its_own_values_say),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
