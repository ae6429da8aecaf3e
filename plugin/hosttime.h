/*
 * hosttime - the host's time (units of 2^-30 s) and ours (nanoseconds).
 *
 * Threads  any.  Exact to the unit of the coarser side.
 */
#ifndef LC_HOSTTIME_H
#define LC_HOSTTIME_H

#include <stdint.h>

#define NS_PER_S INT64_C(1000000000)
/* The gate adds deltas of up to ten years to a time stamp: what lies beyond year 2251 is as good as the last instant before. */
#define LAST_S INT64_C(8876000000)

static inline int64_t ns_of_host(uint64_t t)
{
	int64_t s = (int64_t)(t >> 30), part = (int64_t)(t & ((UINT64_C(1) << 30) - 1));
	if (s >= LAST_S)
		return LAST_S * NS_PER_S;
	return s * NS_PER_S + ((part * NS_PER_S + (INT64_C(1) << 29)) >> 30);
}

static inline uint64_t host_of_ns(int64_t ns)
{
	uint64_t s = (uint64_t)(ns / NS_PER_S), part = (uint64_t)(ns % NS_PER_S);
	return (s << 30) + ((part << 30) + NS_PER_S / 2) / NS_PER_S;
}

#endif
