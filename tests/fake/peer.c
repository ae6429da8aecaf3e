/* peer - see peer.h. */
#include "peer.h"

#include <errno.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include "check.h"

struct peer peer_new(void)
{
	const struct timeval patience = { PEER_PATIENCE_S, 0 };
	struct peer          p = { .fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0) };
	assert_true(p.fd >= 0);
	setsockopt(p.fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
	setsockopt(p.fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience));
	return p;
}

bool peer_connect(struct peer *p, const char *path)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	assert_true(strlen(path) < sizeof(address.sun_path));
	strcpy(address.sun_path, path);
	return connect(p->fd, (const struct sockaddr *)&address, sizeof(address)) == 0;
}

struct peer peer_open(const char *path)
{
	struct peer p = peer_new();
	if (!peer_connect(&p, path))
		fail_msg("%s: %s", path, strerror(errno));
	return p;
}

void peer_close(struct peer *p)
{
	if (p->fd >= 0)
		close(p->fd);
	free(p->heard);
	free(p->reply);
	*p = (struct peer){ .fd = -1 };
}

bool peer_send(struct peer *p, const void *bytes, size_t len)
{
	const char *at = bytes;
	while (len > 0) {
		ssize_t n = send(p->fd, at, len, MSG_NOSIGNAL);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return false;
		at += n;
		len -= (size_t)n;
	}
	return true;
}

void peer_say(struct peer *p, const char *text)
{
	assert_true(peer_send(p, text, strlen(text)));
}

/* More bytes; false: the connection ended. */
static bool hear(struct peer *p)
{
	if (p->size - p->len < 65536) {
		p->size = p->size < 65536 ? 131072 : 2 * p->size;
		p->heard = realloc(p->heard, p->size);
		assert_non_null(p->heard);
	}
	ssize_t n = recv(p->fd, p->heard + p->len, p->size - p->len, 0);
	if (n < 0 && errno != ECONNRESET && errno != EPIPE)
		fail_msg("nothing heard: %s", strerror(errno));
	p->len += n > 0 ? (size_t)n : 0;
	return n > 0;
}

/* The offset behind the next line end from `from` on; 0: the connection ended before one. */
static size_t line_end(struct peer *p, size_t from)
{
	char  *end = NULL;
	size_t seen = from;
	while (p->len == seen || (end = memchr(p->heard + seen, '\n', p->len - seen)) == NULL) {
		seen = p->len;
		if (!hear(p))
			return 0;
	}
	return (size_t)(end - p->heard) + 1;
}

const char *peer_reply(struct peer *p)
{
	size_t end = line_end(p, 0);
	if (end > 0) {
		for (long n = strtol(p->heard, NULL, 10); n > 0; n--) {
			end = line_end(p, end);
			if (end == 0)
				fail_msg("the connection ended in the middle of a reply: %.60s", p->heard);
		}
	}
	free(p->reply);
	p->reply = strndup(end == 0 ? "" : p->heard, end);
	assert_non_null(p->reply);
	p->len -= end;
	if (end > 0)
		memmove(p->heard, p->heard + end, p->len);
	return p->reply;
}

const char *peer_ask(struct peer *p, const char *line)
{
	peer_say(p, line);
	peer_say(p, "\n");
	return peer_reply(p);
}

size_t peer_until_gone(struct peer *p)
{
	size_t n = 0;
	do {
		n += p->len;
		p->len = 0;
	} while (hear(p));
	return n;
}
