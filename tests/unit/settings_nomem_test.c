/*
 * Every allocation of reading the configuration fails once, by number: it is said, nothing is leaked, and nobody has a right that the whole
 * configuration would not have given.  (Leaks are what the address sanitizer and valgrind see in this program.)
 */
#include "../fake/check.h"
#include "../fake/nomem.h"
#include "settings.h"

#define TEXT(t)                                    \
	{                                          \
		.type = CONF_STRING, .string = (t) \
	}
#define NUMBER(n)                                  \
	{                                          \
		.type = CONF_NUMBER, .number = (n) \
	}
#define COUNT(l) (sizeof(l) / sizeof((l)[0]))

/* A delta so long that its buffer grows. */
#define LONG_DELTA                                                                                             \
	"0000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000" \
	"000000000000000000000000000000000000000000000000000000000000000000000000000000060s"

static const struct conf_value one_and_a_half_h[] = { NUMBER(1.5), TEXT("h") };
static const struct conf_value threshold[] = { TEXT("threshold"), TEXT("rrdtool") };
static const struct conf_value deflt[] = { TEXT("advisory"), TEXT("on"), TEXT(LONG_DELTA) };
static const struct conf_value metrics[] = { TEXT("*/cpu-*/*"), TEXT("own/load/load"), TEXT("*/df-*/*") };
static const struct conf_value root[] = { TEXT("root"), TEXT("all") };
static const struct conf_value others[] = { TEXT("enquire") };
static const struct conf_value postcache[] = { TEXT("PostCache") }, sock[] = { TEXT("/run/x.sock") },
			       group[] = { TEXT("adm") }, state_file[] = { TEXT("/var/lib/x") },
			       cpu[] = { TEXT("cpu") }, mandatory[] = { TEXT("mandatory") }, ten[] = { NUMBER(10) },
			       bad[] = { TEXT("bad") }, yes[] = { { .type = CONF_BOOLEAN, .boolean = true } };

static const struct conf_item log_items[] = {
	{ "Control", 1, 0, mandatory, NULL },
	{ "Every", 1, 0, ten, NULL },
	{ "Metric", 3, 0, metrics, NULL },
};
static const struct conf_item source_items[] = {
	{ "MinInterval", 1, 0, ten, NULL },
	{ "AllowUnknown", 1, 0, yes, NULL },
};
static const struct conf_item access_items[] = {
	{ "User", 2, 0, root, NULL },
	{ "Group", 2, 0, root, NULL },
	{ "Other", 1, 0, others, NULL },
};
static const struct conf_item good_items[] = {
	{ "SocketFile", 1, 0, sock, NULL },
	{ "SocketGroup", 1, 0, group, NULL },
	{ "StateFile", 1, 0, state_file, NULL },
	{ "Chain", 1, 0, postcache, NULL },
	{ "HistoryTimeout", 2, 0, one_and_a_half_h, NULL },
	{ "Bypass", 2, 0, threshold, NULL },
	{ "Default", 3, 0, deflt, NULL },
	{ "MaxRules", 1, 0, ten, NULL },
	{ "Log", 0, 3, NULL, log_items },
	{ "Source", 1, 2, cpu, source_items },
	{ "Access", 0, 3, NULL, access_items },
	{ "SocketFile", 1, 0, sock, NULL },
};
static const struct conf_item bad_log_items[] = {
	{ "Control", 1, 0, bad, NULL },
	{ "Every", 1, 0, bad, NULL },
	{ "Metric", 1, 0, bad, NULL },
};
static const struct conf_item bad_access_items[] = {
	{ "User", 2, 0, bad, NULL }, /* one word is there, and read as two it is no user */
	{ "Other", 1, 0, bad, NULL },
};
static const struct conf_item bad_items[] = {
	{ "Nonsense", 1, 0, bad, NULL },       { "Default", 1, 0, bad, NULL },
	{ "HistoryTimeout", 1, 0, bad, NULL }, { "Log", 0, 3, NULL, bad_log_items },
	{ "Source", 1, 2, cpu, log_items },    { "Access", 0, 1, NULL, bad_access_items + 1 },
};

static void hear(void *ctx, enum severity severity, const char *text)
{
	(void)severity;
	assert_has(text, "log_control: ");
	++*(int *)ctx;
}

static const struct caller somebody = { .uid = 1000, .gid = 1000 };

/* Reads it with the `n`th allocation failing.  `s` is the caller's to free. */
static enum err read_all(struct settings *s, const struct conf_item *items, size_t n_items, unsigned long n, int *said,
			 bool *happened)
{
	struct conf_item block = { "Plugin", 0, n_items, NULL, items };
	*said = 0;
	nomem_at(n);
	enum err err = settings_init(s);
	if (err == OK)
		err = settings_add(s, &block, hear, said);
	if (err == OK)
		err = settings_check(s, hear, said);
	*happened = nomem_off();
	return err;
}

static void good_block__each_allocation_fails__says_so_and_gives_no_right(void **state)
{
	(void)state;
	bool          happened = true;
	unsigned long n;
	for (n = 1; happened; n++) {
		struct settings s;
		int             said;
		enum err        err = read_all(&s, good_items, COUNT(good_items), n, &said, &happened);
		assert_int_equal(err, happened ? ERR_NOMEM : OK);
		assert_int_equal(said, 0);
		if (s.access != NULL)
			assert_int_equal(access_rights(s.access, &somebody, 5) & ~RIGHT_ENQUIRE, 0);
		settings_fini(&s);
	}
	assert_true(n > 40);
}

static void bad_lines__each_allocation_fails__are_reported_or_it_says_so(void **state)
{
	(void)state;
	struct settings s;
	bool            happened = true;
	int             all, said;
	assert_int_equal(read_all(&s, bad_items, COUNT(bad_items), 0, &all, &happened), OK);
	assert_true(all >= 8);
	settings_fini(&s);
	happened = true;
	for (unsigned long n = 1; happened; n++) {
		enum err err = read_all(&s, bad_items, COUNT(bad_items), n, &said, &happened);
		if (err == OK)
			assert_int_equal(said, all);
		else
			assert_true(err == ERR_NOMEM && happened);
		assert_int_equal(s.n_logs, 0);
		if (s.access != NULL)
			assert_int_equal(access_rights(s.access, &somebody, 5), 0);
		settings_fini(&s);
	}
}

static void access_line__each_allocation_fails__gives_no_right(void **state)
{
	static const char *const all[] = { "all" };
	(void)state;
	bool happened = true;
	for (unsigned long n = 1; happened; n++) {
		struct access *a = access_new();
		struct why     why = { "" };
		struct caller  c = { .uid = 7, .gid = 0 }; /* group root */
		assert_non_null(a);
		nomem_at(n);
		enum err err = access_add(a, ACCESS_GROUP, "root", all, 1, &why);
		happened = nomem_off();
		assert_int_equal(err, happened ? ERR_NOMEM : OK);
		if (happened)
			assert_has(why.text, "out of memory");
		assert_int_equal(access_rights(a, &c, 5), happened ? 0 : RIGHT_ALL);
		access_free(a);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(good_block__each_allocation_fails__says_so_and_gives_no_right),
		cmocka_unit_test(bad_lines__each_allocation_fails__are_reported_or_it_says_so),
		cmocka_unit_test(access_line__each_allocation_fails__gives_no_right),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
