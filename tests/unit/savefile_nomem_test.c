/*
 * Every allocation of the state file's code fails once, by number: what was promised stays, what failed leaves no trace, and the daemon that
 * starts from the file finds what the one before held.  (Leaks are what the address sanitizer and valgrind see in this program.)
 */
#include <unistd.h>

#include "../fake/check.h"
#include "../fake/nomem.h"
#include "../fake/saved.h"

/* What everything holds and which rules there are, as text; the caller frees it. */
static char *picture(struct lab *lab)
{
	char *text = NULL;
	char *first = strdup(lab_ask(lab, "ENQUIRE h/p-1/t h/p-3/t h/p-9/t h/q/t"));
	assert_true(asprintf(&text, "%s%s", first, lab_ask(lab, "RULES")) > 0);
	free(first);
	return text;
}

/* A file with entries, some of them forgotten or replaced. */
static void furnish(struct lab *lab)
{
	unlink(saved_path);
	saved_lab(lab);
	lab_ask(lab, "LOG mandatory on every=20s \"h/p-1*/t\" h/p-3/t");
	lab_ask(lab, "LOG advisory on every=30s for=1h note=\"a note\" \"h/p-*/t\"");
	lab_ask(lab, "LOG advisory off h/q/t h/p-9/t");
	lab_ask(lab, "LOG advisory on h/q/t");
	lab_ask(lab, "LOG advisory on every=once h/x/t");
	lab_ask(lab, "FORGET 5");
}

/* ---- while it runs ---- */

/* One command that changes rules; each allocation of it fails in turn. */
static unsigned long each_allocation(const char *command)
{
	bool          failed = true;
	unsigned long n = 0;
	while (failed) {
		struct lab lab;
		size_t     len_before, len_after;
		furnish(&lab);
		char *before = picture(&lab), *bytes_before = saved_read(&len_before);
		char  line[200];
		snprintf(line, sizeof(line), "%s", command);
		const struct session session = { lab.logger, &(struct caller){ 0 }, RIGHT_ALL, NULL };
		nomem_at(++n);
		reply_free(command_run(&session, line, strlen(line), &lab.now));
		failed = nomem_off();
		char *after = picture(&lab), *bytes_after = saved_read(&len_after);
		bool  changed = len_after != len_before || memcmp(bytes_before, bytes_after, len_after) != 0;
		assert_int_equal(changed, strcmp(before, after) != 0); /* both or none */
		assert_true(failed || changed);
		lab_close(&lab);
		saved_lab(&lab);
		char *again = picture(&lab);
		assert_string_equal(again, after);
		lab_close(&lab);
		free(before);
		free(after);
		free(again);
		free(bytes_before);
		free(bytes_after);
	}
	return n - 1;
}

static void log_and_forget__each_allocation_fails__saved_and_in_force_or_neither(void **state)
{
	(void)state;
	assert_true(each_allocation("LOG advisory on every=7s for=2h note=\"text\" h/p-9/t \"h/p-?/t\"") > 10);
	assert_true(each_allocation("FORGET 2 4") > 5);
	assert_true(each_allocation("FORGET all") > 5);
}

/* ---- start ---- */

static void no_notice(void *ctx, int severity, const char *text)
{
	(void)ctx;
	(void)severity;
	(void)text;
}

/* Starts from a file of `text` with each allocation failing in turn; a start that fails leaves the file as it is. */
static unsigned long each_start(const char *text, size_t len)
{
	bool          happened = true;
	unsigned long n = 0;
	while (happened) {
		struct settings  s;
		struct logger   *lg = NULL;
		struct why       why = { "" };
		const struct now now = { 1, 1, INT64_C(1700000000) * 1000000000 };
		size_t           left;
		saved_write(text, len);
		assert_int_equal(settings_init(&s), OK);
		s.state_file = strdup(saved_path);
		nomem_at(++n);
		enum err err = logger_new(&lg, &s, "own", 1, &now, no_notice, NULL, &why);
		happened = nomem_off();
		assert_int_equal(err, happened ? ERR_NOMEM : OK);
		if (happened) {
			assert_has(why.text, "out of memory");
			char *is = saved_read(&left);
			assert_int_equal(left, len);
			assert_memory_equal(is, text, len);
			free(is);
		}
		logger_free(lg);
		settings_fini(&s);
	}
	return n - 1;
}

static char *furnished(size_t *len)
{
	struct lab lab;
	furnish(&lab);
	lab_close(&lab);
	return saved_read(len);
}

static void start__each_allocation_fails__file_untouched_and_a_reason(void **state)
{
	(void)state;
	size_t len;
	char  *text = furnished(&len);
	assert_true(each_start(text, len) > 30);
	assert_true(each_start("", 0) > 5);
	free(text);
}

static void start__damaged_file_each_allocation_fails__file_untouched_and_a_reason(void **state)
{
	(void)state;
	size_t len;
	char  *text = furnished(&len);
	char  *second = strchr(strchr(text, '\n') + 1, '\n');
	*second = '#'; /* two records in one line, the second one still whole */
	assert_true(each_start(text, len) > 30);
	assert_true(each_start(text, len - 30) > 30); /* and a torn one at the end */
	*second = '\n';
	text[2] = '#'; /* the first line */
	assert_true(each_start(text, len) > 30);
	free(text);
}

/* ---- compaction ---- */

#define BOOT_NS (INT64_C(9000) * 1000000000) /* the clocks of a lab */
#define WALL_NS (INT64_C(1700000000) * 1000000000)

static enum err take(void *ctx, struct entry *e)
{
	struct ledger **l = ctx, *new;
	enum err        err = ledger_add(*l, e, SIZE_MAX, &new, NULL);
	if (err == OK) {
		ledger_free(*l);
		*l = new;
	}
	return err;
}

static void compaction__each_allocation_fails__old_file_stays_and_goes_on(void **state)
{
	(void)state;
	bool happened = true;
	for (unsigned long n = 1; happened; n++) {
		struct lab       lab;
		struct savefile *f;
		struct recovered got;
		struct why       why = { "" };
		struct ledger   *l = ledger_new(HELD_DEFAULT);
		size_t           len, left;
		char            *text = furnished(&len);
		assert_int_equal(savefile_open(&f, saved_path, "own", BOOT_NS, WALL_NS, take, &l, &got, &why), OK);
		nomem_at(n);
		enum err err = savefile_compact(f, l, BOOT_NS, WALL_NS, &why);
		happened = nomem_off();
		assert_int_equal(err, happened ? ERR_NOMEM : OK);
		char *is = saved_read(&left);
		assert_true(happened ? left == len && memcmp(is, text, len) == 0 : left != len);
		assert_int_equal(savefile_forget(f, (uint64_t[]){ 1 }, 1, WALL_NS, &why), OK);
		savefile_close(f);
		ledger_free(l);
		free(is);
		free(text);
		saved_lab(&lab);
		saved_assert_rules(&lab, 3);
		lab_close(&lab);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(log_and_forget__each_allocation_fails__saved_and_in_force_or_neither,
						saved_setup, saved_teardown),
		cmocka_unit_test_setup_teardown(start__each_allocation_fails__file_untouched_and_a_reason, saved_setup,
						saved_teardown),
		cmocka_unit_test_setup_teardown(start__damaged_file_each_allocation_fails__file_untouched_and_a_reason,
						saved_setup, saved_teardown),
		cmocka_unit_test_setup_teardown(compaction__each_allocation_fails__old_file_stays_and_goes_on,
						saved_setup, saved_teardown),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
