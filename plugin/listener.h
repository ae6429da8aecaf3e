/*
 * listener - the unix socket: connections side by side, lines in, replies out (specification section 11 and 12).
 *
 * Role     one thread with a poll loop for all clients, and the clock of the logger (logger_tick()).  POSIX and host.h only.
 * Threads  listener_start() and listener_stop() from one thread each; everything else happens in the listener's own.
 * Locks    none of its own while it calls the logger.
 * Owns     the socket, its file, the connections; closed on exec.
 * Errors   a bad path, an unknown group, a live owner of the path: no socket and one message; the thread still runs as the
 *          logger's clock when `path` is NULL.
 */
#ifndef LC_LISTENER_H
#define LC_LISTENER_H

#include <stddef.h>
#include <stdint.h>

#include "command.h"
#include "host.h"

struct listener;

struct listener_options {
	const char *path;  /* NULL: no socket, only the clock */
	const char *group; /* NULL: unchanged */
	unsigned    perms; /* mode of the socket file; never wider, not for a moment */
	size_t      max_clients;
	int         half_line_ms; /* a half line is dropped after this; 60000 */
	int         stuck_ms;     /* a client that takes nothing of its reply is dropped after this; 10000 */
	size_t      max_line;     /* 1 MiB */
};

struct listener_figures {
	size_t   clients;
	uint64_t accepted, busy, dropped;
};

/* Starts it.  `extra` (may be NULL) adds lines to STATUS.  On error nothing is left behind: no file, no descriptor, no
 * thread.  A stale socket file is probed: a live owner is left alone (ERR_BUSY), a dead one is removed. */
enum err listener_start(struct listener **out, const struct host *host, struct logger *logger,
			const struct listener_options *options, const struct stat_source *extra, struct why *why);
/* Ends the loop at once, joins the thread, closes every connection, removes the socket file (if it is still ours). */
void     listener_stop(struct listener *l);
/* Any thread. */
void     listener_figures(const struct listener *l, struct listener_figures *out);

#endif
