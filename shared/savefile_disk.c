/* savefile_disk - the state file as a file: opened, locked, read, replaced; see savefile_internal.h. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "savefile_internal.h"

enum err disk_failed(struct why *why, const char *what)
{
	enum err e = errno == ENOSPC || errno == EDQUOT || errno == EFBIG ? ERR_SPACE
		     : errno == ENOMEM                                    ? ERR_NOMEM
									  : ERR_IO;
	return why_set(why, e, "%s: %s; nothing was changed: make room or mend the disk, then try again", what,
		       strerror(errno));
}

enum err disk_no_memory(struct why *why)
{
	return why_set(why, ERR_NOMEM, "out of memory; nothing was changed, try again later");
}

bool disk_write(int fd, const char *data, size_t len, off_t at)
{
	while (len > 0) {
		ssize_t n = pwrite(fd, data, len, at);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0) {
			errno = n == 0 ? ENOSPC : errno;
			return false;
		}
		data += n;
		len -= (size_t)n;
		at += n;
	}
	return true;
}

bool disk_sync_dir(const char *dir)
{
	int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return false;
	bool fine = fsync(fd) == 0;
	int  saved = errno;
	close(fd);
	errno = saved;
	return fine;
}

enum err disk_read(int fd, size_t limit, struct buf *out, struct why *why)
{
	char  piece[16384];
	off_t at = 0;
	while ((size_t)at < limit) {
		size_t  left = limit - (size_t)at;
		ssize_t n = pread(fd, piece, left < sizeof(piece) ? left : sizeof(piece), at);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return why_set(why, ERR_IO, "cannot be read: %s; mend the disk, or name another file",
				       strerror(errno));
		if (n == 0)
			break;
		buf_add(out, piece, (size_t)n);
		at += n;
	}
	return out->failed ? disk_no_memory(why) : OK;
}

/* ---- opening ---- */

static enum err open_failed(struct why *why)
{
	if (errno == ELOOP)
		return why_set(why, ERR_IO, "is a symbolic link, and is not followed: name the file itself");
	return why_set(why, ERR_IO, "cannot be opened: %s; name a file in a directory that the daemon may write to",
		       strerror(errno));
}

static enum err lock_failed(struct why *why)
{
	if (errno == EWOULDBLOCK)
		return why_set(why, ERR_BUSY,
			       "belongs to another daemon that runs: stop that one, or name a file of its own for "
			       "each");
	return why_set(why, ERR_IO, "cannot be locked: %s; name a file on a file system that can", strerror(errno));
}

/* O_NONBLOCK: whatever stands there, nobody waits for it. */
static enum err open_regular(struct savefile *f, struct why *why)
{
	struct stat st;
	f->fd = open(f->path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY, 0600);
	if (f->fd < 0 || fstat(f->fd, &st) != 0)
		return open_failed(why);
	if (!S_ISREG(st.st_mode))
		return why_set(why, ERR_INVAL, "is no regular file and is left alone: name another file");
	return OK;
}

enum disk_name disk_name(const struct savefile *f)
{
	struct stat here, there;
	if (lstat(f->path, &there) != 0)
		return errno == ENOENT ? NAME_GONE : NAME_OTHERS;
	if (fstat(f->fd, &here) != 0 || here.st_dev != there.st_dev || here.st_ino != there.st_ino)
		return NAME_OTHERS;
	return NAME_OURS;
}

/* flock(2) belongs to the open file, so no other open and close of the path in this process lets it go, as fcntl(2)'s
 * would.  Again when the owner's compaction has replaced the file between open and lock. */
enum err disk_open_locked(struct savefile *f, struct why *why)
{
	for (int tries = 0; tries < 10; tries++) {
		enum err err = open_regular(f, why);
		if (err != OK)
			return err;
		if (flock(f->fd, LOCK_EX | LOCK_NB) != 0)
			return lock_failed(why);
		if (disk_name(f) == NAME_OURS)
			return OK;
		close(f->fd);
		f->fd = -1;
	}
	return why_set(why, ERR_BUSY,
		       "is being replaced all the time by another daemon: name a file of its own for each");
}

/* ---- replacing ---- */

/* Only what begins as our files do may be removed; an empty one was never begun. */
void disk_clean(const struct savefile *f)
{
	char        start[HEADER_LEN];
	struct stat st;
	int         fd = open(f->beside, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
	if (fd < 0)
		return;
	ssize_t n = fstat(fd, &st) == 0 && S_ISREG(st.st_mode) ? pread(fd, start, sizeof(start), 0) : -1;
	if (n >= 0 && memcmp(start, SAVEFILE_HEADER, (size_t)n) == 0)
		unlink(f->beside);
	close(fd);
}

/* The new file, locked before anybody can find it under the name. */
static int write_beside(const struct savefile *f, const struct buf *text)
{
	disk_clean(f);
	int fd = open(f->beside, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (fd < 0)
		return -1;
	if (flock(fd, LOCK_EX | LOCK_NB) == 0 && disk_write(fd, text->data, text->len, 0) && fsync(fd) == 0 &&
	    rename(f->beside, f->path) == 0)
		return fd;
	int saved = errno;
	unlink(f->beside);
	close(fd);
	errno = saved;
	return -1;
}

enum err disk_replace(struct savefile *f, const struct buf *text, struct why *why)
{
	if (text->failed)
		return disk_no_memory(why);
	if (disk_name(f) == NAME_OTHERS)
		return why_set(why, ERR_IO,
			       "StateFile: another file stands in its place and is left alone; move that one away");
	int fd = write_beside(f, text);
	if (fd < 0)
		return disk_failed(why, "StateFile cannot be written anew");
	/* until the directory is synced a crash may bring the old file back: nothing is promised in the new one so far */
	f->unnamed = !disk_sync_dir(f->dir);
	close(f->fd);
	f->fd = fd;
	f->size = (off_t)text->len;
	f->midline = f->dirty = f->doubtful = f->cut = false;
	return OK;
}
