/*
 * value_bench - what judging one value costs, against the floor for any gate, measured in the same run in turns.
 *
 * The floor: name made and hashed as ours is, one look-up in an open-addressed table at most half full with slots of {hash, entry}, the whole
 * key compared, inside a read section of the same RCU.  Ours: logger_value() with everything on, over a mix of 70 % native, 20 % every, 5 % off and
 * 5 % once.  Names are asked for in random order.  One line a figure: name value unit peer ratio; medians of several rounds, with least and most.
 *
 * LC_BENCH=long adds a million names and more rounds.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "../fake/lab.h"
#include "rcu.h"

#define ROUNDS_MAX 15

struct name {
	char host[40], plugin[24], plugin_instance[16], type[24], type_instance[16];
};

struct entry_of_floor {
	size_t len;
	char   text[];
};

struct floor {
	size_t mask;
	struct {
		uint64_t                         hash;
		_Atomic(struct entry_of_floor *) entry;
	} * slots;
};

struct bench {
	size_t          n;
	struct name    *names;
	uint32_t       *order;
	struct lab      lab;
	struct floor    floor;
	_Atomic int64_t time_ns;
};

static double now_s(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static struct ident ident_of(const struct name *n, char out[IDENT_MAX + 1])
{
	return ident_format(out, n->host, n->plugin, n->plugin_instance, n->type, n->type_instance);
}

static const struct entry_of_floor *floor_find(const struct floor *f, struct ident ident)
{
	for (size_t i = ident.hash & f->mask;; i = (i + 1) & f->mask) {
		const struct entry_of_floor *e = atomic_load_explicit(&f->slots[i].entry, memory_order_acquire);
		if (e == NULL)
			return NULL;
		if (f->slots[i].hash == ident.hash && e->len == ident.len &&
		    memcmp(e->text, ident.text, ident.len) == 0)
			return e;
	}
}

static void floor_add(struct floor *f, struct ident ident)
{
	size_t i = ident.hash & f->mask;
	while (atomic_load(&f->slots[i].entry) != NULL)
		i = (i + 1) & f->mask;
	struct entry_of_floor *e = malloc(sizeof(*e) + ident.len);
	e->len = ident.len;
	memcpy(e->text, ident.text, ident.len);
	f->slots[i].hash = ident.hash;
	atomic_store(&f->slots[i].entry, e);
}

static size_t floor_run(struct bench *b, const uint32_t *order, size_t n)
{
	char   text[IDENT_MAX + 1];
	size_t found = 0;
	for (size_t i = 0; i < n; i++) {
		struct ident ident = ident_of(&b->names[order[i]], text);
		rcu_enter();
		found += floor_find(&b->floor, ident) != NULL;
		rcu_leave();
	}
	return found;
}

static size_t ours_run(struct bench *b, const uint32_t *order, size_t n)
{
	char          text[IDENT_MAX + 1];
	const uint8_t kind = KIND_DERIVE;
	size_t        logged = 0;
	int64_t       time_ns = atomic_fetch_add(&b->time_ns, INT64_C(10000000000));
	for (size_t i = 0; i < n; i++) {
		union number  value = { .derive = 1 };
		struct sample sample = { .ident = ident_of(&b->names[order[i]], text),
					 .time_ns = time_ns,
					 .interval_ns = INT64_C(10000000000),
					 .arrival_ns = time_ns,
					 .source = "bench",
					 .values = &value,
					 .kinds = &kind,
					 .n = 1 };
		logged += logger_value(b->lab.logger, &sample).logged;
	}
	return logged;
}

static void fill(struct bench *b, size_t n)
{
	char     text[IDENT_MAX + 1];
	uint64_t seed = 7;
	b->n = n;
	b->names = calloc(n, sizeof(*b->names));
	b->order = calloc(n, sizeof(*b->order));
	for (b->floor.mask = 15; b->floor.mask + 1 < 2 * n; b->floor.mask = 2 * b->floor.mask + 1)
		;
	b->floor.slots = calloc(b->floor.mask + 1, sizeof(*b->floor.slots));
	lab_open(&b->lab, HELD_DEFAULT);
	lab_ask(&b->lab, "LOG advisory on every=60s \"*/*/*-e[0-3]*\"");
	lab_ask(&b->lab, "LOG advisory off \"*/*/*-f*\"");
	lab_ask(&b->lab, "LOG advisory on every=once \"*/*/*-g*\"");
	atomic_store(&b->time_ns, INT64_C(1700000000000000000));
	for (size_t i = 0; i < n; i++) {
		struct name *w = &b->names[i];
		size_t       share = i % 20;
		snprintf(w->host, sizeof(w->host), "host%04zu.example", i / 1000);
		snprintf(w->plugin, sizeof(w->plugin), "%s", i % 3 == 0 ? "cpu" : i % 3 == 1 ? "interface" : "disk");
		snprintf(w->plugin_instance, sizeof(w->plugin_instance), "%zu", i % 1000 / 10);
		snprintf(w->type, sizeof(w->type), "%s", i % 2 == 0 ? "if_octets" : "gauge");
		snprintf(w->type_instance, sizeof(w->type_instance), "%s%zu",
			 share < 14   ? "n"
			 : share < 18 ? "e"
			 : share < 19 ? "f"
				      : "g",
			 i % 10);
		if (share >= 14 && share < 18)
			w->type_instance[1] = (char)('0' + share - 14);
		b->order[i] = (uint32_t)i;
		floor_add(&b->floor, ident_of(w, text));
	}
	ours_run(b, b->order, n);
	for (size_t i = n - 1; i > 0; i--) {
		seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407;
		size_t   k = (seed >> 33) % (i + 1);
		uint32_t t = b->order[i];
		b->order[i] = b->order[k];
		b->order[k] = t;
	}
	lab_advance(&b->lab, 1);
}

typedef size_t run_fn(struct bench *b, const uint32_t *order, size_t n);

struct job {
	struct bench *b;
	run_fn       *run;
	int           number, of, passes;
	size_t        sum;
};

static void *work(void *arg)
{
	struct job *j = arg;
	size_t      share = j->b->n / (size_t)j->of;
	for (int p = 0; p < j->passes; p++)
		j->sum += j->run(j->b, j->b->order + (size_t)j->number * share, share);
	return NULL;
}

/* ns a value, all threads together: with two threads that scale it is half of one's. */
static double measure(struct bench *b, run_fn *run, int threads)
{
	pthread_t  id[16];
	struct job job[16];
	int        passes = (int)(400000 / b->n) + 1;
	double     start = now_s();
	for (int t = 0; t < threads; t++) {
		job[t] = (struct job){ b, run, t, threads, passes, 0 };
		pthread_create(&id[t], NULL, work, &job[t]);
	}
	for (int t = 0; t < threads; t++)
		pthread_join(id[t], NULL);
	return (now_s() - start) * 1e9 / ((double)passes * (double)b->n);
}

static int by_size(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return x < y ? -1 : x > y;
}

static double spread(double *v, int n, const char *name, size_t names, int threads)
{
	qsort(v, (size_t)n, sizeof(*v), by_size);
	printf("# %s %zu names %d threads: median %.1f ns, least %.1f, most %.1f\n", name, names, threads, v[n / 2],
	       v[0], v[n - 1]);
	return v[n / 2];
}

static void compare(struct bench *b, int threads, int rounds)
{
	double ours[ROUNDS_MAX], floor[ROUNDS_MAX];
	for (int r = 0; r < rounds; r++) {
		floor[r] = measure(b, floor_run, threads);
		ours[r] = measure(b, ours_run, threads);
	}
	double f = spread(floor, rounds, "floor", b->n, threads), o = spread(ours, rounds, "value", b->n, threads);
	printf("value_%zu_names_%d_threads %.1f ns/value floor %.2f\n", b->n, threads, o, o / f);
	fflush(stdout);
}

static void release(struct bench *b)
{
	for (size_t i = 0; i <= b->floor.mask; i++)
		free(atomic_load(&b->floor.slots[i].entry));
	free(b->floor.slots);
	free(b->names);
	free(b->order);
	lab_close(&b->lab);
}

int main(void)
{
	const char  *form = getenv("LC_BENCH");
	int          is_long = form != NULL && strcmp(form, "long") == 0;
	const size_t sizes[] = { 100, 10000, 1000000 };
	for (int s = 0; s < (is_long ? 3 : 2); s++) {
		struct bench b = { 0 };
		fill(&b, sizes[s]);
		for (int threads = 1; threads <= 2; threads++)
			compare(&b, threads, is_long ? 11 : 5);
		release(&b);
	}
	return 0;
}
