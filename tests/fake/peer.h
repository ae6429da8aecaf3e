/*
 * peer - a client of the socket, for tests of the listener: says what it is told to, hears whole replies.
 *
 * Threads  one for each peer.
 * Owns     its descriptor and the last reply.  It waits at most PEER_PATIENCE_S, then the test fails.
 */
#ifndef LC_PEER_H
#define LC_PEER_H

#include <stdbool.h>
#include <stddef.h>

#define PEER_PATIENCE_S 20

struct peer {
	int    fd;
	char  *heard; /* bytes that arrived and are not yet handed out */
	size_t len, size;
	char  *reply; /* the last one, terminated */
};

/* A socket that is not connected yet. */
struct peer peer_new(void);
/* Connects; false: nobody listens there. */
bool        peer_connect(struct peer *p, const char *path);
/* Both; fails the test when nobody listens. */
struct peer peer_open(const char *path);
void        peer_close(struct peer *p);

/* Sends it all; false: the other end is gone. */
bool        peer_send(struct peer *p, const void *bytes, size_t len);
void        peer_say(struct peer *p, const char *text); /* fails the test when it cannot */
/* A whole reply, the peer's until the next call; "" when the connection ended before one began. */
const char *peer_reply(struct peer *p);
const char *peer_ask(struct peer *p, const char *line); /* without its newline */
/* Reads until the connection ends; how many bytes came before that.  Fails the test when it does not end. */
size_t      peer_until_gone(struct peer *p);

#endif
