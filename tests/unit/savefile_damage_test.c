/* savefile - torn, damaged, foreign and meddled-with files (specification section 13). */
#include <sys/stat.h>
#include <unistd.h>

#include "../fake/check.h"
#include "../fake/lab.h"
#include "../fake/saved.h"
#include "record.h"

/* Whole records of a file, the header aside: lines, and a last one that lacks nothing but its line end. */
static size_t count_whole(const char *text, size_t len, size_t cut)
{
	size_t lines = 0;
	for (size_t i = 0; i < cut; i++)
		lines += text[i] == '\n';
	if (cut < len && text[cut] == '\n')
		lines++;
	return lines == 0 ? 0 : lines - 1;
}

/* Every prefix of the file is what a crash may leave: each whole record is there, the torn one is not, and the next goes on. */
static void torn_at_every_byte__whole_records_are_kept(void **state)
{
	struct lab lab;
	size_t     len;
	(void)state;
	saved_lab(&lab);
	for (int i = 0; i < 3; i++)
		lab_ask(&lab, "LOG mandatory on every=%ds a/b-%d", i + 1, i);
	lab_close(&lab);
	char *text = saved_read(&len);
	for (size_t cut = 0; cut <= len; cut++) {
		size_t whole = count_whole(text, len, cut);
		saved_write(text, cut);
		saved_lab(&lab);
		saved_assert_rules(&lab, whole);
		lab_ask(&lab, "LOG mandatory off z/z");
		lab_close(&lab);
		saved_lab(&lab);
		saved_assert_rules(&lab, whole + 1);
		lab_close(&lab);
	}
	free(text);
}

/* A byte that is another one costs the record that it is in, and no other; where it is a line end, not even that. */
static void damaged_at_every_byte__only_that_record_is_lost(void **state)
{
	static const char damages[] = { '\n', '\0', 'x', ' ', '"' };
	struct lab        lab;
	size_t            len;
	(void)state;
	saved_lab(&lab);
	for (int i = 0; i < 3; i++)
		lab_ask(&lab, "LOG mandatory on every=%ds a/b-%d", i + 1, i);
	lab_close(&lab);
	char *text = saved_read(&len);
	for (size_t at = 0; at < len * sizeof(damages); at++) {
		char  *byte = &text[at / sizeof(damages)], was = *byte;
		size_t header = strcspn(text, "\n");
		*byte = damages[at % sizeof(damages)];
		bool same = *byte == was, is_header = byte - text <= (ptrdiff_t)header;
		saved_write(text, len);
		saved_lab(&lab);
		saved_assert_rules(&lab, same || is_header || was == '\n' ? 3 : 2);
		assert_has(lab_ask(&lab, "LOG mandatory off z/z"), " keep=saved");
		assert_true(strtol(strstr(lab.reply, "id=") + 3, NULL, 10) > 3); /* the lost one's is not given again */
		lab_close(&lab);
		saved_lab(&lab);
		saved_assert_rules(&lab, same || is_header || was == '\n' ? 4 : 3);
		lab_close(&lab);
		*byte = was;
	}
	free(text);
}

/* A block of the disk that reads as zeros hits some records, and their line ends. */
static void block_of_zeros__the_records_beside_it_are_kept(void **state)
{
	struct lab lab;
	size_t     len;
	(void)state;
	saved_lab(&lab);
	for (int i = 0; i < 30; i++)
		lab_ask(&lab, "LOG mandatory on every=%ds a/b-%d", i + 1, i);
	lab_close(&lab);
	char  *text = saved_read(&len);
	size_t before = 0, after = 0, from = len / 4, to = from + 512;
	for (size_t i = 0; i < len; i++) {
		before += i < from && text[i] == '\n';
		after += i >= to && text[i] == '\n';
	}
	memset(text + from, 0, to - from);
	saved_write(text, len);
	free(text);
	saved_lab(&lab);
	saved_assert_rules(&lab, before - 1 + after -
					 1); /* less the header, and the rest of the record in which the block ends */
	lab_close(&lab);
}

static void foreign_and_newer_files__are_left_alone(void **state)
{
	static const char        quoting[] = "What our file looks like, and what the letters mean, is this:\n"
					     "N 7 10ab4b0fb35d5ac4\nand so on, for ever\n";
	static const char *const texts[] = {
		"log_control-state 2\nwhat\n",
		"log_control-state 10\nN 5 0123456789abcdef\n",
		"log_control-state 2",
		"#!/bin/sh\necho hello\n",
		"x",
		"log_control-stat\n",
		quoting,
	};
	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct savefile *f;
		struct why       why;
		size_t           len;
		saved_write(texts[i], strlen(texts[i]));
		assert_int_equal(chmod(saved_path, 0644), 0);
		assert_int_equal(saved_open(&f, saved_path, &why), ERR_INVAL);
		assert_has(why.text, "left alone");
		char *text = saved_read(&len);
		assert_int_equal(len, strlen(texts[i]));
		assert_memory_equal(text, texts[i], len);
		free(text);
		struct stat st;
		assert_int_equal(stat(saved_path, &st), 0);
		assert_int_equal(st.st_mode & 07777, 0644);
	}
}

/* Somebody's text that quotes one of our records is still theirs. */
static void note_about_our_file__is_left_alone(void **state)
{
	struct savefile *f;
	struct why       why;
	struct buf       text = BUF_INIT;
	(void)state;
	buf_adds(&text, "What our file looks like, and what its letters mean:\n");
	record_newest(&text, 7);
	buf_adds(&text, "and so on.\n");
	saved_write(text.data, text.len);
	assert_int_equal(saved_open(&f, saved_path, &why), ERR_INVAL);
	assert_has(why.text, "no state file");
	buf_fini(&text);
}

static void no_regular_file__is_left_alone(void **state)
{
	struct savefile *f;
	struct why       why;
	(void)state;
	assert_int_equal(mkfifo(saved_path, 0600), 0);
	assert_int_equal(saved_open(&f, saved_path, &why), ERR_INVAL);
	assert_has(why.text, "no regular file");
	unlink(saved_path);
	assert_int_equal(mkdir(saved_path, 0700), 0);
	assert_int_equal(saved_open(&f, saved_path, &why), ERR_IO);
	assert_has(why.text, "cannot be opened: Is a directory");
	rmdir(saved_path);
	assert_int_equal(symlink("elsewhere", saved_path), 0);
	assert_int_equal(saved_open(&f, saved_path, &why), ERR_IO);
	assert_has(why.text, "symbolic link");
	char target[96];
	snprintf(target, sizeof(target), "%s/elsewhere", saved_dir);
	assert_int_not_equal(access(target, F_OK), 0);
}

static void no_such_directory__is_told(void **state)
{
	struct savefile *f;
	struct why       why;
	char             deep[128];
	(void)state;
	snprintf(deep, sizeof(deep), "%s/none/state", saved_dir);
	assert_int_equal(saved_open(&f, deep, &why), ERR_IO);
	assert_has(why.text, "cannot be opened: No such file or directory; name a file in a directory");
}

/* Empty, or no more than the beginning of a header: its making was cut short. */
static void empty_file__is_as_new(void **state)
{
	struct lab  lab;
	struct stat st;
	(void)state;
	for (size_t len = 0; len < strlen("log_control-state 1\n"); len++) {
		saved_write("log_control-state 1\n", len);
		chmod(saved_path, 0644);
		saved_lab(&lab);
		assert_has(lab_ask(&lab, "LOG mandatory on a/b"), "id=1 keep=saved");
		lab_close(&lab);
		assert_int_equal(stat(saved_path, &st), 0);
		assert_int_equal(st.st_mode & 07777, 0600);
	}
}

/* ---- somebody else was at it ---- */

static void removed_while_open__is_made_again_with_all(void **state)
{
	struct lab lab;
	(void)state;
	saved_lab(&lab);
	lab_ask(&lab, "LOG mandatory on a/b");
	unlink(saved_path);
	assert_has(lab_ask(&lab, "LOG mandatory off c/d"), "id=2 keep=saved");
	lab_close(&lab);
	saved_lab(&lab);
	saved_assert_rules(&lab, 2);
	lab_close(&lab);
}

static void replaced_while_open__is_refused_and_left_alone(void **state)
{
	struct lab lab;
	size_t     len;
	(void)state;
	saved_lab(&lab);
	lab_ask(&lab, "LOG mandatory on a/b");
	unlink(saved_path);
	saved_write("mine\n", 5);
	assert_has(lab_ask(&lab, "LOG mandatory off c/d"), "-5 StateFile: another file stands in its place");
	assert_has(lab_ask(&lab, "FORGET 1"), "-5 ");
	saved_assert_rules(&lab, 1);
	lab_close(&lab);
	char *text = saved_read(&len);
	assert_int_equal(len, 5);
	free(text);
}

static void cut_while_open__is_written_anew(void **state)
{
	struct lab lab;
	(void)state;
	saved_lab(&lab);
	lab_ask(&lab, "LOG mandatory on a/b");
	assert_int_equal(truncate(saved_path, 30), 0);
	assert_has(lab_ask(&lab, "LOG mandatory off c/d"), "-5 StateFile was cut short by somebody else");
	saved_assert_rules(&lab, 1);
	lab_advance(&lab, 1);
	assert_has(lab_ask(&lab, "LOG mandatory off c/d"), "id=2 keep=saved");
	lab_close(&lab);
	saved_lab(&lab);
	saved_assert_rules(&lab, 2);
	lab_close(&lab);
}

/* What lies where the successor is written is removed only if it is ours. */
static void leftover_beside__ours_goes_and_others_stay(void **state)
{
	static const char *const texts[] = { "", "log_control-", "log_control-state 1\nN 1 ", "mine" };
	struct savefile         *f;
	struct why               why;
	char                     beside[112];
	(void)state;
	snprintf(beside, sizeof(beside), "%s.new", saved_path);
	for (size_t i = 0; i < 4; i++) {
		FILE *out = fopen(beside, "w");
		assert_non_null(out);
		fputs(texts[i], out);
		fclose(out);
		assert_int_equal(saved_open(&f, saved_path, &why), OK);
		assert_int_equal(access(beside, F_OK) == 0, i == 3);
		struct ledger *l = ledger_new(HELD_DEFAULT);
		assert_int_equal(savefile_compact(f, l, 0, 0, &why), i == 3 ? ERR_IO : OK);
		assert_int_equal(access(beside, F_OK) == 0, i == 3);
		ledger_free(l);
		savefile_close(f);
	}
	assert_has(why.text, "File exists");
}

int main(void)
{
#define IN_DIR(name) cmocka_unit_test_setup_teardown(name, saved_setup, saved_teardown)
	const struct CMUnitTest tests[] = {
		IN_DIR(torn_at_every_byte__whole_records_are_kept),
		IN_DIR(damaged_at_every_byte__only_that_record_is_lost),
		IN_DIR(block_of_zeros__the_records_beside_it_are_kept),
		IN_DIR(foreign_and_newer_files__are_left_alone),
		IN_DIR(note_about_our_file__is_left_alone),
		IN_DIR(no_regular_file__is_left_alone),
		IN_DIR(no_such_directory__is_told),
		IN_DIR(empty_file__is_as_new),
		IN_DIR(removed_while_open__is_made_again_with_all),
		IN_DIR(replaced_while_open__is_refused_and_left_alone),
		IN_DIR(cut_while_open__is_written_anew),
		IN_DIR(leftover_beside__ours_goes_and_others_stay),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
