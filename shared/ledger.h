/*
 * ledger - the ordered list of accepted requests, and the fold over it (specification section 5).
 *
 * Role     an immutable snapshot: each change makes a new ledger that shares what did not change.  The state held by a
 *          metric instance is the fold of control_next() over the entries that select it, starting from the default.
 * Threads  a published ledger may be read by any thread; only the control side makes and frees ledgers, under the
 *          logger's control lock, and frees a published one after an RCU grace period.
 * Owns     its entries by reference count (control side only), they their selectors.
 * Units    at: seconds since the epoch.  ends: nanoseconds of the boot-time clock.
 * Errors   ERR_NOMEM, ERR_FULL, ERR_UNKNOWN, ERR_INVAL; on any error nothing has changed.
 */
#ifndef LC_LEDGER_H
#define LC_LEDGER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "buf.h"
#include "control.h"
#include "err.h"
#include "ident.h"
#include "selector.h"

enum origin { ORIGIN_CONFIG, ORIGIN_SOCKET };

#define ENTRY_FOREVER INT64_MAX

/* One accepted request.  Immutable once in a ledger. */
struct entry {
	enum origin       origin;
	uint64_t          id; /* shown with a `c` in front for ORIGIN_CONFIG */
	struct ask        ask;
	int64_t           ends_ns; /* boot-time clock; ENTRY_FOREVER for a permanent one */
	int64_t           at_s;    /* wall clock, when it was accepted */
	uint32_t          uid;     /* who asked; unused for ORIGIN_CONFIG */
	bool              saved;   /* stands in the state file */
	char             *note;    /* owned, terminated; NULL for none */
	unsigned          refs;
	size_t            n_selectors;
	struct selector **selectors; /* owned references */
};

/* A new entry with one reference, taking over a reference to each selector and a copy of `note`.  NULL: no memory, and
 * the selectors are still the caller's. */
struct entry *entry_new(enum origin origin, uint64_t id, const struct ask *ask, struct selector *const *selectors,
			size_t n, const char *note);
struct entry *entry_ref(struct entry *e);
void          entry_unref(struct entry *e);
bool          entry_selects(const struct entry *e, const char *ident, size_t len);
/* What stands for the entry in struct hold: its id, 0 for the configuration's. */
uint64_t      entry_by(const struct entry *e);
/* Appends the request as it could be sent again (selectors as written, those still in force), less `for=` and `note=`. */
void          entry_format(const struct entry *e, struct buf *out);

struct ledger; /* opaque */

/* An empty ledger.  `def` is the default that every fold starts from. */
struct ledger *ledger_new(struct held def);
void           ledger_free(struct ledger *l); /* drops its references; NULL is fine */

/* A new ledger: `old` with `e` at the end, less what `e` replaces (socket entries only) and the maybes that then merge.
 * Takes its own reference to `e`.  `old` stays valid and the caller's.  ERR_FULL when more than `max_selectors` stand. */
enum err ledger_add(const struct ledger *old, struct entry *e, size_t max_selectors, struct ledger **out,
		    struct why *why);
/* A new ledger without the socket entries `ids`.  ERR_UNKNOWN names the first id that is not there. */
enum err ledger_remove(const struct ledger *old, const uint64_t *ids, size_t n, struct ledger **out, struct why *why);

/* The fold: what a metric instance of that name holds.  Any thread, no lock, no allocation. */
struct hold ledger_fold(const struct ledger *l, struct ident ident);

/* What each entry that selects `ident` did, in order, the default first (entry NULL). */
struct step {
	const struct entry *entry;
	bool                refused;
	struct hold         after;
};
typedef void step_fn(void *ctx, const struct step *step);
void         ledger_explain(const struct ledger *l, struct ident ident, step_fn *fn, void *ctx);

size_t              ledger_count(const struct ledger *l);          /* entries */
size_t              ledger_selector_count(const struct ledger *l); /* selectors in all */
const struct entry *ledger_get(const struct ledger *l, size_t i);  /* in order; i < ledger_count() */
const struct entry *ledger_find(const struct ledger *l, enum origin origin, uint64_t id); /* NULL: none */
struct held         ledger_default(const struct ledger *l);
/* The highest socket id that was ever in this ledger or one before it (0: none): specification section 4, once. */
uint64_t            ledger_newest_id(const struct ledger *l);
/* A ledger that continues to count from `id` on (recovery of saved rules); only before the ledger is published. */
void                ledger_set_newest_id(struct ledger *l, uint64_t id);
/* Which apply step this ledger belongs to; set by the logger before it publishes (see DESIGN.md). */
uint64_t            ledger_step(const struct ledger *l);
void                ledger_set_step(struct ledger *l, uint64_t step);
/* Earliest end of a timed entry, ENTRY_FOREVER when none. */
int64_t             ledger_next_end(const struct ledger *l);
/* A new ledger without the entries whose end is at or before `boot_ns`; *out is NULL when there are none. */
enum err            ledger_expire(const struct ledger *old, int64_t boot_ns, struct ledger **out);

#endif
