/*
 * Who may do what (specification section 12): lines of <Access>, and callers as the kernel tells of them.
 */
#include <grp.h>
#include <pwd.h>

#include "../fake/check.h"
#include "access.h"

#define COUNT(list) (sizeof(list) / sizeof((list)[0]))
#define DAEMON      500

struct line {
	enum access_kind kind;
	const char      *name;
	const char      *words[4];
};

static struct why why;

static enum err add(struct access *a, const struct line *l)
{
	size_t n = 0;
	while (n < COUNT(l->words) && l->words[n] != NULL)
		n++;
	return access_add(a, l->kind, l->name, l->words, n, &why);
}

static unsigned rights_of(const struct access *a, uid_t uid, gid_t gid, gid_t second)
{
	const gid_t         groups[] = { 7000, second };
	const struct caller caller = { .uid = uid, .gid = gid, .pid = 1, .groups = groups, .n_groups = 2 };
	return access_rights(a, &caller, DAEMON);
}

static void no_block__who_may_connect_may_do_all(void **state)
{
	struct access *a = access_new();
	(void)state;
	assert_int_equal(rights_of(a, 1234, 1234, 1234), RIGHT_ALL);
	access_free(a);
}

static void empty_block__root_and_the_daemon_alone(void **state)
{
	struct access *a = access_new();
	(void)state;
	access_close(a);
	assert_int_equal(rights_of(a, 1234, 0, 0), 0);
	assert_int_equal(rights_of(a, 0, 1234, 1234), RIGHT_ALL);
	assert_int_equal(rights_of(a, DAEMON, 1234, 1234), RIGHT_ALL);
	access_free(a);
}

static void lines__those_that_match_add_up(void **state)
{
	static const struct line lines[] = {
		{ ACCESS_USER, "1001", { "enquire" } },   { ACCESS_USER, "1002", { "ALL" } },
		{ ACCESS_USER, "1003", { "none" } },      { ACCESS_USER, "1004", { "Advisory", "mandatory" } },
		{ ACCESS_GROUP, "2001", { "advisory" } }, { ACCESS_GROUP, "2002", { "mandatory" } },
		{ ACCESS_OTHER, NULL, { "enquire" } },
	};
	static const struct {
		uid_t    uid;
		gid_t    gid, second;
		unsigned rights;
	} rows[] = {
		{ 1001, 9, 9, RIGHT_ENQUIRE },
		{ 1002, 9, 9, RIGHT_ALL },
		{ 1003, 9, 9, RIGHT_ENQUIRE },
		{ 1004, 9, 9, RIGHT_ALL },
		{ 5555, 2001, 9, RIGHT_ENQUIRE | RIGHT_ADVISORY },
		{ 5555, 9, 2001, RIGHT_ENQUIRE | RIGHT_ADVISORY },
		{ 5555, 2002, 2001, RIGHT_ALL },
		{ 5555, 9, 9, RIGHT_ENQUIRE },
		{ 2001, 9, 9, RIGHT_ENQUIRE }, /* a group's number is no user's */
		{ 5555, 1002, 1002, RIGHT_ENQUIRE },
	};
	struct access *a = access_new();
	(void)state;
	for (size_t i = 0; i < COUNT(lines); i++)
		assert_int_equal(add(a, &lines[i]), OK);
	for (size_t i = 0; i < COUNT(rows); i++) {
		unsigned rights = rights_of(a, rows[i].uid, rows[i].gid, rows[i].second);
		if (rights != rows[i].rights)
			fail_msg("row %zu: rights %u, expected %u", i, rights, rows[i].rights);
	}
	access_free(a);
}

static void other_none__closes_to_everybody_not_named(void **state)
{
	static const struct line none = { ACCESS_OTHER, NULL, { "none" } };
	static const struct line user = { ACCESS_USER, "1001", { "all" } };
	struct access           *a = access_new();
	(void)state;
	assert_int_equal(add(a, &none), OK);
	assert_int_equal(add(a, &user), OK);
	assert_int_equal(rights_of(a, 1001, 9, 9), RIGHT_ALL);
	assert_int_equal(rights_of(a, 1002, 9, 9), 0);
	access_free(a);
}

static void names__as_the_system_knows_them(void **state)
{
	struct passwd *nobody = getpwnam("nobody");
	struct group  *daemons = getgrnam("daemon");
	struct access *a = access_new();
	(void)state;
	if (nobody == NULL || daemons == NULL)
		skip();
	const uid_t uid = nobody->pw_uid;
	assert_int_equal(add(a, &(struct line){ ACCESS_USER, "nobody", { "enquire" } }), OK);
	assert_int_equal(add(a, &(struct line){ ACCESS_GROUP, "daemon", { "mandatory" } }), OK);
	assert_int_equal(rights_of(a, uid, 9, 9), RIGHT_ENQUIRE);
	assert_int_equal(rights_of(a, 5555, 9, daemons->gr_gid), RIGHT_MANDATORY);
	access_free(a);
}

/* However a line is broken: it gives nothing, it closes the socket, and says what is accepted. */
static void broken_line__gives_no_right_at_all(void **state)
{
	static const struct {
		struct line line;
		const char *part;
	} rows[] = {
		{ { ACCESS_OTHER, NULL, { "enquire", "write" } }, "\"write\" is no right" },
		{ { ACCESS_OTHER, NULL, { "al" } }, "enquire, advisory, mandatory, all or none" },
		{ { ACCESS_OTHER, NULL, { "" } }, "is no right" },
		{ { ACCESS_OTHER, NULL, { NULL } }, "no right is named" },
		{ { ACCESS_USER, "1234", { "all", "everything" } }, "is no right" },
		{ { ACCESS_USER, "no_such_user_here", { "all" } }, "user \"no_such_user_here\" is not known" },
		{ { ACCESS_GROUP, "no_such_group_here", { "all" } }, "group \"no_such_group_here\" is not known" },
		{ { ACCESS_USER, "", { "all" } }, "not known" },
		{ { ACCESS_USER, "1234x", { "all" } }, "not known" },
		{ { ACCESS_USER, "-1", { "all" } }, "not known" },
		{ { ACCESS_USER, "4294967295", { "all" } }, "not known" }, /* (uid_t)-1 means nobody to the kernel */
		{ { ACCESS_USER, "4294968530", { "all" } }, "not known" }, /* 2^32 + 1234 */
		{ { ACCESS_USER, "99999999999999999999999", { "all" } }, "not known" },
	};
	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct access *a = access_new();
		assert_int_equal(add(a, &rows[i].line), ERR_INVAL);
		assert_has(why.text, rows[i].part);
		assert_has(why.text, i == 3 ? "write" : "no right");
		assert_int_equal(rights_of(a, 1234, 1234, 1234), 0);
		access_free(a);
	}
}

static void describe__one_line(void **state)
{
	struct buf     b = BUF_INIT;
	struct access *a = access_new();
	(void)state;
	access_describe(a, &b);
	assert_has(buf_text(&b), "whoever may connect to the socket may do all");
	buf_fini(&b);
	add(a, &(struct line){ ACCESS_USER, "1001", { "all" } });
	add(a, &(struct line){ ACCESS_GROUP, "2001", { "enquire", "advisory" } });
	add(a, &(struct line){ ACCESS_OTHER, NULL, { "none" } });
	access_describe(a, &b);
	assert_string_equal(buf_text(&b), "root and the daemon's user: all; user 1001: enquire advisory mandatory; "
					  "group 2001: enquire advisory; others: nothing");
	buf_fini(&b);
	access_free(a);
}

static void right_name__each(void **state)
{
	(void)state;
	assert_string_equal(right_name(RIGHT_ENQUIRE), "enquire");
	assert_string_equal(right_name(RIGHT_ADVISORY), "advisory");
	assert_string_equal(right_name(RIGHT_MANDATORY), "mandatory");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_block__who_may_connect_may_do_all),
		cmocka_unit_test(empty_block__root_and_the_daemon_alone),
		cmocka_unit_test(lines__those_that_match_add_up),
		cmocka_unit_test(other_none__closes_to_everybody_not_named),
		cmocka_unit_test(names__as_the_system_knows_them),
		cmocka_unit_test(broken_line__gives_no_right_at_all),
		cmocka_unit_test(describe__one_line),
		cmocka_unit_test(right_name__each),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
