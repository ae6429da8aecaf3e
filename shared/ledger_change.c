/*
 * ledger_change - a new ledger from an old one: adding with replacement, removing, ending (specification section 5).
 *
 * A change is worked out as two lists of refs, what goes and what comes, over a list of entries in which a shortened entry
 * stands as a copy; the new ledger is then made from both in one go.
 */
#include <stdlib.h>
#include <string.h>

#include "ledger_internal.h"

/* The ledger in the making. */
struct draft {
	const struct ledger *old;
	struct entry       **entries; /* counted */
	size_t               n;
	struct refs          gone, come;
	struct refs          dead; /* counted: entries that were shortened, kept until all sorting by entry is over */
	uint64_t             newest_id;
};

static enum err no_memory(struct why *why)
{
	return why_set(why, ERR_NOMEM, "out of memory; nothing was changed, try again later");
}

static void draft_fini(struct draft *d)
{
	for (size_t i = 0; i < d->n; i++)
		entry_unref(d->entries[i]);
	free(d->entries);
	for (size_t i = 0; i < d->dead.n; i++)
		entry_unref(d->dead.list[i].entry);
	refs_fini(&d->dead);
	refs_fini(&d->gone);
	refs_fini(&d->come);
}

/* All entries of `old`, with room for one more. */
static enum err draft_init(struct draft *d, const struct ledger *old)
{
	*d = (struct draft){ .old = old, .newest_id = old->newest_id };
	d->entries = malloc((old->n_entries + 1) * sizeof(*d->entries));
	if (d->entries == NULL)
		return ERR_NOMEM;
	for (size_t i = 0; i < old->n_entries; i++)
		d->entries[i] = entry_ref(old->entries[i]);
	d->n = old->n_entries;
	return OK;
}

static enum err refs_add_all(struct refs *r, struct entry *e)
{
	for (size_t i = 0; i < e->n_selectors; i++) {
		enum err err = refs_add(r, e, e->selectors[i]);
		if (err != OK)
			return err;
	}
	return OK;
}

/* Is a ref of entry `e` with selector `s` in the sorted run? */
static int drop_compare(const void *left, const void *right)
{
	const struct ref *a = left, *b = right;
	int               order = entry_compare(a->entry, b->entry);
	if (order != 0)
		return order;
	return a->selector < b->selector ? -1 : a->selector > b->selector;
}

/* A copy of `e` without the selectors in `drops` (sorted by drop_compare); one that would be empty is given as *out NULL. */
static enum err entry_shorten(struct entry *e, const struct refs *drops, struct entry **out)
{
	struct selector **left = malloc(e->n_selectors * sizeof(struct selector *));
	size_t            n = 0;
	*out = NULL;
	if (left == NULL)
		return ERR_NOMEM;
	for (size_t i = 0; i < e->n_selectors; i++) {
		struct ref key = { 0, e, e->selectors[i] };
		if (bsearch(&key, drops->list, drops->n, sizeof(key), drop_compare) == NULL)
			left[n++] = e->selectors[i];
	}
	if (n > 0)
		*out = entry_new(e->origin, e->id, &e->ask, left, n, e->note);
	free(left);
	if (n > 0 && *out == NULL)
		return ERR_NOMEM;
	if (n > 0) {
		(*out)->ends_ns = e->ends_ns;
		(*out)->at_s = e->at_s;
		(*out)->uid = e->uid;
		(*out)->saved = e->saved;
		for (size_t i = 0; i < n; i++)
			selector_ref((*out)->selectors[i]);
	}
	return OK;
}

/* Is `e` one of the old ledger's, so that the index holds refs to it? */
static bool is_indexed(const struct draft *d, const struct entry *e)
{
	return ledger_find(d->old, e->origin, e->id) == e;
}

/* Takes what refs of `e` stand in `come` out again: it was shortened before it ever got into an index. */
static void uncome(struct refs *come, const struct entry *e)
{
	size_t n = 0;
	for (size_t i = 0; i < come->n; i++) {
		if (come->list[i].entry != e)
			come->list[n++] = come->list[i];
	}
	come->n = n;
}

static enum err shorten_at(struct draft *d, size_t *at, const struct refs *drops)
{
	struct entry *old = d->entries[*at], *shorter = NULL;
	enum err      err = entry_shorten(old, drops, &shorter);
	if (err == OK && is_indexed(d, old))
		err = refs_add_all(&d->gone, old);
	else if (err == OK)
		uncome(&d->come, old);
	if (err == OK && shorter != NULL)
		err = refs_add_all(&d->come, shorter);
	if (err == OK)
		err = refs_add(&d->dead, old, old->selectors[0]);
	if (err != OK) {
		uncome(&d->come, shorter);
		entry_unref(shorter);
		return err;
	}
	if (shorter != NULL) {
		d->entries[(*at)++] = shorter;
	} else {
		memmove(d->entries + *at, d->entries + *at + 1, (d->n - *at - 1) * sizeof(*d->entries));
		d->n--;
	}
	return OK;
}

/* Drops the (entry, selector) pairs of `drops` from the draft. */
static enum err draft_drop(struct draft *d, struct refs *drops)
{
	if (drops->n == 0)
		return OK;
	qsort(drops->list, drops->n, sizeof(struct ref), drop_compare);
	size_t at = 0, i = 0;
	while (i < drops->n) {
		const struct entry *e = drops->list[i].entry;
		while (d->entries[at] != e)
			at++;
		while (i < drops->n && drops->list[i].entry == e)
			i++;
		enum err err = shorten_at(d, &at, drops);
		if (err != OK)
			return err;
	}
	return OK;
}

/* Does the new entry replace a selector of `old` that both name? */
static bool replaces(const struct entry *new, const struct entry *old)
{
	if (old->origin == ORIGIN_CONFIG || new->ask.state == STATE_MAYBE)
		return false;
	if (new->ends_ns == ENTRY_FOREVER)
		return new->ask.control == CONTROL_MANDATORY || old->ask.control == CONTROL_ADVISORY;
	return ask_equal(&new->ask, &old->ask) && old->ends_ns <= new->ends_ns;
}

static enum err draft_replace(struct draft *d, const struct entry *new)
{
	struct refs drops = { NULL, 0, 0 };
	enum err    err = OK;
	for (size_t i = 0; i < new->n_selectors &&err == OK; i++) {
		const struct ref *r = NULL;
		struct selector  *s = new->selectors[i];
		size_t            n = index_find(d->old, selector_ident(s), &r);
		for (; n > 0 && err == OK; n--, r++) {
			if (selector_same(r->selector, s) && replaces(new, r->entry))
				err = refs_add(&drops, r->entry, r->selector);
		}
	}
	if (err == OK)
		err = draft_drop(d, &drops);
	refs_fini(&drops);
	return err;
}

/* What later maybes of one run (no advisory entry in between) ask for, by selector. */
struct later {
	const struct selector *selector;
	size_t                 run;
	int64_t                ends_ns;
};

/* The slot of `s` in an open-addressed table of `mask` + 1, at most half full. */
static struct later *later_find(struct later *table, size_t mask, const struct selector *s, size_t run)
{
	size_t i = selector_ident(s).hash & mask;
	while (table[i].selector != NULL && !(table[i].run == run && selector_same(table[i].selector, s)))
		i = (i + 1) & mask;
	return &table[i];
}

/* Looks at one maybe, latest entry first: is any of its selectors covered by a later one? */
static enum err maybe_covered(struct entry *e, struct later *table, size_t mask, size_t run, struct refs *drops)
{
	for (size_t i = 0; i < e->n_selectors; i++) {
		struct later *later = later_find(table, mask, e->selectors[i], run);
		if (later->selector != NULL && e->ends_ns <= later->ends_ns) {
			enum err err = refs_add(drops, e, e->selectors[i]);
			if (err != OK)
				return err;
		} else {
			*later = (struct later){ e->selectors[i], run, e->ends_ns };
		}
	}
	return OK;
}

static bool is_maybe(const struct entry *e)
{
	return e->origin == ORIGIN_SOCKET && e->ask.state == STATE_MAYBE;
}

/* Maybes that a later maybe covers go, if no advisory entry (whatever its selector) stands between the two. */
static enum err draft_merge_maybes(struct draft *d)
{
	size_t n = 0, entries = 0, mask = 3, run = 0;
	for (size_t i = 0; i < d->n; i++) {
		if (is_maybe(d->entries[i])) {
			n += d->entries[i]->n_selectors;
			entries++;
		}
	}
	if (entries < 2)
		return OK;
	while (mask < 2 * n)
		mask = 2 * mask + 1;
	struct later *table = calloc(mask + 1, sizeof(*table));
	struct refs   drops = { NULL, 0, 0 };
	enum err      err = table == NULL ? ERR_NOMEM : OK;
	for (size_t i = d->n; i-- > 0 && err == OK;) {
		if (is_maybe(d->entries[i]))
			err = maybe_covered(d->entries[i], table, mask, run, &drops);
		else if (d->entries[i]->ask.control == CONTROL_ADVISORY)
			run++;
	}
	if (err == OK)
		err = draft_drop(d, &drops);
	refs_fini(&drops);
	free(table);
	return err;
}

static bool has_pattern(const struct refs *r)
{
	for (size_t i = 0; i < r->n; i++) {
		if (selector_is_pattern(r->list[i].selector))
			return true;
	}
	return false;
}

/* Every pattern of the ledger, in order. */
static enum err patterns_collect(const struct ledger *l, struct refs *out)
{
	for (size_t i = 0; i < l->n_entries; i++) {
		struct entry *e = l->entries[i];
		for (size_t s = 0; s < e->n_selectors; s++) {
			if (selector_is_pattern(e->selectors[s]) && refs_add(out, e, e->selectors[s]) != OK)
				return ERR_NOMEM;
		}
	}
	for (size_t i = 0; i < out->n; i++)
		out->list[i].hash = selector_pairs(out->list[i].selector);
	return OK;
}

/* Most changes touch no pattern: then the array is copied as it is. */
static enum err patterns_change(struct ledger *l, const struct draft *d)
{
	if (has_pattern(&d->gone) || has_pattern(&d->come)) {
		struct refs all = { NULL, 0, 0 };
		enum err    err = patterns_collect(l, &all);
		l->patterns = all.list;
		l->n_patterns = all.n;
		return err;
	}
	if (d->old->n_patterns == 0)
		return OK;
	l->patterns = malloc(d->old->n_patterns * sizeof(struct ref));
	if (l->patterns == NULL)
		return ERR_NOMEM;
	memcpy(l->patterns, d->old->patterns, d->old->n_patterns * sizeof(struct ref));
	l->n_patterns = d->old->n_patterns;
	return OK;
}

/* Timed entries are few, and the earliest end is asked for often. */
static int64_t earliest_end(const struct ledger *l)
{
	int64_t end_ns = ENTRY_FOREVER;
	for (size_t i = 0; i < l->n_entries; i++) {
		if (l->entries[i]->ends_ns < end_ns)
			end_ns = l->entries[i]->ends_ns;
	}
	return end_ns;
}

/* Makes the ledger; on success the draft is empty. */
static enum err draft_finish(struct draft *d, struct ledger **out)
{
	struct ledger *l = ledger_new(d->old->def);
	if (l == NULL)
		return ERR_NOMEM;
	l->newest_id = d->newest_id;
	l->step = d->old->step;
	enum err err = index_change(l, d->old, &d->gone, &d->come);
	if (err == OK) {
		l->entries = d->entries;
		l->n_entries = d->n;
		l->n_selectors = d->old->n_selectors - d->gone.n + d->come.n;
		l->next_end_ns = earliest_end(l);
		err = patterns_change(l, d);
	}
	if (err != OK) {
		l->entries = NULL;
		l->n_entries = 0;
		ledger_free(l);
		return err;
	}
	d->entries = NULL;
	d->n = 0;
	*out = l;
	return OK;
}

static enum err draft_add(struct draft *d, struct entry *e)
{
	enum err err = e->origin == ORIGIN_SOCKET ? draft_replace(d, e) : OK;
	if (err != OK)
		return err;
	size_t at = d->n;
	while (at > 0 && entry_compare(d->entries[at - 1], e) > 0)
		at--;
	memmove(d->entries + at + 1, d->entries + at, (d->n - at) * sizeof(*d->entries));
	d->entries[at] = entry_ref(e);
	d->n++;
	if (e->origin == ORIGIN_SOCKET && e->id > d->newest_id)
		d->newest_id = e->id;
	err = refs_add_all(&d->come, e);
	return err == OK ? draft_merge_maybes(d) : err;
}

enum err ledger_add(const struct ledger *old, struct entry *e, size_t max_selectors, struct ledger **out,
		    struct why *why)
{
	struct draft   d;
	struct ledger *l = NULL;
	enum err       err = draft_init(&d, old);
	if (err == OK)
		err = draft_add(&d, e);
	if (err == OK)
		err = draft_finish(&d, &l);
	draft_fini(&d);
	if (err != OK)
		return no_memory(why);
	if (l->n_selectors > max_selectors && l->n_selectors > old->n_selectors) {
		size_t n = l->n_selectors;
		ledger_free(l);
		return why_set(
			why, ERR_FULL,
			"%zu selectors would be in force, MaxRules is %zu; FORGET entries that are no longer needed, "
			"use a pattern, or raise MaxRules",
			n, max_selectors);
	}
	*out = l;
	return OK;
}

static int id_compare(const void *left, const void *right)
{
	uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
	return a < b ? -1 : a > b;
}

/* Takes the entries with these sorted ids out of the draft. */
static enum err draft_remove(struct draft *d, const uint64_t *ids, size_t n)
{
	size_t   kept = 0;
	enum err err = OK;
	for (size_t i = 0; i < d->n; i++) {
		struct entry *e = d->entries[i];
		bool          goes = err == OK && e->origin == ORIGIN_SOCKET &&
			    bsearch(&e->id, ids, n, sizeof(*ids), id_compare) != NULL;
		if (!goes) {
			d->entries[kept++] = e;
			continue;
		}
		err = refs_add_all(&d->gone, e);
		entry_unref(e);
	}
	d->n = kept;
	return err == OK ? draft_merge_maybes(d) : err;
}

enum err ledger_remove(const struct ledger *old, const uint64_t *ids, size_t n, struct ledger **out, struct why *why)
{
	for (size_t i = 0; i < n; i++) {
		if (ledger_find(old, ORIGIN_SOCKET, ids[i]) == NULL)
			return why_set(why, ERR_UNKNOWN, "no entry %llu is in force; RULES lists those that are",
				       (unsigned long long)ids[i]);
	}
	uint64_t *sorted = malloc((n > 0 ? n : 1) * sizeof(*sorted));
	if (sorted == NULL)
		return no_memory(why);
	memcpy(sorted, ids, n * sizeof(*sorted));
	qsort(sorted, n, sizeof(*sorted), id_compare);
	struct draft d;
	enum err     err = draft_init(&d, old);
	if (err == OK)
		err = draft_remove(&d, sorted, n);
	if (err == OK)
		err = draft_finish(&d, out);
	draft_fini(&d);
	free(sorted);
	return err == OK ? OK : no_memory(why);
}

enum err ledger_expire(const struct ledger *old, int64_t boot_ns, struct ledger **out)
{
	*out = NULL;
	if (old->next_end_ns > boot_ns)
		return OK;
	uint64_t *ids = malloc(old->n_entries * sizeof(*ids));
	size_t    n = 0;
	if (ids == NULL)
		return ERR_NOMEM;
	for (size_t i = 0; i < old->n_entries; i++) {
		if (old->entries[i]->ends_ns <= boot_ns)
			ids[n++] = old->entries[i]->id;
	}
	enum err err = ledger_remove(old, ids, n, out, NULL);
	free(ids);
	return err;
}
