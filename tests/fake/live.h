/*
 * live - a logger behind a real listener on a real unix socket, and the client program run against it.
 *
 * Role     everything of the daemon but the daemon: no collectd, no configuration file.  The clocks are the real ones.
 * Threads  the listener's own; the rest is one.
 * Owns     a folder in /tmp, gone after live_close().
 */
#ifndef LC_LIVE_H
#define LC_LIVE_H

#include <stddef.h>
#include <stdint.h>

#include "listener.h"
#include "logger.h"
#include "program.h"
#include "settings.h"

struct live {
	struct settings  settings;
	struct logger   *logger;
	struct listener *listener;
	char             folder[40];
	char             socket[64];
};

/* Fills in folder, socket and default settings, which the caller may still change. */
void live_prepare(struct live *l);
/* Starts it; `perms` is the socket's mode. */
void live_start(struct live *l, unsigned perms);
void live_close(struct live *l);
/* A gauge of that name with time stamp and interval. */
void live_value(struct live *l, const char *name, double time_s, double interval_s);

/* collectd-logctl -s SOCKET with the arguments. */
struct ran logctl(struct live *l, const char *input, ...) __attribute__((sentinel));

#endif
