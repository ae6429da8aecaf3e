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

void entry_format(const struct entry *e, struct buf *out)
{
	buf_addf(out, "LOG %s %s", control_name(e->ask.control), state_name(e->ask.state));
	if (e->ask.state == STATE_ON)
		buf_addf(out, " every=%s", delta_format(e->ask.delta).text);
	if (e->ask.value != VALUE_LAST)
		buf_addf(out, " value=%s", value_name(e->ask.value));
	for (size_t i = 0; i < e->n_selectors; i++) {
		size_t      len;
		const char *text = selector_text(e->selectors[i], &len);
		buf_addc(out, ' ');
		buf_add_quoted(out, text, len);
	}
}
