/*
 * driver - read intervals that follow the rules (specification section 10).
 *
 * Role     asks for each driven source what its instances need, has the planner say how often that is, and when it differs from
 *          what is, calls all read threads together and registers the source anew.
 *
 *          The host has no call for that.  It has read functions of ours, one for each of its read threads, every
 *          DRIVER_PERIOD_NS; when there is something to change they meet (meeting.h), so that no other read function runs while
 *          the change is made.  A meeting keeps other sources from being read for at most DRIVER_WAIT_NS and the change itself;
 *          after one that somebody missed it is tried again later and later.
 *
 *          When the daemon ends it takes its list of init functions apart before it stops its read threads.  A log function of
 *          ours sees the message that comes before, and ends all driving first.
 * Threads  driver_start(): init, with nothing else running.  driver_lines(), driver_report(): any.  The rest happens in the host's
 *          read threads, and in its main thread when it ends.
 * Locks    the driver's > the logger's control lock (only tried, never waited for) ; the meeting's last.
 * Owns     the driver stays until the process ends: the host calls its log function to the last.
 */
#ifndef LC_DRIVER_H
#define LC_DRIVER_H

#include <stdint.h>

#include "buf.h"
#include "host.h"
#include "logger.h"
#include "settings.h"

#define DRIVER_PERIOD_NS INT64_C(250000000)
#define DRIVER_WAIT_NS   INT64_C(200000000)

struct driver;

/* Judges each <Source> block, with one message for each that cannot be driven, and begins if any is left.  `readers`: the
 * daemon's read threads; 0: it has none.  NULL: there is nothing to drive, or no memory, which has been said. */
struct driver *driver_start(const struct host *host, struct logger *lg, const struct settings *settings,
			    unsigned readers);
/* No more changes, and no access to the logger after this.  The host's read threads have ended. */
void           driver_stop(struct driver *d);

/* STATUS: a line each for what the driver counts.  NULL: none. */
void driver_lines(struct driver *d, struct buf *out);

/* What there is to report on one driven source. */
struct driven_report {
	const char *name;
	int64_t     configured_ns, present_ns;
	uint64_t    changes;
};

/* `i`th driven source; false: there are no more, or none was seen yet. */
bool driver_report(struct driver *d, size_t i, struct driven_report *out);

/* The host's log function: `main_thread` says "Exiting normally." and means it. */
void driver_hear(struct driver *d, const char *message);

#endif
