/*
 * host - what the listener and the driver need from the daemon, as a few function pointers, so that tests link them
 *        without one.
 *
 * Threads  every function may be called from any thread.
 */
#ifndef LC_HOST_H
#define LC_HOST_H

#include <pthread.h>

#include "logger.h"

struct host {
	/* One line to the daemon's log; severity as in settings.h. */
	void (*log)(int severity, const char *text);
	/* Starts a thread of ours with every signal blocked; 0 or an errno value.  Whoever starts it joins it. */
	int (*thread_start)(pthread_t *thread, void *(*fn)(void *), void *arg, const char *name);
	/* Reads the three clocks. */
	void (*now)(struct now *now);
};

#endif
