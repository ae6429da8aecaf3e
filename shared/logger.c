/* logger - life and data path; see logger.h. */
#include <stdlib.h>
#include <string.h>

#include "logger_internal.h"

static enum err no_memory(struct why *why)
{
	return why_set(why, ERR_NOMEM, "log_control: out of memory at start; nothing is gated");
}

/* ---- life ---- */

/* Would the rule refuse this selector of the configuration?  A pattern is asked as if its text were a name: an earlier
 * mandatory entry with the same or a wider selector then shows. */
static bool is_refused(const struct ledger *l, const struct entry *e, const struct selector *s)
{
	struct hold hold = ledger_fold(l, selector_ident(s));
	return !control_next(&hold, &e->ask, 0);
}

static void warn_refused(const struct ledger *l, const struct entry *e, unsigned block, notice_fn *notice, void *ctx)
{
	for (size_t i = 0; i < e->n_selectors; i++) {
		size_t      len;
		const char *text = selector_text(e->selectors[i], &len);
		struct why  why;
		if (!is_refused(l, e, e->selectors[i]))
			continue;
		why_set(&why, OK,
			"log_control: <Log> block %u: Metric %s is refused: an earlier block is mandatory; make this "
			"one "
			"mandatory too, or take it out",
			block, excerpt_of(text, len).text);
		notice(ctx, SEVERITY_WARNING, why.text);
	}
}

/* Swaps in a ledger while nobody reads yet. */
static void replace_early(struct logger *lg, struct ledger *new)
{
	ledger_free(logger_ledger(lg));
	atomic_store(&lg->ledger, new);
}

static enum err add_early(struct logger *lg, struct entry *e, struct why *why)
{
	struct ledger *new;
	enum err err = ledger_add(logger_ledger(lg), e, lg->settings->max_rules, &new, why);
	if (err == OK)
		replace_early(lg, new);
	return err;
}

static enum err parse_metrics(const struct logger *lg, const struct log_block *b, struct selector **out, size_t *n,
			      notice_fn *notice, void *ctx)
{
	for (size_t i = 0; i < b->n_metrics; i++) {
		struct why why, line;
		enum err   err = selector_parse(&out[*n], b->metrics[i], strlen(b->metrics[i]), lg->own_host, &why);
		if (err == ERR_NOMEM)
			return err;
		if (err == OK) {
			(*n)++;
			continue;
		}
		why_set(&line, err, "log_control: <Log> block %u: Metric: %s", b->number, why.text);
		notice(ctx, SEVERITY_ERROR, line.text);
	}
	return OK;
}

static void selectors_unref(struct selector **list, size_t n)
{
	for (size_t i = 0; i < n; i++)
		selector_unref(list[i]);
}

static enum err add_block(struct logger *lg, const struct log_block *b, uint64_t *id, const struct now *now,
			  notice_fn *notice, void *ctx)
{
	struct selector **list = calloc(b->n_metrics + 1, sizeof(*list));
	struct entry     *e = NULL;
	size_t            n = 0;
	struct why        why, line;
	if (list == NULL)
		return ERR_NOMEM;
	enum err err = parse_metrics(lg, b, list, &n, notice, ctx);
	if (err == OK && n > 0) {
		e = entry_new(ORIGIN_CONFIG, *id, &b->ask, list, n, NULL);
		err = e == NULL ? ERR_NOMEM : OK;
	}
	if (e == NULL)
		selectors_unref(list, n);
	free(list);
	if (e == NULL)
		return err;
	e->at_s = now->wall_ns / 1000000000;
	warn_refused(logger_ledger(lg), e, b->number, notice, ctx);
	err = add_early(lg, e, &why);
	entry_unref(e);
	if (err == OK) {
		(*id)++;
	} else if (err != ERR_NOMEM) {
		why_set(&line, err, "log_control: <Log> block %u: %s", b->number, why.text);
		notice(ctx, SEVERITY_ERROR, line.text);
		err = OK;
	}
	return err;
}

static enum err recover_one(void *ctx, struct entry *e)
{
	struct logger *lg = ctx;
	e->saved = true;
	struct ledger *new;
	enum err err = ledger_add(logger_ledger(lg), e, SIZE_MAX, &new, NULL);
	if (err == OK)
		replace_early(lg, new);
	return err;
}

static enum err recover(struct logger *lg, const struct now *now, notice_fn *notice, void *ctx, struct why *why)
{
	struct recovered got = { 0 };
	struct why       line;
	enum err err = savefile_open(&lg->savefile, lg->settings->state_file, lg->own_host, now->boot_ns, now->wall_ns,
				     recover_one, lg, &got, why);
	if (err != OK)
		return err;
	ledger_set_newest_id(logger_ledger(lg), got.newest_id);
	if (got.dropped > 0) {
		why_set(&line, OK, "log_control: StateFile \"%s\": %zu damaged records were dropped, %zu kept",
			lg->settings->state_file, got.dropped, got.kept);
		notice(ctx, SEVERITY_WARNING, line.text);
	}
	size_t in_force = 0;
	for (size_t i = 0; i < ledger_count(logger_ledger(lg)); i++)
		in_force += ledger_get(logger_ledger(lg), i)->origin == ORIGIN_SOCKET;
	why_set(&line, OK, "log_control: %zu saved entries are in force after the configuration's", in_force);
	notice(ctx, SEVERITY_INFO, line.text);
	return OK;
}

static enum err logger_init(struct logger *lg, const struct settings *settings, const char *own_host)
{
	pthread_mutex_init(&lg->control, NULL);
	lg->settings = settings;
	lg->own_host = strdup(own_host);
	lg->table = table_new(settings->max_instances);
	lg->sources = sources_new();
	lg->tally = tally_new();
	atomic_init(&lg->ledger, ledger_new(settings->def));
	bool whole = lg->own_host != NULL && lg->table != NULL && lg->sources != NULL && lg->tally != NULL &&
		     logger_ledger(lg) != NULL;
	return whole ? OK : ERR_NOMEM;
}

enum err logger_new(struct logger **out, const struct settings *settings, const char *own_host,
		    int64_t default_interval_ns, const struct now *now, notice_fn *notice, void *ctx, struct why *why)
{
	struct logger *lg = calloc(1, sizeof(*lg));
	if (lg == NULL)
		return no_memory(why);
	uint64_t id = 1;
	enum err err = logger_init(lg, settings, own_host);
	lg->default_interval_ns = default_interval_ns;
	lg->swept_ns = now->arrival_ns;
	for (size_t i = 0; i < settings->n_logs && err == OK; i++)
		err = add_block(lg, &settings->logs[i], &id, now, notice, ctx);
	if (err != OK)
		no_memory(why);
	else if (settings->state_file != NULL)
		err = recover(lg, now, notice, ctx, why);
	if (err != OK) {
		logger_free(lg);
		return err;
	}
	ledger_set_step(logger_ledger(lg), 1);
	*out = lg;
	return OK;
}

void logger_free(struct logger *lg)
{
	if (lg == NULL)
		return;
	logger_reclaim(lg);
	if (lg->savefile != NULL)
		savefile_close(lg->savefile);
	ledger_free(logger_ledger(lg));
	table_free(lg->table);
	sources_free(lg->sources);
	tally_free(lg->tally);
	pthread_mutex_destroy(&lg->control);
	free(lg->own_host);
	free(lg);
}

/* ---- data path ---- */

static struct whence whence_of(const struct sample *sample)
{
	return sample->find_whence == NULL ? sample->whence : sample->find_whence();
}

static struct instance *instance_for(struct logger *lg, const struct sample *sample)
{
	struct instance *i = instance_new(sample->ident);
	if (i == NULL)
		return NULL;
	i->source = source_get(lg->sources, whence_of(sample).source);
	if (i->source == NULL) {
		instance_free(i);
		return NULL;
	}
	for (size_t k = 0; k < sample->n; k++)
		i->has_counter |= sample->kinds[k] == KIND_COUNTER;
	gate_born(&i->memory, sample->arrival_ns);
	return i;
}

/* What a newcomer goes by: the ledger in force and, while a change is on its way, the one that comes. */
struct ledgers {
	const struct ledger *now, *coming;
};

static struct ledgers ledgers_load(const struct logger *lg)
{
	return (struct ledgers){ logger_ledger(lg),
				 atomic_load_explicit(&((struct logger *)lg)->coming, memory_order_acquire) };
}

static void fold(struct instance *i, struct ledgers by)
{
	instance_set_hold(i, ledger_fold(by.now, instance_ident(i)));
	i->has_pending = false;
	if (by.coming != NULL)
		instance_set_pending(i, ledger_fold(by.coming, instance_ident(i)), ledger_step(by.coming));
}

/* Births lock held.  Gives the instance of that name: `i`, or the one of another thread that was first.  NULL: no
 * room. */
static struct instance *settle_locked(struct logger *lg, struct instance *i, struct ledgers seen)
{
	struct instance *other = table_find(lg->table, instance_ident(i));
	if (other != NULL)
		return other;
	struct ledgers by = ledgers_load(lg);
	if (by.now != seen.now || by.coming != seen.coming)
		fold(i, by);
	if (table_add_locked(lg->table, i) != OK)
		return NULL;
	logger_stir(lg);
	return i;
}

/* The first value of a name.  It is folded outside the lock, and once more inside if a request came between.  NULL: no
 * room. */
static struct instance *newcomer(struct logger *lg, const struct sample *sample)
{
	if (table_is_full(lg->table))
		return NULL;
	struct instance *i = instance_for(lg, sample);
	if (i == NULL)
		return NULL;
	struct ledgers seen = ledgers_load(lg);
	fold(i, seen);
	table_lock_births(lg->table);
	struct instance *settled = settle_locked(lg, i, seen);
	table_unlock_births(lg->table);
	if (settled != i)
		instance_free(i);
	return settled;
}

/* Memory ran out: the value passes as it is. */
static struct pass fail_open(struct logger *lg, const struct sample *sample)
{
	tally_count(lg->tally, COUNT_FAILED_OPEN);
	tally_count(lg->tally, COUNT_PASSED);
	return (struct pass){ true, false, sample->interval_ns };
}

/* What is found out about one value with the lock of its instance held. */
struct finding {
	struct verdict verdict;
	struct held    held;
	bool           moved; /* it carries another interval than the value before */
};

static struct finding decide_locked(struct logger *lg, struct instance *i, const struct sample *sample)
{
	/* loaded with the lock held: whoever promoted a pending hold had seen its ledger, so this one is no older */
	const struct ledger *ledger = logger_ledger(lg);
	instance_settle_locked(i, ledger_step(ledger), sample->arrival_ns, lg->default_interval_ns);
	/* who decided matters for once alone, and stands in another line */
	struct hold   hold = { i->held, i->held.kind == DELTA_ONCE ? i->by : 0 };
	struct moment now = { .time_ns = sample->time_ns,
			      .interval_ns = sample->interval_ns,
			      .arrival_ns = sample->arrival_ns,
			      .newest_id = ledger_newest_id(ledger),
			      .align = lg->settings->align };
	if (hold.held.kind == DELTA_NATIVE && sources_are_paced(lg->sources))
		now.pace_ns = atomic_load_explicit(&i->source->pace_ns, memory_order_relaxed);
	bool moved = i->memory.interval_ns != sample->interval_ns;
	return (struct finding){ gate_decide(&i->memory, &hold, &now), hold.held, moved };
}

static void window_set_locked(struct instance *i, struct window *w)
{
	i->window = w;
	i->has_window = w != NULL;
}

/* Takes the sample into the window and, when logged, writes what it gathered over the values.  Gives a window that is
 * of no further use, to be freed without the lock. */
static struct window *gather_locked(struct instance *i, struct sample *sample, struct held held,
				    const struct verdict *verdict, bool *rewritten)
{
	struct window *w = i->has_window ? i->window : NULL;
	if (w == NULL || window_count(w) != sample->n)
		return NULL;
	window_collect(w, held, verdict, sample->values, sample->kinds, sample->n);
	if (verdict->logged) {
		window_emit(w, held, sample->values, sample->kinds, sample->n);
		*rewritten = true;
	}
	if ((held.on && held.kind == DELTA_EVERY) || !window_is_empty(w))
		return NULL;
	window_set_locked(i, NULL);
	return w;
}

/* Makes the window that a value left out needs; the instance's lock is let go meanwhile.  Gives one that is of no use,
 * because another thread was first, to be freed without the lock. */
static struct window *make_window(struct instance *i, size_t n)
{
	instance_unlock(i);
	struct window *w = window_new(n);
	instance_lock(i);
	if (i->has_window)
		return w;
	window_set_locked(i, w);
	return NULL;
}

static void count(struct logger *lg, const struct verdict *verdict)
{
	if (verdict->late)
		tally_count(lg->tally, verdict->duplicate ? COUNT_DUPLICATE : COUNT_LATE);
	tally_count(lg->tally, verdict->logged ? COUNT_PASSED : COUNT_SUPPRESSED);
}

/* The interval that the daemon gave the source, kept up to date; while it is driven that is the driver's business. */
static void follow_source(struct source *s, const struct sample *sample)
{
	int64_t interval_ns = whence_of(sample).interval_ns;
	if (interval_ns > 0 && !atomic_load_explicit(&s->driven, memory_order_relaxed))
		atomic_store_explicit(&s->configured_ns, interval_ns, memory_order_relaxed);
}

static struct pass judge(struct logger *lg, struct instance *i, struct sample *sample)
{
	struct window *surplus = NULL;
	bool           rewritten = false, failed = false;
	instance_lock(i);
	struct finding f = decide_locked(lg, i, sample);
	if (!i->has_window && window_is_needed(f.held, &f.verdict, sample->kinds, sample->n)) {
		surplus = make_window(i, sample->n);
		failed = !i->has_window;
	}
	struct window *over = gather_locked(i, sample, f.held, &f.verdict, &rewritten);
	instance_unlock(i);
	if (surplus != NULL || over != NULL) {
		window_free(surplus);
		window_free(over);
	}
	if (f.moved)
		follow_source(i->source, sample);
	if (failed)
		return fail_open(lg, sample);
	if (f.verdict.reason == REASON_ONCE)
		logger_stir(lg);
	count(lg, &f.verdict);
	return (struct pass){ f.verdict.logged, rewritten, f.verdict.interval_ns };
}

struct pass logger_value(struct logger *lg, struct sample *sample)
{
	rcu_enter();
	struct instance *i = table_find(lg->table, sample->ident);
	if (i == NULL)
		i = newcomer(lg, sample);
	struct pass pass = i == NULL ? fail_open(lg, sample) : judge(lg, i, sample);
	rcu_leave();
	return pass;
}
