/*
 * figures - what a bench prints: one line a figure, `name value unit peer ratio`, then least and most behind a `#`.
 *
 * Role     medians of rounds that were measured in turns, so that what else the machine does meets all of them.  A ratio is the
 *          median of the rounds' own ratios.
 * Threads  one.
 */
#ifndef LC_FIGURES_H
#define LC_FIGURES_H

#include <stdbool.h>
#include <stddef.h>

#define ROUNDS_MAX 31

struct series {
	int    n;
	double of[ROUNDS_MAX];
};

/* LC_BENCH=long in the environment. */
bool   bench_is_long(void);
double wall_s(void);
double thread_cpu_s(void); /* of the calling thread: what other programs do to it counts little */

void   series_add(struct series *s, double value);
double series_median(const struct series *s);
double series_least(const struct series *s);
double series_most(const struct series *s);

/* `peer` NULL: there is none, `-` is printed. */
void figure(const char *name, const struct series *s, const char *unit, const char *peer_name,
	    const struct series *peer);
/* One value without rounds. */
void figure_one(const char *name, double value, const char *unit, const char *peer_name, double peer);

#endif
