/*
 * savefile - socket entries that survive restarts and crashes (specification section 13).
 *
 * Role     the only file that shared/ writes: a text log of records, each with id, time, uid, end and checksum; recovery
 *          keeps every whole record; compaction replaces the file atomically.
 * Threads  one at a time (the logger's control lock).
 * Owns     the descriptor and its lock; closed on exec.
 * Units    wall clock in seconds on disk, boot-time clock in memory.
 * Errors   ERR_SPACE, ERR_IO, ERR_BUSY (another daemon holds it), ERR_NOMEM, ERR_INVAL (a newer version); a failed append
 *          leaves the file as it was before (cut back, or marked so that the next start drops the torn record).
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
	size_t   kept, dropped; /* whole records; torn or damaged ones */
	size_t   ended;         /* timed entries past their end */
	uint64_t newest_id;     /* highest id ever given */
};

/* Opens or makes the file (mode 0600), locks it, reads it; `each` gets every entry still in force, in order, and takes its own
 * reference; its order and FORGETs are resolved by replaying into a ledger that `each` need not know. */
typedef enum err recover_fn(void *ctx, struct entry *e);
enum err savefile_open(struct savefile **out, const char *path, const char *own_host, int64_t boot_ns, int64_t wall_ns,
		       recover_fn *each, void *ctx, struct recovered *recovered, struct why *why);
void     savefile_close(struct savefile *f);

/* Writes one record and syncs it; only then is the entry promised. */
enum err savefile_log(struct savefile *f, const struct entry *e, int64_t boot_ns, int64_t wall_ns, struct why *why);
enum err savefile_forget(struct savefile *f, const uint64_t *ids, size_t n, int64_t wall_ns, struct why *why);
/* Replaces the file by one that holds just the socket entries of `l`, when that saves much; a failure leaves the old one. */
enum err savefile_compact(struct savefile *f, const struct ledger *l, int64_t boot_ns, int64_t wall_ns,
			  struct why *why);
bool     savefile_wants_compaction(const struct savefile *f, const struct ledger *l);

#endif
