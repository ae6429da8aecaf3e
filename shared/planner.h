/*
 * planner - how often a driven source is read (specification section 10).
 *
 * Role     pure: what the instances of one source need -> an interval within its limits -> the interval to read it at, which
 *          gets shorter at once and longer only after a while.
 * Threads  one at a time for each struct.
 * Units    nanoseconds.  arrival: a monotonic clock that never steps, as in gate.h.
 * Errors   none.
 */
#ifndef LC_PLANNER_H
#define LC_PLANNER_H

#include <stdbool.h>
#include <stdint.h>

#include "control.h"

/* How long nobody must have needed a shorter interval before a source is read less often. */
#define PLANNER_PATIENCE_NS INT64_C(10000000000)

/* What the instances of one source need, summed up one by one.  All zero: none was seen. */
struct needs {
	uint64_t common_ms;   /* greatest common divisor of all needs; 0: there is none */
	uint64_t smallest_ms; /* the shortest of them; 0: there is none */
	bool     seen;        /* an instance, whatever it holds */
	bool     on;          /* one that is on, a once that is done included */
};

/* What the configuration and the placement allow. */
struct limits {
	int64_t configured_ns; /* the interval that the daemon gave the source; > 0 */
	int64_t min_ns;        /* MinInterval; 0: no limit */
	int64_t max_ns;        /* MaxInterval; 0: the configured interval */
	int64_t idle_ns;       /* IdleInterval; 0: as max_ns */
	bool    never_slower;  /* than configured: the placement is PostCache */
};

/* Adds one instance of the source, as logger_each_need() tells of it. */
void    planner_add_need(struct needs *n, struct held held, bool once_to_come, int64_t configured_ns);
/* The interval that serves all of `n`.  Greatest common divisor, or the shortest need where that would be read more than
 * four times as often as any one asks for; no instance seen yet gives the configured interval, nothing on the idle one.
 * Where limits contradict each other, min_ns beats max_ns and idle_ns, and never_slower beats all. */
int64_t planner_interval(const struct needs *n, const struct limits *limits);

/* The interval that one source is to be read at, from call to call. */
struct plan {
	int64_t interval_ns; /* read it at this */
	/* meaningful while waits */
	int64_t next_ns;  /* the shortest interval that would have served since `since_ns`; > interval_ns */
	int64_t since_ns; /* arrival clock: nobody has needed interval_ns since then */
	bool    waits;    /* for PLANNER_PATIENCE_NS to pass before it gets longer */
};

/* Begins with a source that is read at `interval_ns`. */
void    plan_init(struct plan *p, int64_t interval_ns);
/* `needed_ns` is what planner_interval() says now.  Call it whenever needs may have changed, and at plan_due_ns(); returns
 * p->interval_ns: shorter at once, longer once nobody has needed it shorter for PLANNER_PATIENCE_NS. */
int64_t plan_follow(struct plan *p, int64_t needed_ns, int64_t arrival_ns);
/* Arrival clock: when plan_follow() is to be called again though no need has changed; INT64_MAX: never. */
int64_t plan_due_ns(const struct plan *p);

#endif
