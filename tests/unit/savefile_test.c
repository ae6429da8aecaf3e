/* savefile - what survives a restart, and what a torn or foreign file does (specification section 13). */
#include <sys/stat.h>
#include <unistd.h>

#include "../fake/check.h"
#include "../fake/lab.h"
#include "savefile.h"

static char dir[64], path[96];

static int make_dir(void **state)
{
	(void)state;
	strcpy(dir, "/tmp/lc-save-XXXXXX");
	assert_non_null(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/state", dir);
	return 0;
}

static int remove_dir(void **state)
{
	char command[128];
	(void)state;
	snprintf(command, sizeof(command), "rm -rf %s", dir);
	return system(command);
}

static void open_saved(struct lab *lab)
{
	memset(lab, 0, sizeof(*lab));
	assert_int_equal(settings_init(&lab->settings), OK);
	lab->settings.state_file = strdup(path);
	lab_start(lab);
}

static char *file_read(size_t *len)
{
	FILE *f = fopen(path, "r");
	char *text = malloc(1 << 20);
	assert_non_null(f);
	assert_non_null(text);
	*len = fread(text, 1, 1 << 20, f);
	fclose(f);
	return text;
}

static void file_write(const char *text, size_t len)
{
	FILE *f = fopen(path, "w");
	assert_non_null(f);
	assert_int_equal(fwrite(text, 1, len, f), len);
	fclose(f);
}

static void restart__entries_ids_and_forgets__survive(void **state)
{
	struct lab  lab;
	struct stat st;
	(void)state;
	open_saved(&lab);
	assert_has(lab_ask(&lab, "LOG mandatory on every=5s value=max note=\"why \\\"so\\\"\" \"*/a-*/x\" \"b/c\""),
		   "id=1 keep=saved");
	lab_ask(&lab, "LOG advisory off \"h/q\\x01/t\"");
	lab_ask(&lab, "LOG mandatory off d/e");
	lab_ask(&lab, "FORGET 3");
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0600);
	lab_close(&lab);
	open_saved(&lab);
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
	open_saved(&lab);
	lab_ask(&lab, "LOG mandatory on for=100 a/b");
	lab_ask(&lab, "LOG mandatory on for=10 c/d");
	lab_close(&lab);
	memset(&lab, 0, sizeof(lab));
	assert_int_equal(settings_init(&lab.settings), OK);
	lab.settings.state_file = strdup(path);
	lab_start(&lab); /* the same instant: nothing is lost */
	assert_has(lab_ask(&lab, "RULES"), "ends=100");
	lab_advance(&lab, 40);
	assert_has(lab_ask(&lab, "RULES"), "1 Rules");
	assert_has(lab_ask(&lab, "RULES"), "ends=60");
	lab_close(&lab);
}

/* Every prefix of the file is what a crash may leave: each whole record is there, the torn one is not, and the next goes on. */
static void torn_at_every_byte__whole_records_are_kept(void **state)
{
	struct lab lab;
	size_t     len, whole = 0;
	(void)state;
	open_saved(&lab);
	for (int i = 0; i < 3; i++)
		lab_ask(&lab, "LOG mandatory on every=%ds a/b-%d", i + 1, i);
	lab_close(&lab);
	char *text = file_read(&len);
	for (size_t cut = 0; cut <= len; cut++) {
		char expected[32];
		file_write(text, cut);
		whole = 0;
		for (size_t i = 0; i < cut; i++)
			whole += text[i] == '\n';
		snprintf(expected, sizeof(expected), "%zu Rules", whole == 0 ? 0 : whole - 1);
		open_saved(&lab);
		assert_has(lab_ask(&lab, "RULES"), expected);
		lab_ask(&lab, "LOG mandatory off z/z");
		lab_close(&lab);
		open_saved(&lab);
		snprintf(expected, sizeof(expected), "%zu Rules", whole == 0 ? 1 : whole);
		assert_has(lab_ask(&lab, "RULES"), expected);
		lab_close(&lab);
	}
	free(text);
}

static void damaged_in_the_middle__the_others_are_kept(void **state)
{
	struct lab lab;
	size_t     len;
	(void)state;
	open_saved(&lab);
	lab_ask(&lab, "LOG mandatory on a/b");
	lab_ask(&lab, "LOG mandatory on c/d");
	lab_ask(&lab, "LOG mandatory on e/f");
	lab_close(&lab);
	char *text = file_read(&len), *at = strstr(text, "c/d");
	*at = 'x';
	file_write(text, len);
	free(text);
	open_saved(&lab);
	assert_has(lab_ask(&lab, "RULES"), "2 Rules");
	assert_has(lab_ask(&lab, "RULES"), "e/f");
	lab_close(&lab);
}

static enum err keep(void *ctx, struct entry *e)
{
	(void)ctx;
	(void)e;
	return OK;
}

static void foreign_and_newer_files__are_left_alone(void **state)
{
	static const char *const texts[] = { "log_control-state 2\nwhat\n", "#!/bin/sh\necho hello\n" };
	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct savefile *f;
		struct recovered got;
		struct why       why;
		size_t           len;
		file_write(texts[i], strlen(texts[i]));
		assert_int_equal(savefile_open(&f, path, "own", 0, 0, keep, NULL, &got, &why), ERR_INVAL);
		assert_has(why.text, "left alone");
		char *text = file_read(&len);
		assert_int_equal(len, strlen(texts[i]));
		free(text);
	}
}

static void second_owner__is_told_and_changes_nothing(void **state)
{
	struct lab       lab;
	struct savefile *f;
	struct recovered got;
	struct why       why;
	(void)state;
	open_saved(&lab);
	assert_int_equal(savefile_open(&f, path, "own", 0, 0, keep, NULL, &got, &why), ERR_BUSY);
	assert_has(why.text, "another daemon");
	assert_has(lab_ask(&lab, "LOG mandatory on a/b"), "keep=saved");
	lab_close(&lab);
}

static void many_requests__file_is_compacted_and_says_the_same(void **state)
{
	struct lab lab;
	size_t     len;
	(void)state;
	open_saved(&lab);
	for (int i = 0; i < 1200; i++)
		lab_ask(&lab, "LOG mandatory %s a/b", i % 2 == 0 ? "off" : "on every=7s");
	lab_advance(&lab, 10);
	free(file_read(&len));
	assert_true(len < 1000);
	lab_close(&lab);
	open_saved(&lab);
	assert_has(lab_ask(&lab, "RULES"), "1200 socket");
	assert_has(lab_ask(&lab, "LOG mandatory off c/d"), "id=1201");
	lab_close(&lab);
}

int main(void)
{
#define IN_DIR(name) cmocka_unit_test_setup_teardown(name, make_dir, remove_dir)
	const struct CMUnitTest tests[] = {
		IN_DIR(restart__entries_ids_and_forgets__survive),
		IN_DIR(restart__timed_entry__keeps_the_rest_of_its_time),
		IN_DIR(torn_at_every_byte__whole_records_are_kept),
		IN_DIR(damaged_in_the_middle__the_others_are_kept),
		IN_DIR(foreign_and_newer_files__are_left_alone),
		IN_DIR(second_owner__is_told_and_changes_nothing),
		IN_DIR(many_requests__file_is_compacted_and_says_the_same),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
