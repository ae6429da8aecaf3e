/* client - the client library's connection: one line out, one reply in; see log_control.h. */
#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "client_reply.h"

#define PIECE_BYTES    16384
#define PROGRESS_BYTES 65536 /* so much, sent or received, earns another time limit */

/* ---- time ---- */

static int64_t now_ms(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* Until when; -1: no limit. */
static int64_t deadline_after(int limit_ms)
{
	return limit_ms < 0 ? -1 : now_ms() + limit_ms;
}

static int left_ms(int64_t deadline_ms)
{
	if (deadline_ms < 0)
		return -1;
	int64_t left = deadline_ms - now_ms();
	return left < 0 ? 0 : left > INT_MAX ? INT_MAX : (int)left;
}

static int limit_set(int fd, int limit_ms)
{
	struct timeval t = { limit_ms / 1000, limit_ms % 1000 * 1000 };
	if (limit_ms < 0)
		return 0;
	return setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &t, sizeof(t)) != 0 ||
			       setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &t, sizeof(t)) != 0
		       ? -errno
		       : 0;
}

/* The limit that the descriptor carries, at least 1 ms; -1: none. */
static int limit_get(int fd, int option)
{
	struct timeval t = { 0, 0 };
	socklen_t      len = sizeof(t);
	if (getsockopt(fd, SOL_SOCKET, option, &t, &len) != 0 || (t.tv_sec == 0 && t.tv_usec == 0))
		return -1;
	if (t.tv_sec >= INT_MAX / 1000)
		return INT_MAX;
	return (int)(t.tv_sec * 1000 + (t.tv_usec + 999) / 1000);
}

/* The time limit of sending or receiving.  Bytes in trickles earn no more of it, so that nobody can hold the caller for
 * ever; it is looked at only when there is nothing to do but wait. */
struct pace {
	int     limit_ms;
	int64_t deadline_ms;
	size_t  goal; /* bytes; from there on the limit counts anew */
};

static struct pace pace_begin(int limit_ms)
{
	return (struct pace){ limit_ms, deadline_after(limit_ms), PROGRESS_BYTES };
}

static void pace_note(struct pace *p, size_t bytes)
{
	if (bytes < p->goal)
		return;
	p->goal = bytes + PROGRESS_BYTES;
	p->deadline_ms = deadline_after(p->limit_ms);
}

/* Waits until `fd` is ready for `events`. */
static int wait_for(int fd, short events, int64_t deadline_ms)
{
	struct pollfd p = { .fd = fd, .events = events };
	int           n;
	do
		n = poll(&p, 1, left_ms(deadline_ms));
	while (n < 0 && errno == EINTR);
	if (n < 0)
		return -errno;
	if (n > 0)
		return p.revents & POLLNVAL ? -EBADF : 0;
	return -ETIMEDOUT;
}

/* ---- connection ---- */

/* A blocking connect() on a unix socket waits for room in the listener's queue no longer than SO_SNDTIMEO (unix(7) is
 * silent, socket(7) says so); a non-blocking one cannot be waited for with poll(). */
static int connect_within(int fd, const struct sockaddr_un *address, int limit_ms)
{
	int64_t deadline_ms = deadline_after(limit_ms);
	int     err = limit_set(fd, limit_ms);
	while (err == 0 && connect(fd, (const struct sockaddr *)address, sizeof(*address)) != 0) {
		int left = left_ms(deadline_ms);
		if (errno == EAGAIN || left == 0)
			return -ETIMEDOUT;
		err = errno == EINTR ? limit_set(fd, left) : -errno;
	}
	return err == 0 ? limit_set(fd, limit_ms) : err;
}

int lc_connect(const char *path, int timeout_ms, int *fd)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	if (path == NULL || path[0] == '\0' || fd == NULL || timeout_ms == 0)
		return -EINVAL;
	size_t len = strlen(path);
	if (len >= sizeof(address.sun_path))
		return -ENAMETOOLONG;
	memcpy(address.sun_path, path, len + 1);
	int s = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (s < 0)
		return -errno;
	int err = connect_within(s, &address, timeout_ms);
	if (err == 0)
		*fd = s;
	else
		close(s);
	return err;
}

/* ---- sending ---- */

static bool is_blank(const char *text)
{
	return text[strspn(text, " \t\r")] == '\0';
}

/* The rest of `line` and its line end, from byte `sent` on. */
static struct msghdr rest_of(struct iovec piece[2], const char *line, size_t len, size_t sent)
{
	piece[0] = (struct iovec){ (char *)line + (sent < len ? sent : len), sent < len ? len - sent : 0 };
	piece[1] = (struct iovec){ (char *)"\n", 1 };
	return (struct msghdr){ .msg_iov = piece, .msg_iovlen = 2 };
}

static int send_line(int fd, const char *line, size_t len, size_t *sent)
{
	struct pace pace = pace_begin(limit_get(fd, SO_SNDTIMEO));
	int         err = 0;
	while (err == 0 && *sent < len + 1) {
		struct iovec  piece[2];
		struct msghdr message = rest_of(piece, line, len, *sent);
		ssize_t       n = sendmsg(fd, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
		if (n > 0)
			*sent += (size_t)n;
		else if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
			err = wait_for(fd, POLLOUT, pace.deadline_ms);
		else if (n < 0 && errno != EINTR)
			err = -errno;
		pace_note(&pace, *sent);
	}
	return err;
}

/* ---- receiving ---- */

/* One piece of what has come; -EAGAIN: nothing is there yet. */
static int receive_piece(int fd, struct intake *in)
{
	char    piece[PIECE_BYTES];
	ssize_t n = recv(fd, piece, sizeof(piece), MSG_DONTWAIT);
	if (n > 0)
		return intake_add(in, piece, (size_t)n);
	if (n == 0)
		return -ECONNRESET;
	return errno == EWOULDBLOCK || errno == EINTR ? -EAGAIN : -errno;
}

static int receive(int fd, struct intake *in)
{
	struct pace pace = pace_begin(limit_get(fd, SO_RCVTIMEO));
	int         err = 0;
	while (err == 0 && !intake_is_whole(in)) {
		err = receive_piece(fd, in);
		if (err == -EAGAIN)
			err = wait_for(fd, POLLIN, pace.deadline_ms);
		pace_note(&pace, in->bytes.len);
	}
	return err;
}

/* Sends and receives.  A daemon that has one client too many says so by itself and closes, maybe before our line is
 * out: then its words count, not that sending failed. */
static int exchange(int fd, const char *line, struct intake *in, size_t *sent)
{
	int sending = send_line(fd, line, strlen(line), sent);
	if (sending != 0 && sending != -EPIPE && sending != -ECONNRESET)
		return sending;
	int err = receive(fd, in);
	if (sending != 0 && (err != 0 || in->number >= 0))
		return sending;
	return err;
}

int lc_command(int fd, const char *line, struct lc_reply **reply)
{
	if (line == NULL || reply == NULL || is_blank(line) || strchr(line, '\n') != NULL)
		return -EINVAL;
	struct intake in = INTAKE_INIT;
	size_t        sent = 0;
	int           err = exchange(fd, line, &in, &sent);
	if (err == 0) {
		struct lc_reply *whole = intake_finish(&in);
		if (whole != NULL)
			*reply = whole;
		else
			err = -ENOMEM;
	}
	if (err != 0 && sent > 0)
		shutdown(fd, SHUT_RDWR); /* what still comes would be taken for the next reply */
	intake_fini(&in);
	return err;
}

char *lc_quote(const char *text)
{
	struct buf word = BUF_INIT;
	buf_add_quoted(&word, text, strlen(text));
	buf_text(&word);
	if (!word.failed)
		return word.data;
	buf_fini(&word);
	return NULL;
}

/* ---- words ---- */

const char *lc_message(const struct lc_status *status, int err)
{
	static const struct {
		int         number;
		const char *text;
	} words[] = {
		{ 0, "done" },
		{ EINVAL, "the request is malformed, or not allowed; nothing was changed" },
		{ ENOENT, "nothing of that name" },
		{ ECONNREFUSED, "nobody listens on the socket; does collectd run, with log_control loaded?" },
		{ EACCES, "no permission" },
		{ EPERM, "no permission" },
		{ EAGAIN, "too many clients, or still starting; try again later" },
		{ ENOMEM, "out of memory" },
		{ ENOSPC, "the disk is full" },
		{ ENOBUFS, "a limit of the daemon is reached" },
		{ EIO, "a file could not be read or written" },
		{ ENAMETOOLONG, "the path is too long for a socket" },
		{ ENOTSOCK, "the descriptor is no socket" },
		{ ENOTCONN, "the socket is not connected" },
		{ EBADF, "the descriptor is not open" },
		{ ETIMEDOUT, "no answer within the time limit" },
		{ ECONNRESET, "the connection was closed before the reply was whole" },
		{ EPIPE, "the connection is closed" },
		{ EPROTO, "what came is no reply of log_control" },
		{ EMSGSIZE, "the reply is larger than the library takes" },
	};
	if (status != NULL && status->message != NULL && status->message[0] != '\0')
		return status->message;
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		if (words[i].number == -err)
			return words[i].text;
	}
	return "an error without words of its own; see errno(3) for the number";
}
