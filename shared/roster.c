/* roster - see roster.h. */
#include "roster.h"

#include <stdlib.h>
#include <string.h>

/* A name's place, mostly decided by eight bytes kept at hand: sorting a million names by their text alone would miss
 * the cache at every comparison. */
struct place {
	uint64_t         key; /* the eight bytes after what all names of the batch share, first byte highest */
	struct instance *instance;
};

void roster_fini(struct roster *r)
{
	free(r->list);
	*r = (struct roster){ NULL, 0, 0 };
}

static int name_compare(const struct instance *a, const struct instance *b)
{
	return strcmp(a->name, b->name);
}

static int place_compare(const void *left, const void *right)
{
	const struct place *a = left, *b = right;
	return a->key < b->key ? -1 : a->key > b->key;
}

/* How many bytes all names of the batch share; the first `known` are known to be. */
static size_t shared_prefix(const struct place *places, size_t n, size_t known)
{
	const struct instance *first = places[0].instance;
	size_t                 shared = first->name_len;
	for (size_t k = 1; k < n; k++) {
		const struct instance *i = places[k].instance;
		size_t                 same = known;
		while (same < shared && i->name[same] == first->name[same])
			same++;
		shared = same;
	}
	return shared;
}

static uint64_t key_of(const struct instance *i, size_t skip)
{
	uint64_t key = 0;
	for (size_t k = 0; k < 8; k++)
		key = key << 8 | (skip + k < i->name_len ? (unsigned char)i->name[skip + k] : 0);
	return key;
}

/* Sorts by eight bytes at a time: those that these do not tell apart are sorted by the next eight that differ.  Names are
 * different and hold no zero byte, so that the depth is bounded by their length. */
static void places_sort(struct place *places, size_t n, size_t known)
{
	if (n < 2)
		return;
	size_t skip = shared_prefix(places, n, known);
	for (size_t k = 0; k < n; k++)
		places[k].key = key_of(places[k].instance, skip);
	qsort(places, n, sizeof(*places), place_compare);
	for (size_t from = 0, to; from < n; from = to) {
		for (to = from + 1; to < n && places[to].key == places[from].key;)
			to++;
		places_sort(places + from, to - from, skip + 8);
	}
}

static struct place *places_sorted(struct instance *newborn, size_t n)
{
	struct place *places = malloc(n * sizeof(*places));
	size_t        k = 0;
	if (places == NULL)
		return NULL;
	for (struct instance *i = newborn; i != NULL; i = i->next)
		places[k++].instance = i;
	places_sort(places, n, 0);
	return places;
}

static enum err roster_reserve(struct roster *r, size_t n)
{
	if (n <= r->size)
		return OK;
	size_t size = r->size + r->size / 2;
	if (size < n)
		size = n;
	struct instance **list = realloc(r->list, size * sizeof(struct instance *));
	if (list == NULL)
		return ERR_NOMEM;
	r->list = list;
	r->size = size;
	return OK;
}

/* How many of the first `n` stand before `i`: searched from the end in growing steps, so that a batch that is spread
 * evenly costs a comparison or two a name, and a single newcomer among a million some forty. */
static size_t place_in(const struct roster *r, size_t n, const struct instance *i)
{
	size_t high = n, step = 1;
	while (step <= n && name_compare(r->list[n - step], i) > 0) {
		high = n - step;
		step *= 2;
	}
	size_t low = step <= n ? n - step + 1 : 0;
	while (low < high) {
		size_t mid = low + (high - low) / 2;
		if (name_compare(r->list[mid], i) > 0)
			high = mid;
		else
			low = mid + 1;
	}
	return low;
}

enum err roster_merge(struct roster *r, struct instance *newborn, size_t n)
{
	if (n == 0)
		return OK;
	struct place *places = places_sorted(newborn, n);
	if (places == NULL || roster_reserve(r, r->n + n) != OK) {
		free(places);
		return ERR_NOMEM;
	}
	/* from the back, so that it can be done in place */
	size_t old = r->n;
	for (size_t new = n; new > 0; new --) {
		size_t at = place_in(r, old, places[new - 1].instance);
		memmove(r->list + at + new, r->list + at, (old - at) * sizeof(struct instance *));
		r->list[at + new - 1] = places[new - 1].instance;
		old = at;
	}
	r->n += n;
	free(places);
	return OK;
}

void roster_shrink(struct roster *r)
{
	if (r->n == 0) {
		roster_fini(r);
	} else if (r->size > 2 * r->n) {
		struct instance **list = realloc(r->list, r->n * sizeof(struct instance *));
		if (list == NULL)
			return;
		r->list = list;
		r->size = r->n;
	}
}

/* The first index whose name, cut to `len` bytes, is not below (after: is above) `prefix`. */
static size_t bound(const struct roster *r, const char *prefix, size_t len, int after)
{
	size_t low = 0, high = r->n;
	while (low < high) {
		size_t mid = low + (high - low) / 2;
		if (strncmp(r->list[mid]->name, prefix, len) < after)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

void roster_range(const struct roster *r, const char *prefix, size_t len, size_t *first, size_t *n)
{
	*first = bound(r, prefix, len, 0);
	*n = bound(r, prefix, len, 1) - *first;
}
