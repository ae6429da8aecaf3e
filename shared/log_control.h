/*
 * log_control.h - for programs: constants, the status word's accessors, and the client library of log_control.
 *
 * Role     asks a collectd with the log_control plugin, over its unix socket, to log metric instances, and tells
 *          what they hold.  Names and order of arguments follow __pmControlLog(3) where it has a name.  Constants
 *          begin with PMLC_, since LC_ with a capital letter belongs to <locale.h>; functions and types with lc_.
 * Threads  no globals: any thread may call any function, one thread at a time for each descriptor.
 * Owns     what a function hands out is the caller's until the matching free function; NULL may be freed.  Nothing
 *          touches any descriptor but the one given, no signal (SIGPIPE neither), no locale, no environment.
 * Units    milliseconds where the name says ms, seconds where it says s.
 * Errors   0, or minus an errno value; lc_message() has the words.
 */
#ifndef LOG_CONTROL_H
#define LOG_CONTROL_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The status word: bit 0 on, bit 1 mandatory, bit 2 available, bit 3 in log, bits 4-31 delta in milliseconds. */
#define PMLC_MAX_DELTA       0x0fffffff
#define PMLC_GET_ON(word)    ((int)((uint32_t)(word)&1u))
#define PMLC_GET_MAND(word)  ((int)(((uint32_t)(word) >> 1) & 1u))
#define PMLC_GET_AVAIL(word) ((int)(((uint32_t)(word) >> 2) & 1u))
#define PMLC_GET_INLOG(word) ((int)(((uint32_t)(word) >> 3) & 1u))
#define PMLC_GET_DELTA(word) ((int32_t)((uint32_t)(word) >> 4))

/* Where the plugin puts its socket when SocketFile says nothing. */
#define PMLC_SOCKET "/run/collectd-log_control.sock"

/* control: who may decide, or only ask.  In a row 0: nothing is held. */
#define PMLC_MANDATORY 1
#define PMLC_ADVISORY  2
#define PMLC_ENQUIRE   3

/* state.  In a row 0: nothing is held. */
#define PMLC_ON    1
#define PMLC_OFF   2
#define PMLC_MAYBE 3

/* delta: the logging interval in milliseconds, up to ten years, or one of these. */
#define PMLC_DELTA_ONCE   0
#define PMLC_DELTA_NATIVE INT64_MAX /* every value that the source sends */

/* timeout_ms: wait without a limit. */
#define PMLC_NO_LIMIT (-1)

/* ---- connection ---- */

/* Connects to the socket at `path` and puts the descriptor (close-on-exec, blocking) into `fd`; the caller closes it.
 * No step takes longer than `timeout_ms`, here and in later calls: it stays on the descriptor as SO_RCVTIMEO and
 * SO_SNDTIMEO, which is where the other functions look for it.  -EINVAL: a NULL, an empty path or a limit of 0;
 * -ENAMETOOLONG: `path` does not fit into a socket address; -ETIMEDOUT; else what socket(2) and connect(2) say: -ENOENT
 * or -ECONNREFUSED nobody listens there, -EACCES the socket's mode keeps us out.  `fd` is only set on success. */
int lc_connect(const char *path, int timeout_ms, int *fd);

/* ---- one line out, one reply in ---- */

/* A reply as it came.  All texts are terminated. */
struct lc_reply {
	int         number; /* how many lines follow (>= 0), or minus errno: refused as a whole, nothing has changed */
	const char *text;   /* what stands behind the number: one word and name=value, or the sentence of an error */
	size_t      n_lines;
	const char *const *lines;
};

/* Sends `line` (no line end in it; not blank) on `fd`, a connected stream socket, and waits for the whole reply, which
 * the caller frees.  A negative number in the reply is no failure of this function.  Limits: the descriptor's
 * SO_SNDTIMEO to send, its SO_RCVTIMEO to receive (0: none); each counts anew after 64 KiB, so a large reply has its
 * time and a trickle has not. At most 1 GiB is kept of a reply, and 8 MiB of a line. -EINVAL: nothing was sent.
 * -ETIMEDOUT, -ECONNRESET (closed before the reply was whole), -EPIPE, -EPROTO (no reply of log_control), -EMSGSIZE
 * (over a limit), -ENOMEM, or what sendmsg(2) and recv(2) say: whether the command was run is unknown, and the
 * connection is shut down, so that a late reply cannot be taken for that of another command; close it. `reply` is only
 * set on success. */
int  lc_command(int fd, const char *line, struct lc_reply **reply);
void lc_reply_free(struct lc_reply *reply);

/* A word for a command line: `text` in quotes, fit for any identifier.  Allocated, for free(3); NULL: no memory. */
char *lc_quote(const char *text);

/* ---- requests ---- */

/* Which instance of a metric: host/plugin-PLUGIN_INSTANCE/type-TYPE_INSTANCE.  NULL or "": the part has none. */
struct lc_instance {
	const char *plugin_instance;
	const char *type_instance;
};

/* One element of a request: either `selector`, in the words of the protocol ("web1/load/load", or a pattern), or a
 * metric by its fields, in which patterns may stand as well.  With no instances named it means all instances of the
 * metric, those included that appear later: "host/plugin-*" and "type-*", joined by a slash.  A selector comes without
 * fields. */
struct lc_metric {
	const char               *selector;
	const char               *host;   /* NULL: the daemon's own */
	const char               *plugin; /* of these no "" and no slash */
	const char               *type;
	size_t                    n_instances;
	const struct lc_instance *instances;
};

struct lc_request {
	size_t                  n_metrics; /* at least 1 */
	const struct lc_metric *metrics;
};

/* ---- status ---- */

enum lc_outcome {
	PMLC_DONE = 1, /* asked and not refused; for maybe: advisory now */
	PMLC_REFUSED,  /* held by a mandatory request: nothing changed here */
	PMLC_NONE,     /* a pattern that selects nothing yet; it stays */
	PMLC_HELD,     /* answer to PMLC_ENQUIRE */
	PMLC_WOULD     /* answer to a dry run: not refused, not done */
};

#define PMLC_FLAG_INLOG  0x01u /* logged at least once since the daemon started */
#define PMLC_FLAG_AVAIL  0x02u /* the source delivered it the last time it was due */
#define PMLC_FLAG_NATIVE 0x04u
#define PMLC_FLAG_ONCE   0x08u
#define PMLC_FLAG_TIMED  0x10u /* the rule that decided ends by itself */
#define PMLC_FLAG_DRIVEN 0x20u /* the source is read as often as the rules need */
#define PMLC_FLAG_UNSEEN 0x40u /* no value ever came */

/* What one metric instance holds. */
struct lc_row {
	const char     *identifier; /* of any length; for PMLC_NONE the selector */
	size_t          instance;   /* index into the element's `instances`; 0 when none were named */
	enum lc_outcome outcome;
	uint32_t        word;               /* for PMLC_GET_*; its delta saturates */
	int             control;            /* PMLC_MANDATORY or PMLC_ADVISORY; 0: nothing is held */
	int             state;              /* PMLC_ON or PMLC_OFF; 0: nothing is held */
	int64_t         delta_ms;           /* in full; -1: unknown */
	int64_t         source_interval_ms; /* -1: unknown */
	unsigned        flags; /* PMLC_FLAG_*; those of a newer daemon that have no name here are left out */
};

struct lc_element {
	size_t               n_rows; /* sorted by identifier, for each named instance in turn */
	const struct lc_row *rows;
};

struct lc_status {
	size_t                   n_elements; /* one for each element of the request, in its order; 0 after an error */
	const struct lc_element *elements;
	uint64_t                 id;     /* of the entry that stayed, for FORGET; 0: none */
	int                      saved;  /* 1: survives a restart of the daemon */
	int64_t                  ends_s; /* until the entry ends by itself; -1: it does not */
	const char *message; /* the first line of the reply behind its number; after an error the daemon's sentence */
};

/* Asks that the metric instances of `request` be logged as control and state say, every `delta_ms`; what is asked and
 * what is held decide for each of them by itself, see the rows.  A refused instance is no error.
 *
 * -EINVAL before anything is sent: no metric; a field that is missing, empty or has a slash; an unknown control or
 * state; PMLC_ADVISORY with PMLC_MAYBE; a negative delta_ms.  `delta_ms` counts with PMLC_ON only, and for PMLC_ENQUIRE
 * neither state nor delta_ms is looked at.  Else what lc_command() returns, or the number of the daemon's error, as
 * -EACCES, -EINVAL for a delta below MinInterval, -ENOBUFS for MaxRules, -EAGAIN for one client too many; nothing has
 * changed then.
 *
 * `status` is set in every case: to NULL, or to a status that the caller frees; after an error of the daemon it has the
 * message and no elements. */
int lc_control_log(int fd, const struct lc_request *request, int control, int state, int64_t delta_ms,
		   struct lc_status **status);

/* The status in the reply to a LOG or ENQUIRE line that named `n_selectors` selectors: one element for each.  Takes
 * `reply` over in every case.  -EPROTO: it is no such reply; otherwise as lc_control_log() once the reply is there. */
int  lc_reply_status(struct lc_reply *reply, size_t n_selectors, struct lc_status **status);
void lc_status_free(struct lc_status *status);

/* The words for a return value: the daemon's own when `status` (NULL is fine) has them, else a fixed sentence.  Never
 * NULL; valid as long as `status`. */
const char *lc_message(const struct lc_status *status, int err);

#ifdef __cplusplus
}
#endif

#endif
