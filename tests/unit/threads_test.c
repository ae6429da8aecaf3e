/*
 * threads - the daemon's call pattern: many writers, values of one instance out of order, newcomers, requests and sweeps meanwhile.
 * Run under ThreadSanitizer too.
 */
#include <pthread.h>
#include <stdatomic.h>

#include "../fake/check.h"
#include "../fake/lab.h"

#define WRITERS 8
#define T0      INT64_C(1700000000)

struct crowd {
	struct lab   *lab;
	int           number;
	long          values;
	_Atomic long *logged; /* of the shared instance */
	atomic_bool  *stop;
};

static struct pass send(struct logger *lg, const char *name, int64_t time_ns, int64_t arrival_ns)
{
	union number  value = { .absolute = 1 };
	const uint8_t kind = KIND_ABSOLUTE;
	struct sample sample = { .ident = { name, (uint32_t)strlen(name), ident_hash(name, strlen(name)) },
				 .time_ns = time_ns,
				 .interval_ns = 1000000000,
				 .arrival_ns = arrival_ns,
				 .source = "crowd",
				 .values = &value,
				 .kinds = &kind,
				 .n = 1 };
	return logger_value(lg, &sample);
}

static void *write_values(void *arg)
{
	struct crowd *c = arg;
	uint64_t      seed = (uint64_t)c->number + 1;
	char          name[64];
	for (long i = 0; i < c->values; i++) {
		int64_t time_ns = (T0 + i) * 1000000000 + (int64_t)random_below(&seed, 1000000);
		if (send(c->lab->logger, "h/shared/x", time_ns, i).logged)
			atomic_fetch_add(c->logged, 1);
		snprintf(name, sizeof(name), "h/p-%u/x", random_below(&seed, 2000));
		send(c->lab->logger, name, time_ns, i);
	}
	return NULL;
}

static void crowd__requests_newcomers_and_sweeps_meanwhile__every_grid_point_once(void **state)
{
	struct lab   lab;
	pthread_t    threads[WRITERS];
	struct crowd crowd[WRITERS];
	_Atomic long logged = 0;
	long         values = times_from("LC_VALUES", 6000);
	(void)state;
	lab_open(&lab, HELD_DEFAULT);
	lab_ask(&lab, "LOG mandatory on every=10s h/shared/x");
	for (int i = 0; i < WRITERS; i++) {
		crowd[i] = (struct crowd){ &lab, i, values, &logged, NULL };
		assert_int_equal(pthread_create(&threads[i], NULL, write_values, &crowd[i]), 0);
	}
	for (int i = 0; i < 300; i++) {
		lab_ask(&lab, "LOG advisory %s \"h/p-%d*/x\"",
			i % 3 == 0   ? "off"
			: i % 3 == 1 ? "on every=2s"
				     : "on every=5s for=3",
			i % 10);
		lab_ask(&lab, "ENQUIRE \"h/p-*/x\"");
		if (i % 7 == 0)
			lab_ask(&lab, "FORGET all");
		if (i % 7 == 0)
			lab_ask(&lab, "LOG mandatory on every=10s h/shared/x");
		lab_advance(&lab, 0.5);
	}
	for (int i = 0; i < WRITERS; i++)
		pthread_join(threads[i], NULL);
	/* at most one record a grid point; FORGET gives native back for a moment, so each may let some through: bounded by that */
	assert_true(logged >= values / 10 - 1);
	lab_close(&lab);
}

static void grid__many_threads_one_instance__at_most_one_record_a_point(void **state)
{
	struct lab   lab;
	pthread_t    threads[WRITERS];
	struct crowd crowd[WRITERS];
	_Atomic long logged = 0;
	long         values = times_from("LC_VALUES", 6000);
	(void)state;
	lab_open(&lab, HELD_DEFAULT);
	lab_ask(&lab, "LOG mandatory on every=10s h/shared/x");
	for (int i = 0; i < WRITERS; i++) {
		crowd[i] = (struct crowd){ &lab, i, values, &logged, NULL };
		assert_int_equal(pthread_create(&threads[i], NULL, write_values, &crowd[i]), 0);
	}
	for (int i = 0; i < WRITERS; i++)
		pthread_join(threads[i], NULL);
	assert_true(logged <= values / 10 + 1);
	assert_true(logged > 0);
	lab_close(&lab);
}

/* Two instances are switched on and off by one request each time.  The reader asks for both in one go, again and again, from another
 * thread than the one that requests: it never sees them differ. */
struct pair {
	struct lab *lab;
	atomic_bool stop;
	long        looks, torn;
};

static void *watch_pair(void *arg)
{
	struct pair *p = arg;
	struct now   now = p->lab->now;
	while (!atomic_load(&p->stop)) {
		struct enquiry e = {
			.control = -1, .on = -1, .n_selectors = 1, .selectors = calloc(1, sizeof(struct selector *))
		};
		struct outcomes o = OUTCOMES_INIT;
		struct why      why;
		if (selector_parse(&e.selectors[0], "h/pair-*/x", 10, "own", &why) != OK ||
		    logger_enquire(p->lab->logger, &e, &now, &o, &why) != OK)
			break;
		p->looks++;
		p->torn += o.n_rows == 2 && o.rows[0].held.on != o.rows[1].held.on;
		outcomes_fini(&o);
	}
	return NULL;
}

static void request__seen_by_a_reader_of_states__whole_or_not_at_all(void **state)
{
	struct lab  lab;
	struct pair pair = { .lab = &lab };
	pthread_t   thread;
	(void)state;
	lab_open(&lab, HELD_DEFAULT);
	lab_gauge(&lab, "h/pair-a/x", 1, 1);
	lab_gauge(&lab, "h/pair-b/x", 1, 1);
	assert_int_equal(pthread_create(&thread, NULL, watch_pair, &pair), 0);
	for (int i = 0; i < 3000; i++)
		lab_ask(&lab, "LOG mandatory %s h/pair-a/x h/pair-b/x", i % 2 == 0 ? "off" : "on");
	atomic_store(&pair.stop, true);
	pthread_join(thread, NULL);
	assert_int_equal(pair.torn, 0);
	lab_close(&lab);
}

/* The same for values: B is judged after A by one thread.  Once A is off, B is off. */
static void *judge_pair(void *arg)
{
	struct pair *p = arg;
	for (int64_t i = 0; !atomic_load(&p->stop); i++) {
		bool a = send(p->lab->logger, "h/pair-a/x", (T0 + i) * 1000000000, i).logged;
		bool b = send(p->lab->logger, "h/pair-b/x", (T0 + i) * 1000000000, i).logged;
		p->looks++;
		p->torn += !a && b;
	}
	return NULL;
}

static void request__seen_by_values__is_one_step(void **state)
{
	(void)state;
	for (int round = 0; round < 200; round++) {
		struct lab  lab;
		struct pair pair = { .lab = &lab };
		pthread_t   thread;
		lab_open(&lab, HELD_DEFAULT);
		send(lab.logger, "h/pair-a/x", 1, 1);
		send(lab.logger, "h/pair-b/x", 1, 1);
		assert_int_equal(pthread_create(&thread, NULL, judge_pair, &pair), 0);
		lab_ask(&lab, "LOG mandatory off \"h/pair-*/x\"");
		atomic_store(&pair.stop, true);
		pthread_join(thread, NULL);
		assert_int_equal(pair.torn, 0);
		lab_close(&lab);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(grid__many_threads_one_instance__at_most_one_record_a_point),
		cmocka_unit_test(crowd__requests_newcomers_and_sweeps_meanwhile__every_grid_point_once),
		cmocka_unit_test(request__seen_by_a_reader_of_states__whole_or_not_at_all),
		cmocka_unit_test(request__seen_by_values__is_one_step),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
