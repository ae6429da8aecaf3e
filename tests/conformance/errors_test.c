/*
 * The rows of errors.tsv whose level is wire, access or configuration-file, mapped to our socket and our configuration: one clear error, nothing
 * changed, and the logger goes on.  The levels client-library and client-statement are in errors_client_test.c; connection is judged here
 * where it can be without a daemon, the rest in tests/integration/daemon_test.sh.
 */
#include "../fake/check.h"
#include "../fake/lab.h"

struct mapped {
	const char *id;
	unsigned    rights;   /* of the caller */
	const char *before;   /* a request sent first; NULL: none */
	const char *line;     /* NULL: no counterpart */
	const char *expected; /* part of the reply */
	const char *after;    /* part of what ENQUIRE says of a/b/c then */
	const char *why;      /* where it differs by design, or has no counterpart */
};

#define X      "\"a/b/c\""
#define ALL_R  RIGHT_ALL
#define DENIED "-13 "

static const struct mapped rows[] = {
	{ "E40", ALL_R, NULL, "LOG advisory maybe " X, "-22 advisory maybe", "advisory off",
	  "the socket refuses what the peer's logger takes for off" },
	{ "E41", ALL_R, "LOG advisory on every=1s " X, "LOG advisory maybe " X, "-22 ", "advisory on 1000", "as E40" },
	{ "E42", ALL_R, "LOG mandatory on every=1s " X, "LOG advisory maybe " X, "-22 ", "mandatory on 1000", NULL },
	{ "E43", ALL_R, NULL, "LOG mandatory on every=-1 " X, "-22 every=", "advisory off", "refused; the peer hangs" },
	{ "E44", ALL_R, NULL, "LOG mandatory on every=-1000ms " X, "-22 every=", "advisory off", "as E43" },
	{ "E45", ALL_R, NULL, "LOG mandatory on", "-22 ", "advisory off", NULL },
	{ "E46", ALL_R, NULL, "ENQUIRE", "-22 ", "advisory off", NULL },
	{ "E47", ALL_R, NULL, NULL, NULL, NULL, "a line counts its selectors by itself" },
	{ "E48", ALL_R, NULL, NULL, NULL, NULL, "as E47" },
	{ "E49", ALL_R, NULL, "LOG 10 on " X, "-22 \"10\" is no control", "advisory off", NULL },
	{ "E100", ALL_R, NULL, NULL, NULL, NULL, "clients are served side by side, up to MaxClients (daemon_test.sh)" },
	{ "E101", ALL_R, NULL, NULL, NULL, NULL, "as E100: a new connection never waits for an old one" },
	{ "E102", ALL_R, NULL, NULL, NULL, NULL, "no daemon, no socket: exit status 2 of collectd-logctl (ctl_test)" },
	{ "E103", ALL_R, NULL, NULL, NULL, NULL, "the daemon ends: the client library gives an error (client_test)" },
	{ "E104", ALL_R, NULL, NULL, NULL, NULL, "the client library has a time limit (client_test)" },
	{ "E110", ALL_R, NULL, "LOG mandatory on " X, "done", "mandatory on", NULL },
	{ "E111", 0, NULL, "ENQUIRE " X, DENIED, NULL, "every command is denied, the connection stays" },
	{ "E112", RIGHT_ENQUIRE, NULL, "ENQUIRE " X, "1 Values", "advisory off", NULL },
	{ "E113", RIGHT_ENQUIRE, NULL, "LOG advisory on " X, DENIED, "advisory off", NULL },
	{ "E114", RIGHT_ENQUIRE | RIGHT_ADVISORY, NULL, "LOG advisory on every=5 " X, "done", "advisory on 5000",
	  NULL },
	{ "E115", RIGHT_ENQUIRE | RIGHT_ADVISORY, NULL, "LOG mandatory maybe " X, DENIED, "advisory off", NULL },
	{ "E116", RIGHT_ENQUIRE | RIGHT_MANDATORY, NULL, "LOG advisory on " X, DENIED, "advisory off", NULL },
	{ "E117", RIGHT_ENQUIRE | RIGHT_MANDATORY, NULL, "LOG mandatory on every=5 " X, "done", "mandatory on 5000",
	  NULL },
	{ "E118", RIGHT_ADVISORY | RIGHT_MANDATORY, NULL, "ENQUIRE " X, DENIED, NULL,
	  "no right includes another: enquire can be refused" },
	{ "E119", RIGHT_ADVISORY | RIGHT_MANDATORY, NULL, "LOG mandatory on " X, "done", NULL, NULL },
	{ "E120", ALL_R, NULL, NULL, NULL, NULL, "lines of <Access> add up, so they cannot contradict each other" },
	{ "E121", ALL_R, NULL, NULL, NULL, NULL,
	  "an ERROR, and the line gives no right (settings_test); the daemon runs" },
	{ "E130", ALL_R, NULL, NULL, NULL, NULL,
	  "an ERROR, and the block is left out (settings_test); the daemon runs" },
	{ "E131", ALL_R, NULL, "LOG mandatory on every=75h " X, "done", "mandatory on 270000000",
	  "held in full up to 10 years; the word saturates" },
	{ "E132", ALL_R, NULL, "LOG mandatory on every=0 " X, "done", "mandatory on 0", NULL },
	{ "E133", ALL_R, NULL, NULL, NULL, NULL, "a <Log> block without Control is advisory (settings_test)" },
	{ "E134", ALL_R, NULL, NULL, NULL, NULL,
	  "a <Log> block with Metric alone is advisory on native (settings_test)" },
	{ "E135", ALL_R, NULL, "LOG advisory on " X, "done", "advisory on 10000",
	  "no interval means native, not a default of 60 s" },
	{ "E136", ALL_R, NULL, "LOG mandatory on every=5 " X " \"never/heard/of\"", "2 Values", "mandatory on 5000",
	  NULL },
	{ "E137", ALL_R, NULL, "LOG mandatory on every=5 " X " \"a/b-unknown/c\"", "unseen", "mandatory on 5000",
	  NULL },
	{ "E138", ALL_R, NULL, "LOG mandatory on every=5 \"a/b-instance/c\"", "unseen", "advisory off",
	  "names another metric instance, which may appear later" },
	{ "E139", ALL_R, "LOG mandatory on every=5 " X, "LOG advisory on every=1 " X, "refused", "mandatory on 5000",
	  NULL },
	{ "E140", ALL_R, "LOG mandatory off " X, "LOG advisory on every=1 " X, "refused", "mandatory off 0", NULL },
	{ "E141", ALL_R, "LOG mandatory maybe " X, "LOG advisory on every=1 " X, "done", "advisory on 1000",
	  "a maybe undoes an earlier off, in the file too" },
	{ "E142", ALL_R, "LOG advisory on every=1 " X, "LOG mandatory on every=5 " X, "done", "mandatory on 5000",
	  "one instance has one delta" },
	{ "E143", ALL_R, "LOG mandatory on every=5 " X, "LOG mandatory on every=1 " X, "done", "mandatory on 1000",
	  "as E142: the later one" },
	{ "E144", ALL_R, "LOG advisory on every=1 " X, "LOG advisory off " X, "done", "advisory off 0", "as E142" },
	{ "E145", ALL_R, "LOG mandatory on every=5 \"a/*/c\"", "LOG mandatory on every=1 " X, "done",
	  "mandatory on 1000", "at 1 s only, not at both" },
	{ "E146", ALL_R, "LOG mandatory on every=1 " X, "LOG mandatory on every=5 \"a/*/c\"", "done",
	  "mandatory on 5000", "no crash; the later one" },
	{ "E147", ALL_R, NULL, "RULES", "0 Rules", "advisory off", "nothing to log is valid" },
	{ "E148", ALL_R, NULL, "LOG mandatory off " X, "done", "mandatory off 0", NULL },
};

#define N_ROWS (sizeof(rows) / sizeof(rows[0]))

static bool passes(const struct mapped *m)
{
	struct lab lab;
	bool       good = true;
	lab_open(&lab, (struct held){ 0 });
	lab_gauge(&lab, "a/b/c", 10, 1);
	if (m->before != NULL)
		lab_ask(&lab, "%s", m->before);
	lab.rights = m->rights;
	const char *reply = lab_ask(&lab, "%s", m->line);
	good = strstr(reply, m->expected) != NULL &&
	       (reply[0] != '-' || strchr(reply, '\n') == reply + strlen(reply) - 1);
	if (!good)
		print_message("%s: %s", m->id, reply);
	lab.rights = RIGHT_ALL;
	if (m->after != NULL && strstr(lab_ask(&lab, "ENQUIRE " X), m->after) == NULL) {
		print_message("%s: afterwards %s", m->id, lab.reply);
		good = false;
	}
	lab_close(&lab);
	return good;
}

static bool is_ours(const char *level)
{
	return strcmp(level, "wire") == 0 || strcmp(level, "connection") == 0 || strcmp(level, "access") == 0 ||
	       strcmp(level, "configuration-file") == 0;
}

static void errors__every_row__clear_and_nothing_changed(void **state)
{
	char   line[2048];
	size_t n = 0, passed = 0, differing = 0, without = 0;
	FILE  *f = fopen(SRCDIR "/tests/conformance/errors.tsv", "r");
	(void)state;
	assert_non_null(f);
	assert_non_null(fgets(line, sizeof(line), f));
	while (fgets(line, sizeof(line), f) != NULL) {
		char *rest = line, *id = strsep(&rest, "\t"), *level = strsep(&rest, "\t");
		if (!is_ours(level))
			continue;
		assert_true(n < N_ROWS);
		assert_string_equal(id, rows[n].id);
		if (rows[n].line == NULL)
			without++;
		else
			passed += passes(&rows[n]);
		differing += rows[n].line != NULL && rows[n].why != NULL;
		if (rows[n].why != NULL)
			print_message("%s: %s\n", id, rows[n].why);
		n++;
	}
	fclose(f);
	print_message("errors.tsv (wire, connection, access, file): %zu rows, %zu passed, %zu of them differing by "
		      "design, %zu shown elsewhere or "
		      "without counterpart\n",
		      n, passed, differing, without);
	assert_int_equal(n, N_ROWS);
	assert_int_equal(passed + without, n);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(errors__every_row__clear_and_nothing_changed),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
