/* logger_request - LOG: judge, save, publish; see logger.h. */
#include <stdlib.h>
#include <string.h>

#include "logger_internal.h"
#include "outcomes.h"

#define NS_PER_MS INT64_C(1000000)

static enum err no_memory(struct why *why)
{
	return why_set(why, ERR_NOMEM, "out of memory; nothing was changed, try again later");
}

/* ---- judging: rows, nothing changed yet ---- */

struct judging {
	struct logger            *logger;
	const struct log_request *request;
	struct rows               rows;
};

static void judge_hold(struct judging *j, struct instance *i, struct hold hold)
{
	bool         taken = control_next(&hold, &j->request->ask, 0);
	enum outcome fine = j->request->dry_run ? OUTCOME_WOULD : OUTCOME_DONE;
	rows_add(&j->rows, i, hold.held, taken ? fine : OUTCOME_REFUSED);
}

static void judge_instance(void *ctx, struct instance *i)
{
	struct judging *j = ctx;
	judge_hold(j, i, logger_hold(j->logger, i));
}

/* The lines of one selector; an exact one always has one, known or not. */
static void judge_selector(struct judging *j, struct selector *s)
{
	size_t before = j->rows.out->n_rows;
	rows_group(&j->rows, s);
	rows_looked(&j->rows, logger_select(j->logger, s, judge_instance, j));
	if (j->rows.out->n_rows > before)
		return;
	if (selector_is_pattern(s))
		rows_add(&j->rows, NULL, (struct held){ 0 }, OUTCOME_NONE);
	else
		judge_hold(j, NULL, ledger_fold(logger_ledger(j->logger), selector_ident(s)));
}

static enum err judge_all(struct logger *lg, const struct log_request *r, struct outcomes *out, struct why *why)
{
	struct judging j = { .logger = lg, .request = r };
	enum err       err = rows_init(&j.rows, out, lg, r->n_selectors);
	if (err == OK)
		err = table_settle(lg->table);
	for (size_t i = 0; i < r->n_selectors && err == OK; i++) {
		judge_selector(&j, r->selectors[i]);
		err = j.rows.err;
	}
	return err == OK ? OK : rows_failed(&j.rows, err, why);
}

/* ---- the entry ---- */

int selector_compare(const void *left, const void *right)
{
	struct ident a = selector_ident(*(struct selector *const *)left),
		     b = selector_ident(*(struct selector *const *)right);
	if (a.hash != b.hash)
		return a.hash < b.hash ? -1 : 1;
	if (a.len != b.len)
		return a.len < b.len ? -1 : 1;
	return memcmp(a.text, b.text, a.len);
}

/* The selectors that stay: patterns always, exact ones that were not refused.  The groups of `out` are in their
 * order. */
static size_t choose_stay(const struct log_request *r, const struct outcomes *out, struct selector **stay)
{
	size_t n = 0, row = 0;
	for (size_t i = 0; i < r->n_selectors; row += out->groups[i].n_rows, i++) {
		if (selector_is_pattern(r->selectors[i]) || out->rows[row].held.spare != OUTCOME_REFUSED)
			stay[n++] = r->selectors[i];
	}
	return n;
}

/* One request that names a selector twice holds it once. */
static size_t without_twins(struct selector **list, size_t n)
{
	struct selector **sorted = malloc((n > 0 ? n : 1) * sizeof(*sorted));
	if (sorted == NULL)
		return SIZE_MAX;
	memcpy(sorted, list, n * sizeof(*sorted));
	qsort(sorted, n, sizeof(*sorted), selector_compare);
	bool twins = false;
	for (size_t i = 1; i < n && !twins; i++)
		twins = selector_same(sorted[i - 1], sorted[i]);
	size_t kept = n;
	if (twins) {
		kept = 0;
		for (size_t i = 0; i < n; i++) {
			if (i == 0 || !selector_same(sorted[i - 1], sorted[i]))
				list[kept++] = sorted[i];
		}
	}
	free(sorted);
	return kept;
}

/* *e is NULL when nothing stays. */
static enum err make_entry(struct logger *lg, const struct log_request *r, const struct now *now,
			   const struct outcomes *out, struct entry **e)
{
	struct selector **stay = malloc((r->n_selectors + 1) * sizeof(*stay));
	*e = NULL;
	if (stay == NULL)
		return ERR_NOMEM;
	size_t n = without_twins(stay, choose_stay(r, out, stay));
	if (n != SIZE_MAX && n > 0)
		*e = entry_new(ORIGIN_SOCKET, ledger_newest_id(logger_ledger(lg)) + 1, &r->ask, stay, n, r->note);
	if (*e != NULL) {
		for (size_t i = 0; i < n; i++)
			selector_ref(stay[i]);
		(*e)->at_s = now->wall_ns / 1000000000;
		(*e)->uid = r->uid;
		(*e)->saved = lg->savefile != NULL;
		if (r->for_ms > 0)
			(*e)->ends_ns = now->boot_ns + (int64_t)r->for_ms * NS_PER_MS;
	}
	free(stay);
	return n == SIZE_MAX || (n > 0 && *e == NULL) ? ERR_NOMEM : OK;
}

/* ---- in force ---- */

/* The instances of the rows; rows of what is not known have none. */
static void each_row(const struct outcomes *out, struct change *c, void (*fn)(struct change *c, struct instance *i))
{
	for (size_t k = 0; k < out->n_rows; k++) {
		if (k + FETCH_AHEAD < out->n_rows && out->rows[k + FETCH_AHEAD].instance != NULL)
			instance_fetch(out->rows[k + FETCH_AHEAD].instance, FETCH_NAME);
		if (out->rows[k].instance != NULL)
			fn(c, out->rows[k].instance);
	}
}

static void apply(struct logger *lg, struct entry *e, struct ledger *new, const struct outcomes *out,
		  const struct now *now)
{
	struct change c = { .logger = lg, .ledger = new, .added = e, .now = now };
	c.step = ledger_step(logger_ledger(lg)) + 1;
	each_row(out, &c, change_prepare);
	change_publish(&c);
	each_row(out, &c, change_finish);
}

/* Save, then publish.  The entry is promised from the moment it is synced. */
static enum err commit(struct logger *lg, struct entry *e, const struct outcomes *out, const struct now *now,
		       struct why *why)
{
	struct ledger *new;
	enum err err = ledger_add(logger_ledger(lg), e, lg->settings->max_rules, &new, why);
	if (err != OK)
		return err;
	if (lg->savefile != NULL)
		err = savefile_log(lg->savefile, e, now->boot_ns, now->wall_ns, why);
	if (err != OK) {
		ledger_free(new);
		return err;
	}
	apply(lg, e, new, out, now);
	return OK;
}

static enum err log_for_real(struct logger *lg, const struct log_request *r, const struct now *now,
			     struct outcomes *out, struct why *why)
{
	struct entry *e;
	enum err      err = make_entry(lg, r, now, out, &e);
	if (err != OK)
		return no_memory(why);
	if (e == NULL)
		return OK;
	err = commit(lg, e, out, now, why);
	if (err == OK) {
		out->id = e->id;
		out->saved = e->saved;
		out->ends_ms = r->for_ms > 0 ? (int64_t)r->for_ms : -1;
	}
	entry_unref(e);
	return err;
}

/* ---- dry run ---- */

static int row_compare(const void *left, const void *right)
{
	const struct row *a = left, *b = right;
	return a->instance < b->instance ? -1 : a->instance > b->instance;
}

/* Logged values a second of one instance under `held`. */
static double rate_of(struct instance *i, struct held held)
{
	instance_lock(i);
	double source_s = (double)i->memory.interval_ns / 1e9;
	instance_unlock(i);
	if (!held.on || held.kind == DELTA_ONCE || source_s <= 0)
		return 0;
	double delta_s = held.kind == DELTA_EVERY ? (double)held.ms / 1e3 : 0;
	return 1 / (delta_s > source_s ? delta_s : source_s);
}

/* Each instance counts once, however many selectors name it. */
static enum err estimate(struct logger *lg, struct outcomes *out)
{
	struct row *rows = malloc((out->n_rows + 1) * sizeof(*rows));
	if (rows == NULL)
		return ERR_NOMEM;
	memcpy(rows, out->rows, out->n_rows * sizeof(*rows));
	qsort(rows, out->n_rows, sizeof(*rows), row_compare);
	for (size_t i = 0; i < out->n_rows; i++) {
		struct instance *inst = rows[i].instance;
		if (inst == NULL || (i > 0 && rows[i - 1].instance == inst))
			continue;
		out->before += rate_of(inst, logger_hold(lg, inst).held);
		out->after += rate_of(inst, rows[i].held);
	}
	out->dry_run = true;
	free(rows);
	return OK;
}

static enum err log_locked(struct logger *lg, const struct log_request *r, const struct now *now, struct outcomes *out,
			   struct why *why)
{
	enum err err = judge_all(lg, r, out, why);
	if (err != OK)
		return err;
	if (!r->dry_run)
		return log_for_real(lg, r, now, out, why);
	return estimate(lg, out) == OK ? OK : no_memory(why);
}

enum err logger_log(struct logger *lg, struct log_request *r, const struct now *now, struct outcomes *out,
		    struct why *why)
{
	struct outcomes o = OUTCOMES_INIT;
	lock_take(&lg->control, RANK_CONTROL);
	enum err err = log_locked(lg, r, now, &o, why);
	if (err != OK)
		outcomes_fini_locked(&o);
	for (size_t i = 0; i < r->n_selectors; i++)
		selector_unref(r->selectors[i]);
	lock_give(&lg->control, RANK_CONTROL);
	free(r->selectors);
	r->selectors = NULL;
	r->n_selectors = 0;
	if (err == OK)
		*out = o;
	return err;
}
