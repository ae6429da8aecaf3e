/*
 * savefile - see savefile.h; the form of a record: record.h.
 *
 * What a failed sync means: Linux marks the pages clean all the same, so a later sync that succeeds says nothing about
 * them, and the block at the end of the file, which also holds records promised long ago, may be torn on the disk.  What was
 * promised is then written once more, to a new file, before anything else is promised (renew()).
 */
#include "savefile.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "record.h"
#include "savefile_internal.h"

#define COMPACT_RECORDS 1000
#define COMPACT_SIZE    ((off_t)16 << 20)
/* No file that is larger is looked through for records when it does not begin as ours do. */
#define SEARCH_MAX ((off_t)256 << 20)

/* ---- writing ---- */

/* Cuts off what was never promised. */
static bool cut_back(struct savefile *f)
{
	f->dirty = ftruncate(f->fd, f->size) != 0;
	return !f->dirty;
}

/* The same records in a new file. */
static enum err renew(struct savefile *f, struct why *why)
{
	struct buf text = BUF_INIT;
	enum err   err = disk_read(f->fd, (size_t)f->size, &text, why);
	bool       midline = f->midline;
	if (err == OK)
		err = disk_replace(f, &text, why);
	if (err == OK)
		f->midline = midline;
	buf_fini(&text);
	return err;
}

/* Has somebody been at the file since?  Removed it comes back; what else was done to it nobody can tell. */
static enum err look_after(struct savefile *f, struct why *why)
{
	struct stat st;
	if (fstat(f->fd, &st) != 0)
		return disk_failed(why, "StateFile cannot be looked at");
	if (st.st_size < f->size)
		f->cut = true;
	if (f->cut)
		return why_set(why, ERR_IO,
			       "StateFile was cut short by somebody else; nothing was changed: it is written anew "
			       "within one Interval, try again then");
	enum disk_name name = disk_name(f);
	if (name == NAME_OTHERS)
		return why_set(
			why, ERR_IO,
			"StateFile: another file stands in its place, or nobody can see it; nothing was changed: "
			"move that one away, or start the daemon anew");
	if (name == NAME_GONE)
		f->doubtful = true;
	return OK;
}

/* Nothing is written behind anything that was not promised, or into a file that a crash would take back. */
static enum err make_ready(struct savefile *f, struct why *why)
{
	enum err err = look_after(f, why);
	if (err != OK)
		return err;
	if (f->doubtful && (err = renew(f, why)) != OK)
		return err;
	if (f->unnamed && !disk_sync_dir(f->dir))
		return disk_failed(why, "StateFile: its directory cannot be synced");
	f->unnamed = false;
	if (f->dirty && !cut_back(f))
		return disk_failed(why, "StateFile: an earlier record cannot be cut back");
	return OK;
}

static enum err append_ready(struct savefile *f, const struct buf *record, struct why *why)
{
	enum err err;
	if (!disk_write(f->fd, record->data, record->len, f->size)) {
		err = disk_failed(why, "StateFile cannot be written");
		cut_back(f);
		return err;
	}
	if (fdatasync(f->fd) != 0) {
		err = disk_failed(why, "StateFile cannot be synced");
		f->dirty = f->doubtful = true;
		if (renew(f, NULL) != OK) /* now, while the records are still in memory; else before the next one */
			cut_back(f);
		return err;
	}
	f->size += (off_t)record->len;
	f->midline = false;
	f->records++;
	return OK;
}

static enum err append(struct savefile *f, const struct buf *record, struct why *why)
{
	struct buf line = BUF_INIT;
	enum err   err = record->failed ? disk_no_memory(why) : make_ready(f, why);
	if (err == OK && f->midline) {
		buf_addc(&line, '\n');
		buf_add(&line, record->data, record->len);
		err = line.failed ? disk_no_memory(why) : append_ready(f, &line, why);
	} else if (err == OK) {
		err = append_ready(f, record, why);
	}
	buf_fini(&line);
	return err;
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
	record_forget(&record, wall_ns, ids, n);
	enum err err = append(f, &record, why);
	buf_fini(&record);
	return err;
}

/* ---- opening ---- */

enum header { HEADER_OURS, HEADER_MISSING, HEADER_NEWER, HEADER_OTHER };

/* MISSING: the file is new, or its making was cut short. */
static enum header header_of(const struct buf *text)
{
	size_t n = text->len < HEADER_LEN ? text->len : HEADER_LEN, word = strlen(SAVEFILE_WORD), digits;
	if (n == 0 || memcmp(text->data, SAVEFILE_HEADER, n) == 0)
		return n == HEADER_LEN ? HEADER_OURS : HEADER_MISSING;
	if (text->len <= word || memcmp(text->data, SAVEFILE_WORD, word) != 0)
		return HEADER_OTHER;
	for (digits = word; digits < text->len && text->data[digits] >= '0' && text->data[digits] <= '9';)
		digits++;
	return digits > word && (digits == text->len || text->data[digits] == '\n') ? HEADER_NEWER : HEADER_OTHER;
}

/* Synced by take_over(). */
static enum err make_header(struct savefile *f, struct why *why)
{
	f->size = (off_t)HEADER_LEN;
	if (ftruncate(f->fd, 0) != 0 || !disk_write(f->fd, SAVEFILE_HEADER, HEADER_LEN, 0)) {
		enum err err = disk_failed(NULL, "");
		return why_set(why, err, "cannot be made: %s; make room or mend the disk, or name another file",
			       strerror(errno));
	}
	return OK;
}

static enum err not_ours(struct why *why)
{
	return why_set(why, ERR_INVAL, "is no state file of log_control and is left alone: name another file");
}

/* A first line that was damaged: the file is ours when it is records for the most part ... */
static bool is_ours(const struct replay *r)
{
	return r->got->kept > 0 && r->lost <= r->end / 2;
}

/* ... and gets a right one. */
static enum err mend_header(struct savefile *f, const struct replay *r, const char *body, size_t len, struct why *why)
{
	struct buf text = BUF_INIT;
	bool       midline = r->midline;
	buf_adds(&text, SAVEFILE_HEADER);
	buf_add(&text, body, len);
	enum err err = disk_replace(f, &text, why);
	buf_fini(&text);
	f->midline = midline;
	return err;
}

/* Where the next record goes, and a first line if there is none: from here on the file is changed. */
static enum err make_whole(struct savefile *f, const struct buf *text, enum header header, const struct replay *r,
			   const struct buf *copy, struct why *why)
{
	f->size = (off_t)r->end;
	f->dirty = r->end < text->len;
	f->midline = r->midline;
	f->records = r->records;
	if (header == HEADER_MISSING)
		return make_header(f, why);
	return header == HEADER_OTHER ? mend_header(f, r, copy->data, r->end, why) : OK;
}

/* The records as they are, delivered before anything is written.  Replaying rewrites the text, so mending works on a copy. */
static enum err recover(struct savefile *f, struct buf *text, enum header header, struct replay *r, recover_fn *each,
			void *ctx, struct why *why)
{
	struct buf copy = BUF_INIT;
	if (header == HEADER_OTHER)
		buf_add(&copy, text->data, text->len);
	enum err err = copy.failed ? ERR_NOMEM : replay_text(r, text, header == HEADER_OTHER ? 0 : HEADER_LEN);
	if (err == OK && header == HEADER_OTHER && !is_ours(r))
		err = not_ours(why);
	else if (err != OK || (err = replay_deliver(r, each, ctx)) != OK)
		disk_no_memory(why);
	if (err == OK)
		err = make_whole(f, text, header, r, &copy, why);
	buf_fini(&copy);
	return err;
}

/* From here on the file is known to be ours.  What was read is made durable, and its name: the daemon before may have been
 * killed between write and sync, and what is read is in force from now on. */
static enum err take_over(struct savefile *f, struct why *why)
{
	struct stat st;
	if (fstat(f->fd, &st) == 0 && (st.st_mode & 0177) != 0)
		fchmod(f->fd, 0600);
	disk_clean(f);
	if (fsync(f->fd) != 0 || !disk_sync_dir(f->dir))
		return why_set(why, ERR_IO, "cannot be synced: %s; mend the disk, or name another file",
			       strerror(errno));
	return OK;
}

static enum err read_file(struct savefile *f, struct replay *r, recover_fn *each, void *ctx, struct why *why)
{
	struct buf  text = BUF_INIT;
	struct stat st;
	enum err    err = disk_read(f->fd, HEADER_LEN + 10, &text, why);
	enum header header = HEADER_OTHER;
	if (err == OK)
		header = header_of(&text);
	if (err == OK && header == HEADER_OTHER && (fstat(f->fd, &st) != 0 || st.st_size > SEARCH_MAX))
		err = not_ours(why);
	else if (err == OK && header == HEADER_NEWER)
		err = why_set(why, ERR_INVAL,
			      "was written by a newer version and is left alone: use that version, or name another "
			      "file");
	text.len = 0;
	if (err == OK && header != HEADER_MISSING)
		err = disk_read(f->fd, SIZE_MAX >> 1, &text, why);
	if (err == OK)
		err = recover(f, &text, header, r, each, ctx, why);
	if (err == OK)
		err = take_over(f, why);
	buf_fini(&text);
	return err;
}

static enum err savefile_init(struct savefile *f, const char *path)
{
	const char *slash = strrchr(path, '/');
	size_t      len = strlen(path), dir_len = slash == NULL || slash == path ? 1 : (size_t)(slash - path);
	f->fd = -1;
	f->path = strdup(path);
	f->dir = strdup(slash == NULL ? "." : path);
	f->beside = malloc(len + sizeof(".new"));
	if (f->path == NULL || f->dir == NULL || f->beside == NULL)
		return ERR_NOMEM;
	f->dir[dir_len] = '\0';
	memcpy(f->beside, path, len);
	memcpy(f->beside + len, ".new", sizeof(".new"));
	f->compact_records = COMPACT_RECORDS;
	f->compact_size = COMPACT_SIZE;
	return OK;
}

enum err savefile_open(struct savefile **out, const char *path, const char *own_host, int64_t boot_ns, int64_t wall_ns,
		       recover_fn *each, void *ctx, struct recovered *recovered, struct why *why)
{
	struct replay    r = { .own_host = own_host, .boot_ns = boot_ns, .wall_ns = wall_ns, .got = recovered };
	struct savefile *f = calloc(1, sizeof(*f));
	*recovered = (struct recovered){ 0 };
	if (f == NULL)
		return disk_no_memory(why);
	enum err err = savefile_init(f, path) == OK ? disk_open_locked(f, why) : disk_no_memory(why);
	if (err == OK)
		err = read_file(f, &r, each, ctx, why);
	ledger_free(r.ledger);
	if (err != OK) {
		f->dirty = false; /* whoever's it is, it stays as it is */
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
	if (!(f->doubtful && renew(f, NULL) == OK) && f->dirty)
		cut_back(f);
	if (f->fd >= 0)
		close(f->fd);
	free(f->path);
	free(f->dir);
	free(f->beside);
	free(f);
}

/* ---- compaction ---- */

bool savefile_wants_compaction(const struct savefile *f, const struct ledger *l)
{
	return f->cut || f->records > f->compact_records + 2 * ledger_count(l) || f->size > f->compact_size;
}

/* The newest id stands there twice: with one record damaged it is still not given again. */
static void compact_text(struct buf *out, const struct savefile *f, const struct ledger *l, int64_t boot_ns,
			 int64_t wall_ns, size_t *records)
{
	buf_adds(out, SAVEFILE_HEADER);
	record_newest(out, f->newest_id);
	*records = 2;
	for (size_t i = 0; i < ledger_count(l); i++) {
		if (ledger_get(l, i)->origin != ORIGIN_SOCKET)
			continue;
		record_entry(out, ledger_get(l, i), boot_ns, wall_ns);
		(*records)++;
	}
	record_newest(out, f->newest_id);
}

enum err savefile_compact(struct savefile *f, const struct ledger *l, int64_t boot_ns, int64_t wall_ns, struct why *why)
{
	struct buf text = BUF_INIT;
	size_t     records;
	compact_text(&text, f, l, boot_ns, wall_ns, &records);
	enum err err = disk_replace(f, &text, why);
	if (err == OK) {
		f->records = records;
		f->compact_records = COMPACT_RECORDS;
		f->compact_size = COMPACT_SIZE > 4 * f->size ? COMPACT_SIZE : 4 * f->size;
	} else { /* not again at once: on a full disk that would be all the time */
		f->compact_records = f->records + COMPACT_RECORDS;
		f->compact_size = f->size + COMPACT_SIZE;
	}
	buf_fini(&text);
	return err;
}
