/*
 * ledger_internal - what the files of the ledger share; nobody else includes it.
 *
 * Role     a ledger is an ordered array of entries and an index over their selectors.  The index is persistent: 256 pages
 *          by the top byte of the hash, each immutable and counted, so that a change copies the pages it touches and shares
 *          the others.  Patterns stand once more in an array in ledger order, for the fold.
 */
#ifndef LC_LEDGER_INTERNAL_H
#define LC_LEDGER_INTERNAL_H

#include "ledger.h"

/* One selector of one entry; both borrowed from the ledger's entries. */
struct ref {
	uint64_t         hash; /* of the selector's full text; in the array of patterns selector_pairs() */
	struct entry    *entry;
	struct selector *selector;
};

struct page {
	unsigned   users; /* ledgers that share it */
	size_t     n;
	struct ref refs[]; /* by hash, then in ledger order */
};

#define N_PAGES 256

struct ledger {
	struct held    def;
	uint64_t       newest_id, step;
	int64_t        next_end_ns;
	size_t         n_entries, n_selectors, n_patterns;
	struct entry **entries;        /* counted references, the configuration's first */
	struct ref    *patterns;       /* in ledger order */
	struct page   *pages[N_PAGES]; /* NULL: empty */
};

/* < 0, 0, > 0: which entry stands first in a ledger.  Ids go up within an origin, the configuration comes first. */
int entry_compare(const struct entry *a, const struct entry *b);

/* A growing list of refs. */
struct refs {
	struct ref *list;
	size_t      n, size;
};
enum err refs_add(struct refs *r, struct entry *e, struct selector *s);
void     refs_fini(struct refs *r);

/* The refs whose selector has the same full text as `ident`, in ledger order: `*first` and their number. */
size_t   index_find(const struct ledger *l, struct ident ident, const struct ref **first);
/* Fills the empty index of `l` with that of `old` less `gone` plus `come`; sorts both lists.  ERR_NOMEM leaves what index_fini()
 * can free. */
enum err index_change(struct ledger *l, const struct ledger *old, struct refs *gone, struct refs *come);
void     index_fini(struct ledger *l);

#endif
