/* watch - see watch.h. */
#include "watch.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "figures.h"

#define LONG_S   20e-6 /* worth a look at why */
#define LIMIT_S  1e-3
#define LENGTHS  (1 << 20)
#define PRESSURE 16 /* calls between two looks at how often the thread was put off */

/* What was measured of calls of one kind: of all, and of those during which the thread was not put off the processor. */
struct lengths {
	size_t calls, preempted, over;
	double longest_s, longest_undisturbed_s;
	float *last_s; /* of undisturbed calls, the last LENGTHS of them */
};

struct watch {
	struct logger *logger;
	char *const   *names;
	size_t         n;
	pthread_t      thread;
	atomic_bool    stop;
	/* its own */
	long           times_preempted;
	struct lengths value, nothing;
	uint64_t       sink;
};

static long times_preempted(void)
{
	struct rusage r;
	getrusage(RUSAGE_THREAD, &r);
	return r.ru_nivcsw;
}

/* Takes about as long as a value and touches nothing that others do: what the machine alone does to a call. */
static double do_nothing(struct watch *w, size_t i)
{
	const char *name = w->names[i % w->n];
	double      start = wall_s();
	for (int k = 0; k < 4; k++)
		w->sink += ident_hash(name, strlen(name));
	return wall_s() - start;
}

static double call(struct watch *w, size_t i)
{
	const char   *name = w->names[i % w->n];
	uint8_t       kind = KIND_DERIVE;
	union number  value = { .derive = 1 };
	double        start = wall_s();
	struct sample s = { .ident = { name, (uint32_t)strlen(name), 0 },
			    .time_ns = (int64_t)(1800000000 + i) * 1000000000,
			    .interval_ns = INT64_C(10000000000),
			    .arrival_ns = (int64_t)(start * 1e9),
			    .whence.source = "bench",
			    .values = &value,
			    .kinds = &kind,
			    .n = 1 };
	s.ident.hash = ident_hash(name, s.ident.len);
	logger_value(w->logger, &s);
	return wall_s() - start;
}

static void note(struct watch *w, struct lengths *l, double took_s)
{
	bool preempted = false;
	if (took_s > LONG_S || l->calls % PRESSURE == 0) {
		long after = times_preempted();
		preempted = took_s > LONG_S && after != w->times_preempted;
		w->times_preempted = after;
	}
	l->calls++;
	if (took_s > l->longest_s)
		l->longest_s = took_s;
	if (preempted) {
		l->preempted++;
		return;
	}
	if (took_s > l->longest_undisturbed_s)
		l->longest_undisturbed_s = took_s;
	l->over += took_s > LIMIT_S;
	l->last_s[(l->calls - l->preempted) % LENGTHS] = (float)took_s;
}

static void *watch_all(void *arg)
{
	struct watch *w = arg;
	w->times_preempted = times_preempted();
	for (size_t i = 0; !atomic_load(&w->stop); i++) {
		note(w, &w->nothing, do_nothing(w, i));
		note(w, &w->value, call(w, i));
	}
	return NULL;
}

struct watch *watch_start(struct logger *lg, char *const *names, size_t n)
{
	struct watch *w = calloc(1, sizeof(*w));
	if (w == NULL || (w->value.last_s = calloc(LENGTHS, sizeof(float))) == NULL ||
	    (w->nothing.last_s = calloc(LENGTHS, sizeof(float))) == NULL)
		abort();
	w->logger = lg;
	w->names = names;
	w->n = n;
	if (pthread_create(&w->thread, NULL, watch_all, w) != 0)
		abort();
	return w;
}

static int by_size(const void *a, const void *b)
{
	float x = *(const float *)a, y = *(const float *)b;
	return x < y ? -1 : x > y;
}

static void tell(struct lengths *l, const char *what, const char *meanwhile)
{
	size_t n = l->calls - l->preempted, kept = n < LENGTHS ? n : LENGTHS;
	qsort(l->last_s, kept, sizeof(float), by_size);
	printf("# %s during %s: %zu, half of them below %.2f us, 99 %% below %.2f, 99.99 %% below %.1f; %zu were put "
	       "off the processor, the "
	       "longest for %.0f us; %zu of the others took more than 1 ms\n",
	       what, meanwhile, l->calls, l->last_s[kept / 2] * 1e6, l->last_s[kept * 99 / 100] * 1e6,
	       l->last_s[kept * 9999 / 10000] * 1e6, l->preempted, l->longest_s * 1e6, l->over);
	free(l->last_s);
}

void watch_stop(struct watch *w, const char *what)
{
	char name[100];
	atomic_store(&w->stop, true);
	pthread_join(w->thread, NULL);
	tell(&w->value, "values", what);
	tell(&w->nothing, "nothing", what);
	snprintf(name, sizeof(name), "longest_value_during_%s", what);
	figure_one(name, w->value.longest_undisturbed_s * 1e6, "us", "nothing", w->nothing.longest_undisturbed_s * 1e6);
	free(w);
}
