/*
 * gate - is this value logged?  The rule of specification section 6, and availability (section 8); nowhere else.
 *
 * Role     pure: what is held, what the instance remembers, the value's time stamp and the arrival clock -> verdict.
 * Threads  any; the caller makes each call one step for its instance (instance.h, the instance's lock).
 * Units    nanoseconds.  time: the value's own stamp, since the epoch.  arrival: a monotonic clock that never steps.
 *          Time stamps and intervals: 0 to 2^63-1 less 11 years (a delta has at most 10); arrival: 0 to 11 years.
 * Errors   none.
 */
#ifndef LC_GATE_H
#define LC_GATE_H

#include <stdbool.h>
#include <stdint.h>

#include "control.h"

enum align { ALIGN_START, ALIGN_CLOCK };

/* What is remembered of one metric instance between two values.  All zero: nothing was seen yet.  What values change fills one cache
 * line less two bytes; what few of them need stands in front. */
struct memory {
	int64_t run_first_ns; /* arrival of the first of a run of late values */
	int64_t run_last_ns;  /* time stamp of the last of that run */

	int64_t  served_ns;      /* the last served grid point; meaningful while grid_ns > 0 */
	int64_t  grid_ns;        /* delta of the grid; 0: there is none; -1: none, but native let the last value pass */
	int64_t  newest_ns;      /* newest time stamp seen */
	int64_t  interval_ns;    /* what the newest value list carried */
	int64_t  last_logged_ns; /* time stamp of the last logged value */
	uint64_t logged_at;      /* newest socket entry id there was when a value was last logged */
	int64_t  due_by_ns;      /* arrival clock: a value is due until then; meaningful while `waits` */
	uint32_t arrival_ds;     /* arrival clock at the newest value, in tenths of a second, rounded up */
	bool     seen : 1, in_log : 1, available : 1, in_run : 1, waits : 1;

	_Atomic uint8_t lock; /* whoever keeps it may lock it (instance.h); no business of the gate's */
};

/* One value list, as the gate sees it. */
struct moment {
	int64_t  time_ns, interval_ns, arrival_ns;
	uint64_t newest_id; /* ledger_newest_id() now */
	int64_t  pace_ns; /* the source's configured interval while it is driven and read faster (section 10); else 0 */
	enum align align;
};

enum reason {
	REASON_OFF,
	REASON_NATIVE,
	REASON_LATE,
	REASON_ONCE,
	REASON_ONCE_DONE,
	REASON_FIRST,
	REASON_SAME_SECOND,
	REASON_STEP_BACK,
	REASON_GRID,
	REASON_SLOW_SOURCE,
	REASON_BETWEEN,
};

struct verdict {
	bool        logged;
	enum reason reason;
	bool        late;        /* not newer than the newest seen, and no clock step */
	bool        duplicate;   /* late, and exactly as old as the newest seen */
	int64_t     interval_ns; /* what a logged value leaves with */
};

/* A value is on its way to being judged: so much has been seen of the instance. */
void    gate_born(struct memory *m, int64_t arrival_ns);
/* How long no value was seen, to a tenth of a second. */
int64_t gate_unseen_ns(const struct memory *m, int64_t arrival_ns);

/* Decides on one value and brings `m` up to date. */
struct verdict gate_decide(struct memory *m, const struct hold *hold, const struct moment *now);

/* Has this hold's once had its value? */
bool gate_once_done(const struct memory *m, const struct hold *hold);

/* To be called when a request, an end or a fold changes what the instance holds (hold: what is held now; arrival_ns: now;
 * default_interval_ns: the source interval to go by while none was seen).  Availability is settled as of now first. */
void gate_changed(struct memory *m, const struct hold *hold, int64_t arrival_ns, int64_t default_interval_ns);

/* Section 8, available.  Does not change `m`, so that asking leaves no trace. */
bool gate_is_available(const struct memory *m, int64_t arrival_ns);

/* Delta as a reply shows it, ms: 0 off and once; native the interval of the source, `configured_ns` if not 0 (driven), else
 * what the last value carried, else `default_interval_ns`; at least 1. */
uint64_t gate_shown_delta_ms(const struct memory *m, struct held held, int64_t configured_ns,
			     int64_t default_interval_ns);

#endif
