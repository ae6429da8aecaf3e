/*
 * An endless stream of new names, under simulated time: MaxInstances, MaxRules and HistoryTimeout hold, and memory comes back to where it was,
 * block by block.  By hand: LC_BIRTHS=1000000.
 */
#include <stdio.h>

#include "../fake/check.h"
#include "../fake/heap.h"
#include "../fake/lab.h"
#include "outcomes.h"

#define A_SECOND 20 /* newcomers */

static void open_with(struct lab *lab, size_t max_instances, size_t max_rules, double history_s)
{
	memset(lab, 0, sizeof(*lab));
	assert_int_equal(settings_init(&lab->settings), OK);
	lab->settings.max_instances = max_instances;
	lab->settings.max_rules = max_rules;
	lab->settings.history_ms = (uint64_t)(history_s * 1e3);
	lab->settings.def = HELD_DEFAULT;
	lab_start(lab);
}

static struct figures figures(struct lab *lab)
{
	struct figures f;
	logger_figures(lab->logger, &f);
	return f;
}

static const char *born(char name[64], long number)
{
	snprintf(name, 64, "h%ld/born-%ld/x", number % 7, number);
	return name;
}

/* One second: some names appear, those of the last seconds have another value, a rule or two come and go. */
static void live_a_second(struct lab *lab, long second)
{
	char name[64];
	lab_advance(lab, 1);
	for (long k = 0; k < 4 * A_SECOND; k++) {
		long number = second * A_SECOND - k + A_SECOND - 1;
		if (number >= 0)
			lab_gauge(lab, born(name, number), 1, (double)k);
	}
	if (second % 5 == 0)
		lab_ask(lab, "LOG mandatory off for=30s %s \"*/born-%ld*/x\"", born(name, second * A_SECOND), second);
	if (second % 10 == 3)
		lab_ask(lab, "ENQUIRE \"h1/born-*/x\"");
}

/* How many blocks are in use when nothing is on its way: retired ledgers, an answer. */
static long blocks_at_rest(struct lab *lab)
{
	logger_tick(lab->logger, &lab->now, NULL);
	lab_ask(lab, "HELP LOG"); /* the lab keeps its last reply */
	return heap_blocks();
}

/* Until all have been forgotten; what is left is the same each time. */
static long die_out(struct lab *lab)
{
	for (int k = 0; k < 100; k++)
		lab_advance(lab, 1);
	assert_int_equal(figures(lab).instances, 0);
	assert_int_equal(figures(lab).entries, 1);
	return blocks_at_rest(lab);
}

struct most {
	size_t instances;
	long   bytes;
};

static struct most live(struct lab *lab, long from, long seconds)
{
	struct most most = { 0, 0 };
	for (long s = from; s < from + seconds; s++) {
		live_a_second(lab, s);
		size_t n = figures(lab).instances;
		long   bytes = heap_bytes();
		most.instances = n > most.instances ? n : most.instances;
		most.bytes = bytes > most.bytes ? bytes : most.bytes;
	}
	return most;
}

static void births_and_deaths__without_end__memory_comes_back(void **state)
{
	(void)state;
	struct lab lab;
	long       seconds = times_from("LC_BIRTHS", 20000) / A_SECOND;
	open_with(&lab, 2000, 1000, 30);
	lab_ask(&lab, "LOG advisory on every=5s value=average \"*/born-*3/x\" \"*/born-*4/x\"");
	struct most first = live(&lab, 0, 700); /* so many that there is no shard that was never used */
	long        empty = die_out(&lab);
	struct most all = live(&lab, 700, seconds);
	assert_in_range(first.instances, 30 * A_SECOND, 40 * A_SECOND); /* a sweep comes every 30 s / 8 */
	assert_in_range(all.instances, 30 * A_SECOND, 40 * A_SECOND);
	assert_in_range(all.bytes, first.bytes / 2, first.bytes + first.bytes / 5);
	assert_int_equal(die_out(&lab), empty);
	assert_int_equal(figures(&lab).counted[COUNT_FAILED_OPEN], 0);
	print_message("births: %ld; at most %zu instances and %ld bytes at a time, %ld blocks when all are gone\n",
		      (700 + seconds) * A_SECOND, all.instances, all.bytes, empty);
	lab_close(&lab);
}

/* More than there is room for: the rest passes, uncounted ones never take a place, and room comes back with the deaths. */
static void newcomers__more_than_max_instances__pass_until_there_is_room(void **state)
{
	(void)state;
	struct lab lab;
	char       name[64];
	long       passed = 0, wave = 1000;
	open_with(&lab, 300, 1000, 30);
	lab_ask(&lab, "LOG mandatory off \"*/*/*\"");
	for (long w = 0; w < 10; w++) {
		long before = heap_bytes();
		for (long k = 0; k < wave; k++)
			passed += lab_gauge(&lab, born(name, w * wave + k), 1, 1);
		assert_int_equal(figures(&lab).instances, 300);
		assert_int_equal(passed, (w + 1) * (wave - 300));
		assert_int_equal(figures(&lab).counted[COUNT_FAILED_OPEN], passed);
		assert_true(heap_bytes() - before < 300 * 1024);
		for (int s = 0; s < 40; s++)
			lab_advance(&lab, 1);
		assert_int_equal(figures(&lab).instances, 0);
	}
	lab_close(&lab);
}

/* Of rules there are never more than MaxRules, refused ones leave nothing behind, and those that end make room. */
static void requests__more_than_max_rules__refused_until_there_is_room(void **state)
{
	(void)state;
	struct lab lab;
	char       name[64];
	long       taken = 0, blocks = 0;
	open_with(&lab, 1000, 50, 30);
	for (long k = 0; k < 3000; k++) {
		const char *said = lab_ask(&lab, "LOG advisory on every=7s for=20s %s", born(name, k));
		taken += said[0] == '1';
		if (said[0] != '1')
			assert_has(said, "MaxRules is 50");
		assert_true(figures(&lab).selectors <= 50);
		if (k % 100 == 99) {
			lab_advance(&lab, 21);
			assert_int_equal(figures(&lab).selectors, 0);
			blocks = k == 99 ? blocks_at_rest(&lab) : blocks;
			assert_int_equal(blocks_at_rest(&lab), blocks);
		}
	}
	assert_int_equal(taken, 30 * 50);
	lab_close(&lab);
}

/* Ledgers that were replaced wait for a grace period, together, but not for ever: requests alone bring it, without any tick. */
static void ledgers__replaced_without_a_tick__do_not_pile_up(void **state)
{
	(void)state;
	struct lab lab;
	char       name[64];
	long       most = 0, before, blocks;
	open_with(&lab, 1000, 1000, 30);
	for (int k = 0; k < 500; k++) /* a ledger of some size: each change makes a new one */
		lab_ask(&lab, "LOG advisory on every=7s %s", born(name, k));
	blocks = blocks_at_rest(&lab);
	before = heap_bytes();
	for (int k = 0; k < 3000; k++) {
		lab_ask(&lab, "LOG advisory %s %s", k % 2 == 0 ? "off" : "on every=9s", born(name, k % 500));
		most = heap_bytes() - before > most ? heap_bytes() - before : most;
	}
	assert_true(most < (long)24 << 20);
	assert_true(heap_blocks() - blocks > 300); /* some do wait */
	assert_int_equal(blocks_at_rest(&lab), blocks);
	lab_close(&lab);
}

/* Ten of its intervals are more than 64 bits of nanoseconds hold. */
static void instance__of_a_huge_interval__is_not_dropped_early(void **state)
{
	(void)state;
	struct lab lab;
	open_with(&lab, 1000, 1000, 30);
	lab_gauge(&lab, "a/b/c", 1e9, 1);
	for (int s = 0; s < 100; s++)
		lab_advance(&lab, 1);
	assert_int_equal(figures(&lab).instances, 1);
	lab_close(&lab);
}

/* A line of a client has room for very many patterns, each of which selects everything. */
static void request__many_patterns_for_all__is_bounded(void **state)
{
	(void)state;
	struct lab lab;
	char       name[64], patterns[200] = "";
	open_with(&lab, 100, 1000, 30);
	for (int k = 0; k < 100; k++)
		lab_gauge(&lab, born(name, k), 1, 1);
	for (int k = 0; k < 16; k++)
		strcat(patterns, " \"*/*/*\"");
	assert_has(lab_ask(&lab, "ENQUIRE%s a/b/c", patterns), "1601 Values\n");
	assert_has(lab_ask(&lab, "LOG advisory on dryrun=true%s", patterns), "1600 Values ");
	long blocks = blocks_at_rest(&lab);
	assert_has(lab_ask(&lab, "ENQUIRE%s */*/*", patterns), "-105 the reply would have more than 1617 lines");
	assert_has(lab_ask(&lab, "LOG advisory off%s */*/*", patterns),
		   "-105 the reply would have more than 1617 lines");
	assert_int_equal(blocks_at_rest(&lab), blocks);
	assert_int_equal(figures(&lab).entries, 0);
	lab_close(&lab);
}

/* The same for its time, which is counted in names that are looked at. */
static void request__too_many_looks__is_refused_with_the_way_out(void **state)
{
	(void)state;
	struct lab      lab;
	struct rows     r;
	struct outcomes o;
	struct why      why = { "" };
	open_with(&lab, 100, 1000, 30);
	assert_int_equal(rows_init(&r, &o, lab.logger, 2), OK);
	rows_looked(&r, LOOKS_MAX);
	assert_int_equal(r.err, OK);
	rows_looked(&r, 1);
	assert_int_equal(rows_failed(&r, r.err, &why), ERR_FULL);
	assert_has(why.text, "names would have to be looked at");
	assert_has(why.text, "send several requests");
	outcomes_fini(&o);
	lab_close(&lab);
}

/* A window is there while something is gathered, and no longer.  (After a once it stays: what comes then is kept for an average that may
 * be asked for.) */
static void window__rule_gone__is_given_back(void **state)
{
	static const char *const ways[] = { "LOG advisory off a/b/c", "LOG advisory on a/b/c", "FORGET all" };
	(void)state;
	for (size_t w = 0; w < sizeof(ways) / sizeof(ways[0]); w++) {
		struct lab lab;
		open_with(&lab, 1000, 1000, 3600);
		lab_gauge(&lab, "a/b/c", 1, 1);
		lab_ask(&lab, "LOG advisory on every=10s a/b/c");
		lab_ask(&lab, "%s", ways[w]);
		lab_ask(&lab, "LOG advisory on every=10s value=average a/b/c");
		lab_advance(&lab, 1);
		lab_gauge(&lab, "a/b/c", 1, 1); /* the first of a grid is logged at once */
		long without = blocks_at_rest(&lab);
		lab_advance(&lab, 1);
		lab_gauge(&lab, "a/b/c", 1, 2);
		assert_int_equal(heap_blocks(), without + 1);
		lab_ask(&lab, "%s", ways[w]);
		for (int k = 0; k < 3; k++) {
			lab_advance(&lab, 1);
			lab_gauge(&lab, "a/b/c", 1, 3);
		}
		lab_ask(&lab, "LOG advisory on every=10s value=average a/b/c");
		assert_int_equal(blocks_at_rest(&lab), without);
		lab_close(&lab);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(births_and_deaths__without_end__memory_comes_back),
		cmocka_unit_test(newcomers__more_than_max_instances__pass_until_there_is_room),
		cmocka_unit_test(requests__more_than_max_rules__refused_until_there_is_room),
		cmocka_unit_test(ledgers__replaced_without_a_tick__do_not_pile_up),
		cmocka_unit_test(instance__of_a_huge_interval__is_not_dropped_early),
		cmocka_unit_test(request__many_patterns_for_all__is_bounded),
		cmocka_unit_test(request__too_many_looks__is_refused_with_the_way_out),
		cmocka_unit_test(window__rule_gone__is_given_back),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
