/* savefile - what survives a restart, and how (specification section 13). */
#include <sys/stat.h>
#include <unistd.h>

#include "../fake/check.h"
#include "../fake/lab.h"
#include "../fake/saved.h"

static void restart__entries_ids_and_forgets__survive(void **state)
{
	struct lab  lab;
	struct stat st;
	(void)state;
	saved_lab(&lab);
	assert_has(lab_ask(&lab, "LOG mandatory on every=5s value=max note=\"why \\\"so\\\"\" \"*/a-*/x\" \"b/c\""),
		   "id=1 keep=saved");
	lab_ask(&lab, "LOG advisory off \"h/q\\x01/t\"");
	lab_ask(&lab, "LOG mandatory off d/e");
	lab_ask(&lab, "FORGET 3");
	assert_int_equal(stat(saved_path, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0600);
	lab_close(&lab);
	saved_lab(&lab);
	assert_has(lab_ask(&lab, "RULES"),
		   "2 Rules\n1 socket uid=1000 at=1700000000 ends=- keep=saved instances=0 note=\"why \\\"so\\\"\" "
		   "\"LOG mandatory on every=5s value=max \\\"*/a-*/x\\\" \\\"b/c\\\"\"");
	assert_has(lab_ask(&lab, "LOG advisory on f/g"), "id=4 "); /* 3 is not used twice */
	lab_close(&lab);
}

static void restart__timed_entry__keeps_the_rest_of_its_time(void **state)
{
	struct lab lab;
	(void)state;
	saved_lab(&lab);
	lab_ask(&lab, "LOG mandatory on for=100 a/b");
	lab_ask(&lab, "LOG mandatory on for=10 c/d");
	lab_close(&lab);
	memset(&lab, 0, sizeof(lab));
	assert_int_equal(settings_init(&lab.settings), OK);
	lab.settings.state_file = strdup(saved_path);
	lab_start(&lab); /* the same instant: nothing is lost */
	assert_has(lab_ask(&lab, "RULES"), "ends=100");
	lab_advance(&lab, 40);
	assert_has(lab_ask(&lab, "RULES"), "1 Rules");
	assert_has(lab_ask(&lab, "RULES"), "ends=60");
	lab_close(&lab);
}

static enum err count_entries(void *ctx, struct entry *e)
{
	(void)e;
	(*(size_t *)ctx)++;
	return OK;
}

static enum err keep_end(void *ctx, struct entry *e)
{
	*(int64_t *)ctx = e->ends_ns;
	return OK;
}

static void second_owner__is_told_and_changes_nothing(void **state)
{
	struct lab       lab;
	struct savefile *f;
	struct why       why;
	(void)state;
	saved_lab(&lab);
	assert_int_equal(saved_open(&f, saved_path, &why), ERR_BUSY);
	assert_has(why.text, "another daemon");
	assert_has(lab_ask(&lab, "LOG mandatory on a/b"), "keep=saved");
	lab_close(&lab);
}

static void many_requests__file_is_compacted_and_says_the_same(void **state)
{
	struct lab lab;
	size_t     len;
	(void)state;
	saved_lab(&lab);
	for (int i = 0; i < 1200; i++)
		lab_ask(&lab, "LOG mandatory %s a/b", i % 2 == 0 ? "off" : "on every=7s");
	lab_advance(&lab, 10);
	free(saved_read(&len));
	assert_true(len < 1000);
	lab_close(&lab);
	saved_lab(&lab);
	assert_has(lab_ask(&lab, "RULES"), "1200 socket");
	assert_has(lab_ask(&lab, "LOG mandatory off c/d"), "id=1201");
	lab_close(&lab);
}

/* A few requests may be long ones. */
static void long_requests__file_is_compacted_by_its_size(void **state)
{
	struct ask       ask = { CONTROL_MANDATORY, STATE_OFF, { DELTA_NATIVE, 0 }, VALUE_LAST };
	struct savefile *f;
	struct why       why;
	struct ledger   *l = ledger_new(HELD_DEFAULT), *new;
	char            *note = malloc((1 << 20) + 1);
	(void)state;
	memset(note, 'n', 1 << 20);
	note[1 << 20] = '\0';
	assert_int_equal(saved_open(&f, saved_path, &why), OK);
	for (uint64_t id = 1; id <= 16; id++) {
		struct selector *s;
		char             name[16];
		assert_false(savefile_wants_compaction(f, l));
		snprintf(name, sizeof(name), "a/b-%d", (int)id);
		assert_int_equal(selector_parse(&s, name, strlen(name), "own", &why), OK);
		struct entry *e = entry_new(ORIGIN_SOCKET, id, &ask, &s, 1, note);
		assert_int_equal(savefile_log(f, e, 0, 0, &why), OK);
		assert_int_equal(ledger_add(l, e, SIZE_MAX, &new, NULL), OK);
		entry_unref(e);
		ledger_free(l);
		l = new;
	}
	assert_true(savefile_wants_compaction(f, l));
	assert_int_equal(savefile_compact(f, l, 0, 0, &why), OK);
	assert_false(savefile_wants_compaction(f, l)); /* it is as small as it gets */
	savefile_close(f);
	ledger_free(l);
	free(note);
}

/* ---- replay ---- */

/* Two maybes are one again when the advisory entry between them has ended, in the daemon as in its successor. */
static void restart__after_the_end_of_an_entry__maybes_have_merged(void **state)
{
	struct lab lab;
	(void)state;
	saved_lab(&lab);
	lab_ask(&lab, "LOG mandatory maybe a/b");
	lab_ask(&lab, "LOG advisory on for=10 c/d");
	lab_ask(&lab, "LOG mandatory maybe a/b");
	saved_assert_rules(&lab, 3);
	lab_advance(&lab, 20);
	saved_assert_rules(&lab, 1);
	struct now later = lab.now;
	lab_close(&lab);

	struct recovered got;
	struct savefile *f;
	struct why       why;
	size_t           n = 0;
	assert_int_equal(
		savefile_open(&f, saved_path, "own", later.boot_ns, later.wall_ns, count_entries, &n, &got, &why), OK);
	assert_int_equal(n, 1);
	assert_int_equal(got.ended, 1);
	assert_int_equal(got.kept, 3);
	assert_int_equal(got.dropped, 0);
	savefile_close(f);
}

/* The wall clock went back while the daemon was down: never more than what was left when it was written. */
static void restart__clock_stepped_back__no_more_than_was_asked(void **state)
{
	struct lab       lab;
	struct recovered got;
	struct savefile *f;
	struct why       why;
	int64_t          ends_ns = 0;
	(void)state;
	saved_lab(&lab);
	lab_ask(&lab, "LOG mandatory on for=100 a/b");
	lab_close(&lab);
	assert_int_equal(savefile_open(&f, saved_path, "own", 7, 0, keep_end, &ends_ns, &got, &why), OK);
	assert_int_equal(ends_ns, 7 + INT64_C(100000000000));
	savefile_close(f);
}

/* Saved entries are folded as they are behind another configuration: nothing is judged again (specification section 5). */
static void restart__other_configuration__saved_entries_are_folded_as_they_are(void **state)
{
	struct lab       lab;
	char            *metrics[] = { (char *)"*/a/*" };
	struct log_block block = { 1, { CONTROL_MANDATORY, STATE_OFF, { DELTA_NATIVE, 0 }, VALUE_LAST }, 1, metrics };
	(void)state;
	saved_lab(&lab);
	lab_ask(&lab, "LOG advisory on every=5s h/a/x h/b/x");
	lab_ask(&lab, "LOG mandatory maybe h/a/y");
	lab_close(&lab);
	memset(&lab, 0, sizeof(lab));
	assert_int_equal(settings_init(&lab.settings), OK);
	lab.settings.state_file = strdup(saved_path);
	lab.settings.logs = &block;
	lab.settings.n_logs = 1;
	lab_start(&lab);
	assert_has(lab_ask(&lab, "RULES"), "3 Rules\n");
	assert_has(lab_ask(&lab, "ENQUIRE h/a/x h/b/x h/a/y"), "1 held 0x00000002 mandatory off 0 - unseen \"h/a/x\"");
	assert_has(lab.reply, "2 held 0x00013881 advisory on 5000 - unseen \"h/b/x\"");
	assert_has(lab.reply, "3 held 0x00000000 advisory off 0 - unseen \"h/a/y\"");
	assert_has(lab_ask(&lab, "EXPLAIN h/a/x"), "1 refused mandatory off");
	lab_ask(&lab, "FORGET all");
	assert_has(lab_ask(&lab, "RULES"), "1 Rules\nc1 config");
	lab.settings.logs = NULL;
	lab.settings.n_logs = 0;
	lab_close(&lab);
	saved_lab(&lab);
	saved_assert_rules(&lab, 0);
	lab_close(&lab);
}

/* More entries than MaxRules now allows stay in force; new ones are refused. */
static void restart__fewer_rules_allowed__saved_ones_stay(void **state)
{
	struct lab lab;
	(void)state;
	saved_lab(&lab);
	for (int i = 0; i < 5; i++)
		lab_ask(&lab, "LOG mandatory off a/b-%d", i);
	lab_close(&lab);
	memset(&lab, 0, sizeof(lab));
	assert_int_equal(settings_init(&lab.settings), OK);
	lab.settings.state_file = strdup(saved_path);
	lab.settings.max_rules = 3;
	lab_start(&lab);
	saved_assert_rules(&lab, 5);
	assert_has(lab_ask(&lab, "LOG mandatory off c/d"), "-105 ");
	lab_close(&lab);
}

int main(void)
{
#define IN_DIR(name) cmocka_unit_test_setup_teardown(name, saved_setup, saved_teardown)
	const struct CMUnitTest tests[] = {
		IN_DIR(restart__entries_ids_and_forgets__survive),
		IN_DIR(restart__timed_entry__keeps_the_rest_of_its_time),
		IN_DIR(second_owner__is_told_and_changes_nothing),
		IN_DIR(many_requests__file_is_compacted_and_says_the_same),
		IN_DIR(long_requests__file_is_compacted_by_its_size),
		IN_DIR(restart__after_the_end_of_an_entry__maybes_have_merged),
		IN_DIR(restart__clock_stepped_back__no_more_than_was_asked),
		IN_DIR(restart__other_configuration__saved_entries_are_folded_as_they_are),
		IN_DIR(restart__fewer_rules_allowed__saved_ones_stay),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
