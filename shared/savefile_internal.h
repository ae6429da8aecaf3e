/*
 * savefile_internal - what the files of savefile share; nobody else includes it.
 */
#ifndef LC_SAVEFILE_INTERNAL_H
#define LC_SAVEFILE_INTERNAL_H

#include <sys/types.h>

#include "buf.h"
#include "savefile.h"

#define SAVEFILE_WORD   "log_control-state "
#define SAVEFILE_HEADER SAVEFILE_WORD "1\n"
#define HEADER_LEN      (sizeof(SAVEFILE_HEADER) - 1)

struct savefile {
	/* constant */
	char *path;   /* as the caller named it */
	char *dir;    /* in which it stands */
	char *beside; /* where its successor is written */

	/* control lock */
	int      fd;       /* owned; holds the lock of the file that `path` names */
	off_t    size;     /* what is whole and promised; an append begins here */
	bool     midline;  /* what stands before `size` has no line end of its own */
	bool     dirty;    /* behind `size` something may stand that was never promised */
	bool     doubtful; /* a sync failed: what the disk holds is unknown, see renew() */
	bool     cut;      /* somebody else made the file shorter: only the ledger knows what is promised */
	bool     unnamed;  /* the directory could not be synced after a rename */
	size_t   records;
	size_t   compact_records; /* beyond this ... */
	off_t    compact_size;    /* ... or this it is time to compact */
	uint64_t newest_id;
};

/* ---- savefile_disk.c: calls of the system, and what their failure means ---- */

/* ERR_SPACE, ERR_NOMEM or ERR_IO by errno, with "`what`: reason" and the way out. */
enum err disk_failed(struct why *why, const char *what);
enum err disk_no_memory(struct why *why);
/* All of `data` at `at`; false: errno says why, and some of it may stand there. */
bool     disk_write(int fd, const char *data, size_t len, off_t at);
/* A name in a directory is as durable as the directory.  False: errno. */
bool     disk_sync_dir(const char *dir);
/* Appends what the file holds, at most `limit` bytes; ERR_IO, ERR_NOMEM. */
enum err disk_read(int fd, size_t limit, struct buf *out, struct why *why);
/* Opens or makes f->path and locks it; ERR_BUSY, ERR_IO.  On an error f->fd may be open. */
enum err disk_open_locked(struct savefile *f, struct why *why);
/* Does f->path still name the file that is open?  GONE: nothing stands there. */
enum disk_name { NAME_OURS, NAME_GONE, NAME_OTHERS };
enum disk_name disk_name(const struct savefile *f);
/* Removes what a crash left of an earlier successor; a file that is not ours stays. */
void           disk_clean(const struct savefile *f);
/* Puts a file with just `text` in the place of the old one: written and locked beside it, synced, renamed.  Whoever looks
 * finds one of the two whole.  On an error the old one is as it was, and nothing is left beside it. */
enum err       disk_replace(struct savefile *f, const struct buf *text, struct why *why);

/* ---- savefile_replay.c ---- */

struct replay {
	/* set by the caller */
	const char       *own_host;
	int64_t           boot_ns, wall_ns;
	struct recovered *got;

	/* what the text said */
	struct ledger *ledger; /* owned by the caller of replay_text(); may be set on an error as well */
	size_t         records;
	size_t         lost;    /* bytes that belong to no record */
	size_t         end;     /* behind the last whole record: the next one goes there */
	bool           midline; /* ... and has no line end before it */
};

/* Replays the lines of `text` (rewritten) from `at` on.  ERR_NOMEM. */
enum err replay_text(struct replay *r, struct buf *text, size_t at);
/* Hands on the entries that have not ended, in order.  ERR_NOMEM, or what `each` says. */
enum err replay_deliver(struct replay *r, recover_fn *each, void *ctx);

#endif
