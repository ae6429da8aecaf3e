/*
 * LOG, ENQUIRE, EXPLAIN, RULES and FORGET to the letter (specification section 11); requests and values together are in story_test.c, what holds
 * for every command in command_table_test.c.
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

/* ---- LOG ---- */

static void log__denied_before_its_other_words_are_judged(void **state)
{
	struct lab *lab = *state;
	lab->rights = RIGHT_ENQUIRE | RIGHT_ADVISORY;
	assert_has(lab_ask(lab, "LOG mandatory perhaps a"), "-13 LOG mandatory needs the right \"mandatory\"");
	assert_has(lab_ask(lab, "LOG mandatory on dryrun=true a/b"), "-13 ");
	assert_has(lab_ask(lab, "LOG sometimes on a/b"), "-22 ");
	lab->rights = RIGHT_ENQUIRE | RIGHT_MANDATORY;
	assert_has(lab_ask(lab, "LOG advisory on a/b"), "-13 LOG advisory needs the right \"advisory\"");
}

static void log__first_line__id_keep_ends(void **state)
{
	struct lab *lab = *state;
	assert_has(lab_ask(lab, "LOG mandatory on a/b"), "1 Values id=1 keep=temporary\n1 done ");
	assert_has(lab_ask(lab, "LOG mandatory on for=1h a/b c/d"), "2 Values id=2 keep=temporary ends=3600\n");
	assert_has(lab_ask(lab, "LOG mandatory on for=1500ms a/b"), "1 Values id=3 keep=temporary ends=2\n");
	assert_has(lab_ask(lab, "LOG advisory on a/b"), "1 Values id=- keep=temporary\n1 refused ");
	assert_has(lab_ask(lab, "LOG advisory on a/b \"*/*/none\""), "2 Values id=4 keep=temporary\n1 refused ");
	assert_has(lab_ask(lab, "LOG mandatory maybe a/b"), "id=5 keep=temporary\n1 done 0x00000000 advisory off 0");
	assert_has(lab_ask(lab, "LOG advisory on dryrun=yes a/b"), "1 Values before=0 after=0\n1 would ");
	assert_has(lab_ask(lab, "LOG advisory on dryrun=false a/b"), "1 Values id=6 ");
}

static void log__delta_that_rrd_files_or_counters_bear_badly__hint(void **state)
{
	struct lab  *lab = *state;
	union number one = { .counter = 1 };
	lab_gauge(lab, IDLE, 10, 1);
	lab_value(lab, "own/if/counter", lab->now.wall_ns, 10, one, KIND_COUNTER);
	assert_has(lab_ask(lab, "LOG mandatory on every=1min " IDLE), " keep=temporary\n");
	assert_has(lab_ask(lab, "LOG mandatory on every=34s if/counter"), " keep=temporary\n");
	assert_has(lab_ask(lab, "LOG mandatory on every=35s if/counter"), " keep=temporary hint=counter_wrap\n");
	lab->settings.rrd_writer = "rrdtool";
	assert_has(lab_ask(lab, "LOG mandatory on every=10s " IDLE), " keep=temporary\n");
	assert_has(lab_ask(lab, "LOG mandatory on every=11s " IDLE), " keep=temporary hint=rrd_heartbeat\n");
	assert_has(lab_ask(lab, "LOG mandatory on every=1min for=1h */*/*"),
		   " ends=3600 hint=rrd_heartbeat,counter_wrap\n");
	assert_has(lab_ask(lab, "LOG mandatory on every=1min new/gauge"), " keep=temporary\n");
	assert_has(lab_ask(lab, "LOG mandatory on every=999ms new/gauge"), " keep=temporary hint=rrd_step\n");
	assert_has(lab_ask(lab, "LOG mandatory on every=500ms dryrun=true new/gauge"), "after=0 hint=rrd_step\n");
	assert_has(lab_ask(lab, "LOG mandatory off every=500ms " IDLE), " keep=temporary\n");
	assert_has(lab_ask(lab, "LOG mandatory on " IDLE), " keep=temporary\n");
	lab_ask(lab, "LOG mandatory on every=10s " IDLE);
	assert_has(lab_ask(lab, "LOG advisory on every=1min " IDLE), "id=- keep=temporary\n");
}

static void log__keywords_and_options_in_any_letter_case(void **state)
{
	struct lab *lab = *state;
	lab_gauge(lab, IDLE, 10, 1);
	assert_has(lab_ask(lab, "LOG EVERY=1MIN Mandatory VALUE=AVERAGE ON Note=\"x\" " IDLE),
		   "mandatory on 60000 10000 inlog,avail \"" IDLE "\"\n");
	assert_has(lab_ask(lab, "LOG MANDATORY On every=NATIVE " IDLE), "mandatory on 10000 10000 inlog,avail,native ");
	assert_has(lab_ask(lab, "log mandatory Off " IDLE), "mandatory off 0 ");
	assert_has(lab_ask(lab, "log mandatory Maybe " IDLE), "advisory off 0 ");
}

/* The grammar of D: what it is taken for, in milliseconds as the reply shows it. */
static void log__every__units(void **state)
{
	static const struct {
		const char *every, *shown;
	} rows[] = {
		{ "10", "10000" },     { "10s", "10000" },
		{ "0.5", "500" },      { "250ms", "250" },
		{ "1.5h", "5400000" }, { "2min", "120000" },
		{ "1d", "86400000" },  { "7D", "604800000" },
		{ "10S", "10000" },    { "0", "0" },
		{ "once", "0" },       { "0.0", "0" },
		{ "100ms", "100" },    { "3653d", "315619200000" },
		{ "\"10 s\"", "-22" }, { "", "-22" },
		{ "10x", "-22" },      { "-1", "-22" },
		{ "+1", "-22" },       { "inf", "-22" },
		{ "nan", "-22" },      { "1e3", "-22" },
		{ "0.0001", "-22" },   { "99ms", "-22" },
	};
	struct lab *lab = *state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		lab_ask(lab, "LOG mandatory on every=%s a/b", rows[i].every);
		const char *got = rows[i].shown[0] == '-' ? lab_word(lab, 0, 0) : lab_word(lab, 1, 5);
		if (strcmp(got, rows[i].shown) != 0)
			fail_msg("every=%s: %s", rows[i].every, lab->reply);
	}
}

static void log__one_bad_selector__nothing_changed(void **state)
{
	struct lab *lab = *state;
	assert_has(lab_ask(lab, "LOG mandatory off \"a/b\" \"*/*\" \"df-/\""), "df-root");
	assert_has(lab_ask(lab, "LOG mandatory off a/b \"a/b\\x00/c\""), "-22 ");
	assert_has(lab_ask(lab, "LOG mandatory off a/b \"\""), "-22 ");
	assert_string_equal(lab_ask(lab, "RULES"), "0 Rules\n");
	assert_has(lab_ask(lab, "ENQUIRE a/b"), "advisory on");
}

static void log__note__kept_as_it_is_and_bounded(void **state)
{
	struct lab *lab = *state;
	char        note[1002];
	memset(note, 'n', sizeof(note));
	note[1001] = '\0';
	assert_has(lab_ask(lab, "LOG advisory on note=\"%s\" a/b", note), "-22 note has 1001 bytes");
	assert_has(lab_ask(lab, "LOG advisory on note=\"a\\x00b\" a/b"), "-22 note has 3 bytes, or a NUL");
	assert_has(lab_ask(lab, "LOG advisory on note=\"%s\" a/b", note + 1), "id=1 ");
	assert_has(lab_ask(lab, "LOG advisory on note=\"two\\x0alines \\\"and\\\" more\" c/d"), "id=2 ");
	assert_has(lab_ask(lab, "RULES"), "note=\"two\\x0alines \\\"and\\\" more\" \"LOG advisory on ");
}

static void log__a_selector_that_looks_like_an_option__is_quoted(void **state)
{
	struct lab *lab = *state;
	assert_has(lab_ask(lab, "LOG advisory off \"a=b/p/t\" h/p-a=b/t"), "\"a=b/p/t\"\n2 done ");
	assert_has(lab_ask(lab, "LOG advisory off a=b/p/t c/d"), "-22 unknown option \"a\"");
	assert_has(lab_ask(lab, "RULES"), "\"LOG advisory off \\\"a=b/p/t\\\" \\\"h/p-a=b/t\\\"\"\n");
}

/* What a reply prints can be sent back, whatever bytes it has. */
static void reply__any_identifier__can_be_sent_back(void **state)
{
	static const char *const names[] = { "h\xc3\xa4/p-\"q\"/t-\\", "h/p- x\t/t-a=b", "h/p-[*]?/t", "h/p-\x01\n/t" };
	struct lab              *lab = *state;
	for (size_t i = 0; i < COUNT(names); i++)
		lab_gauge(lab, names[i], 10, 1);
	lab_ask(lab, "ENQUIRE \"*/*/*\"");
	assert_int_equal(atoi(lab->reply), COUNT(names));
	char *all = strdup(lab->reply), *at = all;
	for (size_t i = 0; i < COUNT(names); i++) {
		at = strchr(at, '\n') + 1;
		char *quoted = strchr(at, '"');
		int   len = (int)strcspn(quoted, "\n");
		assert_has(lab_ask(lab, "LOG mandatory off %.*s", len, quoted), "1 Values id=");
		assert_has(lab->reply, "inlog");
		assert_null(strstr(lab->reply, "unseen"));
	}
	free(all);
	assert_string_equal(lab_ask(lab, "ENQUIRE mandatory off count=true \"*/*/*\""), "0 Values count=4\n");
}

/* ---- ENQUIRE ---- */

static void enquire__filters__each_combination(void **state)
{
	static const struct {
		const char *words;
		int         n;
	} rows[] = {
		{ "", 4 },
		{ "mandatory", 2 },
		{ "Advisory", 2 },
		{ "on", 2 },
		{ "OFF", 2 },
		{ "mandatory on", 1 },
		{ "on mandatory", 1 },
		{ "advisory off", 1 },
		{ "unavailable", 1 },
		{ "Unavailable mandatory", 1 },
		{ "advisory unavailable", 0 },
		{ "unavailable off", 0 },
	};
	struct lab *lab = *state;
	lab_gauge(lab, "h/a/t", 10, 1);
	lab_advance(lab, 60);
	lab_gauge(lab, "h/b/t", 10, 1);
	lab_gauge(lab, "h/c/t", 10, 1);
	lab_gauge(lab, "h/d/t", 10, 1);
	lab_ask(lab, "LOG mandatory on h/a/t");
	lab_ask(lab, "LOG mandatory off h/b/t");
	lab_ask(lab, "LOG advisory off h/c/t");
	for (size_t i = 0; i < COUNT(rows); i++) {
		lab_ask(lab, "ENQUIRE %s count=true \"h/*/*\"", rows[i].words);
		char expected[40];
		snprintf(expected, sizeof(expected), "0 Values count=%d\n", rows[i].n);
		assert_string_equal(lab->reply, expected);
		lab_ask(lab, "ENQUIRE %s \"h/*/*\"", rows[i].words);
		assert_int_equal(atoi(lab->reply), rows[i].n);
	}
	assert_string_equal(lab_ask(lab, "ENQUIRE mandatory off \"h/a*/*\""), "0 Values\n");
	assert_has(lab_ask(lab, "ENQUIRE mandatory \"h/aa*/*\""), "1 Values\n1 none ");
	assert_string_equal(lab_ask(lab, "ENQUIRE mandatory count=true \"h/aa*/*\""), "0 Values count=0\n");
	assert_has(lab_ask(lab, "ENQUIRE mandatory advisory h/a/t"), "-22 ");
	assert_has(lab_ask(lab, "ENQUIRE maybe h/a/t"), "-22 ");
	assert_has(lab_ask(lab, "ENQUIRE mandatory"), "-22 no selector is named");
	assert_has(lab_ask(lab, "ENQUIRE h/a/t mandatory"), "-22 ");
	assert_has(lab_ask(lab, "ENQUIRE \"on/off\""), "1 Values\n1 held ");
}

static void enquire__groups__numbered_sorted_and_twice_where_named_twice(void **state)
{
	static const char *const names[] = { "h/p-9/t", "h/p-10/t", "h/p/t", "g/p/t", "h/p-a/t" };
	struct lab              *lab = *state;
	for (size_t i = 0; i < COUNT(names); i++)
		lab_gauge(lab, names[i], 10, 1);
#define LINE(n, name) #n " held 0x0002710d advisory on 10000 10000 inlog,avail,native \"" name "\"\n"
	assert_string_equal(lab_ask(lab, "ENQUIRE \"h/p-[0-9]*/t\" \"*/p/t\" \"no*/x/y\" h/p-9/t"),
			    "6 Values\n" LINE(1, "h/p-10/t") LINE(1, "h/p-9/t") LINE(2, "g/p/t")
				    LINE(2, "h/p/t") "3 none 0x00000000 - - - - - \"no*/x/y\"\n" LINE(4, "h/p-9/t"));
#undef LINE
	assert_string_equal(lab_ask(lab, "ENQUIRE count=true \"no*/x/y\" h/p-9/t never/seen/x"), "0 Values count=2\n");
}

/* ---- EXPLAIN, RULES, FORGET ---- */

static void explain__each_step_in_order(void **state)
{
	struct lab *lab = *state;
	lab_ask(lab, "LOG mandatory on every=once \"*/cpu-*/*\"");
	lab_ask(lab, "LOG advisory on every=5s \"own/*/*\" other/x/y");
	lab_ask(lab, "LOG mandatory off nothing/to/do");
	lab_ask(lab, "LOG mandatory maybe " IDLE);
	lab_ask(lab, "LOG advisory on every=20s for=60 cpu-0/cpu-idle");
	assert_string_equal(lab_ask(lab, "EXPLAIN \"" IDLE "\""), "5 Steps\n"
								  "default - advisory on native\n"
								  "1 took mandatory on once\n"
								  "2 refused mandatory on once\n"
								  "4 took advisory off 0\n"
								  "5 took advisory on 20000\n");
	assert_has(lab_ask(lab, "explain cpu-0/cpu-idle"), "5 Steps\n");
	assert_string_equal(lab_ask(lab, "EXPLAIN h/*/t"), "1 Steps\ndefault - advisory on native\n");
}

static void rules__each_line_to_the_letter(void **state)
{
	struct lab *lab = *state;
	lab_gauge(lab, IDLE, 10, 1);
	lab_gauge(lab, "own/cpu-1/cpu-idle", 10, 1);
	lab_ask(lab, "LOG advisory on every=90s value=max \"cpu-*/*\" \"own/cpu-1/*\" \"no/such/x\"");
	lab_advance(lab, 1.5);
	lab_ask(lab, "LOG mandatory maybe for=60 note=\"why\" " IDLE);
	lab_advance(lab, 0.25);
	assert_string_equal(
		lab_ask(lab, "RULES"),
		"2 Rules\n"
		"1 socket uid=1000 at=1700000000 ends=- keep=temporary instances=2 note=\"\" "
		"\"LOG advisory on every=90s value=max \\\"cpu-*/*\\\" \\\"own/cpu-1/*\\\" \\\"no/such/x\\\"\"\n"
		"2 socket uid=1000 at=1700000001 ends=60 keep=temporary instances=1 note=\"why\" "
		"\"LOG mandatory maybe \\\"" IDLE "\\\"\"\n");
}

static void rules__only_what_is_still_in_force(void **state)
{
	struct lab *lab = *state;
	lab_ask(lab, "LOG advisory on every=90s a/b c/d");
	lab_ask(lab, "LOG advisory off own/c/d");
	assert_has(lab_ask(lab, "RULES"), "\"LOG advisory on every=90s \\\"a/b\\\"\"\n2 socket");
}

static void forget__ids(void **state)
{
	struct lab *lab = *state;
	for (int i = 0; i < 5; i++)
		lab_ask(lab, "LOG advisory on every=%ds a/b-%d", i + 1, i);
	assert_has(lab_ask(lab, "FORGET 1 77"), "-2 no entry 77 ");
	assert_has(lab_ask(lab, "FORGET 1 all"), "-22 \"all\" is no id");
	assert_has(lab_ask(lab, "FORGET 99999999999999999999999"), "-22 ");
	assert_has(lab_ask(lab, "FORGET -1"), "-22 ");
	assert_has(lab_ask(lab, "FORGET \"\""), "-22 ");
	assert_has(lab_ask(lab, "RULES"), "5 Rules\n");
	assert_string_equal(lab_ask(lab, "FORGET 2 2 4"), "0 Forgotten entries=2\n");
	assert_has(lab_ask(lab, "FORGET 2"), "-2 no entry 2 ");
	assert_string_equal(lab_ask(lab, "forget ALL"), "0 Forgotten entries=3\n");
	assert_string_equal(lab_ask(lab, "FORGET all"), "0 Forgotten entries=0\n");
	assert_has(lab_ask(lab, "LOG advisory off a/b"), "id=6 "); /* never used twice */
}

int main(void)
{
#define STORY(name) cmocka_unit_test_setup_teardown(name, open_lab, close_lab)
	const struct CMUnitTest tests[] = {
		STORY(log__denied_before_its_other_words_are_judged),
		STORY(log__first_line__id_keep_ends),
		STORY(log__delta_that_rrd_files_or_counters_bear_badly__hint),
		STORY(log__keywords_and_options_in_any_letter_case),
		STORY(log__every__units),
		STORY(log__one_bad_selector__nothing_changed),
		STORY(log__note__kept_as_it_is_and_bounded),
		STORY(log__a_selector_that_looks_like_an_option__is_quoted),
		STORY(reply__any_identifier__can_be_sent_back),
		STORY(enquire__filters__each_combination),
		STORY(enquire__groups__numbered_sorted_and_twice_where_named_twice),
		STORY(explain__each_step_in_order),
		STORY(rules__each_line_to_the_letter),
		STORY(rules__only_what_is_still_in_force),
		STORY(forget__ids),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
