/*
 * socket - the socket file: made, found dead or alive, and removed, with care (specification section 12).
 *
 * Role     the file never has wider permissions than configured, not for a moment, and the process-wide umask is left alone.
 * Threads  one at a time.
 */
#ifndef LC_SOCKET_H
#define LC_SOCKET_H

#include <stdbool.h>
#include <sys/types.h>

#include "err.h"

/* A listening socket and the identity of its file. */
struct place_of_socket {
	int   fd; /* -1: none */
	dev_t device;
	ino_t inode;
	ino_t socket; /* of the socket itself: is the descriptor still ours? */
};

/* Binds and listens at `path` with mode `perms` and group `group` (NULL: unchanged).  A dead file there is removed, a live
 * owner is ERR_BUSY, anything else that stands there is left alone. */
enum err socket_open(struct place_of_socket *s, const char *path, const char *group, unsigned perms, struct why *why);
/* Is the file at `path` still ours?  *missing: nothing is there. */
bool     socket_is_ours(const struct place_of_socket *s, const char *path, bool *missing);
/* Is the descriptor still our socket?  A stranger in the process may have closed it, and its number may be something else now. */
bool     socket_is_open(const struct place_of_socket *s);
/* Closes the descriptor and removes the file, each if it is still ours. */
void     socket_close(struct place_of_socket *s, const char *path);

#endif
