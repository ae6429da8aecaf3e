/* conn - see conn.h; specification sections 11 and 12. */
#include "conn.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define PIECE ((size_t)65536)
#define MS_NS INT64_C(1000000)
#define TURN_NS \
	(5 * MS_NS) /* a client's turn: the others wait for this, and for the line or piece that is on its way then */

struct conn {
	/* constant */
	const struct conn_context *ctx;
	int                        fd;
	struct caller              caller;
	gid_t                     *groups;
	unsigned                   rights;

	/* input: `in_len` bytes from `in_start` on are not yet run; the first `scanned` of them hold no newline */
	char   *in;
	size_t  in_start, in_len, in_size, scanned;
	bool    discarding; /* the rest of a line that was too long */
	bool    eof;
	int64_t half_since_ns; /* arrival of the first byte of a half line, or the end of what kept it waiting */

	/* output */
	struct reply *reply;
	char         *out;
	size_t        out_len, out_sent;
	int64_t       progress_ns; /* when the client last took something */
};

static bool ask_groups(struct conn *c)
{
	socklen_t size = 64 * sizeof(gid_t);
	for (int tries = 0; tries < 8; tries++) {
		gid_t *groups = realloc(c->groups, size);
		if (groups == NULL)
			return false;
		c->groups = groups;
		if (getsockopt(c->fd, SOL_SOCKET, SO_PEERGROUPS, groups, &size) == 0) {
			c->caller.groups = groups;
			c->caller.n_groups = size / sizeof(gid_t);
			return true;
		}
		if (errno != ERANGE)
			return errno == ENOPROTOOPT || errno == ENODATA; /* none, then: fewer rights, not more */
	}
	return false;
}

static bool ask_kernel(struct conn *c)
{
	struct ucred cred;
	socklen_t    size = sizeof(cred);
	if (getsockopt(c->fd, SOL_SOCKET, SO_PEERCRED, &cred, &size) != 0 || !ask_groups(c))
		return false;
	c->caller.uid = cred.uid;
	c->caller.gid = cred.gid;
	c->caller.pid = cred.pid;
	c->rights = access_rights(logger_settings(c->ctx->logger)->access, &c->caller, c->ctx->daemon_uid);
	return true;
}

struct conn *conn_new(const struct conn_context *ctx, int fd, const struct now *now)
{
	struct conn *c = calloc(1, sizeof(*c));
	if (c == NULL) {
		close(fd);
		return NULL;
	}
	c->ctx = ctx;
	c->fd = fd;
	c->progress_ns = now->arrival_ns;
	if (!ask_kernel(c)) {
		conn_free(c);
		return NULL;
	}
	return c;
}

void conn_free(struct conn *c)
{
	if (c == NULL)
		return;
	reply_free(c->reply);
	close(c->fd);
	free(c->groups);
	free(c->in);
	free(c->out);
	free(c);
}

int conn_fd(const struct conn *c)
{
	return c->fd;
}

/* ---- output ---- */

static bool is_sending(const struct conn *c)
{
	return c->reply != NULL || c->out_sent < c->out_len;
}

/* Gets the next piece of the reply.  false: there is no memory for it. */
static bool fill(struct conn *c, const struct now *now)
{
	if (c->out == NULL)
		c->out = malloc(PIECE);
	if (c->out == NULL)
		return false;
	c->out_sent = 0;
	c->out_len = reply_read(c->reply, c->out, PIECE, now);
	if (!reply_is_over(c->reply))
		return true;
	bool whole = !reply_is_cut(c->reply);
	reply_free(c->reply);
	c->reply = NULL;
	return whole;
}

/* Sends a piece, or what is left of one.  *full: the client takes no more now.  false: the client is gone. */
static bool send_piece(struct conn *c, const struct now *now, bool *full)
{
	if (c->out_sent == c->out_len)
		return fill(c, now);
	ssize_t n = send(c->fd, c->out + c->out_sent, c->out_len - c->out_sent, MSG_NOSIGNAL | MSG_DONTWAIT);
	if (n < 0) {
		*full = true;
		return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR;
	}
	c->out_sent += (size_t)n;
	c->progress_ns = c->half_since_ns = now->arrival_ns;
	return true;
}

/* ---- input ---- */

static void answer(struct conn *c, struct reply *r, const struct now *now)
{
	c->reply = r;
	c->progress_ns = now->arrival_ns;
}

static void audit(const struct conn *c)
{
	char        line[512];
	const char *what = reply_audit(c->reply);
	if (what == NULL)
		return;
	snprintf(line, sizeof(line), "log_control: accepted from uid %lu, pid %ld: %s", (unsigned long)c->caller.uid,
		 (long)c->caller.pid, what);
	c->ctx->host->log(SEVERITY_INFO, line);
}

static void run_line(struct conn *c, char *line, size_t len, const struct now *now)
{
	struct session session = { c->ctx->logger, &c->caller, c->rights, c->ctx->extra };
	answer(c, command_run(&session, line, len, now), now);
	audit(c);
}

static void consume(struct conn *c, size_t n)
{
	c->in_len -= n;
	c->in_start = c->in_len == 0 ? 0 : c->in_start + n;
	c->scanned = 0;
}

static struct reply *too_long(const struct conn *c)
{
	struct why why;
	logger_count(c->ctx->logger, COUNT_FAILED);
	why_set(&why, ERR_INVAL,
		"the line is longer than %zu bytes and was left out; send several requests, or a pattern",
		c->ctx->options->max_line);
	return reply_error(ERR_INVAL, why.text);
}

/* No newline so far: waits for it, or for the end of a line that is too long. */
static void half_line(struct conn *c, const struct now *now)
{
	c->scanned = c->in_len;
	if (c->discarding) {
		consume(c, c->in_len);
	} else if (c->in_len > c->ctx->options->max_line + 1) { /* + 1: a CR does not count */
		answer(c, too_long(c), now);
		c->discarding = true;
		consume(c, c->in_len);
	}
}

/* Looks for a complete line and runs it.  false: there is none yet. */
static bool next_line(struct conn *c, const struct now *now)
{
	char *newline = NULL;
	if (c->in_len > c->scanned)
		newline = memchr(c->in + c->in_start + c->scanned, '\n', c->in_len - c->scanned);
	if (newline == NULL) {
		half_line(c, now);
		return false;
	}
	char  *line = c->in + c->in_start;
	size_t len = (size_t)(newline - line);
	size_t text = len > 0 && newline[-1] == '\r' ? len - 1 : len;
	if (c->discarding)
		c->discarding = false;
	else if (text > c->ctx->options->max_line)
		answer(c, too_long(c), now);
	else
		run_line(c, line, len, now);
	consume(c, len + 1);
	c->half_since_ns = now->arrival_ns;
	return true;
}

/* Room for one piece behind what is there.  It grows as needed, to one line and two pieces at most. */
static bool make_room(struct conn *c)
{
	size_t limit = c->ctx->options->max_line + 2 * PIECE;
	if (c->in_start > 0 && c->in_len > 0)
		memmove(c->in, c->in + c->in_start, c->in_len);
	c->in_start = 0;
	if (c->in_size - c->in_len >= PIECE)
		return true;
	size_t size = c->in_size < PIECE ? 2 * PIECE : 2 * c->in_size;
	if (size > limit)
		size = limit;
	char *in = realloc(c->in, size);
	if (in == NULL)
		return false;
	c->in = in;
	c->in_size = size;
	return true;
}

/* Reads once.  false: the client is gone, or there is no memory for what it says. */
static bool receive(struct conn *c, const struct now *now)
{
	if (!make_room(c))
		return false;
	ssize_t n = recv(c->fd, c->in + c->in_len, c->in_size - c->in_len, MSG_DONTWAIT);
	if (n < 0)
		return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR;
	if (n == 0)
		c->eof = true;
	if (c->in_len == 0 && !c->discarding)
		c->half_since_ns = now->arrival_ns;
	c->in_len += (size_t)n;
	return true;
}

/* An idle client costs little: no buffer for output, none that one long line needed. */
static void give_room_back(struct conn *c)
{
	if (c->in_len > 0)
		return;
	free(c->out);
	c->out = NULL;
	c->out_len = c->out_sent = 0;
	if (c->in_size > 2 * PIECE) {
		free(c->in);
		c->in = NULL;
		c->in_size = 0;
	}
}

bool conn_work(struct conn *c, const struct now *start)
{
	struct now now = *start;
	bool       full = false, may_read = !c->eof;
	while (!full && now.arrival_ns - start->arrival_ns < TURN_NS) {
		if (is_sending(c)) {
			if (!send_piece(c, &now, &full))
				return false;
		} else if (may_read && c->scanned == c->in_len) {
			may_read = false; /* once a turn */
			if (!receive(c, &now))
				return false;
		} else {
			bool had_line = next_line(c, &now);
			if (c->reply != NULL && !fill(c, &now))
				return false;
			if (!had_line && !is_sending(c))
				break;
		}
		c->ctx->host->now(&now);
	}
	if (is_sending(c))
		return true;
	give_room_back(c);
	return !c->eof || c->scanned < c->in_len; /* an unfinished line at the end of input is not run */
}

short conn_events(const struct conn *c, bool *busy)
{
	if (is_sending(c))
		return POLLOUT;
	*busy |= c->scanned < c->in_len || c->eof;
	return c->eof ? 0 : POLLIN;
}

static int64_t deadline_ns(const struct conn *c)
{
	if (is_sending(c))
		return c->progress_ns + c->ctx->options->stuck_ms * MS_NS;
	if (c->in_len > 0 || c->discarding)
		return c->half_since_ns + c->ctx->options->half_line_ms * MS_NS;
	return INT64_MAX;
}

bool conn_is_overdue(const struct conn *c, const struct now *now)
{
	return now->arrival_ns >= deadline_ns(c);
}

int conn_patience_ms(const struct conn *c, const struct now *now)
{
	int64_t left_ns = deadline_ns(c);
	if (left_ns == INT64_MAX)
		return -1;
	left_ns -= now->arrival_ns;
	return left_ns <= 0 ? 0 : (int)(left_ns / MS_NS) + 1;
}
