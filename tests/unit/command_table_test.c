/*
 * What holds for every row of command.def, HELP and STATUS, and what the log gets to hear (specification sections 11, 12, 16).
 */
#include "../fake/check.h"
#include "../fake/lab.h"

#define COUNT(list) (sizeof(list) / sizeof((list)[0]))
#define IDLE        "own/cpu-0/cpu-idle"

static int open_lab(void **state)
{
	struct lab *lab = calloc(1, sizeof(*lab));
	assert_non_null(lab);
	lab_open(lab, HELD_DEFAULT);
	*state = lab;
	return 0;
}

static int close_lab(void **state)
{
	lab_close(*state);
	free(*state);
	return 0;
}

/* The least that is right for a command of the table. */
static const char *words_for(const struct command *c)
{
	return c->min_words == 0             ? ""
	       : strcmp(c->verb, "LOG") == 0 ? " advisory on a/b"
	       : c->needs == NEEDS_BY_ENTRY  ? " all"
					     : " a/b";
}

/* ---- the table ---- */

static void every_command__any_letter_case__same_reply(void **state)
{
	struct lab *lab = *state;
	for (size_t i = 0; i < command_count(); i++) {
		const struct command *c = command_at(i);
		char                  lower[32], mixed[32];
		for (size_t k = 0; k <= strlen(c->verb); k++) {
			lower[k] = (char)(c->verb[k] == '\0' ? 0 : c->verb[k] | 0x20);
			mixed[k] = (k & 1) != 0 ? lower[k] : c->verb[k];
		}
		char *expected = strdup(lab_ask(lab, "%s%s", c->verb, words_for(c)));
		assert_true(expected[0] != '-');
		if (c->needs != NEEDS_BY_CONTROL && c->needs != NEEDS_BY_ENTRY && strcmp(c->verb, "STATUS") != 0) {
			assert_string_equal(lab_ask(lab, "%s%s\r", lower, words_for(c)), expected);
			assert_string_equal(lab_ask(lab, " %s\t%s ", mixed, words_for(c)), expected);
		}
		assert_true(lab_ask(lab, "%s%s", lower, words_for(c))[0] != '-');
		free(expected);
	}
}

static void every_command__wrong_number_of_words__answers_with_its_usage(void **state)
{
	struct lab *lab = *state;
	for (size_t i = 0; i < command_count(); i++) {
		const struct command *c = command_at(i);
		if (c->min_words > 0)
			assert_has(lab_ask(lab, "%s", c->verb), c->usage);
		if (c->max_words != ARITY_ANY)
			assert_has(lab_ask(lab, "%s a/b c/d", c->verb), c->usage);
		if (lab->reply[0] != '-' || strncmp(lab->reply, "-22 usage: ", 11) != 0)
			fail_msg("%s: %s", c->verb, lab->reply);
	}
}

static void every_command__unknown_option__refused_by_name(void **state)
{
	struct lab *lab = *state;
	for (size_t i = 0; i < command_count(); i++) {
		const struct command *c = command_at(i);
		assert_has(lab_ask(lab, "%s%s colour=red", c->verb, words_for(c)), "-22 unknown option \"colour\"");
	}
	assert_string_equal(lab_ask(lab, "RULES"), "0 Rules\n");
}

static void help__prints_the_table(void **state)
{
	struct lab *lab = *state;
	char        first[32];
	lab_ask(lab, "HELP");
	snprintf(first, sizeof(first), "%zu Help\n", command_count());
	assert_memory_equal(lab->reply, first, strlen(first));
	for (size_t i = 0; i < command_count(); i++)
		assert_has(lab->reply, command_at(i)->usage);
	for (size_t i = 0; i < command_count(); i++) {
		lab_ask(lab, "help %s", command_at(i)->verb);
		assert_memory_equal(lab->reply, "2 Help\n", 7);
		assert_has(lab->reply, command_at(i)->usage);
		assert_has(lab->reply, command_at(i)->summary);
	}
	assert_has(lab_ask(lab, "HELP GETVAL"), "-22 unknown command \"GETVAL\"; commands: LOG, ENQUIRE, ");
}

/* ---- STATUS and counters ---- */

static void extra_lines(void *ctx, struct buf *out)
{
	buf_addf(out, "uptime_s=%d\nversion=x\n", *(int *)ctx);
}

static void status__every_line_is_name_and_value(void **state)
{
	static const struct caller root;
	int                        uptime_s = 42;
	struct lab                *lab = *state;
	const struct stat_source   extra = { extra_lines, &uptime_s };
	const struct session       session = { lab->logger, &root, RIGHT_ALL, &extra };
	char                       line[] = "STATUS", text[8192];
	static const char *const   names[] = {
		  "\nvalues_passed=1\n",
		  "\nvalues_suppressed=1\n",
		  "\nrequests_accepted=1\n",
		  "\nrequests_refused=1\n",
		  "\nrequests_failed=2\n",
		  "\ninstances=1\n",
		  "\nrules=1\n",
		  "\nselectors=2\n",
		  "\nnewest_id=1\n",
		  "\nmax_instances=1000000\n",
		  "\nmax_rules=10000\n",
		  "\nmax_clients=64\n",
		  "\nmin_interval_ms=100\n",
		  "\nhistory_timeout_ms=86400000\n",
		  "\nchain=PreCache\n",
		  "\nalign=start\n",
		  "\nown_host=own\n",
		  "\nuptime_s=42\n",
		  "\nversion=x\n",
		  "\nsource.lab.configured_ms=100\n",
		  "\nsource.lab.present_ms=100\n",
		  "\nsource.lab.driven=false\n",
	};
	lab_gauge(lab, IDLE, 0.0999999999, 1); /* the host's clock cuts 100 ms */
	lab_ask(lab, "LOG mandatory off " IDLE " a/b");
	lab_gauge(lab, IDLE, 0.0999999999, 1);
	lab_ask(lab, "LOG advisory on " IDLE);
	lab_ask(lab, "LOG advisory perhaps " IDLE);
	lab_ask(lab, "NONSENSE");
	lab_ask(lab, "LOG mandatory on dryrun=true a/b");
	struct reply *r = command_run(&session, line, strlen(line), &lab->now);
	size_t        len = reply_read(r, text, sizeof(text) - 1, &lab->now);
	assert_true(reply_is_over(r));
	reply_free(r);
	text[len] = '\0';
	for (size_t i = 0; i < COUNT(names); i++)
		assert_has(text, names[i]);
	long  n = strtol(text, NULL, 10);
	char *at = strchr(text, '\n') + 1;
	for (; *at != '\0'; n--, at = strchr(at, '\n') + 1) {
		size_t name = strspn(at, "abcdefghijklmnopqrstuvwxyz_.");
		assert_true(name > 0 && at[name] == '=' && at[name + 1] != '\n');
	}
	assert_int_equal(n, 0);
}

/* ---- the log ---- */

static char *audit_of(struct lab *lab, const char *text)
{
	static const struct caller caller = { .uid = 7, .pid = 9 };
	struct session             session = { lab->logger, &caller, lab->rights, NULL };
	char                      *line = strdup(text);
	struct reply              *r = command_run(&session, line, strlen(line), &lab->now);
	char                      *audit = reply_audit(r) == NULL ? NULL : strdup(reply_audit(r));
	reply_free(r);
	free(line);
	return audit;
}

static void audit__changes_alone__escaped(void **state)
{
	static const struct {
		const char *line, *expected;
	} rows[] = {
		{ "LOG advisory on every=10s a/b", "id=1 LOG advisory on \"a/b\" every=\"10s\"" },
		{ "log MANDATORY off note=\"x\\x0ay\" \"c/d\\x0a\"",
		  "id=2 log MANDATORY off \"c/d\\x0a\" note=\"x\\x0ay\"" },
		{ "LOG advisory on \"c/d\\x0a\"", NULL },
		{ "LOG advisory on dryrun=true a/b", NULL },
		{ "LOG advisory perhaps a/b", NULL },
		{ "ENQUIRE a/b", NULL },
		{ "RULES", NULL },
		{ "FORGET 77", NULL },
		{ "FORGET 1", "FORGET 1" },
		{ "FORGET all", "FORGET all" },
		{ "FORGET all", NULL },
	};
	struct lab *lab = *state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		char *audit = audit_of(lab, rows[i].line);
		if ((audit == NULL) != (rows[i].expected == NULL))
			fail_msg("%s: %s", rows[i].line, audit == NULL ? "nothing" : audit);
		if (audit != NULL)
			assert_string_equal(audit, rows[i].expected);
		free(audit);
	}
}

static void audit__long_request__at_most_300_characters(void **state)
{
	char        line[4096] = "LOG advisory on";
	struct lab *lab = *state;
	for (int i = 0; i < 300; i++)
		snprintf(line + strlen(line), sizeof(line) - strlen(line), " a/b%d/c", i);
	char *audit = audit_of(lab, line);
	assert_non_null(audit);
	assert_int_equal(strlen(audit), 300);
	assert_string_equal(audit + 297, "...");
	free(audit);
}

int main(void)
{
#define STORY(name) cmocka_unit_test_setup_teardown(name, open_lab, close_lab)
	const struct CMUnitTest tests[] = {
		STORY(every_command__any_letter_case__same_reply),
		STORY(every_command__wrong_number_of_words__answers_with_its_usage),
		STORY(every_command__unknown_option__refused_by_name),
		STORY(help__prints_the_table),
		STORY(status__every_line_is_name_and_value),
		STORY(audit__changes_alone__escaped),
		STORY(audit__long_request__at_most_300_characters),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
