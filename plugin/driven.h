/*
 * driven - one source whose read interval follows the rules; see driver.h.
 *
 * Role     what its instances need -> its plan -> registered anew at another interval.  The source's record (source.h) is written
 *          here and nowhere else while it is driven.
 * Threads  one at a time: the driver's lock is held for each call.  driven_change(): inside a meeting as well.
 * Units    nanoseconds; now_ns: arrival clock.
 * Owns     its name; and the name that the host gets, which stays for ever.
 */
#ifndef LC_DRIVEN_H
#define LC_DRIVEN_H

#include "drivable.h"
#include "host.h"
#include "logger.h"
#include "planner.h"
#include "settings.h"

struct driven {
	/* constant */
	struct drivable module;
	char           *name; /* as the <Source> block has it */
	int64_t         min_ns, max_ns, idle_ns;

	/* from its first value on */
	struct source *source;  /* NULL: none was seen, or it is lost */
	char          *context; /* the source's name for the host */
	struct plan    plan;
	int64_t        changed_ns; /* last change */
	int64_t        before_ns;  /* the interval before the last change; 0: there was none, or it was reported */
	bool           lost;       /* its read function is gone */
};

/* Judges the block; what there is to say about it is logged.  false: it is not driven. */
bool    driven_init(struct driven *s, const struct host *host, const struct source_block *block);
/* What is to be logged of a <Source> that is not driven. */
void    driven_refuse(const struct host *host, const struct source_block *block, const char *cause);
/* Brings its plan up to date.  false: not possible now, a request has the logger. */
bool    driven_plan(struct driven *s, struct logger *lg, bool never_slower, int64_t now_ns);
/* Is its plan something else than what is? */
bool    driven_is_due(const struct driven *s);
/* When its plan may change though no rule did; INT64_MAX: never. */
int64_t driven_plan_due_ns(const struct driven *s);
/* Ends what is left of a faster time, when that is over. */
void    driven_rest(struct driven *s, int64_t now_ns);
/* Makes its plan true. */
void    driven_change(struct driven *s, int64_t now_ns);

#endif
