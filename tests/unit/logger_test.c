/* logger - what stories over the protocol do not reach: limits, counters, ages, and what callers hold meanwhile. */
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include "../fake/check.h"
#include "../fake/lab.h"
#include "instance.h"

static int open_lab(void **state)
{
	struct lab *lab = calloc(1, sizeof(*lab));
	assert_non_null(lab);
	lab_open(lab, HELD_DEFAULT);
	*state = lab;
	return 0;
}

/* Settings are at hand; the test changes them and calls lab_start(). */
static int prepare_lab(void **state)
{
	struct lab *lab = calloc(1, sizeof(*lab));
	assert_non_null(lab);
	*state = lab;
	return settings_init(&lab->settings) != OK;
}

static int close_lab(void **state)
{
	lab_close(*state);
	free(*state);
	return 0;
}

/* ---- helpers ---- */

static struct figures figures_of(struct lab *lab)
{
	struct figures f;
	logger_figures(lab->logger, &f);
	return f;
}

/* Asks for one selector; the caller gives the outcomes back. */
static struct outcomes enquire(struct lab *lab, const char *selector)
{
	struct enquiry e = {
		.control = -1, .on = -1, .n_selectors = 1, .selectors = calloc(1, sizeof(struct selector *))
	};
	struct outcomes o = OUTCOMES_INIT;
	struct why      why = { "" };
	assert_int_equal(selector_parse(&e.selectors[0], selector, strlen(selector), "own", &why), OK);
	assert_int_equal(logger_enquire(lab->logger, &e, &lab->now, &o, &why), OK);
	return o;
}

static bool may_all(void *ctx, const struct entry *e)
{
	(void)ctx;
	(void)e;
	return true;
}

static bool may_advisory(void *ctx, const struct entry *e)
{
	(void)ctx;
	return e->ask.control == CONTROL_ADVISORY;
}

/* ---- limits ---- */

static void value__max_instances_reached__passes_unjudged_and_is_counted(void **state)
{
	struct lab *lab = *state;
	lab->settings.max_instances = 2;
	lab_start(lab);
	lab_ask(lab, "LOG mandatory off \"*/*/*\"");
	assert_false(lab_gauge(lab, "a/b/1", 10, 1));
	assert_false(lab_gauge(lab, "a/b/2", 10, 1));
	assert_true(lab_gauge(lab, "a/b/3", 10, 1));
	assert_true(lab_gauge(lab, "a/b/3", 10, 1));
	assert_false(lab_gauge(lab, "a/b/1", 10, 1));
	struct figures f = figures_of(lab);
	assert_int_equal(f.instances, 2);
	assert_int_equal(f.counted[COUNT_FAILED_OPEN], 2);
	assert_int_equal(f.counted[COUNT_PASSED], 2);
}

static void log__max_rules_reached__names_the_limit_and_changes_nothing(void **state)
{
	struct lab *lab = *state;
	lab->settings.max_rules = 2;
	lab_start(lab);
	lab_gauge(lab, "a/b/3", 10, 1);
	lab_ask(lab, "LOG advisory off a/b/1 a/b/2");
	assert_has(lab_ask(lab, "LOG mandatory off a/b/3"), "-105 ");
	assert_has(lab->reply, "MaxRules is 2");
	assert_has(lab_ask(lab, "ENQUIRE a/b/3"), "advisory on");
	assert_true(lab_gauge(lab, "a/b/3", 10, 1));
	assert_int_equal(figures_of(lab).entries, 1);
	assert_int_equal(figures_of(lab).newest_id, 1);
	assert_has(lab_ask(lab, "LOG mandatory off a/b/2"), "id=2"); /* it replaces, so there is room */
}

/* ---- counters ---- */

static void value__each_kind__is_counted(void **state)
{
	struct lab *lab = *state;
	lab_ask(lab, "LOG advisory on every=20s a/b/c");
	int64_t t = lab->now.wall_ns;
	for (int i = 0; i < 4; i++)
		lab_value(lab, "a/b/c", t + i * INT64_C(10000000000), 10, (union number){ .gauge = 1 }, KIND_GAUGE);
	lab_value(lab, "a/b/c", t + INT64_C(30000000000), 10, (union number){ .gauge = 1 }, KIND_GAUGE);
	lab_value(lab, "a/b/c", t, 10, (union number){ .gauge = 1 }, KIND_GAUGE);
	struct figures f = figures_of(lab);
	assert_int_equal(f.counted[COUNT_PASSED], 2);
	assert_int_equal(f.counted[COUNT_SUPPRESSED], 4);
	assert_int_equal(f.counted[COUNT_DUPLICATE], 1);
	assert_int_equal(f.counted[COUNT_LATE], 1);
}

/* A type has the same number of sources everywhere; should a source be broken, nothing is summed and nothing breaks. */
static void value__other_number_of_values__is_judged_without_its_window(void **state)
{
	struct lab   *lab = *state;
	union number  values[2] = { { .absolute = 5 }, { .absolute = 6 } };
	uint8_t       kinds[2] = { KIND_ABSOLUTE, KIND_ABSOLUTE };
	struct sample s = { .ident = { "a/b/c", 5, ident_hash("a/b/c", 5) },
			    .interval_ns = 1000000000,
			    .values = values,
			    .kinds = kinds,
			    .n = 1 };
	lab_ask(lab, "LOG advisory on every=10s a/b/c");
	for (int i = 0; i < 4; i++) {
		s.time_ns += 1000000000;
		logger_value(lab->logger, &s);
	}
	s.n = 2;
	s.time_ns += 30000000000;
	struct pass pass = logger_value(lab->logger, &s);
	assert_true(pass.logged);
	assert_false(pass.rewritten);
	assert_int_equal(values[0].absolute, 5);
}

/* ---- requests ---- */

static void log__selector_named_twice__two_groups_of_rows_and_one_selector(void **state)
{
	struct lab *lab = *state;
	lab_gauge(lab, "a/b/c", 10, 1);
	assert_has(lab_ask(lab, "LOG advisory off a/b/c a/b/c \"a/*/c\""), "3 Values id=1");
	assert_int_equal(figures_of(lab).selectors, 2);
}

static void log__exact_selector_refused__left_out_while_others_stay(void **state)
{
	struct lab *lab = *state;
	lab_ask(lab, "LOG mandatory on a/b/1");
	assert_has(lab_ask(lab, "LOG advisory off a/b/1 a/b/2 \"a/b/[1]\""), "id=2");
	assert_has(lab_ask(lab, "RULES"), "\"LOG advisory off \\\"a/b/2\\\" \\\"a/b/[1]\\\"\"");
	lab_ask(lab, "FORGET 1");
	assert_has(lab_ask(lab, "EXPLAIN a/b/1"), "2 took advisory off"); /* the pattern stayed */
}

static void dry_run__rates__each_instance_once_and_what_logs_nothing_counts_nothing(void **state)
{
	struct lab *lab = *state;
	lab_gauge(lab, "a/b/1", 10, 1);
	lab_gauge(lab, "a/b/2", 1, 1);
	lab_gauge(lab, "a/b/3", 5, 1);
	lab_ask(lab, "LOG mandatory off a/b/3");
	lab_ask(lab, "LOG advisory on every=once a/b/2");
	assert_has(lab_ask(lab, "LOG advisory on every=2s dryrun=true a/b/1 a/b/2 \"a/b/*\" un/se/en"),
		   "before=0.1 after=0.6\n");
}

static void forget__bad_ids__nothing_is_forgotten(void **state)
{
	struct lab *lab = *state;
	struct why  why;
	size_t      gone = 99;
	lab_ask(lab, "LOG advisory off a/b/1");
	lab_ask(lab, "LOG mandatory off a/b/2");
	assert_int_equal(logger_forget(lab->logger, (uint64_t[]){ 1, 7 }, 2, may_all, NULL, &lab->now, &gone, &why),
			 ERR_UNKNOWN);
	assert_has(why.text, "7");
	assert_int_equal(
		logger_forget(lab->logger, (uint64_t[]){ 1, 2 }, 2, may_advisory, NULL, &lab->now, &gone, &why),
		ERR_DENIED);
	assert_has(why.text, "entry 2");
	assert_int_equal(gone, 99);
	assert_int_equal(figures_of(lab).entries, 2);
}

static void forget__id_named_twice__goes_once(void **state)
{
	struct lab *lab = *state;
	struct why  why;
	size_t      gone = 0;
	lab_ask(lab, "LOG advisory off a/b/1");
	lab_ask(lab, "LOG advisory off a/b/2");
	assert_int_equal(
		logger_forget(lab->logger, (uint64_t[]){ 2, 1, 2, 2 }, 4, may_all, NULL, &lab->now, &gone, &why), OK);
	assert_int_equal(gone, 2);
	assert_int_equal(figures_of(lab).entries, 0);
}

static void forget__all__takes_what_the_caller_may(void **state)
{
	struct lab *lab = *state;
	struct why  why;
	size_t      gone = 0;
	lab_ask(lab, "LOG advisory off a/b/1");
	lab_ask(lab, "LOG mandatory off a/b/2");
	assert_int_equal(logger_forget(lab->logger, NULL, 0, may_advisory, NULL, &lab->now, &gone, &why), OK);
	assert_int_equal(gone, 1);
	assert_has(lab_ask(lab, "RULES"), "mandatory off");
}

/* With many patterns every instance is looked at once, instead of one walk a pattern. */
static void forget__entry_of_many_patterns__all_that_it_selected_fall_back(void **state)
{
	struct lab *lab = *state;
	char        name[32], line[1024] = "LOG mandatory off";
	for (int k = 0; k < 30; k++) {
		snprintf(name, sizeof(name), "h/p-%d/t", k);
		lab_gauge(lab, name, 10, 1);
		snprintf(line + strlen(line), sizeof(line) - strlen(line), " \"*/p-%d/t\"", k);
	}
	lab_ask(lab, "%s", line);
	assert_has(lab_ask(lab, "ENQUIRE off count=true \"*/*/*\""), "count=30");
	lab_ask(lab, "FORGET all");
	assert_has(lab_ask(lab, "ENQUIRE on count=true \"*/*/*\""), "count=30");
	assert_true(lab_gauge(lab, "h/p-7/t", 10, 1));
}

/* ---- what a caller holds meanwhile ---- */

static void entries__ledger_changes_meanwhile__list_stays_valid(void **state)
{
	struct lab    *lab = *state;
	struct entries e = ENTRIES_INIT;
	lab_ask(lab, "LOG advisory off note=\"first\" a/b/1");
	assert_int_equal(logger_entries(lab->logger, &e), OK);
	lab_ask(lab, "FORGET all");
	for (int i = 0; i < 1100; i++) /* more than wait for one grace period */
		lab_ask(lab, "LOG mandatory off a/b/%d", i % 50);
	assert_int_equal(e.n, 1);
	assert_string_equal(e.list[0]->note, "first");
	entries_fini(&e);
	entries_fini(&e);
}

static void tick__reply_on_its_way__its_instances_stay(void **state)
{
	struct lab *lab = *state;
	lab_gauge(lab, "a/b/c", 1, 1);
	struct outcomes o = enquire(lab, "a/b/c");
	lab_advance(lab, 100 * 3600);
	assert_int_equal(figures_of(lab).instances, 1);
	assert_string_equal(o.rows[0].instance->name, "a/b/c");
	outcomes_fini(&o);
	lab_advance(lab, 3600);
	assert_int_equal(figures_of(lab).instances, 0);
}

static void tick__slow_source__ten_of_its_intervals_are_waited_for(void **state)
{
	struct lab *lab = *state;
	lab_gauge(lab, "a/b/daily", 24 * 3600, 1);
	lab_gauge(lab, "a/b/quick", 1, 1);
	lab_advance(lab, 5 * 24 * 3600);
	assert_int_equal(figures_of(lab).instances, 1);
	assert_has(lab_ask(lab, "ENQUIRE \"a/b/*\""), "a/b/daily");
	lab_advance(lab, 6 * 24 * 3600);
	assert_int_equal(figures_of(lab).instances, 0);
}

static void selected__named_by_several_selectors__counts_once(void **state)
{
	struct lab    *lab = *state;
	struct entries e = ENTRIES_INIT;
	char           name[32];
	for (int k = 0; k < 20; k++) {
		snprintf(name, sizeof(name), "h/p-%d/t", k);
		lab_gauge(lab, name, 10, 1);
	}
	lab_ask(lab, "LOG advisory off h/p-1/t h/p-2/t h/no/t \"h/p-1*/t\" \"*/p-?/t\" h/p-12/t");
	assert_int_equal(logger_entries(lab->logger, &e), OK);
	assert_int_equal(logger_selected(lab->logger, e.list[0]), 20);
	entries_fini(&e);
}

struct glance {
	struct logger *logger;
	struct figures figures;
};

/* Called with the control lock held. */
static void look(void *ctx, const struct step *step)
{
	struct glance *g = ctx;
	(void)step;
	logger_figures(g->logger, &g->figures);
}

static void figures__asked_while_a_request_is_on__do_not_wait(void **state)
{
	struct lab   *lab = *state;
	struct glance g = { .logger = lab->logger };
	lab_ask(lab, "LOG advisory off a/b/c");
	alarm(60); /* or it would wait for ever */
	logger_explain(lab->logger, (struct ident){ "a/b/c", 5, ident_hash("a/b/c", 5) }, look, &g);
	alarm(0);
	assert_int_equal(g.figures.entries, 1);
	assert_int_equal(g.figures.newest_id, 1);
}

/* ---- configuration and state file ---- */

static char noticed[2000];

static void notice(void *ctx, int severity, const char *text)
{
	(void)ctx;
	snprintf(noticed + strlen(noticed), sizeof(noticed) - strlen(noticed), "%d %s\n", severity, text);
}

static void configuration__refused_and_bad_metrics__are_told_and_the_rest_holds(void **state)
{
	struct lab *lab = *state;
	char       *first[] = { (char *)"*/cpu-*/*" },
	     *second[] = { (char *)"own/cpu-0/x", (char *)"load", (char *)"own/load/x" };
	struct log_block blocks[] = {
		{ 1, { CONTROL_MANDATORY, STATE_OFF, { DELTA_NATIVE, 0 }, VALUE_LAST }, 1, first },
		{ 2, { CONTROL_ADVISORY, STATE_OFF, { DELTA_NATIVE, 0 }, VALUE_LAST }, 3, second },
	};
	struct settings s = lab->settings;
	struct logger  *lg;
	struct why      why;
	s.logs = blocks;
	s.n_logs = 2;
	noticed[0] = '\0';
	assert_int_equal(logger_new(&lg, &s, "own", 1, &lab->now, notice, NULL, &why), OK);
	assert_has(noticed, "4 log_control: <Log> block 2: Metric \"own/cpu-0/x\" is refused");
	assert_has(noticed, "3 log_control: <Log> block 2: Metric: \"load\"");
	struct figures f;
	logger_figures(lg, &f);
	assert_int_equal(f.entries, 2);
	assert_int_equal(f.selectors, 3); /* entries of the configuration stay whole */
	logger_free(lg);
	lab_start(lab);
}

/* Nothing can be written, as on a full disk: the request is refused, and nobody ever sees anything of it. */
static void log__state_file_cannot_grow__request_refused_and_nothing_changed(void **state)
{
	struct lab   *lab = *state;
	char          dir[] = "/tmp/lc-logger-XXXXXX", path[64];
	struct rlimit none = { 0, 0 }, before;
	assert_non_null(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/state", dir);
	lab->settings.state_file = strdup(path);
	lab_start(lab);
	lab_gauge(lab, "a/b/c", 10, 1);
	lab_ask(lab, "LOG advisory on every=20s a/b/c");
	getrlimit(RLIMIT_FSIZE, &before);
	none.rlim_max = before.rlim_max;
	signal(SIGXFSZ, SIG_IGN);
	setrlimit(RLIMIT_FSIZE, &none);
	char *log = strdup(lab_ask(lab, "LOG mandatory off a/b/c")), *forget = strdup(lab_ask(lab, "FORGET 1"));
	setrlimit(RLIMIT_FSIZE, &before);
	assert_int_equal(log[0], '-');
	assert_int_equal(forget[0], '-');
	free(log);
	free(forget);
	assert_has(lab_ask(lab, "ENQUIRE a/b/c"), "advisory on 20000");
	lab_advance(lab, 20);
	assert_true(lab_gauge(lab, "a/b/c", 10, 1));
	assert_has(lab_ask(lab, "LOG mandatory off a/b/c"), "id=2 keep=saved");
	assert_false(lab_gauge(lab, "a/b/c", 10, 1));
	unlink(path);
	rmdir(dir);
}

int main(void)
{
#define IN_LAB(test)        cmocka_unit_test_setup_teardown(test, open_lab, close_lab)
#define WITH_SETTINGS(test) cmocka_unit_test_setup_teardown(test, prepare_lab, close_lab)
	const struct CMUnitTest tests[] = {
		WITH_SETTINGS(value__max_instances_reached__passes_unjudged_and_is_counted),
		WITH_SETTINGS(log__max_rules_reached__names_the_limit_and_changes_nothing),
		IN_LAB(value__each_kind__is_counted),
		IN_LAB(value__other_number_of_values__is_judged_without_its_window),
		IN_LAB(log__selector_named_twice__two_groups_of_rows_and_one_selector),
		IN_LAB(log__exact_selector_refused__left_out_while_others_stay),
		IN_LAB(dry_run__rates__each_instance_once_and_what_logs_nothing_counts_nothing),
		IN_LAB(forget__bad_ids__nothing_is_forgotten),
		IN_LAB(forget__id_named_twice__goes_once),
		IN_LAB(forget__all__takes_what_the_caller_may),
		IN_LAB(forget__entry_of_many_patterns__all_that_it_selected_fall_back),
		IN_LAB(entries__ledger_changes_meanwhile__list_stays_valid),
		IN_LAB(tick__reply_on_its_way__its_instances_stay),
		IN_LAB(tick__slow_source__ten_of_its_intervals_are_waited_for),
		IN_LAB(selected__named_by_several_selectors__counts_once),
		IN_LAB(figures__asked_while_a_request_is_on__do_not_wait),
		WITH_SETTINGS(configuration__refused_and_bad_metrics__are_told_and_the_rest_holds),
		WITH_SETTINGS(log__state_file_cannot_grow__request_refused_and_nothing_changed),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
