/* ctl_test - collectd-logctl, the program itself, against a real listener. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <yajl/yajl_tree.h>

#include "../fake/check.h"
#include "../fake/live.h"

#define NOBODY 65534

/* ---- a daemon that has seen four instances ---- */

static int open_live(void **state)
{
	struct live *l = calloc(1, sizeof(*l));
	live_prepare(l);
	live_start(l, 0777);
	static const char *const names[] = { "own/cpu-0/cpu-idle", "own/cpu-1/cpu-idle", "own/load/load",
					     "web1/df-root/df_complex-free" };
	for (size_t i = 0; i < 4; i++)
		live_value(l, names[i], 1000, 10);
	*state = l;
	return 0;
}

static int close_live(void **state)
{
	struct live *l = *state;
	live_close(l);
	free(l);
	return 0;
}

/* Runs it, checks the exit status, and that both outputs hold what they should (NULL: nothing at all). */
static void check_ran(struct ran r, int status, const char *out, const char *err)
{
	if (r.status != status)
		fail_msg("exit status %d instead of %d\n%s%s", r.status, status, r.out, r.err);
	if (out == NULL)
		assert_string_equal(r.out, "");
	else
		assert_has(r.out, out);
	if (err == NULL)
		assert_string_equal(r.err, "");
	else
		assert_has(r.err, err);
	ran_free(&r);
}

/* What is held, as the daemon says it. */
static void check_held(struct live *l, const char *identifier, const char *held)
{
	char line[256];
	snprintf(line, sizeof(line), "ENQUIRE \"%s\"", identifier);
	check_ran(logctl(l, NULL, "raw", line, NULL), 0, held, NULL);
}

/* ---- statements on the command line ---- */

static void log__every_10_sec__is_applied_and_shown(void **state)
{
	struct live *l = *state;
	struct ran   r = logctl(l, NULL, "log", "mandatory", "on", "every", "10", "sec", "cpu-*/cpu-idle", NULL);
	assert_int_equal(r.status, 0);
	assert_string_equal(r.out,
			    "SELECTOR  OUTCOME  CONTROL    STATE  DELTA  INTERVAL  FLAGS        IDENTIFIER\n"
			    "1         done     mandatory  on     10s    10s       inlog,avail  own/cpu-0/cpu-idle\n"
			    "1         done     mandatory  on     10s    10s       inlog,avail  own/cpu-1/cpu-idle\n"
			    "rule 1, not saved: a restart of the daemon ends it\n");
	ran_free(&r);
	check_held(l, "own/cpu-0/cpu-idle", "0x0002710f mandatory on 10000 ");
}

static void log__for_before_and_after_the_selectors__is_timed(void **state)
{
	struct live *l = *state;
	check_ran(logctl(l, NULL, "log", "advisory", "on", "for", "15", "min", "own/load/load", NULL), 0,
		  "ends in 15min", NULL);
	check_ran(logctl(l, NULL, "log", "advisory", "off", "own/load/load", "for", "2h", NULL), 0, "ends in 2h", NULL);
	check_ran(logctl(l, NULL, "log advisory on once own/load/load for 1.5 hours", NULL), 0, "ends in 90min", NULL);
}

static void log__every_form_of_an_interval__is_understood(void **state)
{
	struct live *l = *state;
	static const struct {
		const char *interval, *held;
	} rows[] = {
		{ "every 250 msec", "on 250 " },
		{ "every 250 milliseconds", "on 250 " },
		{ "1 second", "on 1000 " },
		{ "EVERY 10 SECS", "on 10000 " },
		{ "every 2 min", "on 120000 " },
		{ "every 1.5 minutes", "on 90000 " },
		{ "every 74 hours", "on 266400000 " },
		{ "every 7 days", "on 604800000 " },
		{ "every 10s", "on 10000 " },
		{ "every=10s", "on 10000 " },
		{ "250ms", "on 250 " },
		{ "once", "on 0 " },
		{ "every once", "on 0 " },
		{ "every 0 sec", "on 0 " },
		{ "native", "on 10000 10000 inlog,avail,native" },
		{ "", "on 10000 10000 inlog,avail,native" },
	};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char text[128];
		snprintf(text, sizeof(text), "log mandatory on %s own/load/load", rows[i].interval);
		check_ran(logctl(l, NULL, text, NULL), 0, "done", NULL);
		check_held(l, "own/load/load", rows[i].held);
	}
}

static void log__refused_somewhere__is_1_and_says_where(void **state)
{
	struct live *l = *state;
	check_ran(logctl(l, NULL, "log", "mandatory", "off", "own/load/load", NULL), 0, "done", NULL);
	check_ran(logctl(l, NULL, "log", "advisory", "on", "every", "10", "sec", "own/load/load", "own/cpu-0/cpu-idle",
			 NULL),
		  1, "refused", "refused: own/load/load is mandatory off");
	check_held(l, "own/cpu-0/cpu-idle", "advisory on 10000");
	check_held(l, "own/load/load", "mandatory off");
}

static void selector_that_selects_nothing_yet__is_1(void **state)
{
	struct live *l = *state;
	check_ran(logctl(l, NULL, "query", "db*/x/y", NULL), 1, "none", "db*/x/y selects nothing yet\n");
	check_ran(logctl(l, NULL, "log", "advisory", "off", "db*/x/y", "own/load/load", NULL), 1, "rule 1",
		  "the rule waits");
	check_ran(logctl(l, NULL, "log", "advisory", "off", "own/not/seen", NULL), 0, "unseen", NULL);
}

static void error_of_the_daemon__is_1_and_changes_nothing(void **state)
{
	struct live *l = *state;
	check_ran(logctl(l, NULL, "log mandatory on every 5 msec own/load/load", NULL), 1, NULL, "MinInterval");
	check_ran(logctl(l, NULL, "forget", "77", NULL), 1, NULL, "77");
	check_ran(logctl(l, NULL, "raw", "BOGUS", NULL), 1, "-22 ", "BOGUS");
	check_ran(logctl(l, NULL, "rules", NULL), 0, NULL, NULL);
}

static void usage_error__is_3_and_sends_nothing(void **state)
{
	struct live *l = *state;
	static const struct {
		const char *statement, *error;
	} rows[] = {
		{ "log", "not complete" },
		{ "query", "not complete" },
		{ "explain", "not complete" },
		{ "forget", "not complete" },
		{ "log mandatory on every", "not complete" },
		{ "log mandatory off { own/load/load", "not complete" },
		{ "log mandatory off {}", "empty" },
		{ "log mandatory off }", "no selector" },
		{ "log mandatory off { { own/load/load }", "inside a list" },
		{ "log sometimes on own/load/load", "no control" },
		{ "log mandatory perhaps own/load/load", "no state" },
		{ "log on 5 sec own/load/load", "no control" },
		{ "log advisory maybe own/load/load", "no advisory maybe" },
		{ "log mandatory on 10 own/load/load", "needs a unit" },
		{ "log mandatory on 10 parsec own/load/load", "needs a unit" },
		{ "log mandatory on every own/load/load", "no duration" },
		{ "log mandatory on -5 sec own/load/load", "no selector" },
		{ "log mandatory on default own/load/load", "no default interval" },
		{ "log mandatory on 4000 days own/load/load", "largest" },
		{ "log mandatory on 0.0001 sec own/load/load", "fraction" },
		{ "log mandatory off every 5 sec own/load/load", "only `on`" },
		{ "log mandatory on 5 sec every 6 sec own/load/load", "twice" },
		{ "log mandatory on 5 sec every=6 own/load/load", "twice" },
		{ "log mandatory off own/load/load for 0 sec", "at once" },
		{ "log mandatory off own/load/load for", "not complete" },
		{ "log mandatory off own/load/load for ever", "no duration" },
		{ "log mandatory off for 1 min own/load/load for 1 min", "twice" },
		{ "log mandatory off load", "no selector" },
		{ "log mandatory off a/b/c/d", "no selector" },
		{ "log mandatory off own//load", "no selector" },
		{ "log mandatory off \"own/load/load", "not closed" },
		{ "log mandatory off \"own/load/load\"x", "closing quote" },
		{ "query own/load/load on", "no selector" },
		{ "explain own/load/load own/load/load", "nothing more" },
		{ "rules own/load/load", "nothing more" },
		{ "status all", "nothing more" },
		{ "help nonsense", "no command" },
		{ "flush", "no command" },
		{ "raw", "needs a line" },
	};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char text[256];
		snprintf(text, sizeof(text), "%s\n", rows[i].statement);
		check_ran(logctl(l, text, NULL), 3, NULL, rows[i].error);
	}
	check_ran(logctl(l, NULL, "-t", "0", "rules", NULL), 3, NULL, "-t 0");
	check_ran(logctl(l, NULL, "-t", "soon", "rules", NULL), 3, NULL, "-t soon");
	check_ran(logctl(l, NULL, "--bogus", NULL), 3, NULL, "options");
	check_ran(logctl(l, NULL, "-f", "/nonexistent", NULL), 3, NULL, "/nonexistent: No such file");
	check_ran(logctl(l, NULL, "-f", "x", "rules", NULL), 3, NULL, "exclude");
	check_ran(logctl(l, NULL, "rules", NULL), 0, NULL, NULL);
	check_held(l, "own/load/load", "advisory on 10000 10000 inlog,avail,native");
}

static void options__may_stand_behind_the_words_but_not_behind_raw(void **state)
{
	struct live *l = *state;
	check_ran(logctl(l, NULL, "query", "own/load/load", "--json", NULL), 0, "{\"statement\":\"query\"", NULL);
	check_ran(logctl(l, NULL, "raw", "STATUS", "--json", NULL), 1, "-22 ", "usage");
}

/* ---- lists, scripts ---- */

static void script__peer_s_grammar__is_understood(void **state)
{
	struct live *l = *state;
	check_ran(logctl(l,
			 "# rules of the night\n"
			 "LOG Mandatory ON Every 20 SEC {  own/cpu-0/cpu-idle , # the first core\n"
			 "\town/cpu-[12,3]/cpu-idle}\r\n"
			 "\n"
			 "advisory off\n"
			 "    own/load/load\n"
			 "log mandatory on once { \"web1/df-root/df_complex-free\" } for 5 min note=\"a b\"\n"
			 "quit\n"
			 "log mandatory off own/load/load\n",
			 NULL),
		  0, "rule 3", NULL);
	check_held(l, "own/cpu-0/cpu-idle", "mandatory on 20000");
	check_held(l, "own/cpu-1/cpu-idle", "mandatory on 20000");
	check_held(l, "own/load/load", "advisory off");
	check_ran(logctl(l, NULL, "rules", NULL), 0, "\"a b\"", NULL);
}

static void script__error__costs_its_own_statement_only(void **state)
{
	struct live *l = *state;
	struct ran   r = logctl(l,
				"log mandatory off { own/cpu-0/cpu-idle, nonsense,\n"
				  "  own/cpu-1/cpu-idle }\n"
				  "log mandatory off { own/cpu-0/cpu-idle \"unclosed\n"
				  "  own/cpu-1/cpu-idle }\n"
				  "log mandatory on -5 sec own/cpu-0/cpu-idle\n"
				  "log mandatory off {\n"
				  "  own/cpu-0/cpu-idle\n"
				  "query own/load/load\n"
				  "log mandatory off own/load/load\n"
				  "log mandatory off\n",
				NULL);
	assert_int_equal(r.status, 3);
	assert_has(r.err, "standard input:1: \"nonsense\" is no selector");
	assert_has(r.err, "standard input:3: a quote is not closed");
	assert_has(r.err, "standard input:5: \"-5\"");
	assert_has(r.err, "standard input:6: the statement is not complete");
	assert_has(r.err, "standard input:10: the statement is not complete");
	assert_has(r.out, "held ");
	ran_free(&r);
	check_held(l, "own/cpu-0/cpu-idle", "advisory on");
	check_held(l, "own/cpu-1/cpu-idle", "advisory on");
	check_held(l, "own/load/load", "mandatory off");
}

static void script__from_a_file__names_it_in_errors(void **state)
{
	struct live *l = *state;
	char         path[64];
	snprintf(path, sizeof(path), "%s/rules", l->folder);
	FILE *f = fopen(path, "w");
	fputs("bogus\nlog mandatory off own/load/load", f);
	fclose(f);
	struct ran r = logctl(l, NULL, "-f", path, NULL);
	assert_int_equal(r.status, 3);
	assert_has(r.err, "/rules:1: \"bogus\" is no command");
	assert_has(r.out, "mandatory");
	ran_free(&r);
	unlink(path);
	check_held(l, "own/load/load", "mandatory off");
}

static void list__as_arguments__is_a_list(void **state)
{
	struct live *l = *state;
	check_ran(logctl(l, NULL, "log", "mandatory", "off", "{", "own/load/load,", "own/cpu-0/cpu-idle", "}", "for",
			 "1", "h", NULL),
		  0, "ends in 1h", NULL);
	check_held(l, "own/load/load", "mandatory off");
	check_held(l, "own/cpu-0/cpu-idle", "mandatory off");
}

static void script__dry_run__changes_nothing(void **state)
{
	struct live *l = *state;
	check_ran(logctl(l, NULL, "-n", "log", "mandatory", "off", "own/load/load", NULL), 0, "before=0.1 after=0",
		  NULL);
	check_held(l, "own/load/load", "advisory on");
}

/* ---- one spelling ---- */

static void identifier__of_any_bytes__can_be_typed_as_it_was_printed(void **state)
{
	struct live             *l = *state;
	static const char *const names[] = {
		"own/my plugin/x", "own/a,b/c{d}", "own/q\"q/\\t", "#x/p/t", "own/\xc3\xa9t\xc3\xa9/t",
		"own/\xff/\x01",   "a=b/p/t",      "own/p-*/t",    "{x/p/t", "\"/p/t",
	};
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		live_value(l, names[i], 1000, 10);
		struct ran all = logctl(l, NULL, "query", "on", "*/*/*", NULL);
		struct buf text = BUF_INIT, quoted = BUF_INIT;
		assert_int_equal(all.status, 0);
		/* as an argument */
		buf_add_quoted(&quoted, names[i], strlen(names[i]));
		const char *printed = strstr(all.out, buf_text(&quoted));
		const char *spelled = printed != NULL ? buf_text(&quoted) : names[i];
		assert_has(all.out, spelled);
		check_ran(logctl(l, NULL, "query", spelled, NULL), 0, spelled, NULL);
		/* in a statement, and in a list */
		buf_addf(&text, "query %s\nquery { own/load/load, %s }\n", spelled, spelled);
		struct ran r = logctl(l, buf_text(&text), NULL);
		assert_int_equal(r.status, 0);
		assert_has(strstr(r.out, spelled) + 1, spelled);
		ran_free(&r);
		ran_free(&all);
		buf_fini(&text);
		buf_fini(&quoted);
	}
}

/* ---- the other commands ---- */

static void rules_explain_forget__tell_and_take_back(void **state)
{
	struct live *l = *state;
	check_ran(logctl(l, NULL, "log", "mandatory", "off", "own/load/*", "note=why not", NULL), 0, "rule 1", NULL);
	struct ran r = logctl(l, NULL, "rules", NULL);
	assert_has(r.out, "ID  ORIGIN  UID");
	assert_has(r.out, "\"why not\"  LOG mandatory off \"own/load/*\"\n");
	ran_free(&r);
	r = logctl(l, NULL, "explain", "own/load/load", NULL);
	assert_string_equal(r.out, "ID       DID   CONTROL    STATE  DELTA\n"
				   "default  -     advisory   on     native\n"
				   "1        took  mandatory  off    -\n");
	ran_free(&r);
	check_ran(logctl(l, NULL, "forget", "1", NULL), 0, "1 rules forgotten", NULL);
	check_held(l, "own/load/load", "advisory on");
	check_ran(logctl(l, NULL, "forget", "all", NULL), 0, "0 rules forgotten", NULL);
}

static void status_sources_help__are_tables(void **state)
{
	struct live *l = *state;
	check_ran(logctl(l, NULL, "status", NULL), 0, "\ninstances                  4\n", NULL);
	check_ran(logctl(l, NULL, "sources", NULL), 0, "live    10s         10s      false", NULL);
	check_ran(logctl(l, NULL, "help", NULL), 0, "forget ID...|all", NULL);
	check_ran(logctl(l, NULL, "help", "query", NULL), 0, "query [mandatory|advisory]", NULL);
	check_ran(logctl(l, NULL, "raw", "HELP", "LOG", NULL), 0, "2 Help\nLOG mandatory|advisory", NULL);
	check_ran(logctl(l, NULL, "query", "count", "*/*/*", NULL), 0, "4\n", NULL);
	check_ran(logctl(l, NULL, "--version", NULL), 0, "collectd-logctl ", NULL);
	check_ran(logctl(l, NULL, "--help", NULL), 0, "usage:", NULL);
}

/* Each command that help lists has its paragraph in the manual page. */
static void help__and_the_manual__name_the_same_commands(void **state)
{
	struct live *l = *state;
	struct ran   r = logctl(l, NULL, "help", NULL);
	const char  *folder = getenv("SRCDIR");
	char         path[512], page[65536] = "", *rest = r.out;
	snprintf(path, sizeof(path), "%s/contrib/man/collectd-logctl.pod", folder == NULL ? "." : folder);
	FILE *f = fopen(path, "r");
	assert_non_null(f);
	page[fread(page, 1, sizeof(page) - 1, f)] = '\0';
	fclose(f);
	int commands = 0;
	for (char *line = strtok_r(rest, "\n", &rest); line != NULL; line = strtok_r(NULL, "\n", &rest)) {
		char word[32], marked[40];
		if (sscanf(line, "%31[a-z]", word) != 1 && sscanf(line, "[%31[a-z]", word) != 1)
			continue;
		snprintf(marked, sizeof(marked), "B<%s>", word);
		assert_has(page, marked);
		commands++;
	}
	assert_int_equal(commands, 10);
	ran_free(&r);
}

/* ---- JSON ---- */

static yajl_val json_of(struct ran r, int status)
{
	char error[200] = "";
	if (r.status != status)
		fail_msg("exit status %d instead of %d\n%s%s", r.status, status, r.out, r.err);
	yajl_val v = yajl_tree_parse(r.out, error, sizeof(error));
	if (v == NULL)
		fail_msg("no JSON: %s\n%s", error, r.out);
	ran_free(&r);
	return v;
}

static yajl_val json_get(yajl_val v, const char *name)
{
	const char *path[] = { name, NULL };
	return yajl_tree_get(v, path, yajl_t_any);
}

static const char *json_text(yajl_val v, const char *name)
{
	const char *text = YAJL_GET_STRING(json_get(v, name));
	return text == NULL ? "(no text)" : text;
}

static yajl_val json_row(yajl_val v, size_t i)
{
	yajl_val rows = json_get(v, "rows");
	assert_true(YAJL_IS_ARRAY(rows) && i < rows->u.array.len);
	return rows->u.array.values[i];
}

static void json__log__has_members_for_all_that_a_table_shows(void **state)
{
	struct live *l = *state;
	yajl_val v = json_of(logctl(l, NULL, "--json", "log", "advisory", "on", "every", "10", "sec", "own/load/load",
				    "x*/y/z", "for", "1", "min", NULL),
			     1);
	assert_string_equal(json_text(v, "statement"), "log");
	assert_int_equal(YAJL_GET_INTEGER(json_get(v, "id")), 1);
	assert_string_equal(json_text(v, "keep"), "temporary");
	assert_int_equal(YAJL_GET_INTEGER(json_get(v, "ends_s")), 60);
	assert_int_equal(json_get(v, "selectors")->u.array.len, 2);
	yajl_val row = json_row(v, 0);
	assert_int_equal(YAJL_GET_INTEGER(json_get(row, "selector")), 1);
	assert_string_equal(json_text(row, "outcome"), "done");
	assert_string_equal(json_text(row, "identifier"), "own/load/load");
	assert_int_equal(YAJL_GET_INTEGER(json_get(row, "delta_ms")), 10000);
	assert_int_equal(YAJL_GET_INTEGER(json_get(row, "word")), 0x2710d);
	assert_int_equal(json_get(row, "flags")->u.array.len, 3);
	row = json_row(v, 1);
	assert_string_equal(json_text(row, "outcome"), "none");
	assert_true(YAJL_IS_NULL(json_get(row, "control")) && YAJL_IS_NULL(json_get(row, "delta_ms")));
	yajl_tree_free(v);
}

static void json__bytes_that_are_no_utf8__come_quoted_as_well(void **state)
{
	struct live *l = *state;
	live_value(l, "own/\xff\xc3\xa9/\xed\xa0\x80", 1000, 10);
	yajl_val v = json_of(logctl(l, NULL, "--json", "query", "own/\xff*/*", NULL), 0);
	yajl_val row = json_row(v, 0);
	assert_string_equal(json_text(row, "identifier"),
			    "own/\xef\xbf\xbd\xc3\xa9/\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd");
	assert_string_equal(json_text(row, "quoted"), "\"own/\\xff\\xc3\\xa9/\\xed\\xa0\\x80\"");
	yajl_tree_free(v);
}

static void json__errors__have_number_and_message(void **state)
{
	struct live *l = *state;
	yajl_val     v = json_of(logctl(l, NULL, "--json", "forget", "77", NULL), 1);
	assert_int_equal(YAJL_GET_INTEGER(json_get(v, "error")), -ENOENT);
	assert_has(json_text(v, "message"), "77");
	yajl_tree_free(v);
	v = json_of(logctl(l, NULL, "--json", "-s", "/nonexistent", "rules", NULL), 2);
	assert_int_equal(YAJL_GET_INTEGER(json_get(v, "error")), -ENOENT);
	yajl_tree_free(v);
}

static void json__other_commands__are_objects(void **state)
{
	struct live *l = *state;
	check_ran(logctl(l, NULL, "log", "mandatory", "on", "every", "1.5", "s", "own/load/load", "for", "1h", NULL), 0,
		  "", NULL);
	yajl_val v = json_of(logctl(l, NULL, "--json", "rules", NULL), 0), row = json_row(v, 0);
	assert_string_equal(json_text(row, "id"), "1");
	assert_true(YAJL_IS_INTEGER(json_get(row, "at_s")) && YAJL_IS_INTEGER(json_get(row, "ends_s")));
	assert_string_equal(json_text(row, "request"), "LOG mandatory on every=1500ms \"own/load/load\"");
	yajl_tree_free(v);
	v = json_of(logctl(l, NULL, "--json", "status", NULL), 0);
	assert_int_equal(YAJL_GET_INTEGER(json_get(json_get(v, "values"), "instances")), 4);
	yajl_tree_free(v);
	v = json_of(logctl(l, NULL, "--json", "sources", NULL), 0);
	assert_true(YAJL_IS_FALSE(json_get(json_row(v, 0), "driven")));
	yajl_tree_free(v);
	v = json_of(logctl(l, NULL, "--json", "explain", "own/load/load", NULL), 0);
	assert_string_equal(json_text(json_row(v, 0), "delta_ms"), "native");
	yajl_tree_free(v);
	v = json_of(logctl(l, NULL, "--json", "raw", "RULES", NULL), 0);
	assert_int_equal(json_get(v, "lines")->u.array.len, 1);
	yajl_tree_free(v);
	v = json_of(logctl(l, NULL, "--json", "forget", "all", NULL), 0);
	assert_int_equal(YAJL_GET_INTEGER(json_get(v, "entries")), 1);
	yajl_tree_free(v);
}

/* ---- no connection, no permission ---- */

static void connection__nobody_there__is_2_and_names_the_socket(void **state)
{
	struct live *l = *state;
	check_ran(logctl(l, NULL, "-s", "/nonexistent/sock", "query", "a/b/c", NULL), 2, NULL,
		  "cannot connect to /nonexistent/sock");
	check_ran(logctl(l, "query a/b/c\nquery a/b/c\n", "-s", "/nonexistent/sock", NULL), 2, NULL,
		  "standard input:1");
}

static void connection__daemon_that_says_nothing__is_2_within_the_limit(void **state)
{
	(void)state;
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	char               folder[] = "/tmp/ctl_test.XXXXXX";
	struct timespec    before, after;
	int                mute = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	assert_non_null(mkdtemp(folder));
	snprintf(address.sun_path, sizeof(address.sun_path), "%s/socket", folder);
	assert_int_equal(bind(mute, (struct sockaddr *)&address, sizeof(address)), 0);
	assert_int_equal(listen(mute, 5), 0);
	const char *const arguments[] = { "-s", address.sun_path, "-t", "0.05", "rules", NULL };
	clock_gettime(CLOCK_MONOTONIC, &before);
	check_ran(run_program("collectd-logctl", arguments, NULL, 0), 2, NULL, "within the time limit of 50 ms");
	clock_gettime(CLOCK_MONOTONIC, &after);
	assert_true(after.tv_sec - before.tv_sec < 4);
	close(mute);
	unlink(address.sun_path);
	rmdir(folder);
}

static void connection__one_client_too_many__is_2(void **state)
{
	(void)state;
	struct live        l;
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	struct ran         r;
	live_prepare(&l);
	l.settings.max_clients = 1;
	live_start(&l, 0600);
	strcpy(address.sun_path, l.socket);
	int holder = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	assert_int_equal(connect(holder, (struct sockaddr *)&address, sizeof(address)), 0);
	assert_int_equal(send(holder, "RULES\n", 6, 0), 6);
	char answer[64];
	assert_true(recv(holder, answer, sizeof(answer), 0) > 0);
	r = logctl(&l, NULL, "rules", NULL);
	check_ran(r, 2, NULL, "MaxClients (1)");
	close(holder);
	live_close(&l);
}

static void permission__by_the_socket_s_mode__is_4(void **state)
{
	(void)state;
	struct live       l;
	const char *const arguments[] = { "-s", l.socket, "rules", NULL };
	if (geteuid() != 0)
		skip();
	live_prepare(&l);
	live_start(&l, 0600);
	struct ran r = run_program("collectd-logctl", arguments, NULL, NOBODY);
	if (r.status == 127)
		ran_free(&r); /* nobody may not even reach the program: nothing to see here */
	else
		check_ran(r, 4, NULL, "SocketPerms");
	live_close(&l);
}

static void permission__by_access_lines__is_4_and_names_the_right(void **state)
{
	(void)state;
	static const char *const enquire[] = { "enquire" };
	struct live              l;
	const char *const        log[] = { "-s", l.socket, "log", "advisory", "off", "own/load/load", NULL };
	const char *const        query[] = { "-s", l.socket, "query", "own/load/load", NULL };
	if (geteuid() != 0)
		skip();
	live_prepare(&l);
	access_close(l.settings.access);
	assert_int_equal(access_add(l.settings.access, ACCESS_OTHER, NULL, enquire, 1, NULL), OK);
	live_start(&l, 0777);
	struct ran r = run_program("collectd-logctl", log, NULL, NOBODY);
	if (r.status == 127) {
		ran_free(&r);
	} else {
		check_ran(r, 4, NULL, "\"advisory\"");
		check_ran(run_program("collectd-logctl", query, NULL, NOBODY), 0, "unseen", NULL);
	}
	live_close(&l);
}

/* ---- the example program of the client library ---- */

static void example__raises_for_ten_minutes_and_prints_statuses(void **state)
{
	struct live      *l = *state;
	const char *const good[] = { l->socket, "own/load/load", "cpu-*/cpu-idle", NULL };
	const char *const bad[] = { l->socket, "own/load/load", "one", NULL };
	const char *const nobody[] = { "/nonexistent/socket", "own/load/load", NULL };
	struct ran        r = run_program("contrib/examples/raise", good, NULL, 0);
	assert_string_equal(r.err, "");
	assert_has(r.out, "own/load/load: done, advisory on, every 1000 ms, in log, available\n");
	assert_has(r.out, "rule 1 ends in 600 s");
	assert_has(r.out, "own/cpu-1/cpu-idle: holds, advisory on, every 1000 ms");
	assert_int_equal(r.status, 0);
	ran_free(&r);
	check_held(l, "own/cpu-0/cpu-idle", "advisory on 1000");
	check_ran(run_program("contrib/examples/raise", bad, NULL, 0), 2, NULL, "\"one\"");
	check_ran(run_program("contrib/examples/raise", nobody, NULL, 0), 2, NULL, "nothing of that name");
}

/* ---- at a terminal ---- */

/* Reads until `want` has come; fails after ten seconds. */
static void read_until(int fd, char *text, size_t size, const char *want)
{
	size_t len = strlen(text);
	while (strstr(text, want) == NULL) {
		struct pollfd p = { .fd = fd, .events = POLLIN };
		if (poll(&p, 1, 10000) <= 0)
			fail_msg("no \"%s\" in:\n%s", want, text);
		ssize_t n = read(fd, text + len, size - len - 1);
		if (n <= 0)
			fail_msg("the end instead of \"%s\" in:\n%s", want, text);
		len += (size_t)n;
		text[len] = '\0';
	}
}

static pid_t start_at_terminal(int master, const char *socket_path)
{
	const char *folder = getenv("BUILDDIR");
	char        path[512];
	snprintf(path, sizeof(path), "%s/collectd-logctl", folder == NULL ? "." : folder);
	pid_t child = fork();
	if (child != 0)
		return child;
	setsid();
	int slave = open(ptsname(master), O_RDWR);
	for (int i = 0; i < 3; i++)
		dup2(slave, i);
	setenv("TERM", "dumb", 1);
	execl(path, path, "-s", socket_path, (char *)NULL);
	_exit(127);
}

static void prompt__statements_over_lines__run_and_errors_do_not_end_it(void **state)
{
	struct live *l = *state;
	char         text[16384] = "";
	int          master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC), status = 0;
	if (master < 0 || grantpt(master) != 0 || unlockpt(master) != 0) {
		if (master >= 0)
			close(master);
		skip(); /* no pseudo terminals here, as in a chroot without devpts */
	}
	pid_t child = start_at_terminal(master, l->socket);
	read_until(master, text, sizeof(text), "logctl> ");
	assert_true(write(master, "log mandatory off {\r", 20) == 20);
	read_until(master, text, sizeof(text), "...> ");
	assert_true(write(master, "own/load/load }\r", 16) == 16);
	read_until(master, text, sizeof(text), "rule 1");
	assert_true(write(master, "nonsense\r", 9) == 9);
	read_until(master, text, sizeof(text), "no command");
	assert_true(write(master, "quit\r", 5) == 5);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 3);
	close(master);
	check_held(l, "own/load/load", "mandatory off");
}

int main(void)
{
#define LIVE_TEST(f) cmocka_unit_test_setup_teardown(f, open_live, close_live)
	static const struct CMUnitTest tests[] = {
		LIVE_TEST(log__every_10_sec__is_applied_and_shown),
		LIVE_TEST(log__for_before_and_after_the_selectors__is_timed),
		LIVE_TEST(log__every_form_of_an_interval__is_understood),
		LIVE_TEST(log__refused_somewhere__is_1_and_says_where),
		LIVE_TEST(selector_that_selects_nothing_yet__is_1),
		LIVE_TEST(error_of_the_daemon__is_1_and_changes_nothing),
		LIVE_TEST(usage_error__is_3_and_sends_nothing),
		LIVE_TEST(options__may_stand_behind_the_words_but_not_behind_raw),
		LIVE_TEST(script__peer_s_grammar__is_understood),
		LIVE_TEST(script__error__costs_its_own_statement_only),
		LIVE_TEST(script__from_a_file__names_it_in_errors),
		LIVE_TEST(list__as_arguments__is_a_list),
		LIVE_TEST(script__dry_run__changes_nothing),
		LIVE_TEST(identifier__of_any_bytes__can_be_typed_as_it_was_printed),
		LIVE_TEST(rules_explain_forget__tell_and_take_back),
		LIVE_TEST(status_sources_help__are_tables),
		LIVE_TEST(help__and_the_manual__name_the_same_commands),
		LIVE_TEST(json__log__has_members_for_all_that_a_table_shows),
		LIVE_TEST(json__bytes_that_are_no_utf8__come_quoted_as_well),
		LIVE_TEST(json__errors__have_number_and_message),
		LIVE_TEST(json__other_commands__are_objects),
		LIVE_TEST(connection__nobody_there__is_2_and_names_the_socket),
		cmocka_unit_test(connection__daemon_that_says_nothing__is_2_within_the_limit),
		cmocka_unit_test(connection__one_client_too_many__is_2),
		cmocka_unit_test(permission__by_the_socket_s_mode__is_4),
		cmocka_unit_test(permission__by_access_lines__is_4_and_names_the_right),
		LIVE_TEST(example__raises_for_ten_minutes_and_prints_statuses),
		LIVE_TEST(prompt__statements_over_lines__run_and_errors_do_not_end_it),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
