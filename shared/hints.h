/*
 * hints - what may go wrong behind us when a request is accepted: files and counters that bear the new delta badly.
 *
 * Role     a request and its rows -> a few words on the first line of the reply to LOG (hint=rrd_step,counter_wrap); the client
 *          program makes sentences of them, the manual explains them.  A hint never changes what is done.
 * Threads  any; the rows' instances are locked one by one for an instant.
 */
#ifndef LC_HINTS_H
#define LC_HINTS_H

#include "buf.h"
#include "logger.h"

enum hint {
	HINT_RRD_STEP = 1 << 0,      /* RRD files are written, and take no two values in one second */
	HINT_RRD_HEARTBEAT = 1 << 1, /* RRD files are written, and existing ones keep step and heartbeat */
	HINT_COUNTER_WRAP = 1 << 2,  /* a COUNTER of 32 bits may wrap more than once within delta */
};

/* Below this no RRD file takes every value: its times are whole seconds. */
#define HINT_RRD_STEP_MS 1000
/* A 32-bit counter of octets wraps in that time at 1 Gbit/s. */
#define HINT_COUNTER_WRAP_MS 34000

/* HINT_* of a request that was judged; `rrd_writer` NULL: nothing writes RRD files. */
unsigned hints_of(const struct ask *ask, const struct outcomes *o, const char *rrd_writer);
/* " hint=a,b", or nothing. */
void     hints_format(unsigned hints, struct buf *out);

#endif
