/*
 * savefile - socket entries that survive restarts and crashes (specification section 13).
 *
 * Role     the only file that shared/ writes: a text log of records (record.h), each with id, time, uid, end and checksum.
 *          Recovery keeps every whole record, also beside damage, and counts what it dropped; compaction replaces the
 *          file atomically.
 * Threads  one at a time (the logger's control lock).
 * Owns     the descriptor and its lock; closed on exec.  The file that `path` names and `path`.new, where a successor is
 *          written; nothing that is not ours is ever written to or removed.
 * Units    wall clock in seconds or milliseconds on disk, boot-time clock in nanoseconds in memory.
 * Errors   ERR_SPACE, ERR_IO, ERR_BUSY (another daemon holds it), ERR_NOMEM, ERR_INVAL (a newer version, or no state file);
 *          `why` has the words, to be put behind the name of the file.  A failed append leaves what was promised before,
 *          and the record that failed is cut off again; if even that fails, it is cut off before anything else is
 *          written, and only a crash before then may bring it back, whole or as one that is dropped.
 */
#ifndef LC_SAVEFILE_H
#define LC_SAVEFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "err.h"
#include "ledger.h"

struct savefile;

struct recovered {
	size_t   kept, dropped; /* whole records; damaged places, each with one record or more */
	size_t   ended;         /* timed entries past their end */
	uint64_t newest_id;     /* no id up to this may be given again */
};

/* Opens or makes the file (mode 0600, a symbolic link is not followed), locks it, replays it; `each` gets every entry still in
 * force, in the order of the ledger, and takes its own reference.  Timed entries keep what is left of their time by the wall
 * clock, at most what was left when they were written.  On an error the file is as it was. */
typedef enum err recover_fn(void *ctx, struct entry *e);
enum err savefile_open(struct savefile **out, const char *path, const char *own_host, int64_t boot_ns, int64_t wall_ns,
		       recover_fn *each, void *ctx, struct recovered *recovered, struct why *why);
/* Lets the lock go; NULL is fine. */
void     savefile_close(struct savefile *f);

/* Writes one record and syncs it; only then is the entry promised, or the forgetting done.  A file that was removed meanwhile
 * is made again, one that was replaced or cut by somebody else is an error. */
enum err savefile_log(struct savefile *f, const struct entry *e, int64_t boot_ns, int64_t wall_ns, struct why *why);
enum err savefile_forget(struct savefile *f, const uint64_t *ids, size_t n, int64_t wall_ns, struct why *why);
/* Replaces the file by one that holds just the socket entries of `l` and the newest id; a failure leaves the old one. */
enum err savefile_compact(struct savefile *f, const struct ledger *l, int64_t boot_ns, int64_t wall_ns,
			  struct why *why);
/* Would that save much, or is it the only way on? */
bool     savefile_wants_compaction(const struct savefile *f, const struct ledger *l);

#endif
