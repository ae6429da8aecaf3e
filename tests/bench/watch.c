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
#define LENGTHS  (1 << 20)
#define PRESSURE 16 /* calls between two looks at how often the thread was put off */

struct watch {
	struct logger *logger;
	char *const   *names;
	size_t         n;
	pthread_t      thread;
	atomic_bool    stop;
	/* its own */
	size_t         calls, preempted;
	double         longest_s, longest_undisturbed_s;
	float         *lengths_s; /* of undisturbed calls, the last LENGTHS of them */
};

static long times_preempted(void)
{
	struct rusage r;
	getrusage(RUSAGE_THREAD, &r);
	return r.ru_nivcsw;
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

static void *watch_all(void *arg)
{
	struct watch *w = arg;
	long          before = times_preempted();
	for (size_t i = 0; !atomic_load(&w->stop); i++) {
		double took_s = call(w, i);
		bool   preempted = false;
		w->calls++;
		if (took_s > LONG_S || i % PRESSURE == 0) {
			long after = times_preempted();
			preempted = took_s > LONG_S && after != before;
			before = after;
		}
		if (took_s > w->longest_s)
			w->longest_s = took_s;
		if (preempted) {
			w->preempted++;
			continue;
		}
		if (took_s > w->longest_undisturbed_s)
			w->longest_undisturbed_s = took_s;
		w->lengths_s[(w->calls - w->preempted) % LENGTHS] = (float)took_s;
	}
	return NULL;
}

struct watch *watch_start(struct logger *lg, char *const *names, size_t n)
{
	struct watch *w = calloc(1, sizeof(*w));
	if (w == NULL || (w->lengths_s = calloc(LENGTHS, sizeof(float))) == NULL)
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

void watch_stop(struct watch *w, const char *what)
{
	char name[100];
	atomic_store(&w->stop, true);
	pthread_join(w->thread, NULL);
	size_t n = w->calls - w->preempted, kept = n < LENGTHS ? n : LENGTHS;
	qsort(w->lengths_s, kept, sizeof(float), by_size);
	printf("# %s: %zu calls meanwhile, half of them below %.2f us, 99 %% below %.2f, 99.99 %% below %.1f; %zu were "
	       "put off the processor, "
	       "the longest for %.0f us\n",
	       what, w->calls, w->lengths_s[kept / 2] * 1e6, w->lengths_s[kept * 99 / 100] * 1e6,
	       w->lengths_s[kept * 9999 / 10000] * 1e6, w->preempted, w->longest_s * 1e6);
	snprintf(name, sizeof(name), "longest_value_during_%s", what);
	figure_one(name, w->longest_undisturbed_s * 1e6, "us", "limit", 1000);
	free(w->lengths_s);
	free(w);
}
