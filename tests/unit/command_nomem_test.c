/*
 * Every allocation of the commands fails once, by number: the reply is whole, or says that memory ran out and nothing was changed, or ends the
 * connection.  (Leaks are what the address sanitizer and valgrind see in this program.)
 */
#include "../fake/check.h"
#include "../fake/lab.h"
#include "../fake/nomem.h"

#define COUNT(list) (sizeof(list) / sizeof((list)[0]))

static void furnish(struct lab *lab)
{
	lab_open(lab, HELD_DEFAULT);
	lab_ask(lab, "LOG mandatory on every=20s \"h/p-1*/t\" h/p-3/t");
	lab_ask(lab, "LOG advisory off note=\"why\" \"h/p-2*/t\" h/p-4/t");
	for (int k = 0; k < 30; k++) {
		char name[32];
		snprintf(name, sizeof(name), "h/p-%d/t", k);
		lab_gauge(lab, name, 10, 1);
	}
}

/* What everything holds and which rules there are, as text; the caller frees it. */
static char *picture(struct lab *lab)
{
	char *text = NULL;
	char *first = strdup(lab_ask(lab, "ENQUIRE \"*/*/*\" h/p-77/t"));
	assert_true(asprintf(&text, "%s%s", first, lab_ask(lab, "RULES")) > 0);
	free(first);
	return text;
}

/* What came of a line: its reply, and whether that was cut short. */
struct came {
	char   text[16384];
	size_t len;
	bool   cut;
};

static void run_line(struct lab *lab, const char *text, unsigned long n, struct came *out)
{
	static const struct caller root;
	const struct session       session = { lab->logger, &root, RIGHT_ALL, NULL };
	char                       line[300];
	size_t                     got;
	snprintf(line, sizeof(line), "%s", text);
	out->len = 0;
	nomem_at(n);
	struct reply *r = command_run(&session, line, strlen(line), &lab->now);
	while ((got = reply_read(r, out->text + out->len, sizeof(out->text) - 1 - out->len, &lab->now)) > 0)
		out->len += got;
	out->cut = reply_is_cut(r);
	reply_free(r);
	out->text[out->len] = '\0';
}

/* As many lines as the first number says. */
static bool is_whole(const struct came *c)
{
	long n = strtol(c->text, NULL, 10);
	for (size_t i = 0; i < c->len; i++)
		n -= c->text[i] == '\n';
	return n == -1;
}

static bool is_no_memory(const struct came *c)
{
	return strncmp(c->text, "-12 ", 4) == 0 && strstr(c->text, "out of memory") != NULL &&
	       strchr(c->text, '\n') == c->text + c->len - 1;
}

/* Lets each allocation of the line fail in turn.  Gives how many there were. */
static unsigned long each_allocation(const char *line)
{
	static struct came c;
	bool               failed = true;
	unsigned long      n = 0;
	while (failed) {
		struct lab lab;
		furnish(&lab);
		char *before = picture(&lab);
		run_line(&lab, line, ++n, &c);
		failed = nomem_off();
		char *after = picture(&lab);
		if (is_no_memory(&c))
			assert_string_equal(after, before);
		else if (!c.cut && !is_whole(&c))
			fail_msg("%s: allocation %lu failed: %s", line, n, c.text);
		if (!failed)
			assert_false(c.cut || is_no_memory(&c));
		free(before);
		free(after);
		lab_close(&lab);
	}
	return n - 1;
}

static void every_command__each_allocation_fails__whole_or_nothing(void **state)
{
	static const char *const lines[] = {
		"LOG advisory on every=7s note=\"text\" for=60 \"h/p-*/t\" h/new/t h/p-3/t",
		"LOG mandatory maybe \"*/*/*\"",
		"LOG mandatory off dryrun=true \"h/*/t\"",
		"ENQUIRE on \"h/*/t\" h/new/t",
		"ENQUIRE count=true \"h/*/t\"",
		"EXPLAIN h/p-1/t",
		"RULES",
		"FORGET 1",
		"FORGET all",
		"STATUS",
		"HELP",
		"HELP LOG",
	};
	(void)state;
	for (size_t i = 0; i < COUNT(lines); i++)
		assert_true(each_allocation(lines[i]) >= 3);
}

static void errors__each_allocation_fails__still_one_line(void **state)
{
	static const char *const lines[] = { "NONSENSE a=1", "LOG advisory perhaps a/b", "FORGET 99", "EXPLAIN x", "" };
	(void)state;
	for (size_t i = 0; i < COUNT(lines); i++) {
		struct lab  lab;
		struct came c;
		bool        failed = true;
		furnish(&lab);
		for (unsigned long n = 1; failed; n++) {
			run_line(&lab, lines[i], n, &c);
			failed = nomem_off();
			assert_true(lines[i][0] == '\0' ? c.len == 0 || is_no_memory(&c) : c.text[0] == '-');
			assert_true(c.len == 0 || strchr(c.text, '\n') == c.text + c.len - 1);
		}
		lab_close(&lab);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_command__each_allocation_fails__whole_or_nothing),
		cmocka_unit_test(errors__each_allocation_fails__still_one_line),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
