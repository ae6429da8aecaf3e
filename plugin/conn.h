/*
 * conn - one connection to the socket: bytes to lines, lines to replies, replies to bytes.
 *
 * Threads  the listener's thread only.
 * Owns     its descriptor, its buffers, the reply on its way.  Input is not read while a reply is on its way, so memory is bounded
 *          by one line and one piece of a reply.
 */
#ifndef LC_CONN_H
#define LC_CONN_H

#include <stdbool.h>
#include <stdint.h>

#include "command.h"
#include "host.h"
#include "listener.h"

struct conn;

/* What all connections share. */
struct conn_context {
	const struct host             *host;
	struct logger                 *logger;
	const struct listener_options *options;
	const struct stat_source      *extra;
	uid_t                          daemon_uid;
};

/* Takes over `fd` (non-blocking) and asks the kernel who it is.  NULL: no memory, or the kernel does not say; `fd` is closed. */
struct conn *conn_new(const struct conn_context *ctx, int fd, const struct now *now);
void         conn_free(struct conn *c);
int          conn_fd(const struct conn *c);
/* What poll() is to wait for; *busy: there is work without waiting. */
short        conn_events(const struct conn *c, bool *busy);
/* Does a bounded slice of work.  false: the connection is over. */
bool         conn_work(struct conn *c, const struct now *now);
/* Is it to be dropped: a half line for too long, or nothing taken of a reply? */
bool         conn_is_overdue(const struct conn *c, const struct now *now);
/* How many milliseconds until conn_is_overdue() may change; -1: nothing to wait for. */
int          conn_patience_ms(const struct conn *c, const struct now *now);

#endif
