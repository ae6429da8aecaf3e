/*
 * rig - a real listener on a real unix socket with a fake host: no daemon, a log that can be read, and clocks that jump when told to.
 *
 * Threads  the listener's own beside the test's.
 * Owns     a folder in /tmp, gone after rig_close(), which fails the test when something was left in it.
 */
#ifndef LC_RIG_H
#define LC_RIG_H

#include <stdbool.h>
#include <stddef.h>

#include "listener.h"
#include "peer.h"
#include "settings.h"

struct rig {
	struct settings         settings;
	struct logger          *logger;
	struct listener        *listener; /* NULL while stopped */
	struct listener_options options;
	char                    folder[40], path[64];
	size_t                  descriptors; /* open before the first start */
};

/* Default settings and options, which may still be changed. */
void     rig_prepare(struct rig *rig);
/* Starts the listener, and before that the logger if there is none yet. */
enum err rig_start(struct rig *rig, struct why *why);
void     rig_stop(struct rig *rig);
void     rig_close(struct rig *rig);
/* Prepared and started, or the test fails. */
void     rig_open(struct rig *rig);
/* `n` instances h/p-0000000/t ...; each has had a value. */
void     rig_fill(struct rig *rig, size_t n);
/* From now on, until rig_close(), its clocks move only by rig_advance(): for what has a limit of time, on machines of any
 * speed.  A client's turn then ends only when there is nothing to do. */
void     rig_freeze(void);
/* The listener's clocks jump ahead; it looks at them when something happens: see rig_poke(). */
void     rig_advance(double seconds);
/* Somebody connects, asks something, and goes. */
void     rig_poke(struct rig *rig);
/* How many lines of the log hold `part` since rig_prepare(). */
size_t   rig_logged(const char *part);
/* Descriptors open in this process. */
size_t   rig_descriptors(void);

#endif
