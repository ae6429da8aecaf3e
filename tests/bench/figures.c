/* figures - see figures.h. */
#include "figures.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

bool bench_is_long(void)
{
	const char *form = getenv("LC_BENCH");
	return form != NULL && strcmp(form, "long") == 0;
}

static double clock_s(clockid_t id)
{
	struct timespec t;
	clock_gettime(id, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

double wall_s(void)
{
	return clock_s(CLOCK_MONOTONIC);
}

double thread_cpu_s(void)
{
	return clock_s(CLOCK_THREAD_CPUTIME_ID);
}

void series_add(struct series *s, double value)
{
	if (s->n < ROUNDS_MAX)
		s->of[s->n++] = value;
}

static int by_size(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return x < y ? -1 : x > y;
}

double series_median(const struct series *s)
{
	struct series sorted = *s;
	qsort(sorted.of, (size_t)sorted.n, sizeof(double), by_size);
	if (sorted.n == 0)
		return 0;
	return (sorted.of[(sorted.n - 1) / 2] + sorted.of[sorted.n / 2]) / 2;
}

double series_least(const struct series *s)
{
	double least = s->n > 0 ? s->of[0] : 0;
	for (int i = 1; i < s->n; i++)
		least = s->of[i] < least ? s->of[i] : least;
	return least;
}

double series_most(const struct series *s)
{
	double most = s->n > 0 ? s->of[0] : 0;
	for (int i = 1; i < s->n; i++)
		most = s->of[i] > most ? s->of[i] : most;
	return most;
}

static double ratio_of(const struct series *s, const struct series *peer)
{
	struct series ratios = { 0 };
	for (int i = 0; i < s->n && i < peer->n; i++)
		series_add(&ratios, s->of[i] / peer->of[i]);
	return series_median(&ratios);
}

void figure(const char *name, const struct series *s, const char *unit, const char *peer_name,
	    const struct series *peer)
{
	printf("%s %.4g %s ", name, series_median(s), unit);
	if (peer == NULL)
		printf("- - # %.4g to %.4g", series_least(s), series_most(s));
	else
		printf("%s %.2f # %.4g to %.4g, peer %.4g, %.4g to %.4g", peer_name, ratio_of(s, peer), series_least(s),
		       series_most(s), series_median(peer), series_least(peer), series_most(peer));
	putchar('\n');
	fflush(stdout);
}

void figure_one(const char *name, double value, const char *unit, const char *peer_name, double peer)
{
	if (peer_name == NULL)
		printf("%s %.4g %s - -\n", name, value, unit);
	else
		printf("%s %.4g %s %s %.2f # peer %.4g\n", name, value, unit, peer_name, value / peer, peer);
	fflush(stdout);
}
