/*
 * threads - the daemon's call pattern: eight writers with values of one instance, out of order, newcomers, requests, entries that end,
 * and the state file written and compacted meanwhile.  Run under ThreadSanitizer too.
 *
 * What requests over thousands of instances, births and drops do: logger_threads_test.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <sys/stat.h>

#include "../fake/check.h"
#include "../fake/lab.h"
#include "../fake/saved.h"

#define WRITERS   8
#define GRID_S    10
#define POINTS    (1 << 20)
#define SECOND_NS INT64_C(1000000000)
#define T0_NS     (INT64_C(1700000000) * SECOND_NS)

/* What became of the shared instance's values. */
struct crowd {
	struct lab      *lab;
	atomic_bool      stop;
	long             enough; /* values of each writer, if it is not stopped before */
	_Atomic long     sent, n;
	_Atomic uint64_t sum;          /* what the logged values carried */
	int64_t          when[POINTS]; /* the time stamps of the logged ones */
};

struct writer {
	struct crowd *crowd;
	int           number;
};

static bool send_one(struct logger *lg, const char *name, int64_t time_ns, int64_t arrival_ns, uint64_t *out)
{
	union number  value = { .absolute = 1 };
	const uint8_t kind = KIND_ABSOLUTE;
	struct sample sample = { .ident = { name, (uint32_t)strlen(name), ident_hash(name, strlen(name)) },
				 .time_ns = time_ns,
				 .interval_ns = SECOND_NS,
				 .arrival_ns = arrival_ns,
				 .whence.source = "crowd",
				 .values = &value,
				 .kinds = &kind,
				 .n = 1 };
	bool          logged = logger_value(lg, &sample).logged;
	*out = value.absolute;
	return logged;
}

static void send_shared(struct crowd *c, int64_t time_ns, int64_t arrival_ns)
{
	uint64_t out;
	atomic_fetch_add(&c->sent, 1);
	if (!send_one(c->lab->logger, "h/shared/x", time_ns, arrival_ns, &out))
		return;
	atomic_fetch_add(&c->sum, out);
	c->when[atomic_fetch_add(&c->n, 1)] = time_ns;
}

/* One value a second, each third one followed by one that is some seconds late.  No two have the same time stamp. */
static void *write_values(void *arg)
{
	const struct writer *w = arg;
	struct crowd        *c = w->crowd;
	uint64_t             seed = (uint64_t)w->number + 1, out;
	char                 name[64];
	for (long i = 0; i < c->enough && c->n < POINTS - 4 * WRITERS && !atomic_load(&c->stop); i++) {
		int64_t time_ns = T0_NS + i * SECOND_NS + w->number;
		send_shared(c, time_ns, i);
		if (i % 3 == 0)
			send_shared(c, time_ns - random_below(&seed, 20) * SECOND_NS + (i % 1000000 + 1) * WRITERS, i);
		snprintf(name, sizeof(name), "h/p-%u/x", random_below(&seed, 300));
		send_one(c->lab->logger, name, time_ns, i, &out);
	}
	return NULL;
}

static struct crowd *crowd_open(struct lab *lab, long enough)
{
	struct crowd *c = calloc(1, sizeof(*c));
	assert_non_null(c);
	c->lab = lab;
	c->enough = enough;
	lab_ask(lab, "LOG mandatory on every=%ds h/shared/x", GRID_S);
	return c;
}

static void crowd_start(struct crowd *c, pthread_t threads[WRITERS], struct writer writers[WRITERS])
{
	for (int i = 0; i < WRITERS; i++) {
		writers[i] = (struct writer){ c, i };
		assert_int_equal(pthread_create(&threads[i], NULL, write_values, &writers[i]), 0);
	}
}

static int time_compare(const void *left, const void *right)
{
	const int64_t *a = left, *b = right;
	return *a < *b ? -1 : *a > *b;
}

/* Each grid point was served once, none is missing, and each value is part of one sum. */
static void crowd_close(struct crowd *c, pthread_t threads[WRITERS])
{
	long points = 0;
	for (int i = 0; i < WRITERS; i++)
		pthread_join(threads[i], NULL);
	send_shared(c, T0_NS + 100000000 * SECOND_NS, 0); /* takes along what was gathered last */
	qsort(c->when, (size_t)c->n, sizeof(*c->when), time_compare);
	for (; points < c->n - 1; points++) { /* half an interval of the source early still counts for the point */
		int64_t since_ns = c->when[points] - c->when[0] + SECOND_NS / 2;
		assert_int_equal(since_ns / (GRID_S * SECOND_NS), points);
	}
	assert_true(points > 1);
	assert_int_equal(c->sum, c->sent);
	free(c);
}

static void grid__many_threads_one_instance__each_point_once_and_nothing_lost(void **state)
{
	struct lab    lab;
	pthread_t     threads[WRITERS];
	struct writer writers[WRITERS];
	(void)state;
	lab_open(&lab, HELD_DEFAULT);
	struct crowd *c = crowd_open(&lab, times_from("LC_VALUES", 6000));
	crowd_start(c, threads, writers);
	crowd_close(c, threads);
	lab_close(&lab);
}

static ino_t state_inode(void)
{
	struct stat st;
	return stat(saved_path, &st) == 0 ? st.st_ino : 0;
}

/* Requests of all kinds until the state file was compacted (or more often, by hand) and there were values enough. */
static void make_requests(struct crowd *c, long values)
{
	ino_t seen = state_inode();
	long  compactions = times_from("LC_COMPACTIONS", 1);
	for (long i = 0; compactions > 0 || atomic_load(&c->sent) < values; i++) {
		lab_ask(c->lab, "LOG advisory %s \"h/p-%ld*/x\"",
			i % 3 == 0   ? "off"
			: i % 3 == 1 ? "on every=2s"
				     : "on every=5s value=max for=3",
			i % 10);
		if (i % 20 == 0)
			assert_has(lab_ask(c->lab, "ENQUIRE \"h/p-*/x\""), " Values");
		if (i % 7 == 0)
			assert_has(lab_ask(c->lab, "FORGET all"), " Forgotten");
		if (i % 10 == 0) /* each waits for a grace period */
			lab_advance(c->lab, 4);
		compactions -= state_inode() != seen;
		seen = state_inode();
	}
}

static void crowd__requests_ends_and_compaction_meanwhile__each_point_once_and_nothing_lost(void **state)
{
	struct lab    lab;
	pthread_t     threads[WRITERS];
	struct writer writers[WRITERS];
	(void)state;
	saved_lab(&lab);
	struct crowd *c = crowd_open(&lab, INT32_MAX);
	lab.rights = RIGHT_ENQUIRE | RIGHT_ADVISORY; /* FORGET leaves the grid of the shared instance alone */
	crowd_start(c, threads, writers);
	make_requests(c, times_from("LC_VALUES", 6000) * WRITERS);
	atomic_store(&c->stop, true);
	crowd_close(c, threads);
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(grid__many_threads_one_instance__each_point_once_and_nothing_lost),
		cmocka_unit_test_setup_teardown(
			crowd__requests_ends_and_compaction_meanwhile__each_point_once_and_nothing_lost, saved_setup,
			saved_teardown),
		cmocka_unit_test(request__seen_by_a_reader_of_states__whole_or_not_at_all),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
