/* settings - what the host's parser hands over, and a message for every malformed option (specification section 14). */
#include "../fake/check.h"
#include "settings.h"

/* clang-format off: rows of macros are read as rows */
#define S(text)                                     \
	{                                           \
		.type = CONF_STRING, .string = text \
	}
#define N(n)                                     \
	{                                        \
		.type = CONF_NUMBER, .number = n \
	}
#define B(b)                                       \
	{                                          \
		.type = CONF_BOOLEAN, .boolean = b \
	}
#define ITEM(name, ...)                                                                            \
	{                                                                                          \
		name, sizeof((struct conf_value[]){ __VA_ARGS__ }) / sizeof(struct conf_value), 0, \
			(struct conf_value[]){ __VA_ARGS__ }, NULL                                 \
	}
#define BLOCK(name, ...)                                                                               \
	{                                                                                              \
		name, 0, sizeof((struct conf_item[]){ __VA_ARGS__ }) / sizeof(struct conf_item), NULL, \
			(struct conf_item[])                                                           \
		{                                                                                      \
			__VA_ARGS__                                                                    \
		}                                                                                      \
	}
#define NAMED(name, value, ...)                                                                  \
	{                                                                                        \
		name, 1, sizeof((struct conf_item[]){ __VA_ARGS__ }) / sizeof(struct conf_item), \
			(struct conf_value[]){ value }, (struct conf_item[])                     \
		{                                                                                \
			__VA_ARGS__                                                              \
		}                                                                                \
	}

struct said {
	int  errors;
	char last[1024];
};

static void hear(void *ctx, enum severity severity, const char *text)
{
	struct said *said = ctx;
	assert_int_equal(severity, SEVERITY_ERROR);
	said->errors++;
	snprintf(said->last, sizeof(said->last), "%s", text);
}

static void read_one(struct settings *s, struct said *said, struct conf_item item)
{
	struct conf_item block = { "Plugin", 0, 1, NULL, &item };
	memset(said, 0, sizeof(*said));
	assert_int_equal(settings_init(s), OK);
	assert_int_equal(settings_add(s, &block, hear, said), OK);
	assert_int_equal(settings_check(s, hear, said), OK);
}

static void options__as_the_parser_hands_them_over__are_taken(void **state)
{
	struct settings s;
	struct said     said = { 0 };
	(void)state;
	const struct conf_item items[] = {
		ITEM("SocketPerms", N(770)),
		ITEM("Chain", S("postcache")),
		ITEM("Bypass", S("threshold"), S("aggregation")),
		ITEM("Align", S("clock")),
		ITEM("MinInterval", N(0.5)),
		ITEM("HistoryTimeout", N(1.5), S("h")),
		ITEM("ReportStats", B(false)),
		ITEM("Default", S("advisory"), B(true), S("native")),
		ITEM("Default", S("advisory"), B(true), N(60)),
		ITEM("MaxRules", N(5)),
		BLOCK("Log", ITEM("State", B(true)), ITEM("Every", N(1.5), S("h")),
		      ITEM("Metric", S("*/load-*/*"), S("a/b"))),
		BLOCK("Log", ITEM("State", B(false)), ITEM("Control", S("Mandatory")), ITEM("Metric", S("*/*/*"))),
	};
	const struct conf_item block = { "Plugin", 0, sizeof(items) / sizeof(items[0]), NULL, items };
	assert_int_equal(settings_init(&s), OK);
	assert_int_equal(settings_add(&s, &block, hear, &said), OK);
	assert_int_equal(settings_check(&s, hear, &said), OK);
	assert_int_equal(said.errors, 0);
	assert_int_equal(s.socket_perms, 0770);
	assert_int_equal(s.placement, PLACE_POSTCACHE);
	assert_int_equal(s.n_bypass, 2);
	assert_int_equal(s.min_ms, 500);
	assert_int_equal(s.history_ms, 5400000);
	assert_false(s.report_stats);
	assert_int_equal(s.def.ms, 60000);
	assert_int_equal(s.n_logs, 2);
	assert_int_equal(s.logs[0].ask.delta.ms, 5400000);
	assert_int_equal(s.logs[0].n_metrics, 2);
	assert_int_equal(s.logs[1].ask.state, STATE_OFF);
	assert_string_equal(s.socket_file, SETTINGS_SOCKET_FILE);
	settings_fini(&s);
}

static void malformed__every_option__one_error_that_names_option_and_what_is_accepted(void **state)
{
	const struct {
		struct conf_item item;
		const char      *says[3];
	} rows[] = {
		{ ITEM("SocketFile", S("")), { "<Plugin> block 1: SocketFile", "names no file" } },
		{ ITEM("SocketFile", N(5)), { "<Plugin> block 1: SocketFile \"5\"", "in quotes" } },
		{ ITEM("StateFile", B(true)), { "<Plugin> block 1: StateFile \"on\"", "in quotes" } },
		{ ITEM("SocketGroup", B(false)), { "<Plugin> block 1: SocketGroup \"off\"", "in quotes" } },
		{ ITEM("SocketPerms", S("rwx")), { "SocketPerms", "octal" } },
		{ ITEM("SocketPerms", N(999)), { "SocketPerms", "octal" } },
		{ ITEM("StateFile", S("")), { "StateFile", "names no file" } },
		{ ITEM("Chain", S("Middle")), { "Chain \"Middle\"", "PostCache" } },
		{ ITEM("Bypass", N(3)), { "Bypass", "a name in quotes" } },
		{ ITEM("Align", S("left")), { "Align", "clock" } },
		{ ITEM("MinInterval", S("soon")), { "MinInterval", "10s" } },
		{ ITEM("MaxInstances", S("many")), { "MaxInstances", "whole number" } },
		{ ITEM("MaxRules", N(0)), { "MaxRules", "whole number" } },
		{ ITEM("MaxClients", N(1.5)), { "MaxClients", "whole number" } },
		{ ITEM("HistoryTimeout", B(true)), { "HistoryTimeout", "h" } },
		{ ITEM("ReportStats", S("maybe")), { "ReportStats", "true or false" } },
		{ ITEM("Default", S("mandatory"), B(true)), { "Default", "always advisory" } },
		{ ITEM("Default", S("loud")), { "Default", "advisory on native" } },
		{ ITEM("Default", S("advisory"), B(true), N(0.05)), { "<Plugin>: Default", "MinInterval (100 ms)" } },
		{ ITEM("Colour", S("red")), { "Colour", "unknown option", "SocketFile" } },
		{ ITEM("SocketFile", S("a"), S("b")), { "SocketFile", "one value" } },
		{ BLOCK("Log", ITEM("Control", S("x")), ITEM("Metric", S("a/b"))),
		  { "<Log> block 1: Control", "mandatory", "left out" } },
		{ BLOCK("Log", ITEM("State", S("x")), ITEM("Metric", S("a/b"))),
		  { "<Log> block 1: State", "maybe", "left out" } },
		{ BLOCK("Log", ITEM("Every", S("x")), ITEM("Metric", S("a/b"))),
		  { "<Log> block 1: Every", "once", "left out" } },
		{ BLOCK("Log", ITEM("Every", N(0.05)), ITEM("Metric", S("a/b"))),
		  { "<Log> block 1: Every", "MinInterval (100 ms)" } },
		{ BLOCK("Log", ITEM("Value", S("x")), ITEM("Metric", S("a/b"))),
		  { "<Log> block 1: Value", "average", "left out" } },
		{ BLOCK("Log", ITEM("Loud", S("x")), ITEM("Metric", S("a/b"))), { "<Log> block 1: Loud", "unknown" } },
		{ BLOCK("Log", ITEM("Metric", S("df-/"))), { "<Log> block 1: Metric", "df-root" } },
		{ BLOCK("Log", ITEM("Metric", N(3))), { "<Log> block 1: Metric \"3\"", "in quotes" } },
		{ BLOCK("Log", ITEM("Metric", S("a/b"), S("c"), S("d/e"))),
		  { "<Log> block 1: Metric \"c\": ", "[HOST/]PLUGIN" } },
		{ BLOCK("Log", ITEM("Every", N(3))), { "<Log> block 1: has no Metric" } },
		{ BLOCK("Log", ITEM("State", S("maybe")), ITEM("Metric", S("a/b"))),
		  { "<Log> block 1: advisory maybe" } },
		{ NAMED("Log", S("slow"), ITEM("Metric", S("a/b"))),
		  { "<Log> block 1: \"slow\": ", "takes no name", "is left out" } },
		{ ITEM("Source", S("cpu"), S("df")), { "<Source> block 1: \"cpu df\": ", "one plugin" } },
		{ NAMED("Source", S("cpu"), ITEM("MaxInterval", S("x"))),
		  { "<Source> block 1: MaxInterval \"x\": MaxInterval=" } },
		{ NAMED("Source", S("cpu"), ITEM("MinInterval", N(0))),
		  { "<Source> block 1: MinInterval \"0\": is no interval" } },
		{ NAMED("Source", S("cpu"), ITEM("IdleInterval", S("native"))),
		  { "<Source> block 1: IdleInterval \"native\": is no interval" } },
		{ NAMED("Source", S("cpu"), ITEM("AllowUnknown", S("perhaps"))),
		  { "<Source> block 1: AllowUnknown \"perhaps\": is no boolean" } },
		{ NAMED("Source", S("cpu"), ITEM("MinInterval", N(5)), ITEM("MaxInterval", N(3))),
		  { "<Source> block 1: \"cpu\": MinInterval is above MaxInterval" } },
		{ NAMED("Access", S("staff"), ITEM("Other", S("all"))),
		  { "<Access> block 1: \"staff\": ", "takes no name" } },
		{ ITEM("Access", S("staff")), { "<Access> block 1: \"staff\": ", "takes no name" } },
		{ BLOCK("Access", ITEM("User", S("www"), S("data"), S("all"))),
		  { "User", "quote a name with a hyphen" } },
		{ BLOCK("Access", ITEM("User", S("root"))), { "User", "names no right" } },
		{ BLOCK("Access", ITEM("Group", S("no_such_group_here"), S("all"))), { "Group", "not known" } },
		{ BLOCK("Access", ITEM("Other", S("write"))), { "Other", "enquire" } },
		{ BLOCK("Access", ITEM("World", S("all"))), { "World", "unknown option" } },
		{ BLOCK("Access",
			ITEM("Other", S("enquire"), S("enquire"), S("enquire"), S("enquire"), S("enquire"),
			     S("enquire"), S("enquire"), S("enquire"), S("enquire"), S("enquire"), S("enquire"),
			     S("enquire"), S("enquire"), S("enquire"), S("enquire"), S("enquire"), S("world"))),
		  { "<Access> block 1: Other", "more than 16 words", "gives no right" } },
	};
	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct settings s;
		struct said     said;
		read_one(&s, &said, rows[i].item);
		if (said.errors != 1)
			fail_msg("row %zu (%s): %d errors, the last: %s", i, rows[i].says[0], said.errors, said.last);
		for (int k = 0; k < 3 && rows[i].says[k] != NULL; k++)
			assert_has(said.last, rows[i].says[k]);
		settings_fini(&s);
	}
}

static void no_value__every_option__one_error(void **state)
{
	static const char *const names[] = { "SocketFile", "SocketGroup",    "SocketPerms", "StateFile",    "Chain",
					     "Bypass",     "Align",          "MinInterval", "MaxInstances", "MaxRules",
					     "MaxClients", "HistoryTimeout", "ReportStats", "Default" };
	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		struct settings s;
		struct said     said;
		read_one(&s, &said, (struct conf_item){ names[i], 0, 0, NULL, NULL });
		assert_int_equal(said.errors, 1);
		assert_has(said.last, names[i]);
		settings_fini(&s);
	}
}

static void blocks__of_one_kind__are_numbered_left_out_ones_too(void **state)
{
	struct settings        s;
	struct said            said = { 0 };
	const struct conf_item first = BLOCK("Plugin", ITEM("Source", N(1)), BLOCK("Access", ITEM("Other", S("none"))));
	const struct conf_item second = BLOCK("Plugin", NAMED("Source", S("cpu"), ITEM("MinInterval", S("x"))));
	const struct conf_item third = BLOCK("Plugin", BLOCK("Access", ITEM("Other", S("x"))));
	const struct conf_item fourth = BLOCK("Plugin", ITEM("Align", S("x")));
	(void)state;
	assert_int_equal(settings_init(&s), OK);
	assert_int_equal(settings_add(&s, &first, hear, &said), OK);
	assert_has(said.last, "<Source> block 1: \"1\"");
	assert_int_equal(settings_add(&s, &second, hear, &said), OK);
	assert_has(said.last, "<Source> block 2: MinInterval");
	assert_int_equal(settings_add(&s, &third, hear, &said), OK);
	assert_has(said.last, "<Access> block 2: Other");
	assert_int_equal(settings_add(&s, &fourth, hear, &said), OK);
	assert_has(said.last, "<Plugin> block 4: Align");
	settings_fini(&s);
}

static void default__below_the_limit__leaves_the_default_of_the_plugin(void **state)
{
	struct settings s;
	struct said     said;
	(void)state;
	read_one(&s, &said, (struct conf_item)ITEM("Default", S("advisory"), B(true), N(0.05)));
	assert_int_equal(s.def.kind, DELTA_NATIVE);
	settings_fini(&s);
}

static void hear_warning(void *ctx, enum severity severity, const char *text)
{
	struct said *said = ctx;
	assert_int_equal(severity, SEVERITY_WARNING);
	said->errors++;
	snprintf(said->last, sizeof(said->last), "%s", text);
}

static void every_below_a_second__where_rrd_files_are_written__is_warned_of(void **state)
{
	struct settings        s;
	struct said            said = { 0 };
	const struct conf_item block = BLOCK("Plugin", BLOCK("Log", ITEM("Every", N(0.5)), ITEM("Metric", S("a/b"))),
					     BLOCK("Log", ITEM("Every", N(1)), ITEM("Metric", S("a/b"))));
	(void)state;
	assert_int_equal(settings_init(&s), OK);
	assert_int_equal(settings_add(&s, &block, hear_warning, &said), OK);
	assert_int_equal(settings_check(&s, hear_warning, &said), OK);
	assert_int_equal(said.errors, 0);
	s.rrd_writer = "rrdtool";
	assert_int_equal(settings_check(&s, hear_warning, &said), OK);
	assert_int_equal(said.errors, 1);
	assert_has(said.last, "<Log> block 1: Every \"500ms\": the plugin rrdtool");
	settings_fini(&s);
}

static void bypass__without_postcache__is_an_error_and_ignored(void **state)
{
	struct settings s;
	struct said     said;
	(void)state;
	read_one(&s, &said, (struct conf_item)ITEM("Bypass", S("threshold")));
	assert_int_equal(said.errors, 1);
	assert_has(said.last, "Bypass");
	assert_int_equal(s.n_bypass, 0);
	settings_fini(&s);
}

static void log_block__bad_selector__voids_itself_alone(void **state)
{
	struct settings s;
	struct said     said;
	(void)state;
	read_one(&s, &said, (struct conf_item)BLOCK("Log", ITEM("Metric", S("bad"), S("good/one"))));
	assert_int_equal(said.errors, 1);
	assert_int_equal(s.n_logs, 1);
	assert_int_equal(s.logs[0].n_metrics, 1);
	settings_fini(&s);
}

static void access__broken_block__closes_the_socket(void **state)
{
	struct settings     s;
	struct said         said;
	const struct caller somebody = { .uid = 4242, .gid = 4242 }, root = { 0 };
	(void)state;
	read_one(&s, &said, (struct conf_item)BLOCK("Access", ITEM("Other", S("enquire"), S("everything"))));
	assert_int_equal(access_rights(s.access, &somebody, 999), 0);
	assert_int_equal(access_rights(s.access, &root, 999), RIGHT_ALL);
	settings_fini(&s);
}

static void access__lines_that_match__add_up(void **state)
{
	struct settings     s;
	struct said         said;
	const gid_t         groups[] = { 10, 77 };
	const struct caller user = { .uid = 4242, .gid = 1, .groups = groups, .n_groups = 2 };
	const struct caller other = { .uid = 4243, .gid = 1 };
	(void)state;
	read_one(&s, &said,
		 (struct conf_item)BLOCK("Access", ITEM("User", N(4242), S("advisory")),
					 ITEM("Group", N(77), S("mandatory")), ITEM("Other", S("enquire"))));
	assert_int_equal(said.errors, 0);
	assert_int_equal(access_rights(s.access, &user, 999), RIGHT_ALL);
	assert_int_equal(access_rights(s.access, &other, 999), RIGHT_ENQUIRE);
	assert_int_equal(access_rights(s.access, &other, 4243), RIGHT_ALL);
	settings_fini(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(options__as_the_parser_hands_them_over__are_taken),
		cmocka_unit_test(malformed__every_option__one_error_that_names_option_and_what_is_accepted),
		cmocka_unit_test(no_value__every_option__one_error),
		cmocka_unit_test(blocks__of_one_kind__are_numbered_left_out_ones_too),
		cmocka_unit_test(default__below_the_limit__leaves_the_default_of_the_plugin),
		cmocka_unit_test(every_below_a_second__where_rrd_files_are_written__is_warned_of),
		cmocka_unit_test(bypass__without_postcache__is_an_error_and_ignored),
		cmocka_unit_test(log_block__bad_selector__voids_itself_alone),
		cmocka_unit_test(access__broken_block__closes_the_socket),
		cmocka_unit_test(access__lines_that_match__add_up),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
