/*
 * The disk under the state file fails, or the power goes, at each call in turn: what was promised is there, once, what was refused
 * is not, and no id is given twice (specification section 13).
 */
#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../fake/check.h"
#include "../fake/faults.h"
#include "savefile.h"

#define IDS_MAX 200
#define S_NS    INT64_C(1000000000)
#define WALL_NS (INT64_C(1700000000) * S_NS)

static char dir[64], path[96], beside[104];

static void empty_dir(void)
{
	unlink(path);
	unlink(beside);
}

static int make_dir(void **state)
{
	(void)state;
	strcpy(dir, access("/dev/shm", W_OK) == 0 ? "/dev/shm/lc-faults-XXXXXX" : "/tmp/lc-faults-XXXXXX"); /* speed */
	assert_non_null(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/state", dir);
	snprintf(beside, sizeof(beside), "%s.new", path);
	faults_start(dir);
	return 0;
}

static int remove_dir(void **state)
{
	(void)state;
	faults_fini();
	empty_dir();
	return rmdir(dir);
}

/* ---- who keeps rules, and remembers what it was told ---- */

enum promise { NEVER, PROMISED, REFUSED, FORGOTTEN, UNKNOWN };

struct keeper {
	struct savefile *file; /* NULL: it could not be opened */
	struct ledger   *ledger;
	uint64_t         newest;
	enum promise     promises[IDS_MAX];
	int              names[IDS_MAX]; /* which name the entry of that id is about */
	int              n_names;
	size_t           dropped; /* when it was opened last */
	enum err         last;
	bool             unsure; /* so much fails that what was refused may stay in the file */
};

static enum err take(void *ctx, struct entry *e)
{
	struct keeper *k = ctx;
	struct ledger *new;
	assert_int_equal(ledger_add(k->ledger, e, SIZE_MAX, &new, NULL), OK);
	ledger_free(k->ledger);
	k->ledger = new;
	return OK;
}

static void keeper_close(struct keeper *k)
{
	savefile_close(k->file);
	ledger_free(k->ledger);
	k->file = NULL;
	k->ledger = NULL;
}

static bool keeper_open(struct keeper *k)
{
	struct recovered got;
	struct why       why = { "" };
	k->ledger = ledger_new(HELD_DEFAULT);
	k->last = savefile_open(&k->file, path, "own", 0, WALL_NS, take, k, &got, &why);
	if (k->last != OK) {
		assert_true(why.text[0] != '\0');
		k->file = NULL;
		keeper_close(k);
		return false;
	}
	k->newest = got.newest_id;
	k->dropped = got.dropped;
	return true;
}

static struct entry *make_entry(uint64_t id, int name)
{
	struct ask       ask = { CONTROL_ADVISORY, STATE_ON, { DELTA_EVERY, 5000 }, VALUE_LAST };
	struct selector *s;
	char             text[32];
	snprintf(text, sizeof(text), "h/p/gauge-%d", name);
	assert_int_equal(selector_parse(&s, text, strlen(text), "own", NULL), OK);
	struct entry *e = entry_new(ORIGIN_SOCKET, id, &ask, &s, 1, "a note that makes it longer than a block is wide");
	e->at_s = 1700000000;
	if (name % 2 == 0)
		e->ends_ns = 100 * S_NS;
	return e;
}

/* As the logger does it: the new ledger, the record, then the promise. */
static void keeper_log(struct keeper *k)
{
	struct ledger *new;
	uint64_t      id = k->newest + 1;
	struct entry *e = make_entry(id, ++k->n_names);
	assert_true(id < IDS_MAX);
	assert_int_equal(ledger_add(k->ledger, e, SIZE_MAX, &new, NULL), OK);
	k->last = savefile_log(k->file, e, 0, WALL_NS, NULL);
	k->names[id] = k->n_names;
	k->promises[id] = k->last == OK ? PROMISED : REFUSED;
	if (k->last == OK) {
		ledger_free(k->ledger);
		k->ledger = new;
		k->newest = id;
	} else {
		ledger_free(new);
	}
	entry_unref(e);
}

static void keeper_forget(struct keeper *k, size_t which)
{
	struct ledger *new;
	if (which >= ledger_count(k->ledger))
		return;
	uint64_t id = ledger_get(k->ledger, which)->id;
	assert_int_equal(ledger_remove(k->ledger, &id, 1, &new, NULL), OK);
	k->last = savefile_forget(k->file, &id, 1, WALL_NS, NULL);
	if (k->last == OK) {
		k->promises[id] = FORGOTTEN;
		ledger_free(k->ledger);
		k->ledger = new;
	} else {
		ledger_free(new);
		if (k->unsure)
			k->promises[id] = UNKNOWN;
	}
}

static void keeper_compact(struct keeper *k)
{
	k->last = savefile_compact(k->file, k->ledger, 0, WALL_NS, NULL);
}

/* L: log, F: forget the oldest, N: the newest, C: compact, R: close and open. */
static void keeper_step(struct keeper *k, char step)
{
	switch (step) {
	case 'L':
		keeper_log(k);
		break;
	case 'F':
		keeper_forget(k, 0);
		break;
	case 'N':
		keeper_forget(k, ledger_count(k->ledger) - 1);
		break;
	case 'C':
		keeper_compact(k);
		break;
	case 'R':
		keeper_close(k);
		keeper_open(k);
		break;
	}
}

/* Runs the script, but no more than `after` steps once the fault has happened. */
static void keeper_run(struct keeper *k, const char *script, unsigned after)
{
	if (!keeper_open(k))
		return;
	for (; *script != '\0' && k->file != NULL; script++) {
		if (faults_happened() && after-- == 0)
			break;
		keeper_step(k, *script);
	}
}

/* ---- what must be there ---- */

static void check_entry(const struct keeper *k, const struct entry *e, bool strict)
{
	char   expected[32];
	size_t len;
	assert_true(e->id < IDS_MAX);
	enum promise p = k->promises[e->id];
	if (p == FORGOTTEN || p == NEVER || (strict && p == REFUSED))
		fail_msg("entry %d is there, and must not be (%d)", (int)e->id, (int)p);
	if (p == REFUSED)
		return; /* one of those that were refused under this id */
	snprintf(expected, sizeof(expected), "h/p/gauge-%d", k->names[e->id]);
	const char *text = selector_text(e->selectors[0], &len);
	assert_int_equal(len, strlen(expected));
	assert_memory_equal(text, expected, len);
}

/* `strict`: what was refused is not there; else, after a crash, it may be. */
static void check_there(const struct keeper *k, const struct keeper *after, bool strict)
{
	for (size_t i = 0; i < ledger_count(after->ledger); i++) {
		check_entry(k, ledger_get(after->ledger, i), strict);
		for (size_t j = 0; j < i; j++)
			assert_int_not_equal(ledger_get(after->ledger, i)->id, ledger_get(after->ledger, j)->id);
	}
	for (uint64_t id = 0; id < IDS_MAX; id++) {
		if (k->promises[id] == PROMISED && ledger_find(after->ledger, ORIGIN_SOCKET, id) == NULL)
			fail_msg("entry %d was promised, and is lost", (int)id);
		if (k->promises[id] == PROMISED || k->promises[id] == FORGOTTEN)
			assert_true(after->newest >= id);
	}
}

/* The next daemon finds what was promised, goes on, and so does the one after it. */
static void check_next(const struct keeper *k, bool strict, bool undamaged)
{
	struct keeper next = *k, last = { 0 };
	next.file = NULL;
	assert_true(keeper_open(&next));
	check_there(k, &next, strict);
	if (undamaged)
		assert_int_equal(next.dropped, 0);
	size_t n = ledger_count(next.ledger);
	keeper_log(&next);
	assert_int_equal(next.last, OK);
	keeper_close(&next);
	assert_true(keeper_open(&last));
	assert_int_equal(ledger_count(last.ledger), n + 1);
	assert_int_equal(last.newest, next.newest);
	keeper_close(&last);
}

static void fresh(void)
{
	faults_fini();
	empty_dir();
	faults_start(dir);
}

static const char script[] = "LLFLLCLFRLFNCRLLCLNRL";

struct fault_plan {
	enum fault    kind;
	int           error;
	unsigned long times;
	bool          power_cut;
	bool          is_killed; /* after the last step; else it closes the file */
	bool          goes_on;   /* until something succeeds behind the fault */
};

/* The script with the fault at call `n`, and no more than `after` steps behind it; was there one? */
static bool one_run(const struct fault_plan *p, unsigned long n, unsigned after)
{
	struct keeper k = { .unsure = p->kind == FAULT_CRASH || p->times > 1 };
	fresh();
	faults_at(n, p->kind, p->error, p->times);
	keeper_run(&k, script, after);
	if (p->goes_on && k.file != NULL && k.last != OK)
		keeper_step(&k, 'L');
	bool happened = faults_happened();
	if (p->is_killed && p->kind != FAULT_CRASH)
		faults_at(1, FAULT_CRASH, EIO, 1);
	keeper_close(&k);
	faults_off();
	if (p->times == 1 && !p->is_killed)
		assert_int_not_equal(access(beside, F_OK), 0);
	if (p->power_cut)
		faults_power_cut();
	check_next(&k, !k.unsure && !p->power_cut,
		   p->times < 3 && !p->is_killed && !p->power_cut && p->kind != FAULT_TORN);
	return happened;
}

/* Every call of the script, and then nothing, one step, two, or all the rest of it; gives how many calls there were. */
static unsigned long each_call(struct fault_plan p)
{
	static const unsigned afters[] = { 0, 1, 2, sizeof(script) };
	unsigned long         n = 1;
	bool                  happened = true;
	for (; happened; n++) {
		for (size_t i = p.goes_on; i < (p.kind == FAULT_CRASH ? 1 : 4); i++)
			happened = one_run(&p, n, afters[i]);
	}
	return n - 2;
}

static void disk_full__at_each_call__promised_is_there_and_refused_is_not(void **state)
{
	(void)state;
	assert_true(each_call((struct fault_plan){ FAULT_ERROR, ENOSPC, 1, false, false, false }) > 60);
	assert_true(each_call((struct fault_plan){ FAULT_SHORT, ENOSPC, 1, false, false, false }) > 60);
	assert_true(each_call((struct fault_plan){ FAULT_SHORT, ENOSPC, 2, false, false, false }) > 60);
	assert_true(each_call((struct fault_plan){ FAULT_SHORT, ENOSPC, 1, true, true, false }) > 60);
}

static void disk_error__at_each_call__promised_is_there_and_refused_is_not(void **state)
{
	(void)state;
	assert_true(each_call((struct fault_plan){ FAULT_ERROR, EIO, 1, false, false, false }) > 60);
	assert_true(each_call((struct fault_plan){ FAULT_ERROR, EROFS, 1, true, true, false }) > 60);
}

static void disk_error__tears_a_block__what_it_held_is_written_anew(void **state)
{
	(void)state;
	assert_true(each_call((struct fault_plan){ FAULT_TORN, EIO, 1, true, true, false }) > 60);
	assert_true(each_call((struct fault_plan){ FAULT_TORN, EIO, 3, true, false, false }) > 60);
	assert_true(each_call((struct fault_plan){ FAULT_TORN, EIO, 3, true, true, true }) > 60);
}

static void disk_errors__several_calls_in_a_row__promised_is_there(void **state)
{
	(void)state;
	for (unsigned long times = 2; times <= 8; times *= 2) {
		assert_true(each_call((struct fault_plan){ FAULT_ERROR, EIO, times, false, false, false }) > 60);
		assert_true(each_call((struct fault_plan){ FAULT_ERROR, EIO, times, true, true, false }) > 60);
	}
}

static void killed__at_each_call__promised_is_there(void **state)
{
	(void)state;
	assert_true(each_call((struct fault_plan){ FAULT_CRASH, EIO, 1, false, true, false }) > 60);
}

static void power_cut__at_each_call__promised_is_there(void **state)
{
	(void)state;
	assert_true(each_call((struct fault_plan){ FAULT_CRASH, EIO, 1, true, true, false }) > 60);
}

static void errors__by_kind__have_their_number_and_words(void **state)
{
	static const struct {
		int      error;
		enum err expected;
	} rows[] = {
		{ ENOSPC, ERR_SPACE }, { EDQUOT, ERR_SPACE }, { EFBIG, ERR_SPACE }, { EIO, ERR_IO }, { EROFS, ERR_IO }
	};
	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct keeper k = { 0 };
		struct why    why = { "" };
		uint64_t      id = 1;
		fresh();
		assert_true(keeper_open(&k));
		keeper_log(&k);
		faults_at(1, FAULT_ERROR, rows[i].error, 1);
		assert_int_equal(savefile_forget(k.file, &id, 1, WALL_NS, &why), rows[i].expected);
		assert_true(faults_off());
		assert_has(why.text, strerror(rows[i].error));
		assert_has(why.text, "nothing was changed");
		keeper_close(&k);
		check_next(&k, true, true);
	}
}

/* On a full disk compaction fails; it is not tried again with every tick. */
static void compaction__fails__waits_for_more_records(void **state)
{
	struct keeper k = { 0 };
	uint64_t      none = 99;
	(void)state;
	assert_true(keeper_open(&k));
	for (int i = 0; i < 1001; i++)
		assert_int_equal(savefile_forget(k.file, &none, 1, WALL_NS, NULL), OK);
	assert_true(savefile_wants_compaction(k.file, k.ledger));
	faults_at(3, FAULT_ERROR, ENOSPC, 1);
	keeper_compact(&k);
	assert_true(faults_off());
	assert_int_equal(k.last, ERR_SPACE);
	assert_false(savefile_wants_compaction(k.file, k.ledger));
	keeper_log(&k);
	assert_int_equal(k.last, OK);
	keeper_compact(&k);
	assert_int_equal(k.last, OK);
	assert_false(savefile_wants_compaction(k.file, k.ledger));
	keeper_close(&k);
	check_next(&k, true, true);
}

/* A half record that cannot be cut back is cut back before the next one, which would not cover all of it. */
static void log__half_record_stays__is_gone_before_the_next_one(void **state)
{
	struct keeper k = { 0 };
	(void)state;
	assert_true(keeper_open(&k));
	keeper_log(&k);
	faults_at(1, FAULT_SHORT, ENOSPC, 2); /* the rest of it, and the cut */
	keeper_log(&k);
	assert_int_equal(k.last, ERR_SPACE);
	faults_off();
	keeper_forget(&k, 0);
	assert_int_equal(k.last, OK);
	faults_at(1, FAULT_CRASH, EIO, 1);
	keeper_close(&k);
	faults_off();
	check_next(&k, true, true);
}

static void compaction__leftover_of_a_failed_one__is_in_nobodys_way(void **state)
{
	struct keeper k = { 0 };
	(void)state;
	assert_true(keeper_open(&k));
	keeper_log(&k);
	faults_at(5, FAULT_ERROR, EIO, 2); /* rename, and unlink */
	keeper_compact(&k);
	assert_int_equal(k.last, ERR_IO);
	assert_int_equal(access(beside, F_OK), 0);
	faults_off();
	keeper_compact(&k);
	assert_int_equal(k.last, OK);
	assert_int_not_equal(access(beside, F_OK), 0);
	keeper_close(&k);
	check_next(&k, true, true);
}

int main(void)
{
#define IN_DIR(name) cmocka_unit_test_setup_teardown(name, make_dir, remove_dir)
	const struct CMUnitTest tests[] = {
		IN_DIR(disk_full__at_each_call__promised_is_there_and_refused_is_not),
		IN_DIR(disk_error__at_each_call__promised_is_there_and_refused_is_not),
		IN_DIR(disk_errors__several_calls_in_a_row__promised_is_there),
		IN_DIR(killed__at_each_call__promised_is_there),
		IN_DIR(power_cut__at_each_call__promised_is_there),
		IN_DIR(errors__by_kind__have_their_number_and_words),
		IN_DIR(disk_error__tears_a_block__what_it_held_is_written_anew),
		IN_DIR(log__half_record_stays__is_gone_before_the_next_one),
		IN_DIR(compaction__fails__waits_for_more_records),
		IN_DIR(compaction__leftover_of_a_failed_one__is_in_nobodys_way),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
