/*
 * tally - counters that many threads raise and somebody reads now and then.
 *
 * Threads  tally_count() any thread, without contention: a thread has a stripe to itself while it lives, those beyond 63 at a time
 *          share one.  tally_read() any thread, a moment's picture.
 */
#ifndef LC_TALLY_H
#define LC_TALLY_H

#include <stdint.h>

enum counted {
	COUNT_PASSED,
	COUNT_SUPPRESSED,
	COUNT_LATE,
	COUNT_DUPLICATE,
	COUNT_FAILED_OPEN, /* values; section 16 */
	COUNT_ACCEPTED,
	COUNT_REFUSED,
	COUNT_FAILED, /* requests */
	COUNTED_MAX
};

struct tally;

struct tally *tally_new(void);
void          tally_free(struct tally *t);
void          tally_count(struct tally *t, enum counted what);
uint64_t      tally_read(const struct tally *t, enum counted what);

#endif
