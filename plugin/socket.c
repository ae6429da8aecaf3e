/* socket - see socket.h. */
#include "socket.h"

#include <errno.h>
#include <grp.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#define BACKLOG 128

static enum err failed(struct why *why, enum err e, const char *path, const char *what)
{
	return why_set(why, e, "SocketFile \"%s\": %s: %s; no socket is opened", path, what, strerror(errno));
}

static enum err group_find(const char *group, gid_t *gid, struct why *why)
{
	char              *end;
	unsigned long long n = strtoull(group, &end, 10);
	if (group[0] >= '0' && group[0] <= '9' && *end == '\0' && n < UINT32_MAX) {
		*gid = (gid_t)n;
		return OK;
	}
	for (size_t size = 1024; size <= (size_t)1 << 20; size *= 2) {
		struct group g, *found = NULL;
		char        *space = malloc(size);
		if (space == NULL)
			return why_set(why, ERR_NOMEM, "SocketGroup: out of memory; no socket is opened");
		int status = getgrnam_r(group, &g, space, size, &found);
		if (found != NULL)
			*gid = g.gr_gid;
		free(space);
		if (found != NULL)
			return OK;
		if (status != ERANGE)
			break;
	}
	return why_set(why, ERR_INVAL,
		       "SocketGroup \"%s\" is not known here: no socket is opened; name an existing group", group);
}

/* Does anybody answer at `address`?  A full backlog is an answer too. */
static bool is_alive(const struct sockaddr_un *address)
{
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return true; /* not known: leave it alone */
	int status = connect(fd, (const struct sockaddr *)address, sizeof(*address));
	int error = errno;
	close(fd);
	return status == 0 || (error != ECONNREFUSED && error != ENOENT);
}

static enum err make_way(const struct sockaddr_un *address, struct why *why)
{
	struct stat st;
	const char *path = address->sun_path;
	if (lstat(path, &st) != 0)
		return errno == ENOENT ? OK : failed(why, ERR_IO, path, "cannot be looked at");
	if (!S_ISSOCK(st.st_mode))
		return why_set(why, ERR_INVAL,
			       "SocketFile \"%s\" is there and is no socket: it is left alone, and no socket is "
			       "opened; name another path",
			       path);
	if (is_alive(address))
		return why_set(why, ERR_BUSY,
			       "SocketFile \"%s\" belongs to a process that answers: it is left alone, and no socket "
			       "is opened; stop that "
			       "process or name another path",
			       path);
	if (unlink(path) != 0 && errno != ENOENT)
		return failed(why, ERR_IO, path, "the dead socket cannot be removed");
	return OK;
}

/* On Linux a socket's file gets the mode of the socket itself, so it is born with none; group first, then the mode. */
static enum err bind_closed(struct place_of_socket *s, const struct sockaddr_un *address, const char *group, gid_t gid,
			    unsigned perms, struct why *why)
{
	struct stat st;
	const char *path = address->sun_path;
	if (fstat(s->fd, &st) != 0 || fchmod(s->fd, 0) != 0)
		return failed(why, ERR_IO, path, "cannot be made without permissions");
	s->socket = st.st_ino;
	if (bind(s->fd, (const struct sockaddr *)address, sizeof(*address)) != 0)
		return why_set(
			why, ERR_IO,
			"SocketFile \"%s\": cannot be made: %s; name a path in a directory that the daemon may write "
			"to; no socket is opened",
			path, strerror(errno));
	if (lstat(path, &st) != 0)
		return failed(why, ERR_IO, path, "cannot be looked at");
	s->device = st.st_dev;
	s->inode = st.st_ino;
	if (group != NULL && lchown(path, (uid_t)-1, gid) != 0)
		return failed(why, ERR_IO, path, "its group cannot be set");
	if (chmod(path, perms) != 0)
		return failed(why, ERR_IO, path, "its permissions cannot be set");
	if (listen(s->fd, BACKLOG) != 0)
		return failed(why, ERR_IO, path, "cannot be listened at");
	return OK;
}

enum err socket_open(struct place_of_socket *s, const char *path, const char *group, unsigned perms, struct why *why)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	gid_t              gid = 0;
	*s = (struct place_of_socket){ .fd = -1 };
	if (path[0] == '\0')
		return why_set(why, ERR_INVAL, "SocketFile is empty: no socket is opened; name a path");
	if (strlen(path) >= sizeof(address.sun_path))
		return why_set(
			why, ERR_INVAL,
			"SocketFile has %zu bytes, the system's limit is %zu: no socket is opened; name a shorter path",
			strlen(path), sizeof(address.sun_path) - 1);
	memcpy(address.sun_path, path, strlen(path) + 1);
	enum err err = group == NULL ? OK : group_find(group, &gid, why);
	if (err == OK)
		err = make_way(&address, why);
	if (err != OK)
		return err;
	s->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (s->fd < 0)
		return failed(why, ERR_IO, path, "no descriptor");
	err = bind_closed(s, &address, group, gid, perms, why);
	if (err != OK)
		socket_close(s, path);
	return err;
}

bool socket_is_ours(const struct place_of_socket *s, const char *path, bool *missing)
{
	struct stat st;
	bool        there = lstat(path, &st) == 0;
	*missing = !there && errno == ENOENT;
	return there && st.st_dev == s->device && st.st_ino == s->inode;
}

bool socket_is_open(const struct place_of_socket *s)
{
	struct stat st;
	return s->fd >= 0 && fstat(s->fd, &st) == 0 && S_ISSOCK(st.st_mode) && st.st_ino == s->socket;
}

void socket_close(struct place_of_socket *s, const char *path)
{
	bool missing;
	if (s->fd < 0)
		return;
	if (s->inode != 0 && socket_is_ours(s, path, &missing))
		unlink(path);
	if (socket_is_open(s))
		close(s->fd);
	s->fd = -1;
}
