/*
 * Every allocation of the logger fails once, by number: values pass, requests change nothing and say so, nothing is lost or leaked.
 * (Leaks are what the address sanitizer and valgrind see in this program.)
 */
#include "../fake/check.h"
#include "../fake/lab.h"
#include "../fake/nomem.h"

#define INSTANCES 40

/* A logger with rules of every kind and some instances of which the last few are newborn. */
static void furnish(struct lab *lab)
{
	lab_open(lab, HELD_DEFAULT);
	lab_ask(lab, "LOG mandatory on every=20s \"h/p-1*/t\" h/p-3/t");
	lab_ask(lab, "LOG mandatory maybe for=1h \"h/p-1?/t\"");
	lab_ask(lab, "LOG advisory off note=\"why\" \"h/p-2*/t\" h/p-4/t");
	lab_ask(lab, "LOG advisory on every=30s for=10s value=average \"h/p-*/t\"");
	for (int k = 0; k < INSTANCES; k++) {
		char name[32];
		snprintf(name, sizeof(name), "h/p-%d/t", k);
		lab_gauge(lab, name, 10, 1);
		if (k == INSTANCES - 5)
			logger_tick(lab->logger, &lab->now, NULL);
	}
}

/* What everything holds and which rules there are, as text; the caller frees it. */
static char *picture(struct lab *lab)
{
	char       *text = NULL;
	const char *held = lab_ask(lab, "ENQUIRE \"*/*/*\" h/p-77/t");
	char       *first = strdup(held);
	assert_true(asprintf(&text, "%s%s", first, lab_ask(lab, "RULES")) > 0);
	free(first);
	return text;
}

/* Calls one function of the logger with the `n`th allocation failing; was it OK? */
typedef bool step_of(struct lab *lab, unsigned long n);

/* Lets each allocation of the step fail in turn: it says so and nothing has changed.  Gives how many there were. */
static unsigned long each_allocation(step_of *step)
{
	bool          failed = true;
	unsigned long n = 0;
	while (failed) {
		struct lab lab;
		furnish(&lab);
		char *before = picture(&lab);
		bool  fine = step(&lab, ++n);
		failed = nomem_off();
		char *after = picture(&lab);
		assert_int_equal(fine, !failed);
		if (failed)
			assert_string_equal(after, before);
		free(before);
		free(after);
		lab_close(&lab);
	}
	return n - 1;
}

static struct selector *selector(const char *text)
{
	struct selector *s;
	struct why       why;
	assert_int_equal(selector_parse(&s, text, strlen(text), "own", &why), OK);
	return s;
}

static bool log_some(struct lab *lab, unsigned long n, struct ask ask, bool dry_run)
{
	static const char *const texts[] = { "h/p-*/t", "h/p-3/t", "h/new/t", "h/p-3/t" };
	struct outcomes          o = OUTCOMES_INIT;
	struct why               why = { "" };
	struct log_request r = { .ask = ask, .for_ms = 5000, .note = "a note", .dry_run = dry_run, .n_selectors = 4 };
	r.selectors = calloc(4, sizeof(*r.selectors));
	for (size_t k = 0; k < 4; k++)
		r.selectors[k] = selector(texts[k]);
	nomem_at(n);
	enum err err = logger_log(lab->logger, &r, &lab->now, &o, &why);
	nomem_off();
	assert_null(r.selectors);
	if (err != OK) {
		assert_int_equal(err, ERR_NOMEM);
		assert_has(why.text, "out of memory");
		assert_null(o.logger);
	}
	outcomes_fini(&o);
	return err == OK;
}

static bool log_mandatory(struct lab *lab, unsigned long n)
{
	return log_some(lab, n, (struct ask){ CONTROL_MANDATORY, STATE_ON, { DELTA_EVERY, 30000 }, VALUE_AVERAGE },
			false);
}

static bool log_advisory(struct lab *lab, unsigned long n)
{
	return log_some(lab, n, (struct ask){ CONTROL_ADVISORY, STATE_OFF, { DELTA_NATIVE, 0 }, VALUE_LAST }, false);
}

static bool log_maybe(struct lab *lab, unsigned long n)
{
	return log_some(lab, n, (struct ask){ CONTROL_MANDATORY, STATE_MAYBE, { DELTA_NATIVE, 0 }, VALUE_LAST }, false);
}

static bool log_dry(struct lab *lab, unsigned long n)
{
	return log_some(lab, n, (struct ask){ CONTROL_MANDATORY, STATE_OFF, { DELTA_NATIVE, 0 }, VALUE_LAST }, true);
}

static void log__each_allocation_fails__nothing_changed(void **state)
{
	(void)state;
	assert_true(each_allocation(log_mandatory) > 10);
	assert_true(each_allocation(log_advisory) > 10);
	assert_true(each_allocation(log_maybe) > 10);
}

static void dry_run__each_allocation_fails__says_so(void **state)
{
	(void)state;
	assert_true(each_allocation(log_dry) > 3);
}

static bool may_all(void *ctx, const struct entry *e)
{
	(void)ctx;
	(void)e;
	return true;
}

static bool forget(struct lab *lab, unsigned long n, const uint64_t *ids, size_t n_ids)
{
	size_t     gone = 0;
	struct why why = { "" };
	nomem_at(n);
	enum err err = logger_forget(lab->logger, ids, n_ids, may_all, NULL, &lab->now, &gone, &why);
	nomem_off();
	assert_int_equal(gone > 0, err == OK);
	return err == OK;
}

static bool forget_ids(struct lab *lab, unsigned long n)
{
	return forget(lab, n, (const uint64_t[]){ 3, 1 }, 2);
}

static bool forget_all(struct lab *lab, unsigned long n)
{
	return forget(lab, n, NULL, 0);
}

static void forget__each_allocation_fails__nothing_changed(void **state)
{
	(void)state;
	assert_true(each_allocation(forget_ids) > 5);
	assert_true(each_allocation(forget_all) > 5);
}

static void tick__each_allocation_fails__entries_end_with_the_next_one(void **state)
{
	(void)state;
	bool failed = true;
	for (unsigned long n = 1; failed; n++) {
		struct lab lab;
		furnish(&lab);
		lab.now.boot_ns += INT64_C(20000000000);
		nomem_at(n);
		enum err err = logger_tick(lab.logger, &lab.now, NULL);
		failed = nomem_off();
		if (!failed)
			assert_int_equal(err, OK);
		assert_int_equal(logger_tick(lab.logger, &lab.now, NULL), OK);
		assert_has(lab_ask(&lab, "RULES"), "3 Rules\n");
		lab_close(&lab);
	}
}

/* The first value of a name passes, whatever it would hold, and the next one is judged. */
static bool newcomers(struct lab *lab)
{
	unsigned long failed_open = 0;
	bool          happened;
	char          name[32];
	for (int k = 0; k < 200; k++) { /* so many that shards are made and grown */
		snprintf(name, sizeof(name), "h/p-2-%d/t", k);
		failed_open += lab_gauge(lab, name, 10, 1);
	}
	happened = nomem_off();
	struct figures f;
	logger_figures(lab->logger, &f);
	assert_int_equal(f.counted[COUNT_FAILED_OPEN], failed_open);
	assert_int_equal(failed_open, happened ? 1 : 0);
	for (int k = 0; k < 200; k++) {
		snprintf(name, sizeof(name), "h/p-2-%d/t", k);
		assert_false(lab_gauge(lab, name, 10, 1));
	}
	return happened;
}

static void newcomer__each_allocation_fails__its_value_passes_and_is_counted(void **state)
{
	(void)state;
	unsigned long n = 1;
	for (bool happened = true; happened; n++) {
		struct lab lab;
		furnish(&lab);
		lab_ask(&lab, "LOG mandatory off \"h/p-2*/t\"");
		nomem_at(n);
		happened = newcomers(&lab);
		lab_close(&lab);
	}
	assert_true(n > 200);
}

/* A sum that cannot be kept is passed on instead: nothing of an ABSOLUTE is lost. */
static void window__cannot_be_made__value_passes(void **state)
{
	(void)state;
	struct lab lab;
	lab_open(&lab, HELD_DEFAULT);
	lab_ask(&lab, "LOG advisory on every=30s a/b/c");
	uint64_t out = 0, in = 0;
	for (int k = 0; k < 62; k++) { /* the last one is due */
		if (k == 0 || k % 5 == 2)
			nomem_at(1);
		if (lab_value(&lab, "a/b/c", (k + 1) * INT64_C(1000000000), 1, (union number){ .absolute = 10 },
			      KIND_ABSOLUTE))
			out += lab.value.absolute;
		nomem_off();
		in += 10;
	}
	struct figures f;
	logger_figures(lab.logger, &f);
	assert_int_equal(f.counted[COUNT_FAILED_OPEN], 2); /* once for the instance, once for its window */
	assert_int_equal(in, out);
	lab_close(&lab);
}

/* The first values of a name, up to some that are averaged: instance, its source, its shard, its window. */
static unsigned long average_some(unsigned long n, bool *happened)
{
	struct lab     lab;
	struct figures f;
	lab_open(&lab, HELD_DEFAULT);
	lab_ask(&lab, "LOG advisory on every=10s value=average a/b/c");
	nomem_at(n);
	for (int k = 0; k < 35; k++) {
		bool logged = lab_value(&lab, "a/b/c", (k + 1) * INT64_C(1000000000), 1, (union number){ .gauge = k },
					KIND_GAUGE);
		if (logged && k == 20) /* both windows are whole by now, whatever failed before */
			assert_true(lab.value.gauge == 15.5);
	}
	*happened = nomem_off();
	logger_figures(lab.logger, &f);
	assert_int_equal(f.counted[COUNT_FAILED_OPEN], *happened);
	assert_int_equal(f.counted[COUNT_PASSED] + f.counted[COUNT_SUPPRESSED], 35);
	lab_close(&lab);
	return f.counted[COUNT_PASSED];
}

static void average__each_allocation_fails__that_value_passes_and_is_counted(void **state)
{
	(void)state;
	bool          happened = true;
	unsigned long n, all = average_some(0, &happened);
	assert_int_equal(all, 4);
	happened = true;
	for (n = 1; happened;
	     n++) /* one more when a value that is left out passes, or the grid begins with the second */
		assert_in_range(average_some(n, &happened), all, all + 1);
	assert_true(n > 7);
}

/* Without memory to list them newborn stay newborn: questions fail, and find them later. */
static void enquire__each_allocation_fails__says_so_or_tells_everything(void **state)
{
	(void)state;
	bool happened = true;
	for (unsigned long n = 1; happened; n++) {
		struct lab      lab;
		struct outcomes o = OUTCOMES_INIT;
		struct why      why;
		furnish(&lab);
		struct enquiry e = {
			.control = -1, .on = -1, .n_selectors = 1, .selectors = calloc(1, sizeof(*e.selectors))
		};
		e.selectors[0] = selector("h/p-*/t");
		nomem_at(n);
		enum err err = logger_enquire(lab.logger, &e, &lab.now, &o, &why);
		happened = nomem_off();
		assert_int_equal(err, happened ? ERR_NOMEM : OK);
		assert_int_equal(o.n_rows, happened ? 0 : INSTANCES);
		outcomes_fini(&o);
		assert_has(lab_ask(&lab, "ENQUIRE count=true \"h/p-*/t\""), "count=40");
		lab_close(&lab);
	}
}

static void no_notice(void *ctx, int severity, const char *text)
{
	(void)ctx;
	(void)severity;
	(void)text;
}

static void new__each_allocation_fails__no_logger_and_a_reason(void **state)
{
	(void)state;
	struct settings  s;
	char            *metrics[] = { (char *)"*/cpu-*/*", (char *)"own/load/load" };
	struct log_block block = { 1, { CONTROL_MANDATORY, STATE_OFF, { DELTA_NATIVE, 0 }, VALUE_LAST }, 2, metrics };
	const struct now now = { 1, 1, 1 };
	bool             happened = true;
	assert_int_equal(settings_init(&s), OK);
	s.logs = &block;
	s.n_logs = 1;
	for (unsigned long n = 1; happened; n++) {
		struct logger *lg = NULL;
		struct why     why = { "" };
		nomem_at(n);
		enum err err = logger_new(&lg, &s, "own", 1, &now, no_notice, NULL, &why);
		happened = nomem_off();
		assert_int_equal(err, happened ? ERR_NOMEM : OK);
		if (happened)
			assert_has(why.text, "out of memory");
		logger_free(lg);
	}
	s.logs = NULL;
	s.n_logs = 0;
	settings_fini(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(log__each_allocation_fails__nothing_changed),
		cmocka_unit_test(dry_run__each_allocation_fails__says_so),
		cmocka_unit_test(forget__each_allocation_fails__nothing_changed),
		cmocka_unit_test(tick__each_allocation_fails__entries_end_with_the_next_one),
		cmocka_unit_test(newcomer__each_allocation_fails__its_value_passes_and_is_counted),
		cmocka_unit_test(window__cannot_be_made__value_passes),
		cmocka_unit_test(average__each_allocation_fails__that_value_passes_and_is_counted),
		cmocka_unit_test(enquire__each_allocation_fails__says_so_or_tells_everything),
		cmocka_unit_test(new__each_allocation_fails__no_logger_and_a_reason),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
