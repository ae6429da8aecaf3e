/* outcomes - see outcomes.h. */
#include "outcomes.h"

#include <stdlib.h>

#include "logger_internal.h"

enum err rows_init(struct rows *r, struct outcomes *o, struct logger *lg, size_t n)
{
	*r = (struct rows){ .out = o, .most = LINES_AN_INSTANCE * lg->settings->max_instances + n };
	*o = OUTCOMES_INIT;
	o->groups = calloc(n > 0 ? n : 1, sizeof(*o->groups));
	if (o->groups == NULL)
		return ERR_NOMEM;
	o->logger = lg;
	return OK;
}

enum err rows_failed(const struct rows *r, enum err err, struct why *why)
{
	if (err == ERR_FULL && r->looks > LOOKS_MAX)
		return why_set(why, err,
			       "more than %zu names would have to be looked at; nothing was changed: name fewer "
			       "patterns, or such as begin with a host, or send several requests",
			       LOOKS_MAX);
	if (err == ERR_FULL)
		return why_set(
			why, err,
			"the reply would have more than %zu lines; nothing was changed: name fewer patterns that "
			"select the same instances, or send several requests",
			r->most);
	return why_set(why, err, "out of memory; nothing was changed, try again later, or ask for less at once");
}

void rows_group(struct rows *r, struct selector *s)
{
	r->out->groups[r->out->n_groups++] = (struct row_group){ selector_ref(s), 0 };
}

void rows_looked(struct rows *r, size_t n)
{
	r->looks += n;
	if (r->looks > LOOKS_MAX && r->err == OK)
		r->err = ERR_FULL;
}

static bool rows_reserve(struct rows *r)
{
	if (r->out->n_rows == r->most)
		r->err = ERR_FULL;
	if (r->out->n_rows < r->size || r->err != OK)
		return r->err == OK;
	size_t      size = r->size == 0 ? 16 : 2 * r->size;
	struct row *rows = realloc(r->out->rows, size * sizeof(*rows));
	if (rows == NULL) {
		r->err = ERR_NOMEM;
		return false;
	}
	r->out->rows = rows;
	r->size = size;
	return true;
}

void rows_add(struct rows *r, struct instance *i, struct held held, enum outcome outcome)
{
	if (r->err != OK || !rows_reserve(r))
		return;
	held.spare = outcome;
	r->out->rows[r->out->n_rows++] = (struct row){ i, held };
	r->out->groups[r->out->n_groups - 1].n_rows++;
	if (i != NULL)
		i->refs++;
}

void outcomes_fini_locked(struct outcomes *o)
{
	for (size_t i = 0; i < o->n_rows; i++) {
		if (o->rows[i].instance != NULL)
			o->rows[i].instance->refs--;
	}
	for (size_t i = 0; i < o->n_groups; i++)
		selector_unref(o->groups[i].selector);
	free(o->rows);
	free(o->groups);
	*o = OUTCOMES_INIT;
}

void outcomes_fini(struct outcomes *o)
{
	struct logger *lg = o->logger;
	if (lg == NULL)
		return;
	lock_take(&lg->control, RANK_CONTROL);
	outcomes_fini_locked(o);
	lock_give(&lg->control, RANK_CONTROL);
}
