/* savefile - see savefile.h; the form of a record: record.h. */
#include "savefile.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "record.h"

static const char header[] = "log_control-state 1\n";
#define HEADER_LEN  (sizeof(header) - 1)
#define HEADER_WORD "log_control-state "

struct savefile {
	char    *path, *dir;
	int      fd;
	off_t    size;    /* what is whole and synced; an append begins here */
	bool     dirty;   /* behind `size` something may stand that was never promised */
	bool     unnamed; /* the directory could not be synced after a rename */
	size_t   records;
	uint64_t newest_id;
};

static enum err failed(struct why *why, const char *what)
{
	enum err e = errno == ENOSPC || errno == EDQUOT || errno == EFBIG ? ERR_SPACE
		     : errno == ENOMEM                                    ? ERR_NOMEM
									  : ERR_IO;
	return why_set(why, e, "%s: %s; nothing was changed: make room or mend the disk, then try again", what,
		       strerror(errno));
}

static enum err no_memory(struct why *why)
{
	return why_set(why, ERR_NOMEM, "out of memory; nothing was changed, try again later");
}

/* ---- writing ---- */

static bool write_all(int fd, const char *data, size_t len, off_t at)
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

/* A name in a directory is as durable as the directory. */
static bool sync_dir(const char *dir)
{
	int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return false;
	bool fine = fsync(fd) == 0;
	close(fd);
	return fine;
}

/* Cuts off what was never promised. */
static bool cut_back(struct savefile *f)
{
	f->dirty = ftruncate(f->fd, f->size) != 0;
	return !f->dirty;
}

static enum err append(struct savefile *f, struct buf *record, struct why *why)
{
	enum err err = OK;
	if (record->failed)
		return no_memory(why);
	if (f->unnamed && !sync_dir(f->dir))
		return failed(why, "StateFile: its directory cannot be synced");
	f->unnamed = false;
	if (f->dirty && !cut_back(f))
		return failed(why, "StateFile: an earlier record cannot be cut back");
	if (!write_all(f->fd, record->data, record->len, f->size) || fdatasync(f->fd) != 0) {
		err = failed(why, "StateFile cannot be written");
		f->dirty = true;
		cut_back(f);
		return err;
	}
	f->size += (off_t)record->len;
	f->records++;
	return OK;
}

enum err savefile_log(struct savefile *f, const struct entry *e, int64_t boot_ns, int64_t wall_ns, struct why *why)
{
	struct buf record = BUF_INIT;
	record_entry(&record, e, boot_ns, wall_ns);
	enum err err = append(f, &record, why);
	buf_fini(&record);
	if (err == OK && e->id > f->newest_id)
		f->newest_id = e->id;
	return err;
}

enum err savefile_forget(struct savefile *f, const uint64_t *ids, size_t n, int64_t wall_ns, struct why *why)
{
	struct buf record = BUF_INIT;
	(void)wall_ns;
	record_forget(&record, ids, n);
	enum err err = append(f, &record, why);
	buf_fini(&record);
	return err;
}

/* ---- opening ---- */

static bool is_same_file(int fd, const char *path)
{
	struct stat here, there;
	return fstat(fd, &here) == 0 && stat(path, &there) == 0 && here.st_dev == there.st_dev &&
	       here.st_ino == there.st_ino;
}

/* Opens and locks; again when the file was replaced by its owner's compaction in between. */
static enum err open_locked(struct savefile *f, struct why *why)
{
	for (int tries = 0; tries < 10; tries++) {
		f->fd = open(f->path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
		if (f->fd < 0)
			return why_set(why, ERR_IO,
				       "cannot be opened: %s; name a file in a directory that the daemon may write to",
				       strerror(errno));
		if (flock(f->fd, LOCK_EX | LOCK_NB) != 0)
			return why_set(why, ERR_BUSY,
				       "belongs to another daemon that runs: stop that one, or name a file of its own "
				       "for each");
		if (is_same_file(f->fd, f->path))
			return OK;
		close(f->fd);
		f->fd = -1;
	}
	return why_set(why, ERR_BUSY,
		       "is being replaced all the time by another daemon: name a file of its own for each");
}

static enum err read_all(int fd, struct buf *out, struct why *why)
{
	char    piece[65536];
	ssize_t n;
	off_t   at = 0;
	while ((n = pread(fd, piece, sizeof(piece), at)) != 0) {
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return why_set(why, ERR_IO, "cannot be read: %s", strerror(errno));
		buf_add(out, piece, (size_t)n);
		at += n;
	}
	return out->failed ? no_memory(why) : OK;
}

/* A new file, one whose making was cut short, or one of ours; anything else stays untouched. */
static enum err check_header(struct savefile *f, const struct buf *text, struct why *why)
{
	size_t n = text->len < HEADER_LEN ? text->len : HEADER_LEN;
	if (text->len >= HEADER_LEN && memcmp(text->data, header, HEADER_LEN) == 0)
		return OK;
	if (text->len < HEADER_LEN && (n == 0 || memcmp(text->data, header, n) == 0)) {
		if (ftruncate(f->fd, 0) != 0 || fchmod(f->fd, 0600) != 0 || !write_all(f->fd, header, HEADER_LEN, 0) ||
		    fsync(f->fd) != 0 || !sync_dir(f->dir))
			return why_set(why, ERR_IO, "cannot be made: %s", strerror(errno));
		return OK;
	}
	if (n >= strlen(HEADER_WORD) && memcmp(text->data, HEADER_WORD, strlen(HEADER_WORD)) == 0)
		return why_set(
			why, ERR_INVAL,
			"was written by a newer version and is left alone: use that version, or name another file");
	return why_set(why, ERR_INVAL, "is no state file of log_control and is left alone: name another file");
}

/* ---- recovery ---- */

struct replay {
	struct savefile  *file;
	const char       *own_host;
	int64_t           boot_ns, wall_ns;
	struct ledger    *ledger;
	struct recovered *got;
};

static void replay_swap(struct replay *r, struct ledger *new)
{
	ledger_free(r->ledger);
	r->ledger = new;
}

static enum err replay_forget(struct replay *r, const struct record *record)
{
	for (size_t i = 0; i < record->n_ids; i++) {
		struct ledger *new;
		enum err err = ledger_remove(r->ledger, &record->ids[i], 1, &new, NULL);
		if (err == ERR_NOMEM)
			return err;
		if (err == OK) /* else it was replaced, or its own record was damaged */
			replay_swap(r, new);
	}
	return OK;
}

static enum err replay_record(struct replay *r, const struct record *record)
{
	struct ledger *new;
	enum err err;
	if (record->newest > r->got->newest_id)
		r->got->newest_id = record->newest;
	switch (record->kind) {
	case RECORD_DAMAGED:
		r->got->dropped++;
		return OK;
	case RECORD_FORGET:
		r->got->kept++;
		return replay_forget(r, record);
	case RECORD_ENTRY:
		r->got->kept++;
		if (ledger_find(r->ledger, ORIGIN_SOCKET, record->entry->id) != NULL)
			return OK; /* one id, one entry */
		err = ledger_add(r->ledger, record->entry, SIZE_MAX, &new, NULL);
		if (err == OK)
			replay_swap(r, new);
		return err;
	case RECORD_NEWEST:
		break;
	}
	return OK;
}

/* Replays whole lines; behind the last newline nothing was ever promised. */
static enum err replay_lines(struct replay *r, char *text, size_t len)
{
	char    *at = text + HEADER_LEN, *end = text + len, *newline;
	enum err err = OK;
	while (err == OK && at < end && (newline = memchr(at, '\n', (size_t)(end - at))) != NULL) {
		struct record record;
		err = record_read(&record, at, (size_t)(newline - at), r->own_host, r->boot_ns, r->wall_ns);
		if (err == OK)
			err = replay_record(r, &record);
		record_fini(&record);
		r->file->records++;
		at = newline + 1;
	}
	r->file->size = (off_t)(at - text);
	r->file->dirty = at < end;
	r->got->dropped += at < end;
	return err;
}

static enum err deliver(struct replay *r, recover_fn *each, void *ctx)
{
	struct ledger *left;
	size_t         before = ledger_count(r->ledger);
	enum err       err = ledger_expire(r->ledger, r->boot_ns, &left);
	if (err == OK && left != NULL)
		replay_swap(r, left);
	r->got->ended = before - ledger_count(r->ledger);
	for (size_t i = 0; i < ledger_count(r->ledger) && err == OK; i++)
		err = each(ctx, (struct entry *)ledger_get(r->ledger, i));
	return err;
}

static enum err replay_all(struct replay *r, char *text, size_t len, recover_fn *each, void *ctx, struct why *why)
{
	r->ledger = ledger_new(HELD_DEFAULT);
	enum err err = r->ledger == NULL ? ERR_NOMEM : replay_lines(r, text, len);
	if (err == OK)
		err = deliver(r, each, ctx);
	ledger_free(r->ledger);
	return err == OK ? OK : no_memory(why);
}

static char *dir_of(const char *path)
{
	const char *slash = strrchr(path, '/');
	if (slash == NULL)
		return strdup(".");
	return slash == path ? strdup("/") : strndup(path, (size_t)(slash - path));
}

enum err savefile_open(struct savefile **out, const char *path, const char *own_host, int64_t boot_ns, int64_t wall_ns,
		       recover_fn *each, void *ctx, struct recovered *recovered, struct why *why)
{
	struct savefile *f = calloc(1, sizeof(*f));
	struct buf       text = BUF_INIT;
	if (f == NULL)
		return no_memory(why);
	*recovered = (struct recovered){ 0 };
	f->fd = -1;
	f->path = strdup(path);
	f->dir = dir_of(path);
	enum err err = f->path == NULL || f->dir == NULL ? no_memory(why) : open_locked(f, why);
	if (err == OK)
		err = read_all(f->fd, &text, why);
	if (err == OK)
		err = check_header(f, &text, why);
	f->size = (off_t)HEADER_LEN;
	if (err == OK && text.len > HEADER_LEN) {
		struct replay r = { f, own_host, boot_ns, wall_ns, NULL, recovered };
		err = replay_all(&r, text.data, text.len, each, ctx, why);
	}
	buf_fini(&text);
	if (err != OK) {
		savefile_close(f);
		return err;
	}
	f->newest_id = recovered->newest_id;
	*out = f;
	return OK;
}

void savefile_close(struct savefile *f)
{
	if (f == NULL)
		return;
	if (f->fd >= 0)
		close(f->fd);
	free(f->path);
	free(f->dir);
	free(f);
}

/* ---- compaction ---- */

bool savefile_wants_compaction(const struct savefile *f, const struct ledger *l)
{
	return f->records > 1000 + 4 * ledger_count(l);
}

static void compact_text(struct buf *out, const struct savefile *f, const struct ledger *l, int64_t boot_ns,
			 int64_t wall_ns, size_t *records)
{
	buf_adds(out, header);
	record_newest(out, f->newest_id);
	*records = 1;
	for (size_t i = 0; i < ledger_count(l); i++) {
		if (ledger_get(l, i)->origin != ORIGIN_SOCKET)
			continue;
		record_entry(out, ledger_get(l, i), boot_ns, wall_ns);
		(*records)++;
	}
}

/* Written and locked beside the old file, then renamed over it: whoever looks finds one of the two whole. */
static int write_beside(const char *path, const struct buf *text)
{
	int fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (fd < 0)
		return -1;
	if (flock(fd, LOCK_EX | LOCK_NB) == 0 && write_all(fd, text->data, text->len, 0) && fsync(fd) == 0)
		return fd;
	int saved = errno;
	unlink(path);
	close(fd);
	errno = saved;
	return -1;
}

enum err savefile_compact(struct savefile *f, const struct ledger *l, int64_t boot_ns, int64_t wall_ns, struct why *why)
{
	struct buf text = BUF_INIT, path = BUF_INIT;
	size_t     records;
	enum err   err = OK;
	compact_text(&text, f, l, boot_ns, wall_ns, &records);
	buf_addf(&path, "%s.new", f->path);
	const char *beside = buf_text(&path);
	int         fd = text.failed || path.failed ? -1 : write_beside(beside, &text);
	if (text.failed || path.failed) {
		err = no_memory(why);
	} else if (fd < 0 || rename(beside, f->path) != 0) {
		err = failed(why, "StateFile cannot be compacted");
		if (fd >= 0)
			close(fd);
	} else {
		f->unnamed =
			!sync_dir(f->dir); /* until then a crash may bring the old file back, which says the same */
		close(f->fd);
		f->fd = fd;
		f->size = (off_t)text.len;
		f->dirty = false;
		f->records = records;
	}
	buf_fini(&text);
	buf_fini(&path);
	return err;
}
