/* entry - one accepted request; see ledger.h. */
#include <stdlib.h>
#include <string.h>

#include "ledger.h"

struct entry *entry_new(enum origin origin, uint64_t id, const struct ask *ask, struct selector *const *selectors,
			size_t n, const char *note)
{
	struct entry *e = calloc(1, sizeof(*e));
	if (e == NULL)
		return NULL;
	e->selectors = malloc((n > 0 ? n : 1) * sizeof(struct selector *));
	e->note = note != NULL ? strdup(note) : NULL;
	if (e->selectors == NULL || (note != NULL && e->note == NULL)) {
		free(e->selectors);
		free(e->note);
		free(e);
		return NULL;
	}
	memcpy(e->selectors, selectors, n * sizeof(struct selector *));
	e->n_selectors = n;
	e->origin = origin;
	e->id = id;
	e->ask = *ask;
	e->ends_ns = ENTRY_FOREVER;
	e->refs = 1;
	return e;
}

struct entry *entry_ref(struct entry *e)
{
	e->refs++;
	return e;
}

void entry_unref(struct entry *e)
{
	if (e == NULL || --e->refs > 0)
		return;
	for (size_t i = 0; i < e->n_selectors; i++)
		selector_unref(e->selectors[i]);
	free(e->selectors);
	free(e->note);
	free(e);
}

bool entry_selects(const struct entry *e, const char *ident, size_t len)
{
	for (size_t i = 0; i < e->n_selectors; i++) {
		if (selector_matches(e->selectors[i], ident, len))
			return true;
	}
	return false;
}

uint64_t entry_by(const struct entry *e)
{
	return e->origin == ORIGIN_CONFIG ? 0 : e->id;
}
