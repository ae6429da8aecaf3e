/* logger - flags of single instances, and what a planner of reads is told of sources and their instances. */
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

static struct facts facts_of(struct lab *lab, const char *name)
{
	struct outcomes o = enquire(lab, name);
	struct facts    f = logger_facts(lab->logger, &o.rows[0], &lab->now);
	outcomes_fini(&o);
	return f;
}

/* A value from a source with a name and a configured interval, carrying that interval, now. */
static bool from_source(struct lab *lab, const char *name, const char *source, int64_t interval_s)
{
	union number  value = { .gauge = 1 };
	uint8_t       kind = KIND_GAUGE;
	struct sample s = { .ident = { name, (uint32_t)strlen(name), ident_hash(name, strlen(name)) },
			    .time_ns = lab->now.wall_ns,
			    .interval_ns = interval_s * 1000000000,
			    .arrival_ns = lab->now.arrival_ns,
			    .whence = { source, interval_s * 1000000000 },
			    .values = &value,
			    .kinds = &kind,
			    .n = 1 };
	return logger_value(lab->logger, &s).logged;
}

/* ---- flags ---- */

static void available__request_repeated__due_time_stays(void **state)
{
	struct lab *lab = *state;
	lab_ask(lab, "LOG advisory on every=100s a/b/c");
	lab_gauge(lab, "a/b/c", 10, 1); /* due again in 100 s */
	lab_advance(lab, 5);
	lab_ask(lab, "LOG advisory on every=100s a/b/c");
	lab_ask(lab, "LOG mandatory on every=100s a/b/c");
	lab_advance(lab, 100);
	assert_true(facts_of(lab, "a/b/c").available);
	lab_advance(lab, 10);
	assert_false(facts_of(lab, "a/b/c").available);
}

static void available__other_delta__due_one_source_interval_after_the_request(void **state)
{
	struct lab *lab = *state;
	lab_ask(lab, "LOG advisory on every=100s a/b/c");
	lab_gauge(lab, "a/b/c", 10, 1);
	lab_advance(lab, 5);
	lab_ask(lab, "LOG advisory on every=200s a/b/c");
	lab_advance(lab, 20);
	assert_true(facts_of(lab, "a/b/c").available);
	lab_advance(lab, 1);
	assert_false(facts_of(lab, "a/b/c").available);
}

/* A maybe that meets advisory off leaves the hold to an earlier maybe, and may replace that one. */
static void timed__maybe_replaced_by_a_longer_one__still_timed(void **state)
{
	struct lab *lab = *state;
	lab_gauge(lab, "a/b/c", 10, 1);
	lab_ask(lab, "LOG mandatory on a/b/c");
	lab_ask(lab, "LOG mandatory maybe for=10s a/b/c");
	assert_true(facts_of(lab, "a/b/c").timed);
	lab_ask(lab, "LOG mandatory maybe for=100s a/b/c");
	assert_int_equal(figures_of(lab).entries, 2);
	assert_true(facts_of(lab, "a/b/c").timed);
	lab_ask(lab, "LOG mandatory maybe a/b/c");
	assert_false(facts_of(lab, "a/b/c").timed);
}

/* ---- sources and needs ---- */

static void source__not_driven__its_interval_follows_the_values(void **state)
{
	struct lab *lab = *state;
	from_source(lab, "a/b/c", "cpu", 10);
	struct source *s = source_find(logger_sources(lab->logger), "cpu");
	assert_int_equal(s->configured_ns, INT64_C(10000000000));
	lab_advance(lab, 10);
	from_source(lab, "a/b/c", "cpu", 20);
	assert_int_equal(s->configured_ns, INT64_C(20000000000));
	atomic_store(&s->driven, true);
	lab_advance(lab, 10);
	from_source(lab, "a/b/c", "cpu", 1);
	assert_int_equal(s->configured_ns, INT64_C(20000000000));
	assert_true(facts_of(lab, "a/b/c").driven);
	assert_int_equal(facts_of(lab, "a/b/c").delta_ms, 20000);
}

static void source__read_faster__native_keeps_the_configured_pace(void **state)
{
	struct lab *lab = *state;
	int         logged = 0;
	from_source(lab, "a/b/c", "cpu", 10);
	struct source *s = source_find(logger_sources(lab->logger), "cpu");
	atomic_store(&s->driven, true);
	source_set_pace(s, INT64_C(10000000000));
	for (int i = 0; i < 100; i++) {
		lab_advance(lab, 1);
		logged += from_source(lab, "a/b/c", "cpu", 1);
	}
	assert_in_range(logged, 10, 11);
}

struct demand {
	int all, off, once;
};

static void need(void *ctx, struct held held, bool once_to_come)
{
	struct demand *n = ctx;
	n->all++;
	n->off += !held.on;
	n->once += once_to_come;
}

static struct demand needs_of(struct lab *lab, const char *source)
{
	struct demand n = { 0, 0, 0 };
	logger_each_need(lab->logger, source_find(logger_sources(lab->logger), source), need, &n);
	return n;
}

static void each_need__instances_of_that_source_alone__newborn_too(void **state)
{
	struct lab *lab = *state;
	from_source(lab, "a/b/1", "cpu", 10);
	from_source(lab, "a/b/2", "cpu", 10);
	from_source(lab, "a/b/3", "load", 10);
	lab_ask(lab, "LOG mandatory off a/b/1");
	lab_ask(lab, "LOG mandatory on every=once a/b/2");
	struct demand cpu = needs_of(lab, "cpu");
	assert_int_equal(cpu.all, 2);
	assert_int_equal(cpu.off, 1);
	assert_int_equal(cpu.once, 1);
	lab_advance(lab, 10);
	from_source(lab, "a/b/2", "cpu", 10);
	assert_int_equal(needs_of(lab, "cpu").once, 0);
	from_source(lab, "a/b/4", "cpu", 10);
	assert_int_equal(needs_of(lab, "cpu").all, 3);
	assert_int_equal(needs_of(lab, "load").all, 1);
}

/* The planner looks again exactly when the epoch goes up. */
static void epoch__what_needs_depend_on__goes_up(void **state)
{
	struct lab *lab = *state;
	uint64_t    epoch = logger_epoch(lab->logger), next;
	from_source(lab, "a/b/1", "cpu", 10);
	assert_true((next = logger_epoch(lab->logger)) > epoch);
	from_source(lab, "a/b/1", "cpu", 10);
	assert_int_equal(logger_epoch(lab->logger), next);
	lab_ask(lab, "LOG mandatory on every=once a/b/1");
	assert_true(logger_epoch(lab->logger) > next);
	next = logger_epoch(lab->logger);
	lab_advance(lab, 10);
	from_source(lab, "a/b/1", "cpu", 10);
	assert_true(logger_epoch(lab->logger) > next);
	next = logger_epoch(lab->logger);
	lab_advance(lab, 48 * 3600);
	assert_true(logger_epoch(lab->logger) > next);
}

int main(void)
{
#define IN_LAB(test) cmocka_unit_test_setup_teardown(test, open_lab, close_lab)
	const struct CMUnitTest tests[] = {
		IN_LAB(available__request_repeated__due_time_stays),
		IN_LAB(available__other_delta__due_one_source_interval_after_the_request),
		IN_LAB(timed__maybe_replaced_by_a_longer_one__still_timed),
		IN_LAB(source__not_driven__its_interval_follows_the_values),
		IN_LAB(source__read_faster__native_keeps_the_configured_pace),
		IN_LAB(each_need__instances_of_that_source_alone__newborn_too),
		IN_LAB(epoch__what_needs_depend_on__goes_up),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
