/*
 * The real logger, with real commands, against the plain model of tests/model, over random requests, values, time steps and ends.
 * LC_EVENTS says how many events (default a million), LC_SEED where to begin.
 */
#include <inttypes.h>
#include <math.h>

#include "../fake/check.h"
#include "../fake/lab.h"
#include "../model/model.h"

#define S INT64_C(1000000000)

static const char *const names[] = { "h/a-1/x", "h/a-2/x", "h/a/x", "h/b-1/x-9", "g/a-1/x", "g/c/sum" };
static const char *const selectors[] = { "h/a-1/x", "h/a-2/x", "h/a/x", "h/b-1/x-9", "h/a-*/x", "*/a-1/x",
					 "*/*/*",   "h/*/x-*", "g/*/*", "g/c/sum",   "h/a-?/x" };
#define N_NAMES     (sizeof(names) / sizeof(names[0]))
#define N_SELECTORS (sizeof(selectors) / sizeof(selectors[0]))

struct world {
	struct lab    lab;
	struct model *model;
	uint64_t      seed, first_seed;
	long          event;
	int64_t       source_ns[N_NAMES], time_ns[N_NAMES], last_ns[N_NAMES];
};

static void differ(const struct world *w, const char *what, const char *name)
{
	fail_msg("seed %" PRIu64 ", event %ld: %s: %s differs from the model", w->first_seed, w->event, name, what);
}

static struct m_ask random_ask(struct world *w, char *text, size_t size)
{
	static const int64_t     deltas[] = { 100, 250, 1000, 1500, 2000, 7000, 10000, 11000, 60000 };
	static const char *const values[] = { "last", "average", "min", "max" };
	struct m_ask             a = { .mandatory = random_below(&w->seed, 2) };
	unsigned                 state = random_below(&w->seed, a.mandatory ? 5 : 4);
	a.maybe = state == 4;
	a.on = state < 3;
	if (a.on) {
		a.kind = (enum m_kind)(random_below(&w->seed, 4) < 2 ? M_EVERY : random_below(&w->seed, 2));
		a.ms = a.kind == M_EVERY ? deltas[random_below(&w->seed, 9)] : 0;
		a.value = (enum m_value)random_below(&w->seed, 4);
	}
	int n = snprintf(text, size, "LOG %s %s value=%s", a.mandatory ? "mandatory" : "advisory",
			 a.maybe ? "maybe"
			 : a.on  ? "on"
				 : "off",
			 values[a.value]);
	if (a.on && a.kind == M_EVERY)
		snprintf(text + n, size - (size_t)n, " every=%" PRId64 "ms", a.ms);
	else if (a.on)
		snprintf(text + n, size - (size_t)n, " every=%s", a.kind == M_ONCE ? "once" : "native");
	return a;
}

static void do_request(struct world *w)
{
	char         text[512];
	struct m_ask ask = random_ask(w, text, sizeof(text));
	const char  *chosen[2];
	int          n = 1 + (int)random_below(&w->seed, 2);
	int64_t      ends = INT64_MAX;
	if (random_below(&w->seed, 3) == 0) {
		int64_t seconds = 1 + random_below(&w->seed, 200);
		ends = w->lab.now.boot_ns + seconds * S;
		snprintf(text + strlen(text), sizeof(text) - strlen(text), " for=%" PRId64, seconds);
	}
	for (int i = 0; i < n; i++) {
		chosen[i] = selectors[random_below(&w->seed, N_SELECTORS)];
		snprintf(text + strlen(text), sizeof(text) - strlen(text), " \"%s\"", chosen[i]);
	}
	int64_t id = model_request(w->model, ask, chosen, n, ends, w->lab.now.arrival_ns);
	char    expected[32] = "id=-";
	if (id != 0)
		snprintf(expected, sizeof(expected), "id=%" PRId64, id);
	lab_ask(&w->lab, "%s", text);
	if (strcmp(lab_word(&w->lab, 0, 2), expected) != 0)
		differ(w, "the id of an entry", text);
}

static void do_forget(struct world *w)
{
	int64_t id = w->model->next_id - 1 - random_below(&w->seed, 12);
	if (id < 1)
		return;
	bool there = model_forget(w->model, id, w->lab.now.arrival_ns);
	lab_ask(&w->lab, "FORGET %" PRId64, id);
	if ((w->lab.reply[0] == '0') != there)
		differ(w, "FORGET", "an entry");
}

static void do_advance(struct world *w)
{
	int64_t ns = (int64_t)(random_next(&w->seed) % (uint64_t)(15 * S));
	w->lab.now.arrival_ns += ns;
	w->lab.now.boot_ns += ns;
	w->lab.now.wall_ns += ns;
	model_expire(w->model, w->lab.now.boot_ns, w->lab.now.arrival_ns);
	logger_tick(w->lab.logger, &w->lab.now, NULL);
}

/* The next time stamp of a stream: mostly its interval on with jitter; gaps, late ones, duplicates, steps both ways. */
static int64_t next_time(struct world *w, size_t k)
{
	int64_t source = w->source_ns[k],
		jitter = (int64_t)(random_next(&w->seed) % (uint64_t)(source / 2)) - source / 4;
	unsigned luck = random_below(&w->seed, 100);
	w->time_ns[k] += source + jitter;
	if (luck < 2)
		w->time_ns[k] += source * (2 + random_below(&w->seed, 30));
	else if (luck == 2)
		w->time_ns[k] -= source * (1 + random_below(&w->seed, 50));
	else if (luck == 3)
		return w->time_ns[k] - (int64_t)(random_next(&w->seed) % (uint64_t)(4 * source));
	else if (luck < 6 && w->last_ns[k] != 0)
		return w->last_ns[k];
	return w->time_ns[k];
}

static bool same_gauge(double a, double b)
{
	return (isnan(a) && isnan(b)) || fabs(a - b) <= 1e-9 * fmax(1, fabs(a));
}

static void do_value(struct world *w)
{
	size_t  k = random_below(&w->seed, N_NAMES);
	int64_t t = next_time(w, k), interval = random_below(&w->seed, 30) == 0 ? 2 * w->source_ns[k] : w->source_ns[k];
	bool    absolute = k == N_NAMES - 1;
	double  gauge = random_below(&w->seed, 8) == 0 ? NAN : (double)random_below(&w->seed, 1000) / 8;
	uint64_t     count = random_below(&w->seed, 1000);
	union number number = { .gauge = gauge };
	if (absolute)
		number.absolute = count;
	int64_t wait = (int64_t)(random_next(&w->seed) % (uint64_t)(w->source_ns[k] / 3));
	w->lab.now.arrival_ns += wait;
	struct m_verdict v =
		model_value(w->model, names[k], t, interval, w->lab.now.arrival_ns, absolute, gauge, count);
	bool logged =
		lab_value(&w->lab, names[k], t, (double)interval / 1e9, number, absolute ? KIND_ABSOLUTE : KIND_GAUGE);
	w->last_ns[k] = t;
	if (logged != v.logged)
		differ(w, "the verdict", names[k]);
	if (!logged)
		return;
	if (fabs(w->lab.interval_s - (double)v.interval / 1e9) > 1e-6)
		differ(w, "the interval", names[k]);
	if (absolute ? w->lab.value.absolute != (uint64_t)v.absolute : !same_gauge(w->lab.value.gauge, v.gauge))
		differ(w, "the value", names[k]);
}

static void compare_flags(struct world *w)
{
	size_t        k = random_below(&w->seed, N_NAMES);
	struct m_held h = model_fold(w->model, names[k]);
	lab_ask(&w->lab, "ENQUIRE \"%s\"", names[k]);
	unsigned long word = strtoul(lab_word(&w->lab, 1, 2), NULL, 16);
	if (((word & 1) != 0) != h.on || ((word & 2) != 0) != h.mandatory)
		differ(w, "what is held", names[k]);
	bool seen = strstr(w->lab.reply, "unseen") == NULL;
	if (!seen)
		return;
	const struct m_instance *i = model_instance(w->model, names[k]);
	if (((word & 4) != 0) != model_available(i, w->lab.now.arrival_ns))
		differ(w, "available", names[k]);
	if (((word & 8) != 0) != i->in_log)
		differ(w, "in log", names[k]);
}

static void open_world(struct world *w, uint64_t seed)
{
	static const int64_t sources[] = { S / 10, S / 4, S, 7 * S, 10 * S, 60 * S };
	memset(w, 0, sizeof(*w));
	w->seed = w->first_seed = seed;
	w->model = calloc(1, sizeof(*w->model));
	assert_non_null(w->model);
	assert_int_equal(settings_init(&w->lab.settings), OK);
	w->lab.settings.align = random_below(&w->seed, 2) ? ALIGN_CLOCK : ALIGN_START;
	w->model->align_clock = w->lab.settings.align == ALIGN_CLOCK;
	w->model->next_id = 1;
	lab_start(&w->lab);
	for (size_t k = 0; k < N_NAMES; k++) {
		w->source_ns[k] = sources[random_below(&w->seed, 6)];
		w->time_ns[k] = w->lab.now.wall_ns + (int64_t)(random_next(&w->seed) % (uint64_t)S);
	}
}

static void logger__random_events__does_what_the_model_does(void **state)
{
	long     events = times_from("LC_EVENTS", 1000000), done = 0;
	uint64_t seed = (uint64_t)times_from("LC_SEED", 1), first = seed;
	(void)state;
	for (; done < events; seed++) {
		struct world w;
		open_world(&w, seed);
		for (w.event = 0; w.event < 2000 && done < events; w.event++, done++) {
			unsigned what = random_below(&w.seed, 100);
			if (what < 4)
				do_request(&w);
			else if (what < 5)
				do_forget(&w);
			else if (what < 8)
				do_advance(&w);
			else
				do_value(&w);
			if (what % 16 == 0)
				compare_flags(&w);
		}
		lab_close(&w.lab);
		free(w.model);
	}
	print_message("model: %ld events, seeds %" PRIu64 " to %" PRIu64 "\n", done, first, seed - 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(logger__random_events__does_what_the_model_does),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
