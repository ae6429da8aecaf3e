/*
 * Properties of ledger and fold (specification section 5), over random histories of overlapping selectors.
 *
 *   - what an instance holds step by step, what the ledger's fold says, and the fold over the full history are the same, the full
 *     history being one in which nothing is replaced and FORGET removes an entry together with what it replaced;
 *   - the logger's instances, old and new, hold what the fold from scratch says;
 *   - the ledger does not grow with time.
 *
 * The full history is a plain list here, with its own reading of the rule; it shares no code with the ledger but the selector.
 */
#include "../fake/check.h"
#include "../fake/lab.h"
#include "ledger.h"

static const char *const names[] = { "h/a-1/x", "h/a-2/x", "h/a/x", "h/b-1/x-9", "g/a-1/x" };
static const char *const selectors[] = { "h/a-1/x", "h/a-2/x", "h/a/x",   "h/b-1/x-9", "h/a-*/x",
					 "*/a-1/x", "*/*/*",   "h/*/x-*", "g/a-1/x",   "h/a-[12]/x" };
#define N_NAMES     (sizeof(names) / sizeof(names[0]))
#define N_SELECTORS (sizeof(selectors) / sizeof(selectors[0]))
#define MAX_PAST    64

/* One request of the history with one selector: a request that names several is several of these with one id. */
struct past {
	uint64_t   id;
	struct ask ask;
	size_t     selector;
	int64_t    ends_ns;
	bool       gone;
};

struct history {
	struct past    past[MAX_PAST];
	size_t         n;
	struct ledger *ledger;
	uint64_t       next_id;
	/* id -> the ids and selectors that it replaced, as the ledger tells by comparing before and after */
	struct {
		uint64_t by, id;
		size_t   selector;
	} replaced[1024];
	size_t n_replaced;
};

static struct selector *parsed[N_SELECTORS];

static struct ident ident_of(const char *name)
{
	return (struct ident){ name, (uint32_t)strlen(name), ident_hash(name, strlen(name)) };
}

/* The rule, said a second time on purpose: in words, not as a table. */
static void plain_rule(struct hold *h, const struct ask *ask, uint64_t id)
{
	if (ask->control == CONTROL_ADVISORY && h->held.mandatory)
		return;
	if (ask->state == STATE_MAYBE && !h->held.mandatory)
		return;
	*h = (struct hold){ { .mandatory = ask->state != STATE_MAYBE && ask->control == CONTROL_MANDATORY,
			      .on = ask->state == STATE_ON },
			    id };
	if (h->held.on) {
		h->held.kind = ask->delta.kind;
		h->held.ms = ask->delta.ms & ((UINT64_C(1) << 40) - 1);
	}
}

static struct hold plain_fold(const struct history *h, const char *name)
{
	struct hold hold = { { .on = 1 }, 0 };
	for (size_t i = 0; i < h->n; i++) {
		const struct past *p = &h->past[i];
		if (!p->gone && selector_matches(parsed[p->selector], name, strlen(name)))
			plain_rule(&hold, &p->ask, p->id);
	}
	return hold;
}

static bool has_selector(const struct ledger *l, uint64_t id, size_t selector)
{
	const struct entry *e = ledger_find(l, ORIGIN_SOCKET, id);
	for (size_t i = 0; e != NULL && i < e->n_selectors; i++) {
		if (selector_same(e->selectors[i], parsed[selector]))
			return true;
	}
	return false;
}

/* What went from `old` to `new` without being asked for was replaced by `by`: the newest there is for a maybe merged later. */
static void note_replaced(struct history *h, const struct ledger *old, const struct ledger *new, uint64_t by,
			  const uint64_t *removed)
{
	for (size_t i = 0; i < h->n; i++) {
		const struct past *p = &h->past[i];
		if (p->gone || (removed != NULL && p->id == *removed) || !has_selector(old, p->id, p->selector) ||
		    has_selector(new, p->id, p->selector))
			continue;
		uint64_t owner = by;
		/* a maybe that merged goes with the next later maybe of the same selector that stands */
		for (size_t k = i + 1; p->ask.state == STATE_MAYBE && k < h->n; k++) {
			const struct past *q = &h->past[k];
			if (q->ask.state == STATE_MAYBE && q->selector == p->selector &&
			    has_selector(new, q->id, q->selector)) {
				owner = q->id;
				break;
			}
		}
		assert_true(h->n_replaced < 1024);
		h->replaced[h->n_replaced].by = owner;
		h->replaced[h->n_replaced].id = p->id;
		h->replaced[h->n_replaced++].selector = p->selector;
	}
}

/* FORGET in the full history: the entry goes, and what it replaced, selector by selector, and what those had replaced. */
static void plain_forget(struct history *h, uint64_t id, size_t selector)
{
	for (size_t i = 0; i < h->n; i++) {
		if (h->past[i].id == id && h->past[i].selector == selector)
			h->past[i].gone = true;
	}
	for (size_t i = 0; i < h->n_replaced; i++) {
		if (h->replaced[i].by == id && h->replaced[i].selector == selector && h->replaced[i].id != id)
			plain_forget(h, h->replaced[i].id, selector);
	}
}

static struct ask random_ask(uint64_t *seed)
{
	static const struct delta deltas[] = {
		{ DELTA_NATIVE, 0 }, { DELTA_ONCE, 0 }, { DELTA_EVERY, 1000 }, { DELTA_EVERY, 5000 }
	};
	struct ask ask = { .control = (enum control)random_below(seed, 2) };
	ask.state = (enum state)random_below(seed, ask.control == CONTROL_MANDATORY ? 3 : 2);
	if (ask.state == STATE_ON)
		ask.delta = deltas[random_below(seed, 4)];
	return ask;
}

static void swap(struct history *h, struct ledger *new)
{
	ledger_free(h->ledger);
	h->ledger = new;
}

static void do_request(struct history *h, uint64_t *seed, int64_t now_ns)
{
	struct ask       ask = random_ask(seed);
	struct selector *list[3];
	size_t           index[3], n = 0, want = 1 + random_below(seed, 3);
	int64_t          ends_ns = random_below(seed, 3) == 0 ? now_ns + 1 + random_below(seed, 20) : ENTRY_FOREVER;
	for (size_t tries = 0; tries < want; tries++) {
		size_t s = random_below(seed, N_SELECTORS);
		bool   twin = false, refused = false;
		for (size_t i = 0; i < n; i++)
			twin |= index[i] == s;
		if (!selector_is_pattern(parsed[s])) {
			struct hold hold = ledger_fold(h->ledger, selector_ident(parsed[s]));
			refused = !control_next(&hold, &ask, 0);
		}
		if (!twin && !refused) {
			index[n] = s;
			list[n++] = selector_ref(parsed[s]);
		}
	}
	if (n == 0 || h->n + n > MAX_PAST) {
		for (size_t i = 0; i < n; i++)
			selector_unref(list[i]);
		return;
	}
	struct entry *e = entry_new(ORIGIN_SOCKET, h->next_id++, &ask, list, n, NULL);
	struct ledger *new;
	assert_non_null(e);
	e->ends_ns = ends_ns;
	assert_int_equal(ledger_add(h->ledger, e, SIZE_MAX, &new, NULL), OK);
	for (size_t i = 0; i < n; i++)
		h->past[h->n++] = (struct past){ e->id, ask, index[i], ends_ns, false };
	note_replaced(h, h->ledger, new, e->id, NULL);
	entry_unref(e);
	swap(h, new);
}

static void remove_entry(struct history *h, uint64_t id)
{
	struct ledger *new;
	const struct entry *e = ledger_find(h->ledger, ORIGIN_SOCKET, id);
	assert_non_null(e);
	bool stood[N_SELECTORS];
	for (size_t s = 0; s < N_SELECTORS; s++)
		stood[s] = has_selector(h->ledger, id, s);
	assert_int_equal(ledger_remove(h->ledger, &id, 1, &new, NULL), OK);
	for (size_t s = 0; s < N_SELECTORS; s++) {
		if (stood[s])
			plain_forget(h, id, s);
	}
	note_replaced(h, h->ledger, new, 0, &id);
	swap(h, new);
}

static void do_forget(struct history *h, uint64_t *seed)
{
	size_t n = ledger_count(h->ledger);
	if (n > 0)
		remove_entry(h, ledger_get(h->ledger, random_below(seed, (unsigned)n))->id);
}

/* Ends come one at a time, earliest first. */
static void do_expire(struct history *h, int64_t now_ns)
{
	while (ledger_next_end(h->ledger) <= now_ns) {
		for (size_t i = 0; i < ledger_count(h->ledger); i++) {
			if (ledger_get(h->ledger, i)->ends_ns == ledger_next_end(h->ledger)) {
				remove_entry(h, ledger_get(h->ledger, i)->id);
				break;
			}
		}
	}
}

static void compare(const struct history *h, uint64_t seed)
{
	for (size_t i = 0; i < N_NAMES; i++) {
		struct hold fold = ledger_fold(h->ledger, ident_of(names[i])), plain = plain_fold(h, names[i]);
		if (!held_equal(fold.held, plain.held))
			fail_msg("seed %llu: %s: the ledger and the full history differ", (unsigned long long)seed,
				 names[i]);
	}
}

static void ledger__random_histories__fold_equals_that_of_the_full_history(void **state)
{
	long times = times_from("LC_SEQUENCES", 100000);
	(void)state;
	for (uint64_t first = 1; first <= (uint64_t)times; first++) {
		static struct history h;
		uint64_t              seed = first;
		int64_t               now_ns = 0;
		memset(&h, 0, sizeof(h));
		h.ledger = ledger_new(HELD_DEFAULT);
		h.next_id = 1;
		for (unsigned step = 0, steps = 4 + random_below(&seed, 16); step < steps; step++) {
			unsigned what = random_below(&seed, 10);
			now_ns += random_below(&seed, 8);
			do_expire(&h, now_ns);
			if (what < 8)
				do_request(&h, &seed, now_ns);
			else
				do_forget(&h, &seed);
			compare(&h, first);
		}
		ledger_free(h.ledger);
	}
	print_message("ledger: %ld random histories, seeds 1 to %ld\n", times, times);
}

/* ---- the logger's instances against the fold ---- */

static void send_random(struct lab *lab, uint64_t *seed)
{
	static const char *const asks[] = { "mandatory on every=5",    "mandatory off",          "mandatory maybe",
					    "advisory on every=1",     "advisory on every=once", "advisory off",
					    "advisory on every=native" };
	char                     timed[16] = "";
	if (random_below(seed, 3) == 0)
		snprintf(timed, sizeof(timed), "for=%u", 1 + random_below(seed, 20));
	lab_ask(lab, "LOG %s %s \"%s\" \"%s\"", asks[random_below(seed, 7)], timed,
		selectors[random_below(seed, N_SELECTORS)], selectors[random_below(seed, N_SELECTORS)]);
}

static struct hold explained;
static void        last_step(void *ctx, const struct step *step)
{
	(void)ctx;
	explained = step->after;
}

static void logger__old_and_new_instances__hold_what_the_fold_says(void **state)
{
	long times = times_from("LC_SEQUENCES", 100000) / 50;
	(void)state;
	for (uint64_t first = 1; first <= (uint64_t)times; first++) {
		struct lab lab;
		uint64_t   seed = first * 977;
		lab_open(&lab, HELD_DEFAULT);
		for (unsigned step = 0; step < 30; step++) {
			unsigned what = random_below(&seed, 10);
			if (what < 5)
				send_random(&lab, &seed);
			else if (what < 7)
				lab_gauge(&lab, names[random_below(&seed, N_NAMES)], 1, 1);
			else if (what < 8)
				lab_ask(&lab, "FORGET %u", 1 + random_below(&seed, 12));
			else
				lab_advance(&lab, 1 + random_below(&seed, 9));
			for (size_t i = 0; i < N_NAMES; i++) {
				lab_ask(&lab, "ENQUIRE \"%s\"", names[i]);
				logger_explain(lab.logger, ident_of(names[i]), last_step, NULL);
				const char *control = explained.held.mandatory ? "mandatory" : "advisory";
				if (strcmp(lab_word(&lab, 1, 3), control) != 0 ||
				    (strcmp(lab_word(&lab, 1, 4), "on") == 0) != explained.held.on)
					fail_msg("seed %llu, step %u: %s does not hold what the fold says: %s",
						 (unsigned long long)first, step, names[i], lab.reply);
			}
		}
		lab_close(&lab);
	}
	print_message("logger: %ld random stories of 30 steps, seeds 1 to %ld\n", times, times);
}

/* A selector stands at most once as a permanent mandatory entry, once as an advisory one, once for each distinct timed request, and
 * with maybes between advisory entries: with these requests at most 4 + 3 advisory runs.  What matters: it is a bound, not time. */
static void ledger__many_repeated_requests__does_not_grow(void **state)
{
	struct lab lab;
	uint64_t   seed = 5;
	size_t     most = 0;
	(void)state;
	lab_open(&lab, HELD_DEFAULT);
	for (int i = 0; i < 20000; i++) {
		static const char *const asks[] = { "mandatory on every=5", "mandatory off", "mandatory maybe",
						    "advisory on every=1", "advisory off" };
		struct figures           f;
		lab_ask(&lab, "LOG %s \"%s\"", asks[random_below(&seed, 5)],
			selectors[random_below(&seed, N_SELECTORS)]);
		logger_figures(lab.logger, &f);
		most = f.selectors > most ? f.selectors : most;
	}
	print_message("ledger: at most %zu selectors in force over 20000 requests for %zu selectors\n", most,
		      N_SELECTORS);
	/* per selector: one mandatory, one advisory, and a maybe for each of the at most N_SELECTORS + 1 runs between advisory entries */
	assert_true(most <= N_SELECTORS * (2 + N_SELECTORS + 1));
	lab_close(&lab);
}

static int parse_all(void **state)
{
	(void)state;
	for (size_t i = 0; i < N_SELECTORS; i++)
		assert_int_equal(selector_parse(&parsed[i], selectors[i], strlen(selectors[i]), "own", NULL), OK);
	return 0;
}

static int free_all(void **state)
{
	(void)state;
	for (size_t i = 0; i < N_SELECTORS; i++)
		selector_unref(parsed[i]);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ledger__random_histories__fold_equals_that_of_the_full_history),
		cmocka_unit_test(logger__old_and_new_instances__hold_what_the_fold_says),
		cmocka_unit_test(ledger__many_repeated_requests__does_not_grow),
	};
	return cmocka_run_group_tests(tests, parse_all, free_all);
}
