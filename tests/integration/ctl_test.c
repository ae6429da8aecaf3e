/* ctl_test - statements of collectd-logctl, the program itself, against a real listener. */
#include <unistd.h>

#include "ctl_check.h"

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

int main(void)
{
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
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
