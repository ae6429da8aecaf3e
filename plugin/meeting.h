/*
 * meeting - all read threads of the daemon in one place at one time.
 *
 * Role     a barrier with a deadline.  When all `n` members are inside, no read function of the daemon is running, and the member
 *          that came last may change what is read; the others wait for its end.
 * Threads  every function but init and fini may be called by any thread.
 * Locks    its own, the last of all: nothing else is taken while it is held.
 */
#ifndef LC_MEETING_H
#define LC_MEETING_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

struct meeting {
	pthread_mutex_t lock;
	pthread_cond_t  changed;
	unsigned        n; /* members */
	/* under lock */
	unsigned        inside;
	uint64_t        number;   /* of the meetings that ended, whatever their end */
	struct timespec deadline; /* of the one that began, CLOCK_MONOTONIC */
	bool            in_session;
	bool            closed;
};

enum met {
	MET_LEAD,   /* everybody is inside: do the work, then meeting_end() */
	MET_OVER,   /* the work was done by another, or will be done by nobody */
	MET_MISSED, /* somebody did not come in time; told to one member of each such meeting */
};

/* 0 or an errno value. */
int      meeting_init(struct meeting *m, unsigned n);
void     meeting_fini(struct meeting *m);
/* Comes in and waits: until all are inside, but no longer than `wait_ns` from when the first came in. */
enum met meeting_join(struct meeting *m, int64_t wait_ns);
/* The member that was told MET_LEAD lets the others go. */
void     meeting_end(struct meeting *m);
/* Never again: waits for the end of the work if some is being done, sends away everybody who waits. */
void     meeting_close(struct meeting *m);
bool     meeting_is_closed(struct meeting *m);

#endif
