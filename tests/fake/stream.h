/*
 * stream - values of one metric instance for the gate's tests, under simulated time.
 */
#ifndef LC_STREAM_H
#define LC_STREAM_H

#include "check.h"
#include "gate.h"

#define S  INT64_C(1000000000)
#define MS INT64_C(1000000)
#define T0 (INT64_C(1700000000) * S)

static const struct hold native = { HELD_DEFAULT, 0 }, off = { { 0 }, 0 };

static inline struct hold every(int64_t delta_ns)
{
	return (struct hold){
		{ .on = 1, .kind = DELTA_EVERY, .ms = (uint64_t)(delta_ns / MS) & ((UINT64_C(1) << 40) - 1) }, 0
	};
}

/* One value that arrives when it says. */
static inline struct verdict at(struct memory *m, struct hold hold, int64_t time_ns, int64_t interval_ns)
{
	struct moment now = { time_ns, interval_ns, time_ns - T0 + S, 0, 0, ALIGN_START };
	return gate_decide(m, &hold, &now);
}

static inline struct verdict arrives(struct memory *m, struct hold hold, int64_t time_ns, int64_t interval_ns,
				     int64_t arrival_ns)
{
	struct moment now = { time_ns, interval_ns, arrival_ns, 0, 0, ALIGN_START };
	return gate_decide(m, &hold, &now);
}

/* One value of a source that is driven, read every `interval_ns` now and configured for `pace_ns` (0: not read faster). */
static inline struct verdict paced(struct memory *m, struct hold hold, int64_t time_ns, int64_t interval_ns,
				   int64_t pace_ns)
{
	struct moment now = { time_ns, interval_ns, time_ns - T0 + S, 0, pace_ns, ALIGN_START };
	return gate_decide(m, &hold, &now);
}

#endif
