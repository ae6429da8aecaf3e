/*
 * errors_client_test - every row of errors.tsv that entered the peer by its client library or its client's statements, asked
 * of ours: lc_control_log() and collectd-logctl against a real listener.
 *
 * A row that differs by design has its reason beside it.  A row of the table that is not here fails the test.
 */
#include <errno.h>
#include <inttypes.h>
#include <unistd.h>

#include "../fake/check.h"
#include "../fake/live.h"
#include "log_control.h"

#define X    "own/load/load"
#define CPU0 "own/cpu-0/cpu-idle"

/* ---- states, as the table writes them: mand/on/5000 ---- */

struct state_text {
	char text[64];
};

static struct state_text state_of(int fd, const char *identifier)
{
	struct state_text out = { "none" };
	struct lc_metric  m = { .selector = identifier };
	struct lc_request r = { 1, &m };
	struct lc_status *status = NULL;
	assert_int_equal(lc_control_log(fd, &r, PMLC_ENQUIRE, 0, 0, &status), 0);
	const struct lc_row *row = &status->elements[0].rows[0];
	assert_int_equal(status->elements[0].n_rows, 1);
	snprintf(out.text, sizeof(out.text), "%s/%s/%" PRId64, row->control == PMLC_MANDATORY ? "mand" : "adv",
		 row->state == PMLC_ON ? "on" : "off", row->delta_ms);
	/* the word says the same, but for a delta that saturates */
	assert_int_equal(PMLC_GET_MAND(row->word), row->control == PMLC_MANDATORY);
	assert_int_equal(PMLC_GET_ON(row->word), row->state == PMLC_ON);
	assert_int_equal(PMLC_GET_DELTA(row->word), row->delta_ms > PMLC_MAX_DELTA ? PMLC_MAX_DELTA : row->delta_ms);
	lc_status_free(status);
	return out;
}

static int rules_of(int fd)
{
	struct lc_reply *reply = NULL;
	assert_int_equal(lc_command(fd, "RULES", &reply), 0);
	int n = reply->number;
	lc_reply_free(reply);
	return n;
}

/* Off by default, as the peer's metrics are. */
static void open_live(struct live *l, int *fd)
{
	live_prepare(l);
	l->settings.def = (struct held){ .on = 0 };
	live_start(l, 0600);
	live_value(l, X, 1000, 10);
	live_value(l, CPU0, 1000, 10);
	live_value(l, "own/cpu-1/cpu-idle", 1000, 10);
	assert_int_equal(lc_connect(l->socket, 5000, fd), 0);
}

static void close_live(struct live *l, int fd)
{
	close(fd);
	live_close(l);
}

/* ---- requests of the library ---- */

static const struct lc_instance on_load[] = { { "7", NULL }, { "8", NULL } };
static const struct lc_instance core_unknown = { "9", "idle" }, core_none = { NULL, NULL };
static const struct lc_instance core_twice[] = { { "0", "idle" }, { "0", "idle" } };
static struct lc_instance       many[20000];

static const struct lc_metric load_metric = { .plugin = "load", .type = "load" };
static const struct lc_metric load_minus = { .plugin = "load", .type = "load", .n_instances = (size_t)-1 };
static const struct lc_metric load_one = { .plugin = "load", .type = "load", .n_instances = 1, .instances = on_load };
static const struct lc_metric load_two = { .plugin = "load", .type = "load", .n_instances = 2, .instances = on_load };
static const struct lc_metric load_twice[] = { { .plugin = "load", .type = "load" },
					       { .plugin = "load", .type = "load" } };
static const struct lc_metric unknown_all = { .plugin = "nope", .type = "nope" };
static const struct lc_metric unknown_one = {
	.plugin = "nope", .type = "nope", .n_instances = 1, .instances = &core_none
};
static const struct lc_metric unknown_and_load[] = { { .plugin = "nope", .type = "nope" },
						     { .plugin = "load", .type = "load" } };
static const struct lc_metric cpu_unknown = {
	.plugin = "cpu", .type = "cpu", .n_instances = 1, .instances = &core_unknown
};
static const struct lc_metric cpu_none = { .plugin = "cpu", .type = "cpu", .n_instances = 1, .instances = &core_none };
static const struct lc_metric cpu_twice = { .plugin = "cpu", .type = "cpu", .n_instances = 2, .instances = core_twice };
static const struct lc_metric three[] = { { .selector = X },
					  { .selector = CPU0 },
					  { .selector = "own/cpu-1/cpu-idle" } };
static const struct lc_metric twenty_thousand = { .plugin = "q", .type = "q", .n_instances = 20000, .instances = many };

#define ON     PMLC_ON
#define OFF    PMLC_OFF
#define MAYBE  PMLC_MAYBE
#define MAND   PMLC_MANDATORY
#define ADV    PMLC_ADVISORY
#define ASK    PMLC_ENQUIRE
#define ONE(m) 1, &(m)

static const struct library_row {
	const char             *id;
	const char             *before; /* a line sent first; NULL: none */
	int                     control, state;
	int64_t                 delta_ms;
	size_t                  n;
	const struct lc_metric *metrics;
	int                     err;
	const char             *subject, *after; /* identifier and its state afterwards; NULL: unchanged */
	const char             *design;          /* why it differs from the peer; NULL: it does not */
} library_rows[] = {
	{ "E01", NULL, ADV, MAYBE, 0, ONE(load_metric), -EINVAL, X, NULL, NULL },
	{ "E02", NULL, MAND, ON, -1, ONE(load_metric), -EINVAL, X, NULL, NULL },
	{ "E03", NULL, MAND, OFF, -1, ONE(load_metric), -EINVAL, X, NULL, NULL },
	{ "E04", NULL, ASK, 0, -1, ONE(load_metric), 0, X, NULL, "an enquiry ignores delta, as the manual says" },
	{ "E05", NULL, MAND, ON, 0, 0, NULL, -EINVAL, X, NULL, NULL },
	{ "E06", NULL, ASK, 0, 0, 0, NULL, -EINVAL, X, NULL, NULL },
	{ "E07", NULL, MAND, ON, 268435455, ONE(load_metric), 0, X, "mand/on/268435455", NULL },
	{ "E08", NULL, MAND, ON, 268435456, ONE(load_metric), 0, X, "mand/on/268435456",
	  "held in full; the word saturates" },
	{ "E09", NULL, MAND, ON, 268436456, ONE(load_metric), 0, X, "mand/on/268436456",
	  "held in full; the word saturates" },
	{ "E10", NULL, MAND, ON, 2147483647, ONE(load_metric), 0, X, "mand/on/2147483647",
	  "held in full; the word saturates" },
	{ "E11", NULL, MAND, ON, 1000, ONE(load_metric), 0, X, "mand/on/1000", NULL },
	{ "E12", NULL, ASK, 0, 0, ONE(load_metric), 0, X, NULL, NULL },
	{ "E13", NULL, MAND, ON, 1000, ONE(load_minus), -EINVAL, X, NULL,
	  "a count without a list is an error for the whole" },
	{ "E14", NULL, ASK, 0, 0, ONE(unknown_one), 0, "own/nope/nope", "adv/off/0", NULL },
	{ "E15", NULL, ASK, 0, 0, 2, unknown_and_load, 0, X, NULL, NULL },
	{ "E16", NULL, MAND, ON, 1000, ONE(unknown_all), 0, "own/nope/nope", "mand/on/1000",
	  "the rule waits; nothing ends" },
	{ "E17", NULL, ADV, ON, 1000, ONE(unknown_all), 0, "own/nope/nope", "adv/on/1000",
	  "the rule waits; nothing ends" },
	{ "E18", NULL, MAND, OFF, 0, ONE(unknown_all), 0, "own/nope/nope", "mand/off/0",
	  "the rule waits; nothing ends" },
	{ "E19", NULL, MAND, MAYBE, 0, ONE(unknown_one), 0, "own/nope/nope", "adv/off/0", NULL },
	{ "E20", NULL, ADV, OFF, 0, ONE(unknown_all), 0, "own/nope/nope", "adv/off/0", NULL },
	{ "E21", "LOG mandatory on every=1s own/nope/nope", MAND, ON, 2000, ONE(unknown_all), 0, "own/nope/nope",
	  "mand/on/2000", "a source that is gone changes nothing for its rules" },
	{ "E22", "LOG mandatory on every=1s own/nope/nope", MAND, MAYBE, 0, ONE(unknown_one), 0, "own/nope/nope",
	  "adv/off/0", NULL },
	{ "E23", "LOG mandatory on every=1s own/cpu-*/cpu-*", ASK, 0, 0, ONE(cpu_unknown), 0, "own/cpu-9/cpu-idle",
	  "mand/on/1000", NULL },
	{ "E24", NULL, MAND, ON, 1000, ONE(cpu_unknown), 0, "own/cpu-9/cpu-idle", "mand/on/1000", NULL },
	{ "E25", NULL, MAND, ON, 1000, ONE(load_one), 0, X, NULL,
	  "an instance that is named is one of its own, unseen yet" },
	{ "E26", NULL, MAND, ON, 1000, ONE(load_two), 0, X, NULL, "as E25" },
	{ "E27", NULL, MAND, ON, 1000, ONE(cpu_none), 0, CPU0, NULL, NULL },
	{ "E28", NULL, MAND, ON, 1000, 2, load_twice, 0, X, "mand/on/1000", NULL },
	{ "E29", NULL, MAND, ON, 1000, ONE(cpu_twice), 0, CPU0, "mand/on/1000", NULL },
	{ "E30", NULL, 99, ON, 1000, ONE(load_metric), -EINVAL, X, NULL, NULL },
	{ "E31", NULL, MAND, 7, 0, ONE(load_metric), -EINVAL, X, NULL, "an unknown state is an error, not off" },
	{ "E32", NULL, ADV, 7, 0, ONE(load_metric), -EINVAL, X, NULL, "an unknown state is an error, not off" },
	{ "E33", NULL, ASK, ON, 5000, ONE(load_metric), 0, X, NULL, NULL },
	{ "E34", "LOG mandatory on every=1s " X, ADV, ON, 5000, 3, three, 0, "own/cpu-1/cpu-idle", "adv/on/5000",
	  NULL },
	{ "E35", NULL, MAND, OFF, 5000, ONE(load_metric), 0, X, "mand/off/0", NULL },
	{ "E36", NULL, MAND, ON, 60000, ONE(twenty_thousand), -ENOBUFS, X, NULL,
	  "MaxRules (10000 here) refuses it as a whole; nothing is half done" },
};

/* ---- statements ---- */

static const struct statement_row {
	const char *id;
	const char *before;
	const char *text;
	int         status; /* exit status of collectd-logctl */
	const char *subject, *after;
	const char *design;
} statement_rows[] = {
	{ "E60", NULL, "log advisory maybe " X, 3, X, NULL, NULL },
	{ "E61", NULL, "log mandatory on " X, 0, X, "mand/on/10000", "on without an interval is native here" },
	{ "E62", NULL, "log mandatory on 10 " X, 3, X, NULL, NULL },
	{ "E63", NULL, "log mandatory on -5 sec " CPU0 "\nlog mandatory off " X, 3, X, "mand/off/0",
	  "the statement on the next line is not lost" },
	{ "E64", NULL, "log mandatory on 1.5 sec " X, 0, X, "mand/on/1500",
	  "fractions are fine down to a millisecond" },
	{ "E65", NULL, "log mandatory on 0 sec " X, 0, X, "mand/on/0", NULL },
	{ "E66", NULL, "log mandatory on default " X, 3, X, NULL, NULL },
	{ "E67", NULL, "log mandatory on 268435456 msec " X, 0, X, "mand/on/268435456", "deltas go up to ten years" },
	{ "E68", NULL, "log mandatory on 74 hours " X, 0, X, "mand/on/266400000", NULL },
	{ "E69", NULL, "log mandatory on 75 hours " X, 0, X, "mand/on/270000000", "deltas go up to ten years" },
	{ "E70", NULL, "log mandatory on 600 hours " X, 0, X, "mand/on/2160000000", "deltas go up to ten years" },
	{ "E71", NULL, "log mandatory on 1194 hours " X, 0, X, "mand/on/4298400000", "nothing overflows" },
	{ "E72", NULL, "log mandatory on 4294968296 msec " X, 0, X, "mand/on/4294968296", "nothing overflows" },
	{ "E73", NULL, "log on 5 sec " X, 3, X, NULL, NULL },
	{ "E74", NULL, "log mandatory off", 3, X, NULL, NULL },
	{ "E75", NULL, "log mandatory on 5 sec {}", 3, X, NULL, NULL },
	{ "E76", NULL, "query", 3, X, NULL, NULL },
	{ "E77", NULL, "log mandatory on 5 sec own/nope-*/nope", 1, "own/nope-1/nope", "mand/on/5000",
	  "the rule waits; status 1" },
	{ "E78", NULL, "log mandatory on 5 sec { " X " own/nope-*/nope }", 1, X, "mand/on/5000",
	  "the rule waits; status 1" },
	{ "E79", NULL, "query own/nope-*/nope", 1, X, NULL, NULL },
	{ "E80", NULL, "log mandatory off own/cpu-9/cpu-idle", 0, "own/cpu-9/cpu-idle", "mand/off/0",
	  "an instance may be named before it is seen; the row says unseen" },
	{ "E81", NULL, "log mandatory off { " CPU0 ", own/cpu-9/cpu-idle }", 0, CPU0, "mand/off/0", "as E80" },
	{ "E82", NULL, "log mandatory on 5 sec own/CPU-0/cpu-idle", 0, CPU0, NULL, "names are compared byte for byte" },
	{ "E83", NULL, "log mandatory on 5 sec own/load-7/load", 0, X, NULL, "as E80: an instance of its own" },
	{ "E84", NULL, "log mandatory on 5 sec own/*-0/*", 0, CPU0, "mand/on/5000",
	  "there are no subtrees; a pattern selects what it matches" },
	{ "E85", NULL, "log mandatory on 5 sec { " X " " X " }", 0, X, "mand/on/5000", NULL },
	{ "E86", NULL, "log mandatory on 5 sec { " CPU0 " cpu-*/cpu-* }", 0, "own/cpu-1/cpu-idle", "mand/on/5000",
	  NULL },
	{ "E87", NULL, "log mandatory on 5 sec { cpu-*/cpu-* " CPU0 " }", 0, "own/cpu-1/cpu-idle", "mand/on/5000",
	  NULL },
	{ "E88", NULL, "LOG MANDATORY ON EVERY 5 SEC " X, 0, X, "mand/on/5000", "keywords in any letter case" },
	{ "E89", NULL, "log mandatory sideways 5 sec " X, 3, X, NULL, NULL },
	{ "E90", NULL, "log mandatory on 5 sec own/nope/nope", 0, "own/nope/nope", "mand/on/5000", "as E80" },
	{ "E91", NULL, "log mandatory on 500 msec own/not/yet", 0, "own/not/yet", "mand/on/500", NULL },
	{ "E92", NULL, NULL, 2, X, NULL, NULL },
	{ "E93", "LOG mandatory on every=5s " X, "log advisory on 1 sec " X, 1, X, NULL, NULL },
};

/* ---- one row ---- */

struct tally {
	int rows, passed, by_design;
};

static bool same(const char *id, const char *got, const char *want)
{
	if (strcmp(got, want) != 0)
		print_error("%s: %s instead of %s\n", id, got, want);
	return strcmp(got, want) == 0;
}

static void first_line(int fd, const char *before)
{
	struct lc_reply *reply = NULL;
	if (before == NULL)
		return;
	assert_int_equal(lc_command(fd, before, &reply), 0);
	assert_true(reply->number > 0);
	lc_reply_free(reply);
}

static bool library_row_passes(const struct library_row *row)
{
	struct live       l;
	struct lc_request request = { row->n, row->metrics };
	struct lc_status *status = NULL;
	int               fd;
	open_live(&l, &fd);
	first_line(fd, row->before);
	struct state_text before = state_of(fd, row->subject);
	int               rules = rules_of(fd), err;
	err = lc_control_log(fd, &request, row->control, row->state, row->delta_ms, &status);
	bool is_right =
		err == row->err && (err != 0 || status->n_elements == row->n) && strlen(lc_message(status, err)) > 0;
	if (!is_right)
		print_error("%s: %d instead of %d (%s)\n", row->id, err, row->err, lc_message(status, err));
	is_right = same(row->id, state_of(fd, row->subject).text, row->after == NULL ? before.text : row->after) &&
		   is_right;
	is_right = (err == 0 || rules_of(fd) == rules) && is_right;
	lc_status_free(status);
	close_live(&l, fd);
	return is_right;
}

static bool statement_row_passes(const struct statement_row *row)
{
	struct live l;
	int         fd;
	struct ran  r;
	open_live(&l, &fd);
	first_line(fd, row->before);
	struct state_text before = state_of(fd, row->subject);
	if (row->text == NULL)
		r = logctl(&l, NULL, "-s", "/nonexistent/socket", "query", X, NULL);
	else
		r = logctl(&l, row->text, NULL);
	/* whatever is not wholly done says so on standard error */
	bool is_right = r.status == row->status && (r.err[0] == '\0') == (r.status == 0);
	if (!is_right)
		print_error("%s: status %d instead of %d\n%s%s", row->id, r.status, row->status, r.out, r.err);
	is_right = same(row->id, state_of(fd, row->subject).text, row->after == NULL ? before.text : row->after) &&
		   is_right;
	ran_free(&r);
	close_live(&l, fd);
	return is_right;
}

/* ---- the table ---- */

/* Does a line of the table name this row at this level? */
static bool is_row(const char *line, const char *level, char id[8])
{
	char row_level[32];
	return sscanf(line, "%7[^\t]\t%31[^\t]", id, row_level) == 2 && strcmp(row_level, level) == 0;
}

static FILE *table_open(void)
{
	const char *folder = getenv("SRCDIR");
	char        path[512];
	snprintf(path, sizeof(path), "%s/tests/conformance/errors.tsv", folder == NULL ? "." : folder);
	FILE *f = fopen(path, "r");
	assert_non_null(f);
	return f;
}

static void note(struct tally *t, bool passes, const char *design)
{
	t->rows++;
	t->passed += passes && design == NULL;
	t->by_design += passes && design != NULL;
}

static void run_library_row(struct tally *t, const char *id)
{
	for (size_t i = 0; i < sizeof(library_rows) / sizeof(library_rows[0]); i++) {
		if (strcmp(library_rows[i].id, id) == 0) {
			note(t, library_row_passes(&library_rows[i]), library_rows[i].design);
			return;
		}
	}
	fail_msg("row %s of errors.tsv is not tested", id);
}

static void run_statement_row(struct tally *t, const char *id)
{
	for (size_t i = 0; i < sizeof(statement_rows) / sizeof(statement_rows[0]); i++) {
		if (strcmp(statement_rows[i].id, id) == 0) {
			note(t, statement_row_passes(&statement_rows[i]), statement_rows[i].design);
			return;
		}
	}
	fail_msg("row %s of errors.tsv is not tested", id);
}

static void run_level(const char *level, void (*run_row)(struct tally *, const char *))
{
	struct tally t = { 0, 0, 0 };
	FILE        *f = table_open();
	char         line[2048], id[8];
	while (fgets(line, sizeof(line), f) != NULL) {
		if (is_row(line, level, id))
			run_row(&t, id);
	}
	fclose(f);
	print_message("errors.tsv %s: %d rows, %d passed, %d differing by design\n", level, t.rows, t.passed,
		      t.by_design);
	assert_true(t.rows > 30);
	assert_int_equal(t.passed + t.by_design, t.rows);
}

static void errors_tsv__client_library__is_a_clear_error_or_as_designed(void **state)
{
	(void)state;
	static char names[20000][8];
	for (int i = 0; i < 20000; i++) {
		snprintf(names[i], sizeof(names[i]), "%d", i);
		many[i].plugin_instance = names[i];
	}
	run_level("client-library", run_library_row);
}

static void errors_tsv__client_statement__is_a_clear_error_or_as_designed(void **state)
{
	(void)state;
	run_level("client-statement", run_statement_row);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(errors_tsv__client_library__is_a_clear_error_or_as_designed),
		cmocka_unit_test(errors_tsv__client_statement__is_a_clear_error_or_as_designed),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
