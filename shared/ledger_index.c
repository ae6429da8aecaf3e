/* ledger_index - selector text -> the entries that name it; see ledger_internal.h. */
#include <stdlib.h>
#include <string.h>

#include "ledger_internal.h"

int entry_compare(const struct entry *a, const struct entry *b)
{
	if (a->origin != b->origin)
		return a->origin == ORIGIN_CONFIG ? -1 : 1;
	return a->id < b->id ? -1 : a->id > b->id;
}

enum err refs_add(struct refs *r, struct entry *e, struct selector *s)
{
	if (r->n == r->size) {
		size_t      size = r->size == 0 ? 16 : 2 * r->size;
		struct ref *list = realloc(r->list, size * sizeof(*list));
		if (list == NULL)
			return ERR_NOMEM;
		r->list = list;
		r->size = size;
	}
	r->list[r->n++] = (struct ref){ selector_ident(s).hash, e, s };
	return OK;
}

void refs_fini(struct refs *r)
{
	free(r->list);
	*r = (struct refs){ NULL, 0, 0 };
}

/* By hash, then ledger order, then place in the entry's own list (by address, only to be definite). */
static int ref_compare(const void *left, const void *right)
{
	const struct ref *a = left, *b = right;
	if (a->hash != b->hash)
		return a->hash < b->hash ? -1 : 1;
	int order = entry_compare(a->entry, b->entry);
	if (order != 0)
		return order;
	return a->selector < b->selector ? -1 : a->selector > b->selector;
}

static size_t page_of(uint64_t hash)
{
	return hash >> 56;
}

size_t index_find(const struct ledger *l, struct ident ident, const struct ref **first)
{
	const struct page *page = l->pages[page_of(ident.hash)];
	if (page == NULL)
		return 0;
	size_t low = 0, high = page->n;
	while (low < high) {
		size_t mid = low + (high - low) / 2;
		if (page->refs[mid].hash < ident.hash)
			low = mid + 1;
		else
			high = mid;
	}
	size_t n = 0;
	*first = &page->refs[low];
	while (low + n < page->n && page->refs[low + n].hash == ident.hash)
		n++;
	return n;
}

/* `old` less the refs of `gone` plus those of `come`, all sorted.  NULL with *failed false: nothing is left. */
static struct page *page_merge(const struct page *old, const struct ref *gone, size_t n_gone, const struct ref *come,
			       size_t n_come, bool *failed)
{
	size_t n_old = old == NULL ? 0 : old->n, n = n_old - n_gone + n_come, c = 0, g = 0, out = 0;
	*failed = false;
	if (n == 0)
		return NULL;
	struct page *page = malloc(sizeof(*page) + n * sizeof(struct ref));
	if (page == NULL) {
		*failed = true;
		return NULL;
	}
	page->users = 1;
	page->n = n;
	for (size_t i = 0; i < n_old; i++) {
		if (g < n_gone && ref_compare(&gone[g], &old->refs[i]) == 0) {
			g++;
			continue;
		}
		while (c < n_come && ref_compare(&come[c], &old->refs[i]) < 0)
			page->refs[out++] = come[c++];
		page->refs[out++] = old->refs[i];
	}
	while (c < n_come)
		page->refs[out++] = come[c++];
	return page;
}

/* How many refs from `from` on belong to page `p`. */
static size_t run_of(const struct refs *r, size_t from, size_t p)
{
	size_t n = 0;
	while (from + n < r->n && page_of(r->list[from + n].hash) == p)
		n++;
	return n;
}

/* An empty list has no memory, and NULL + 0 is not defined in C. */
static struct ref *refs_at(const struct refs *r, size_t i)
{
	return r->list == NULL ? NULL : r->list + i;
}

enum err index_change(struct ledger *l, const struct ledger *old, struct refs *gone, struct refs *come)
{
	if (gone->n > 0)
		qsort(gone->list, gone->n, sizeof(struct ref), ref_compare);
	if (come->n > 0)
		qsort(come->list, come->n, sizeof(struct ref), ref_compare);
	for (size_t p = 0, g = 0, c = 0; p < N_PAGES; p++) {
		size_t n_gone = run_of(gone, g, p), n_come = run_of(come, c, p);
		if (n_gone == 0 && n_come == 0) {
			l->pages[p] = old->pages[p];
			if (l->pages[p] != NULL)
				l->pages[p]->users++;
			continue;
		}
		bool failed;
		l->pages[p] = page_merge(old->pages[p], refs_at(gone, g), n_gone, refs_at(come, c), n_come, &failed);
		if (failed)
			return ERR_NOMEM;
		g += n_gone;
		c += n_come;
	}
	return OK;
}

void index_fini(struct ledger *l)
{
	for (size_t p = 0; p < N_PAGES; p++) {
		if (l->pages[p] != NULL && --l->pages[p]->users == 0)
			free(l->pages[p]);
		l->pages[p] = NULL;
	}
}
