/*
 * record - one line of the state file <-> an entry, a FORGET, or the newest id (specification section 13).
 *
 *     E ID AT UID END REST "NOTE" "LOG ..." SUM     an entry; END (wall clock) and REST in ms, - for a permanent one
 *     F AT ID ... SUM                               these were forgotten
 *     N ID SUM                                      the newest id ever given
 *
 * SUM is XXH3 of everything before it, the blank included, as 16 hexadecimal digits.  AT is wall clock in seconds.
 * Threads  pure functions, but for the reference counts of selectors.
 */
#ifndef LC_RECORD_H
#define LC_RECORD_H

#include <stdbool.h>
#include <stdint.h>

#include "buf.h"
#include "ledger.h"

/* No record of an entry is shorter. */
#define RECORD_MIN_LEN 40

enum record_kind { RECORD_DAMAGED, RECORD_ENTRY, RECORD_FORGET, RECORD_NEWEST };

struct record {
	enum record_kind kind;
	struct entry    *entry; /* RECORD_ENTRY: one reference */
	uint64_t        *ids;   /* RECORD_FORGET: owned */
	size_t           n_ids;
	uint64_t         newest; /* RECORD_NEWEST, and the id of RECORD_ENTRY */
};

void     record_fini(struct record *r);
/* Reads one line without its LF (it is rewritten).  Whatever is not whole gives RECORD_DAMAGED and OK; ERR_NOMEM. */
enum err record_read(struct record *r, char *line, size_t len, const char *own_host, int64_t boot_ns, int64_t wall_ns);
void     record_entry(struct buf *out, const struct entry *e, int64_t boot_ns, int64_t wall_ns);
void     record_forget(struct buf *out, int64_t wall_ns, const uint64_t *ids, size_t n);
void     record_newest(struct buf *out, uint64_t id);
/* The first piece of a damaged line, at `from` or behind it, whose checksum is right: text[*start] to text[*stop].  Gives up
 * after some time (a quarter of a gigabyte looked at), for lines that were made to take long. */
bool     record_search(const char *text, size_t len, size_t from, size_t *start, size_t *stop);

#endif
