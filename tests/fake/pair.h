/*
 * pair - a scripted peer for tests of the client library: the other end of a socket pair.
 *
 * Threads  one at a time for each end.
 */
#ifndef LC_PAIR_H
#define LC_PAIR_H

#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "check.h"

#define COUNT(list) (sizeof(list) / sizeof((list)[0]))

struct pair {
	int ours, theirs;
};

static inline struct pair pair_new(void)
{
	int fds[2];
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds), 0);
	return (struct pair){ fds[0], fds[1] };
}

static inline void pair_free(struct pair *p)
{
	close(p->ours);
	if (p->theirs >= 0)
		close(p->theirs);
}

static inline void limit_ms(int fd, int ms)
{
	struct timeval t = { ms / 1000, ms % 1000 * 1000 };
	assert_int_equal(setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &t, sizeof(t)), 0);
	assert_int_equal(setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &t, sizeof(t)), 0);
}

/* What the peer says; it fits into the socket, so it may be said before it was asked. */
static inline void peer_says(struct pair *p, const char *text, size_t len)
{
	assert_int_equal(send(p->theirs, text, len, MSG_NOSIGNAL), len);
}

/* What the peer was asked so far. */
static inline const char *peer_heard(struct pair *p)
{
	static char text[65536];
	ssize_t     n = recv(p->theirs, text, sizeof(text) - 1, MSG_DONTWAIT);
	text[n < 0 ? 0 : n] = '\0';
	return text;
}

#endif
