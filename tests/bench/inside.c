/*
 * inside - a plugin for the real daemon that measures where values are judged: through the host's own function pointers.
 *
 * Role     value lists are handed to the host's chains, over names like real ones: to ours, to the floor (floor.h), to match_regex and target_set,
 *          to a target that does nothing; and to uc_update(), which every value costs that the gate lets into the cache.  What the loop and the
 *          host's chain cost is taken off: all figures are net.  Rounds of all are taken in turns.  Where no figure says otherwise, in random
 *          order: in the order of birth, as read functions send them, the processor fetches ahead by itself.
 * Threads  a read thread of the host drives; the measured ones are its own.
 * Input    LC_NAMES: how many; LC_SOCKET: our socket; LC_FIGURES: where the figures go; LC_BENCH=long.
 */
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "collectd.h"

#include "filter_chain.h"
#include "plugin.h"
#include "utils_cache.h"

#include "dial.h"
#include "figures.h"
#include "floor.h"
#include "names.h"

#define THREADS_MAX 16
#define STEP_S      10

enum way { LOOP, NOTHING, FLOOR, OURS, CACHE, SET, REGEX_1, REGEX_10, REGEX_100, REGEX_1000, WAYS };

static const char *const chains[WAYS] = {
	[NOTHING] = "bench_nothing",     [FLOOR] = "bench_floor",
	[OURS] = "log_control_precache", [SET] = "bench_set",
	[REGEX_1] = "bench_regex_1",     [REGEX_10] = "bench_regex_10",
	[REGEX_100] = "bench_regex_100", [REGEX_1000] = "bench_regex_1000",
};

static struct {
	size_t        n;
	struct name  *names;
	struct floor *floor;
	fc_chain_t   *chain[WAYS];
	time_t        now; /* of the next value lists */
	bool          lone;
	atomic_size_t wrong;
} bench;

static data_source_t    source = { "value", DS_TYPE_DERIVE, 0, 0 };
static const data_set_t set = { "derive", 1, &source };

/* ---- measuring ---- */

struct job {
	pthread_t id;
	enum way  way;
	size_t    first, step, end, passes;
	time_t    time;
	double    cpu_s;
};

static void value(enum way way, value_list_t *vl)
{
	if (way == CACHE)
		uc_update(&set, vl);
	else if (way != LOOP)
		fc_process_chain(&set, vl, bench.chain[way]);
}

static void *work(void *arg)
{
	struct job  *j = arg;
	value_t      v = { .derive = 1 };
	value_list_t vl = VALUE_LIST_INIT;
	atomic_int   fence = 0;
	double       start = thread_cpu_s();
	vl.values = &v;
	vl.values_len = 1;
	for (size_t p = 0; p < j->passes; p++) {
		for (size_t i = j->first; i < j->end; i += j->step) {
			name_set(&vl, &bench.names[i]);
			vl.time = TIME_T_TO_CDTIME_T(j->time + (time_t)p * STEP_S);
			vl.interval = TIME_T_TO_CDTIME_T(STEP_S);
			if (bench.lone)
				atomic_fetch_add(&fence, 1);
			__asm__ volatile("" : : "r"(&vl) : "memory");
			value(j->way, &vl);
		}
	}
	j->cpu_s = thread_cpu_s() - start;
	return NULL;
}

/* At least so many values a round, so that the clock does for it; of what is dear, no more. */
static const size_t values_of[WAYS] = {
	[LOOP] = 400000, [NOTHING] = 400000, [FLOOR] = 400000,   [OURS] = 400000,    [CACHE] = 100000,
	[SET] = 100000,  [REGEX_1] = 50000,  [REGEX_10] = 20000, [REGEX_100] = 2000, [REGEX_1000] = 100,
};

/* CPU time of a value, in nanoseconds, on `threads` threads at once; *wall_ns: what a value took of the clock on the wall. */
static double measure(enum way way, size_t threads, double *wall_ns)
{
	bool       dear = way >= CACHE && values_of[way] < bench.n;
	size_t     end = dear ? values_of[way] : bench.n, passes = dear ? 1 : values_of[way] / bench.n + 1;
	struct job jobs[THREADS_MAX];
	double     cpu_s = 0, start = wall_s(), values = (double)passes * (double)end;
	for (size_t t = 0; t < threads; t++) {
		jobs[t] = (struct job){
			.way = way, .first = t, .step = threads, .end = end, .passes = passes, .time = bench.now
		};
		if (pthread_create(&jobs[t].id, NULL, work, &jobs[t]) != 0)
			abort();
	}
	for (size_t t = 0; t < threads; t++) {
		pthread_join(jobs[t].id, NULL);
		cpu_s += jobs[t].cpu_s;
	}
	bench.now += (time_t)passes * STEP_S;
	if (wall_ns != NULL)
		*wall_ns = (wall_s() - start) * 1e9 / values;
	return cpu_s * 1e9 / values;
}

static size_t rounds(void)
{
	if (bench.n >= 1000000)
		return bench_is_long() ? 9 : 3;
	return bench_is_long() ? 21 : 7;
}

struct table_of_series {
	struct series of[WAYS];
};

/* Rounds of all `ways` in turns, net of what the host's loop costs. */
static void rounds_of(struct table_of_series *t, const enum way *ways, size_t n, size_t threads)
{
	memset(t, 0, sizeof(*t));
	for (size_t r = 0; r < rounds(); r++) {
		double loop = measure(LOOP, threads, NULL), nothing = measure(NOTHING, threads, NULL);
		series_add(&t->of[NOTHING], nothing - loop);
		for (size_t w = 0; w < n; w++)
			series_add(&t->of[ways[w]],
				   measure(ways[w], threads, NULL) - (ways[w] == CACHE ? loop : nothing));
	}
}

static void figure_of(const char *what, size_t threads, const struct series *s, const char *peer,
		      const struct series *p)
{
	char name[100];
	snprintf(name, sizeof(name), "%s_%zu_names_%zu_threads", what, bench.n, threads);
	figure(name, s, "ns/value", peer, p);
}

/* ---- requests ---- */

/* Sends one line, reads the reply to its end; an error is shown and ends the run. */
static void request(const char *line)
{
	static char text[1 << 16];
	int         fd = dial(getenv("LC_SOCKET"));
	size_t      sent = 0, len = strlen(line);
	while (sent < len)
		sent += (size_t)write(fd, line + sent, len - sent);
	shutdown(fd, SHUT_WR);
	ssize_t n, total = 0;
	while ((n = read(fd, text, sizeof(text))) > 0) {
		if (total == 0 && text[0] == '-') {
			printf("# %.100s: %.200s\n", line, text);
			abort();
		}
		total += n;
	}
	close(fd);
}

/* One entry of `n` selectors, none of which selects a name that there is. */
static void rules_add(size_t from, size_t n)
{
	char  *line = malloc(64 + n * 32);
	size_t len = (size_t)sprintf(line, "LOG advisory on every=20s");
	for (size_t i = from; i < from + n; i++)
		len += (size_t)sprintf(line + len, " \"h%06zu/none/gauge\"", i);
	memcpy(line + len, "\n", 2);
	request(line);
	free(line);
}

/* ---- the figures ---- */

static void figures_in_order(void)
{
	static const enum way  ways[] = { FLOOR, OURS };
	struct table_of_series t;
	rounds_of(&t, ways, 2, 1);
	figure_of("value_in_order", 1, &t.of[OURS], "floor", &t.of[FLOOR]);
}

static void figures_of_mix(size_t threads)
{
	static const enum way  ways[] = { FLOOR, OURS, CACHE, SET, REGEX_1, REGEX_10, REGEX_100, REGEX_1000 };
	struct table_of_series t;
	rounds_of(&t, ways, sizeof(ways) / sizeof(*ways), threads);
	figure_of("host_chain", threads, &t.of[NOTHING], NULL, NULL);
	figure_of("value", threads, &t.of[OURS], "floor", &t.of[FLOOR]);
	figure_of("cache_update", threads, &t.of[CACHE], "floor", &t.of[FLOOR]);
	figure_of("target_set", threads, &t.of[SET], "value", &t.of[OURS]);
	figure_of("regex_1", threads, &t.of[REGEX_1], "value", &t.of[OURS]);
	figure_of("regex_10", threads, &t.of[REGEX_10], "value", &t.of[OURS]);
	figure_of("regex_100", threads, &t.of[REGEX_100], "value", &t.of[OURS]);
	figure_of("regex_1000", threads, &t.of[REGEX_1000], "value", &t.of[OURS]);
}

static void figures_of_lone(void)
{
	static const enum way  ways[] = { FLOOR, OURS };
	struct table_of_series t;
	bench.lone = true;
	rounds_of(&t, ways, 2, 1);
	bench.lone = false;
	figure_of("lone_value", 1, &t.of[OURS], "floor", &t.of[FLOOR]);
}

/* How one thread's throughput compares with that of several, by CPU time and by the clock on the wall; the floor's beside it, since two processors
 * of a virtual machine may be one. */
static void figures_of_threads(enum way way, const char *what, size_t threads)
{
	struct series one = { 0 }, many = { 0 }, one_wall = { 0 }, many_wall = { 0 };
	char          name[40];
	double        wall_ns;
	for (size_t r = 0; r < rounds(); r++) {
		series_add(&one, measure(way, 1, &wall_ns));
		series_add(&one_wall, wall_ns);
		series_add(&many, measure(way, threads, &wall_ns));
		series_add(&many_wall, wall_ns);
	}
	snprintf(name, sizeof(name), "%s_cpu", what);
	figure_of(name, threads, &many, "one_thread", &one);
	snprintf(name, sizeof(name), "%s_wall", what);
	figure_of(name, threads, &many_wall, "one_thread", &one_wall);
}

static void figures_of_rules(void)
{
	static const enum way  ways[] = { FLOOR, OURS };
	static const size_t    more[] = { 7, 990, 99000 };
	struct table_of_series none, some;
	size_t                 rules = 3;
	char                   what[40];
	rounds_of(&none, ways, 2, 1);
	for (size_t k = 0; k < 3; k++) {
		for (size_t from = 0; from < more[k]; from += 20000)
			rules_add(rules + from, more[k] - from < 20000 ? more[k] - from : 20000);
		rules += more[k];
		rounds_of(&some, ways, 2, 1);
		snprintf(what, sizeof(what), "value_under_%zu_rules", rules);
		figure_of(what, 1, &some.of[OURS], "floor", &some.of[FLOOR]);
	}
	figure_of("value_under_3_rules", 1, &none.of[OURS], "floor", &none.of[FLOOR]);
}

static void figures_of_suppress(size_t threads)
{
	static const enum way  ways[] = { FLOOR, OURS, CACHE };
	struct table_of_series t;
	rounds_of(&t, ways, 3, threads);
	figure_of("suppress", threads, &t.of[OURS], "cache_update", &t.of[CACHE]);
	figure_of("suppress", threads, &t.of[OURS], "floor", &t.of[FLOOR]);
}

/* What the first value of each name costs. */
static double first_values(enum way way)
{
	struct job j = { .way = way, .step = 1, .end = bench.n, .passes = 1, .time = bench.now };
	work(&j);
	bench.now += STEP_S;
	return j.cpu_s * 1e9 / (double)bench.n;
}

static void run(void)
{
	for (enum way w = NOTHING; w < WAYS; w++) {
		if (chains[w] != NULL)
			bench.chain[w] = fc_chain_get_by_name(chains[w]);
	}
	request("LOG advisory on every=60s \"*/*/*-e*\"\n");
	request("LOG advisory off \"*/*/*-f*\"\n");
	request("LOG advisory on every=once \"*/*/*-o*\"\n");
	bench.n = (size_t)atol(getenv("LC_NAMES"));
	bench.names = names_new(bench.n);
	bench.floor = floor_new(bench.n);
	bench.now = 1700000000;
	value_list_t vl = VALUE_LIST_INIT;
	for (size_t i = 0; i < bench.n; i++) {
		name_set(&vl, &bench.names[i]);
		floor_add(bench.floor, &vl);
	}
	printf("# first values: %.0f ns, first cache updates: %.0f ns\n", first_values(OURS), first_values(CACHE));
	first_values(FLOOR);
	const char *only = getenv("LC_ONLY");
	figures_in_order();
	names_shuffle(bench.names, bench.n);
	for (int k = 0; only != NULL && only[0] == 'p' && k < 40; k++)
		measure(OURS, 1, NULL);
	if (only == NULL || strchr(only, 'm') != NULL)
		figures_of_mix(1);
	if (only == NULL || strchr(only, 'l') != NULL)
		figures_of_lone();
	if (only == NULL || strchr(only, 't') != NULL) {
		figures_of_threads(FLOOR, "floor", 2);
		figures_of_threads(OURS, "value", 2);
		figures_of_threads(OURS, "value", 16);
	}
	if (only == NULL || strchr(only, 'r') != NULL)
		figures_of_rules();
	if (only == NULL || strchr(only, 's') != NULL) {
		request("LOG mandatory off \"*/*/*\"\n");
		figures_of_suppress(1);
		figures_of_suppress(2);
	}
	printf("# wrong: %zu\n", atomic_load(&bench.wrong));
}

/* ---- the plugin ---- */

static int nothing_create(const oconfig_item_t *ci, void **user_data)
{
	(void)ci;
	*user_data = NULL;
	return 0;
}

static int nothing_invoke(const data_set_t *ds, value_list_t *vl, notification_meta_t **meta, void **user_data)
{
	(void)ds;
	(void)vl;
	(void)meta;
	(void)user_data;
	return FC_TARGET_CONTINUE;
}

static int floor_invoke(const data_set_t *ds, value_list_t *vl, notification_meta_t **meta, void **user_data)
{
	(void)ds;
	(void)meta;
	(void)user_data;
	if (!floor_find(bench.floor, vl))
		atomic_fetch_add(&bench.wrong, 1);
	return FC_TARGET_CONTINUE;
}

static int inside_read(user_data_t *user_data)
{
	static atomic_bool begun;
	(void)user_data;
	if (atomic_exchange(&begun, true))
		return 0;
	if (freopen(getenv("LC_FIGURES"), "w", stdout) == NULL)
		abort();
	run();
	fflush(stdout);
	kill(getpid(), SIGTERM);
	return 0;
}

void module_register(void);
void module_register(void)
{
	target_proc_t nothing = { nothing_create, NULL, nothing_invoke },
		      floor = { nothing_create, NULL, floor_invoke };
	fc_register_target("bench_nothing", nothing);
	fc_register_target("bench_floor", floor);
	plugin_register_complex_read(NULL, "inside", inside_read, TIME_T_TO_CDTIME_T(3600), NULL);
}
