/* ledger - reading: the fold and what led to it; see ledger.h.  Changing: ledger_change.c. */
#include <stdlib.h>
#include <string.h>

#include "ledger_internal.h"

struct ledger *ledger_new(struct held def)
{
	struct ledger *l = calloc(1, sizeof(*l));
	if (l == NULL)
		return NULL;
	l->def = def;
	l->next_end_ns = ENTRY_FOREVER;
	return l;
}

void ledger_free(struct ledger *l)
{
	if (l == NULL)
		return;
	index_fini(l);
	for (size_t i = 0; i < l->n_entries; i++)
		entry_unref(l->entries[i]);
	free(l->entries);
	free(l->patterns);
	free(l);
}

/* Walks the entries that select one identifier, in ledger order, each once: the exact ones from the index, the patterns from
 * their array. */
struct walk {
	const struct ref   *exact, *exact_end, *pattern, *pattern_end;
	struct ident        ident;
	uint64_t            pairs; /* of it */
	const struct entry *last;
};

static struct walk walk_begin(const struct ledger *l, struct ident ident)
{
	struct walk w = { .ident = ident };
	size_t      n = index_find(l, ident, &w.exact);
	w.exact_end = n == 0 ? w.exact : w.exact + n;
	w.pattern = l->patterns;
	w.pattern_end = l->n_patterns == 0 ? l->patterns : l->patterns + l->n_patterns;
	w.pairs = l->n_patterns == 0 ? 0 : ident_pairs(ident.text, ident.len);
	return w;
}

static bool is_exact_hit(const struct ref *r, struct ident ident)
{
	struct ident text = selector_ident(r->selector);
	return !selector_is_pattern(r->selector) && text.len == ident.len &&
	       memcmp(text.text, ident.text, ident.len) == 0;
}

static const struct ref *next_exact(struct walk *w)
{
	while (w->exact != w->exact_end && !is_exact_hit(w->exact, w->ident))
		w->exact++;
	return w->exact == w->exact_end ? NULL : w->exact;
}

static const struct ref *next_pattern(struct walk *w)
{
	while (w->pattern != w->pattern_end && ((w->pattern->hash & ~w->pairs) != 0 ||
						!selector_matches(w->pattern->selector, w->ident.text, w->ident.len)))
		w->pattern++;
	return w->pattern == w->pattern_end ? NULL : w->pattern;
}

/* The next entry, NULL at the end. */
static const struct entry *walk_next(struct walk *w)
{
	for (;;) {
		const struct ref *exact = next_exact(w), *pattern = next_pattern(w), *r;
		if (exact == NULL && pattern == NULL)
			return NULL;
		if (pattern == NULL || (exact != NULL && entry_compare(exact->entry, pattern->entry) <= 0)) {
			r = exact;
			w->exact++;
		} else {
			r = pattern;
			w->pattern++;
		}
		if (r->entry != w->last) {
			w->last = r->entry;
			return r->entry;
		}
	}
}

struct hold ledger_fold(const struct ledger *l, struct ident ident)
{
	struct hold hold = { l->def, 0 };
	struct walk walk = walk_begin(l, ident);
	for (const struct entry *e = walk_next(&walk); e != NULL; e = walk_next(&walk))
		control_next(&hold, &e->ask, entry_by(e));
	return hold;
}

void ledger_explain(const struct ledger *l, struct ident ident, step_fn *fn, void *ctx)
{
	struct step step = { NULL, false, { l->def, 0 } };
	struct walk walk = walk_begin(l, ident);
	fn(ctx, &step);
	while ((step.entry = walk_next(&walk)) != NULL) {
		step.refused = !control_next(&step.after, &step.entry->ask, entry_by(step.entry));
		fn(ctx, &step);
	}
}

size_t ledger_count(const struct ledger *l)
{
	return l->n_entries;
}

size_t ledger_selector_count(const struct ledger *l)
{
	return l->n_selectors;
}

const struct entry *ledger_get(const struct ledger *l, size_t i)
{
	return l->entries[i];
}

const struct entry *ledger_find(const struct ledger *l, enum origin origin, uint64_t id)
{
	const struct entry key = { .origin = origin, .id = id };
	size_t             low = 0, high = l->n_entries;
	while (low < high) {
		size_t mid = low + (high - low) / 2;
		int    order = entry_compare(l->entries[mid], &key);
		if (order == 0)
			return l->entries[mid];
		if (order < 0)
			low = mid + 1;
		else
			high = mid;
	}
	return NULL;
}

struct held ledger_default(const struct ledger *l)
{
	return l->def;
}

uint64_t ledger_newest_id(const struct ledger *l)
{
	return l->newest_id;
}

void ledger_set_newest_id(struct ledger *l, uint64_t id)
{
	if (id > l->newest_id)
		l->newest_id = id;
}

uint64_t ledger_step(const struct ledger *l)
{
	return l->step;
}

void ledger_set_step(struct ledger *l, uint64_t step)
{
	l->step = step;
}

int64_t ledger_next_end(const struct ledger *l)
{
	return l->next_end_ns;
}
