/*
 * Requests over thousands of instances, newcomers and drops while values are judged: each request is one step, for those that
 * were there and for those born in the middle of it; nothing is counted twice or lost; nobody waits.  Run under ThreadSanitizer too.
 * One instance and its many writers: threads_test.
 *
 * By hand: LC_BIRTHS=1000000 prints the longest call while a million newcomers come; LC_ROUNDS for longer runs.
 */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <time.h>

#include "../fake/check.h"
#include "../fake/lab.h"

#define THREADS 4
#define KNOWN   3000
#define T0      INT64_C(1700000000)

struct crew {
	struct lab  *lab;
	int          number;
	unsigned     seed;
	atomic_bool *stop;
	long         sent, logged, torn;
	double       longest_ms;
};

static bool judge(struct logger *lg, const char *name, int64_t time_ns, int64_t arrival_ns)
{
	union number  value = { .gauge = 1 };
	const uint8_t kind = KIND_GAUGE;
	struct sample s = { .ident = { name, (uint32_t)strlen(name), ident_hash(name, strlen(name)) },
			    .time_ns = time_ns,
			    .interval_ns = 1000000000,
			    .arrival_ns = arrival_ns,
			    .whence.source = "crew",
			    .values = &value,
			    .kinds = &kind,
			    .n = 1 };
	return logger_value(lg, &s).logged;
}

static const char *known(char name[48], unsigned k)
{
	snprintf(name, 48, "h/known-%u/x", k);
	return name;
}

static void crew_start(struct crew *crew, pthread_t *threads, struct lab *lab, atomic_bool *stop, unsigned seed,
		       void *work(void *))
{
	for (int i = 0; i < THREADS; i++) {
		crew[i] = (struct crew){ .lab = lab, .number = i, .seed = seed, .stop = stop };
		assert_int_equal(pthread_create(&threads[i], NULL, work, &crew[i]), 0);
	}
}

static struct crew crew_end(struct crew *crew, pthread_t *threads, atomic_bool *stop)
{
	struct crew sum = { .sent = 0 };
	atomic_store(stop, true);
	for (int i = 0; i < THREADS; i++) {
		pthread_join(threads[i], NULL);
		sum.sent += crew[i].sent;
		sum.logged += crew[i].logged;
		sum.torn += crew[i].torn;
		if (crew[i].longest_ms > sum.longest_ms)
			sum.longest_ms = crew[i].longest_ms;
	}
	return sum;
}

/* ---- all or none ---- */

/* Judges known instances and newcomers in turn.  One request turns all of them off, so that after the first value that was
 * not logged none may be. */
static void *watch_for_off(void *arg)
{
	struct crew *c = arg;
	uint64_t     seed = c->seed * 16 + (unsigned)c->number;
	bool         off = false;
	char         name[48];
	for (; !atomic_load_explicit(c->stop, memory_order_relaxed); c->sent++) {
		if (c->sent % 4 == 0)
			snprintf(name, sizeof(name), "h/new-%d-%ld/x", c->number, c->sent);
		else
			known(name, random_below(&seed, KNOWN));
		bool logged = judge(c->lab->logger, name, (T0 + c->sent) * 1000000000, c->sent);
		c->torn += off && logged;
		off = off || !logged;
	}
	c->torn += judge(c->lab->logger, known(name, 0), (T0 + c->sent) * 1000000000, c->sent);
	return NULL;
}

/* The same for the way back: an entry that turned all of them off is forgotten. */
static void *watch_for_on(void *arg)
{
	struct crew *c = arg;
	uint64_t     seed = c->seed * 16 + (unsigned)c->number;
	bool         on = false;
	char         name[48];
	for (; !atomic_load_explicit(c->stop, memory_order_relaxed); c->sent++) {
		if (c->sent % 4 == 0)
			snprintf(name, sizeof(name), "h/new-%d-%ld/x", c->number, c->sent);
		else
			known(name, random_below(&seed, KNOWN));
		bool logged = judge(c->lab->logger, name, (T0 + c->sent) * 1000000000, c->sent);
		c->torn += on && !logged;
		on = on || logged;
	}
	c->torn += !judge(c->lab->logger, known(name, 0), (T0 + c->sent) * 1000000000, c->sent);
	return NULL;
}

static void open_known(struct lab *lab)
{
	char name[48];
	lab_open(lab, HELD_DEFAULT);
	for (unsigned k = 0; k < KNOWN; k++)
		judge(lab->logger, known(name, k), 1, 1);
}

/* Lets every thread judge some more values after what was asked last is in force. */
static void let_run(struct lab *lab, long values)
{
	struct figures f;
	logger_figures(lab->logger, &f);
	uint64_t until = f.counted[COUNT_PASSED] + f.counted[COUNT_SUPPRESSED] + (uint64_t)values;
	while (f.counted[COUNT_PASSED] + f.counted[COUNT_SUPPRESSED] < until) {
		sched_yield();
		logger_figures(lab->logger, &f);
	}
}

/* The patterns and the exact names of one request that select all there are, and all to come. */
static void switch_all(struct lab *lab, const char *what, unsigned round)
{
	char name[48];
	lab_ask(lab, "LOG mandatory %s \"h/new-*/x\" %s \"h/known-*/x\"", what, known(name, round));
}

static void request__thousands_and_newcomers__one_step_for_all(void **state)
{
	(void)state;
	long rounds = times_from("LC_ROUNDS", 12);
	for (unsigned round = 0; round < rounds; round++) {
		struct lab  lab;
		struct crew crew[THREADS];
		pthread_t   threads[THREADS];
		atomic_bool stop = false;
		open_known(&lab);
		crew_start(crew, threads, &lab, &stop, round, watch_for_off);
		let_run(&lab, 100 * THREADS);
		switch_all(&lab, "off", round);
		let_run(&lab, 500 * THREADS);
		assert_int_equal(crew_end(crew, threads, &stop).torn, 0);
		stop = false;
		crew_start(crew, threads, &lab, &stop, round, watch_for_on);
		let_run(&lab, 100 * THREADS);
		lab_ask(&lab, "FORGET all");
		let_run(&lab, 500 * THREADS);
		assert_int_equal(crew_end(crew, threads, &stop).torn, 0);
		lab_close(&lab);
	}
}

static _Atomic long batch; /* moved by the test, read by its threads */

#define BIRTHS \
	40 /* of each thread in each batch: an endless stream would fill the table, and then values pass unknown */

static void *some_newcomers(void *arg)
{
	struct crew *c = arg;
	char         name[64];
	for (long mine = -1, born = 0; !atomic_load_explicit(c->stop, memory_order_relaxed); c->sent++) {
		long now = atomic_load(&batch);
		born = now == mine ? born : 0;
		mine = now;
		snprintf(name, sizeof(name), "h/b-%ld-%d-%ld/x", now, c->number, born < BIRTHS ? born++ : 0);
		judge(c->lab->logger, name, T0 * 1000000000, c->sent);
	}
	return NULL;
}

/* How many instances `pattern` selects, and how many of them are on. */
static void count_on(struct lab *lab, const char *pattern, size_t *all, size_t *on)
{
	struct enquiry e = {
		.control = -1, .on = -1, .n_selectors = 1, .selectors = calloc(1, sizeof(struct selector *))
	};
	struct outcomes o = OUTCOMES_INIT;
	struct why      why;
	assert_int_equal(selector_parse(&e.selectors[0], pattern, strlen(pattern), "own", &why), OK);
	assert_int_equal(logger_enquire(lab->logger, &e, &lab->now, &o, &why), OK);
	*on = *all = 0;
	for (size_t r = 0; r < o.n_rows; r++) {
		*all += o.rows[r].instance != NULL;
		*on += o.rows[r].instance != NULL && o.rows[r].held.on;
	}
	outcomes_fini(&o);
}

/* Whoever is born before, during or after a request for all holds what it asked for. */
static void newcomers__born_around_a_request__hold_what_it_asked_for(void **state)
{
	(void)state;
	struct lab  lab;
	struct crew crew[THREADS];
	pthread_t   threads[THREADS];
	atomic_bool stop = false;
	char        pattern[32];
	size_t      least = SIZE_MAX, wrong = 0;
	lab_open(&lab, HELD_DEFAULT);
	crew_start(crew, threads, &lab, &stop, 0, some_newcomers);
	for (int i = 0; i < times_from("LC_ROUNDS", 12) * 10; i++) {
		size_t all, on;
		if (i % 16 == 0) /* or newcomers would be folded ever slower */
			lab_ask(&lab, "FORGET all");
		atomic_store(&batch, i);
		let_run(&lab, 4 * THREADS);
		lab_ask(&lab, "LOG mandatory %s \"*/b-%d-*/x\" \"h/b-*/?\"", i % 2 == 0 ? "off" : "on", i);
		snprintf(pattern, sizeof(pattern), "h/b-%d-*/x", i);
		count_on(&lab, pattern, &all, &on);
		least = all < least ? all : least;
		wrong += i % 2 == 0 ? on : all - on;
	}
	crew_end(crew, threads, &stop);
	assert_true(least > 0);
	assert_int_equal(wrong, 0);
	lab_close(&lab);
}

/* ---- births and deaths ---- */

static _Atomic int64_t arrival_ns; /* moved by the test, read by its threads */

/* Few names at a time, other ones later: what is left behind grows old and is dropped while others are judged. */
static void *wander(void *arg)
{
	struct crew *c = arg;
	uint64_t     seed = (unsigned)c->number + 1;
	char         name[48];
	for (; !atomic_load_explicit(c->stop, memory_order_relaxed); c->sent++) {
		int64_t now_ns = atomic_load(&arrival_ns);
		snprintf(name, sizeof(name), "h/w-%u/x",
			 (unsigned)(now_ns / 1000000000 % 20) * 50 + random_below(&seed, 50));
		c->logged += judge(c->lab->logger, name, T0 * 1000000000 + now_ns + c->sent, now_ns);
	}
	return NULL;
}

static void drops__while_values_are_judged__every_value_is_counted(void **state)
{
	(void)state;
	struct lab  lab = { .reply = NULL };
	struct crew crew[THREADS];
	pthread_t   threads[THREADS];
	atomic_bool stop = false;
	assert_int_equal(settings_init(&lab.settings), OK);
	lab.settings.history_ms = 1000;
	lab.settings.def = HELD_DEFAULT;
	lab_start(&lab);
	lab_ask(&lab, "LOG advisory on every=5s value=average \"*/w-*3/x\"");
	atomic_store(&arrival_ns, lab.now.arrival_ns);
	crew_start(crew, threads, &lab, &stop, 0, wander);
	size_t least = SIZE_MAX, most = 0;
	for (int i = 0; i < times_from("LC_ROUNDS", 12) * 5; i++) {
		let_run(&lab, 400);
		lab_advance(&lab, 1);
		atomic_store(&arrival_ns, lab.now.arrival_ns);
		if (i % 7 == 0)
			lab_ask(&lab, "LOG advisory %s for=3s \"h/w-*7/x\"", i % 2 == 0 ? "off" : "on");
		struct figures f;
		logger_figures(lab.logger, &f);
		least = i > 20 && f.instances < least ? f.instances : least;
		most = f.instances > most ? f.instances : most;
	}
	struct crew    sum = crew_end(crew, threads, &stop);
	struct figures f;
	logger_figures(lab.logger, &f);
	assert_int_equal(f.counted[COUNT_PASSED] + f.counted[COUNT_SUPPRESSED], sum.sent);
	assert_int_equal(f.counted[COUNT_PASSED], sum.logged);
	assert_int_equal(f.counted[COUNT_FAILED_OPEN], 0);
	assert_true(most < 1000); /* of the 1000 names only those of the last some ten seconds are there at a time */
	assert_true(least > 0);
	lab_close(&lab);
}

/* Each thread has names of its own, all at once; there is room for some. */
static void *crowd_in(void *arg)
{
	struct crew *c = arg;
	char         name[48];
	for (; c->sent < 400; c->sent++) {
		snprintf(name, sizeof(name), "h/in-%d-%ld/x", c->number, c->sent);
		c->logged += judge(c->lab->logger, name, T0 * 1000000000, 1);
	}
	return NULL;
}

static void newcomers__more_than_max_instances__the_rest_passes_and_is_counted(void **state)
{
	(void)state;
	struct lab  lab = { .reply = NULL };
	struct crew crew[THREADS];
	pthread_t   threads[THREADS];
	atomic_bool stop = false;
	assert_int_equal(settings_init(&lab.settings), OK);
	lab.settings.max_instances = 500;
	lab_start(&lab);
	lab_ask(&lab, "LOG mandatory off \"*/*/*\"");
	crew_start(crew, threads, &lab, &stop, 0, crowd_in);
	struct crew    sum = crew_end(crew, threads, &stop);
	struct figures f;
	logger_figures(lab.logger, &f);
	assert_int_equal(f.instances, 500);
	assert_int_equal(sum.logged, sum.sent - 500);
	assert_int_equal(f.counted[COUNT_FAILED_OPEN], sum.logged);
	assert_int_equal(f.counted[COUNT_SUPPRESSED], 500);
	lab_close(&lab);
}

/* ---- the longest call ---- */

static double now_ms(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

/* Known instances alone: how long does the longest call take while others are born and requests are made? */
static void *measure_known(void *arg)
{
	struct crew *c = arg;
	uint64_t     seed = (unsigned)c->number + 1;
	char         name[48];
	for (; !atomic_load_explicit(c->stop, memory_order_relaxed); c->sent++) {
		known(name, random_below(&seed, KNOWN));
		double from = now_ms();
		judge(c->lab->logger, name, (T0 + c->sent) * 1000000000, c->sent);
		double took = now_ms() - from;
		c->longest_ms = took > c->longest_ms ? took : c->longest_ms;
	}
	return NULL;
}

static void births__very_many__values_go_on(void **state)
{
	(void)state;
	struct lab  lab;
	struct crew crew;
	pthread_t   thread;
	atomic_bool stop = false;
	char        name[64];
	double      longest_ms = 0;
	long        births = times_from("LC_BIRTHS", 20000);
	open_known(&lab);
	crew = (struct crew){ .lab = &lab, .stop = &stop };
	assert_int_equal(pthread_create(&thread, NULL, measure_known, &crew), 0);
	for (long k = 0; k < births; k++) {
		snprintf(name, sizeof(name), "web%ld.example.net/cpu-%ld/cpu-idle", k % 1000, k / 1000);
		double from = now_ms();
		judge(lab.logger, name, T0 * 1000000000, 1);
		double took = now_ms() - from;
		longest_ms = took > longest_ms ? took : longest_ms;
	}
	double from = now_ms();
	logger_tick(lab.logger, &lab.now, NULL);
	double listed = now_ms();
	switch_all(&lab, "on every=10s", 1);
	lab_ask(&lab, "LOG advisory on every=20s dryrun=true \"*/*/nothing\"");
	double asked = now_ms();
	atomic_store(&stop, true);
	pthread_join(thread, NULL);
	print_message("births: %ld, longest %.3f ms; listed in %.0f ms; asked in %.0f ms; longest other call meanwhile "
		      "%.3f ms\n",
		      births, longest_ms, listed - from, asked - listed, crew.longest_ms);
	struct figures f;
	logger_figures(lab.logger, &f);
	assert_int_equal(f.instances, KNOWN + births);
	assert_int_equal(f.counted[COUNT_PASSED] + f.counted[COUNT_SUPPRESSED], KNOWN + births + crew.sent);
	lab_close(&lab);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(request__thousands_and_newcomers__one_step_for_all),
		cmocka_unit_test(newcomers__born_around_a_request__hold_what_it_asked_for),
		cmocka_unit_test(drops__while_values_are_judged__every_value_is_counted),
		cmocka_unit_test(newcomers__more_than_max_instances__the_rest_passes_and_is_counted),
		cmocka_unit_test(births__very_many__values_go_on),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
