/*
 * feed SOCKET NAMES PASSES START - value lists for a daemon through its unixsock plugin: PASSES over NAMES names, ten seconds of time stamp apart,
 * as fast as it takes them.  Ends when all are answered.  Exit status 1: not all were taken.
 */
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "dial.h"

#define ROOM 65536

struct feed {
	size_t names, passes, next; /* the next line to be made */
	long   start;
	char   text[ROOM];
	size_t len, sent;
	size_t answered, bad;
	int    in_line; /* of the answers: something of this one was seen */
};

static int is_done(const struct feed *f)
{
	return f->next == f->names * f->passes;
}

/* Makes lines until the room is nearly full; the names come in an order that jumps about. */
static void make(struct feed *f)
{
	f->len = f->sent = 0;
	for (; !is_done(f) && f->len + 200 < ROOM; f->next++) {
		size_t pass = f->next / f->names, i = f->next % f->names * 7919 % f->names;
		f->len += (size_t)snprintf(
			f->text + f->len, ROOM - f->len,
			"PUTVAL \"host%04zu.example.net/%s-%zu/derive-n%02zu\" interval=10 %ld:%zu\n", i / 1000,
			i % 3 == 0 ? "cpu" : "interface", i % 1000 / 20, i % 20, f->start + 10 * (long)pass, f->next);
	}
}

/* An answer begins with 0 when the value was taken. */
static void take(struct feed *f, const char *in, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		f->bad += !f->in_line && in[i] != '0';
		f->in_line = in[i] != '\n';
		f->answered += in[i] == '\n';
	}
}

int main(int argc, char **argv)
{
	static struct feed f;
	static char        in[ROOM];
	int                fd = argc == 5 ? dial(argv[1]) : -1;
	if (fd < 0)
		return 2;
	f.names = (size_t)atol(argv[2]);
	f.passes = (size_t)atol(argv[3]);
	f.start = atol(argv[4]);
	while (f.answered < f.names * f.passes) {
		if (f.sent == f.len && !is_done(&f))
			make(&f);
		struct pollfd p = { fd, (short)(POLLIN | (f.sent < f.len ? POLLOUT : 0)), 0 };
		if (poll(&p, 1, 30000) <= 0)
			return 2;
		if ((p.revents & POLLOUT) != 0) {
			ssize_t n = send(fd, f.text + f.sent, f.len - f.sent, MSG_DONTWAIT | MSG_NOSIGNAL);
			f.sent += n > 0 ? (size_t)n : 0;
		}
		if ((p.revents & (POLLIN | POLLHUP)) != 0) {
			ssize_t n = recv(fd, in, sizeof(in), MSG_DONTWAIT);
			if (n == 0)
				return 2;
			take(&f, in, n > 0 ? (size_t)n : 0);
		}
	}
	return f.bad > 0;
}
