/*
 * Every command with every set of rights (specification section 12), made from the command table: a command that is added there is tested here.
 */
#include "../fake/check.h"
#include "../fake/lab.h"

#define RIGHTS_CHANGE (RIGHT_ADVISORY | RIGHT_MANDATORY)

/* The words behind a verb, and what they need: all of it, or any of it. */
struct attempt {
	const char *words;
	unsigned    all_of, any_of;
};

static const struct attempt nothing[] = { { "", 0, 0 }, { NULL, 0, 0 } };
static const struct attempt enquire[] = { { "", RIGHT_ENQUIRE, 0 }, { NULL, 0, 0 } };
static const struct attempt enquire_about[] = { { " own/a/b", RIGHT_ENQUIRE, 0 },
						{ " own/none/x", RIGHT_ENQUIRE, 0 },
						{ NULL, 0, 0 } };
static const struct attempt by_control[] = {
	{ " advisory on own/a/b", RIGHT_ADVISORY, 0 },
	{ " advisory off every=5s for=1h own/a/b", RIGHT_ADVISORY, 0 },
	{ " advisory on dryrun=true own/a/b", RIGHT_ADVISORY, 0 },
	{ " mandatory on own/a/b", RIGHT_MANDATORY, 0 },
	{ " mandatory off note=\"x\" own/a/b", RIGHT_MANDATORY, 0 },
	{ " mandatory maybe own/a/b", RIGHT_MANDATORY, 0 },
	{ " mandatory on dryrun=true own/a/b", RIGHT_MANDATORY, 0 },
	{ NULL, 0, 0 },
};
/* Entry 1 is advisory, entry 2 mandatory. */
static const struct attempt by_entry[] = {
	{ " 1", RIGHT_ADVISORY, 0 },    { " 2", RIGHT_MANDATORY, 0 }, { " 1 2", RIGHTS_CHANGE, 0 },
	{ " 2 1 1", RIGHTS_CHANGE, 0 }, { " all", 0, RIGHTS_CHANGE }, { NULL, 0, 0 },
};

static const struct attempt *attempts(const struct command *c)
{
	switch (c->needs) {
	case NEEDS_NOTHING:
		return nothing;
	case NEEDS_ENQUIRE:
		return c->min_words == 0 ? enquire : enquire_about;
	case NEEDS_BY_CONTROL:
		return by_control;
	case NEEDS_BY_ENTRY:
		return by_entry;
	}
	fail_msg("%s needs what no test knows", c->verb);
	return NULL;
}

static char *all_rules(struct lab *lab)
{
	lab->rights = RIGHT_ALL;
	return strdup(lab_ask(lab, "RULES"));
}

/* Does the reply name a right that is needed and not there? */
static bool names_a_missing_right(const char *reply, unsigned missing)
{
	for (unsigned right = RIGHT_ENQUIRE; right <= RIGHT_MANDATORY; right *= 2) {
		char part[40];
		snprintf(part, sizeof(part), "\"%s\"", right_name(right));
		if ((missing & right) != 0 && strstr(reply, part) != NULL)
			return true;
	}
	return false;
}

/* A denied attempt says which command and right, and changes nothing. */
static void try(const struct command *c, const struct attempt *a, unsigned rights)
{
	struct lab lab;
	lab_open(&lab, HELD_DEFAULT);
	lab_ask(&lab, "LOG advisory on own/a/b");
	lab_ask(&lab, "LOG mandatory on own/c/d");
	char      *before = all_rules(&lab);
	const bool may = (rights & a->all_of) == a->all_of && (a->any_of == 0 || (rights & a->any_of) != 0);
	unsigned   missing = (a->all_of | a->any_of) & ~rights;
	lab.rights = rights;
	const char *reply = lab_ask(&lab, "%s%s", c->verb, a->words);
	if ((strncmp(reply, "-13 ", 4) == 0) == may || (may && reply[0] == '-'))
		fail_msg("%s%s with rights %u: %s", c->verb, a->words, rights, reply);
	if (!may) {
		assert_has(reply, c->verb);
		assert_has(reply, "uid 1000 does not have");
		if (!names_a_missing_right(reply, missing))
			fail_msg("%s%s with rights %u names another right: %s", c->verb, a->words, rights, reply);
		char *after = all_rules(&lab);
		assert_string_equal(after, before);
		free(after);
	}
	free(before);
	lab_close(&lab);
}

static void every_command__every_set_of_rights__as_the_table_says(void **state)
{
	(void)state;
	for (size_t i = 0; i < command_count(); i++) {
		for (const struct attempt *a = attempts(command_at(i)); a->words != NULL; a++) {
			for (unsigned rights = 0; rights <= RIGHT_ALL; rights++)
				try(command_at(i), a, rights);
		}
	}
}

static void forget_all__those_that_one_may(void **state)
{
	static const struct {
		unsigned    rights;
		const char *gone, *left;
	} rows[] = {
		{ RIGHT_ADVISORY, "entries=1\n", "\n2 socket " },
		{ RIGHT_MANDATORY, "entries=1\n", "\n1 socket " },
		{ RIGHTS_CHANGE, "entries=2\n", "0 Rules\n" },
	};
	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct lab lab;
		lab_open(&lab, HELD_DEFAULT);
		lab_ask(&lab, "LOG advisory on own/a/b");
		lab_ask(&lab, "LOG mandatory on own/c/d");
		lab.rights = rows[i].rights;
		assert_has(lab_ask(&lab, "FORGET all"), rows[i].gone);
		char *rules = all_rules(&lab);
		assert_has(rules, rows[i].left);
		assert_int_equal(rules[0], i == 2 ? '0' : '1');
		free(rules);
		lab_close(&lab);
	}
}

/* The entry that may not go is named, and nothing goes. */
static void forget__one_of_several_denied__none_goes(void **state)
{
	struct lab lab;
	(void)state;
	lab_open(&lab, HELD_DEFAULT);
	lab_ask(&lab, "LOG mandatory on own/a/b");
	lab_ask(&lab, "LOG advisory on own/c/d");
	lab.rights = RIGHT_ADVISORY | RIGHT_ENQUIRE;
	assert_has(lab_ask(&lab, "FORGET 2 1"), "-13 FORGET of entry 1 needs the right \"mandatory\"");
	assert_has(lab_ask(&lab, "RULES"), "2 Rules");
	lab_close(&lab);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_command__every_set_of_rights__as_the_table_says),
		cmocka_unit_test(forget_all__those_that_one_may),
		cmocka_unit_test(forget__one_of_several_denied__none_goes),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
