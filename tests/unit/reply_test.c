/*
 * Replies as they are read: in pieces of any size, about the instances known when the request was taken, within little memory
 * (specification section 11).
 */
#include "../fake/check.h"
#include "../fake/lab.h"
#include "reply.h"

#define COUNT(list) (sizeof(list) / sizeof((list)[0]))

_Static_assert(sizeof(struct row) == 16, "a reply of a million lines is 16 MB");

static int open_lab(void **state)
{
	struct lab *lab = calloc(1, sizeof(*lab));
	char        name[40];
	assert_non_null(lab);
	lab_open(lab, HELD_DEFAULT);
	for (int i = 0; i < 700; i++) {
		snprintf(name, sizeof(name), "h/p-%d/t", i);
		lab_gauge(lab, name, 10, i);
	}
	for (int i = 0; i < 30; i++)
		lab_ask(lab, "LOG advisory on every=%ds \"h/p-%d*/t\" never/seen/x%d", i + 1, i, i);
	*state = lab;
	return 0;
}

static int close_lab(void **state)
{
	lab_close(*state);
	free(*state);
	return 0;
}

static struct reply *ask(struct lab *lab, const char *text)
{
	static const struct caller root;
	const struct session       session = { lab->logger, &root, RIGHT_ALL, NULL };
	char                       line[200];
	snprintf(line, sizeof(line), "%s", text);
	return command_run(&session, line, strlen(line), &lab->now);
}

/* Reads it all in pieces of `size` and frees it. */
static char *read_in(struct lab *lab, struct reply *r, size_t size)
{
	struct buf b = BUF_INIT;
	char      *piece = malloc(size);
	size_t     n;
	assert_non_null(piece);
	while ((n = reply_read(r, piece, size, &lab->now)) > 0) {
		assert_true(n <= size);
		buf_add(&b, piece, n);
	}
	assert_true(reply_is_over(r));
	assert_false(reply_is_cut(r));
	assert_int_equal(reply_read(r, piece, size, &lab->now), 0);
	reply_free(r);
	char *text = strdup(buf_text(&b));
	buf_fini(&b);
	free(piece);
	return text;
}

static void read__pieces_of_any_size__same_text(void **state)
{
	static const char *const lines[] = {
		"ENQUIRE \"*/*/*\" h/p-1/t \"none/*/*\" never/seen/x0 \"h/p-1?/t\"",
		"LOG advisory on dryrun=true \"*/*/*\" \"*/*/*\"",
		"RULES",
		"STATUS",
		"HELP",
		"EXPLAIN h/p-1/t",
		"FORGET 77",
		"ENQUIRE count=true h/p-1/t",
		"",
	};
	static const size_t sizes[] = { 1, 2, 3, 7, 64, 4095, 4096, 65535, 65536, 1 << 20 };
	struct lab         *lab = *state;
	for (size_t i = 0; i < COUNT(lines); i++) {
		char *expected = strdup(lab_ask(lab, "%s", lines[i]));
		for (size_t k = 0; k < COUNT(sizes); k++) {
			char *text = read_in(lab, ask(lab, lines[i]), sizes[k]);
			if (strncmp(lines[i], "STATUS", 6) != 0)
				assert_string_equal(text, expected);
			free(text);
		}
		free(expected);
	}
}

static void first_number__is_how_many_lines_follow(void **state)
{
	static const char *const lines[] = { "ENQUIRE \"*/*/*\" h/p-1/t", "RULES",     "STATUS", "HELP LOG",
					     "EXPLAIN h/p-1/t",           "FORGET all" };
	struct lab              *lab = *state;
	for (size_t i = 0; i < COUNT(lines); i++) {
		const char *text = lab_ask(lab, "%s", lines[i]);
		size_t      n = 0;
		for (const char *at = text; *at != '\0'; at++)
			n += *at == '\n';
		assert_int_equal(strtoul(text, NULL, 10) + 1, n);
	}
}

/* Births, deaths and other requests meanwhile: the lines are those of the request, the flags of now. */
static void reply_on_its_way__lines_stay_and_flags_may_be_newer(void **state)
{
	struct lab *lab = *state;
	lab_ask(lab, "FORGET all");
	struct reply *r = ask(lab, "ENQUIRE \"h/p-1*/t\" h/late/t");
	char          piece[11]; /* the first line; rows are made ahead only when they are asked for */
	size_t        n = reply_read(r, piece, sizeof(piece), &lab->now);
	lab_ask(lab, "LOG mandatory on every=60s \"*/*/*\"");
	lab_gauge(lab, "h/p-1new/t", 10, 1);
	lab_gauge(lab, "h/late/t", 10, 1);
	lab_advance(lab, 25 * 3600); /* unseen for HistoryTimeout, and swept but for what the reply points to */
	assert_true(n == sizeof(piece));
	char *rest = read_in(lab, r, 4096);
	char *text = NULL;
	assert_true(asprintf(&text, "%.*s%s", (int)n, piece, rest) > 0);
	assert_memory_equal(text, "112 Values\n1 held 0x", 20);
	assert_null(strstr(text, "p-1new"));
	assert_null(strstr(text, "mandatory"));
	assert_has(text, "\n1 held 0x00027109 advisory on 10000 10000 inlog,native \"h/p-199/t\"\n");
	assert_has(text, "\n2 held 0x00027101 advisory on 10000 - native,unseen \"h/late/t\"\n");
	free(text);
	free(rest);
	lab_advance(lab, 3600);
	assert_has(lab_ask(lab, "STATUS"), "\ninstances=0\n");
}

static void reply_freed_half_read__gives_its_instances_back(void **state)
{
	struct lab   *lab = *state;
	struct reply *r = ask(lab, "ENQUIRE \"*/*/*\""), *rules = ask(lab, "RULES");
	char          piece[100];
	assert_int_equal(reply_read(r, piece, sizeof(piece), &lab->now), sizeof(piece));
	assert_true(reply_read(rules, piece, sizeof(piece), &lab->now) > 0);
	assert_false(reply_is_over(r));
	assert_false(reply_is_over(rules));
	reply_free(r);
	lab_ask(lab, "FORGET all");
	reply_free(rules);
	lab_advance(lab, 25 * 3600);
	assert_has(lab_ask(lab, "STATUS"), "\ninstances=0\n");
}

/* Making a line of RULES walks the instances: one a piece, so that a listener can serve others in between. */
static void rules__one_line_a_piece(void **state)
{
	struct lab   *lab = *state;
	struct reply *r = ask(lab, "RULES");
	char          piece[65536];
	size_t        n, pieces = 0;
	while ((n = reply_read(r, piece, sizeof(piece), &lab->now)) > 0) {
		assert_int_equal(piece[n - 1], '\n');
		assert_ptr_equal(memchr(piece, '\n', n), piece + n - 1);
		pieces++;
	}
	assert_int_equal(pieces, 31);
	reply_free(r);
}

static void error__one_line(void **state)
{
	struct lab *lab = *state;
	char       *text = read_in(lab, reply_error(ERR_BUSY, "not now"), 5);
	assert_string_equal(text, "-11 not now\n");
	free(text);
}

/* Without memory for a reply there is still one, again and again. */
static void last_resort__says_so_each_time(void **state)
{
	struct lab *lab = *state;
	for (int i = 0; i < 3; i++) {
		char *text = read_in(lab, reply_nomem(), i == 0 ? 7 : 4096);
		assert_string_equal(text, "-12 out of memory; nothing was changed, try again later\n");
		free(text);
	}
	reply_free(NULL);
}

int main(void)
{
#define STORY(name) cmocka_unit_test_setup_teardown(name, open_lab, close_lab)
	const struct CMUnitTest tests[] = {
		STORY(read__pieces_of_any_size__same_text),
		STORY(first_number__is_how_many_lines_follow),
		STORY(reply_on_its_way__lines_stay_and_flags_may_be_newer),
		STORY(reply_freed_half_read__gives_its_instances_back),
		STORY(rules__one_line_a_piece),
		STORY(error__one_line),
		STORY(last_resort__says_so_each_time),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
