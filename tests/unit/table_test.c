/* table - look-up, order, newborn, drops; and the roster behind it. */
#include <malloc.h>

#include "../fake/check.h"
#include "rcu.h"
#include "table.h"

#define MANY 20000

static int table_open(void **state)
{
	*state = table_new(MANY + 1);
	return *state == NULL;
}

static int table_close(void **state)
{
	table_free(*state);
	return 0;
}

static struct ident ident_of(const char *name)
{
	return (struct ident){ name, (uint32_t)strlen(name), ident_hash(name, strlen(name)) };
}

static struct ident numbered(char name[32], unsigned k)
{
	snprintf(name, 32, "h%u/p-%u/t", k % 7, k);
	return ident_of(name);
}

static enum err add_ident(struct table *t, struct ident ident, struct source *source, struct instance **out)
{
	struct instance *i = instance_new(ident);
	assert_non_null(i);
	i->source = source;
	table_lock_births(t);
	enum err err = table_add_locked(t, i);
	table_unlock_births(t);
	if (err != OK)
		instance_free(i);
	if (out != NULL)
		*out = err == OK ? i : NULL;
	return err;
}

static struct instance *add(struct table *t, const char *name)
{
	struct instance *i;
	assert_int_equal(add_ident(t, ident_of(name), NULL, &i), OK);
	return i;
}

static void add_many(struct table *t, unsigned from, unsigned to)
{
	char name[32];
	for (unsigned k = from; k < to; k++)
		assert_int_equal(add_ident(t, numbered(name, k), NULL, NULL), OK);
}

static bool all(void *ctx, struct instance *i)
{
	(void)ctx;
	(void)i;
	return true;
}

/* Over is whose name ends in the character. */
static bool ends_in(void *ctx, struct instance *i)
{
	return i->name[i->name_len - 1] == *(const char *)ctx;
}

/* The roster holds `n` names, each before the next. */
static void assert_in_order(const struct table *t, size_t n)
{
	size_t                  found;
	struct instance *const *list = table_roster(t, &found);
	assert_int_equal(found, n);
	for (size_t k = 1; k < n; k++)
		assert_true(strcmp(list[k - 1]->name, list[k]->name) < 0);
}

/* ---- look-up ---- */

static void find__never_added__nothing(void **state)
{
	assert_null(table_find(*state, ident_of("h/p/t")));
	add(*state, "h/p/t");
	assert_null(table_find(*state, ident_of("h/p/tt")));
	assert_null(table_find(*state, ident_of("h/p/")));
}

static void find__added__that_very_instance(void **state)
{
	struct instance *i = add(*state, "h/p/t"), *other = add(*state, "h/p/u");
	assert_ptr_equal(table_find(*state, ident_of("h/p/t")), i);
	assert_ptr_equal(table_find(*state, ident_of("h/p/u")), other);
	assert_int_equal(table_count(*state), 2);
}

static void find__same_hash__text_decides(void **state)
{
	static const uint64_t hashes[] = { 0, 1, UINT64_MAX, UINT64_C(0x1234567812345678) };
	char                  name[32];
	for (unsigned k = 0; k < 200; k++) {
		struct ident ident = numbered(name, k);
		ident.hash = hashes[k % 4];
		assert_int_equal(add_ident(*state, ident, NULL, NULL), OK);
	}
	for (unsigned k = 0; k < 200; k++) {
		struct ident ident = numbered(name, k);
		ident.hash = hashes[k % 4];
		assert_string_equal(table_find(*state, ident)->name, name);
		ident.hash = hashes[(k + 1) % 4];
		assert_null(table_find(*state, ident));
	}
}

static void find__after_growth__every_one(void **state)
{
	char name[32];
	add_many(*state, 0, MANY);
	table_sweep(*state, NULL, NULL); /* what growth left behind is freed while all stay */
	for (unsigned k = 0; k < MANY; k++)
		assert_string_equal(table_find(*state, numbered(name, k))->name, name);
	assert_null(table_find(*state, numbered(name, MANY)));
}

static void add__full__refused_and_nothing_changed(void **state)
{
	(void)state;
	struct table *t = table_new(2);
	add(t, "a/b/c");
	assert_false(table_is_full(t));
	add(t, "a/b/d");
	assert_true(table_is_full(t));
	assert_int_equal(add_ident(t, ident_of("a/b/e"), NULL, NULL), ERR_FULL);
	assert_null(table_find(t, ident_of("a/b/e")));
	assert_int_equal(table_count(t), 2);
	assert_int_equal(table_sweep(t, ends_in, (void *)"c"), 1);
	assert_int_equal(add_ident(t, ident_of("a/b/e"), NULL, NULL), OK);
	table_free(t);
}

/* With no metric instance the whole plugin must stay far below 256 KiB. */
static void new__empty__takes_little(void **state)
{
	assert_true(malloc_usable_size(*state) < 32 * 1024);
}

/* ---- order ---- */

static void roster__bytes_decide__unsigned_and_prefix_first(void **state)
{
	static const char *const names[] = { "a/b/c",     "a/b/c-", "a/b/c-1",  "a/b/c0",   "a/b/d",
					     "a/b\x01/c", "b",      "\x7f/x/y", "\x80/x/y", "\xff/x/y" };
	for (size_t k = sizeof(names) / sizeof(*names); k-- > 0;)
		add(*state, names[k]);
	assert_int_equal(table_settle(*state), OK);
	assert_in_order(*state, sizeof(names) / sizeof(*names));
}

/* Names that share more than the eight bytes that sorting looks at at once, and end inside them. */
static void roster__long_shared_runs__in_order(void **state)
{
	uint64_t seed = 5;
	char     name[80];
	size_t   n = 0;
	for (unsigned k = 0; k < 3000; k++) {
		size_t len = 1 + random_below(&seed, 60);
		memset(name, 'a', len);
		for (size_t c = 0; c < len; c += 1 + random_below(&seed, 20))
			name[c] = (char)('a' + random_below(&seed, 3));
		name[len] = '\0';
		if (table_find(*state, ident_of(name)) != NULL)
			continue;
		add(*state, name);
		n++;
		if (random_below(&seed, 100) == 0)
			assert_int_equal(table_settle(*state), OK);
	}
	assert_int_equal(table_settle(*state), OK);
	assert_in_order(*state, n);
}

static void settle__batches_of_every_size__in_order(void **state)
{
	uint64_t seed = 3;
	unsigned n = 0;
	while (n < MANY) {
		unsigned batch = random_below(&seed, 3) == 0 ? 3000 : random_below(&seed, 4);
		batch = n + batch > MANY ? MANY - n : batch;
		add_many(*state, n, n + batch);
		n += batch;
		assert_int_equal(table_settle(*state), OK);
	}
	assert_in_order(*state, MANY);
}

static void range__any_prefix__as_a_search_by_hand(void **state)
{
	static const char *const prefixes[] = { "",          "h",          "h3", "h3/", "h3/p-1",
						"h3/p-10/t", "h3/p-10/tt", "g",  "i",   "h9" };
	size_t                   all_n, n, want;
	add_many(*state, 0, 500);
	assert_int_equal(table_settle(*state), OK);
	struct instance *const *list = table_roster(*state, &all_n);
	for (size_t p = 0; p < sizeof(prefixes) / sizeof(*prefixes); p++) {
		size_t                  len = strlen(prefixes[p]);
		struct instance *const *range = table_range(*state, prefixes[p], len, &n);
		want = 0;
		for (size_t k = 0; k < all_n; k++) {
			if (strncmp(list[k]->name, prefixes[p], len) == 0)
				assert_ptr_equal(range[want++], list[k]);
		}
		assert_int_equal(n, want);
	}
}

/* ---- newborn and members ---- */

static void newborn__until_settled__newest_first_and_not_in_the_roster(void **state)
{
	size_t           n;
	struct instance *first = add(*state, "a/b/c"), *second = add(*state, "a/b/d");
	table_lock_births(*state);
	struct instance *newborn = table_newborn_locked(*state);
	table_unlock_births(*state);
	assert_ptr_equal(newborn, second);
	assert_ptr_equal(newborn->next, first);
	assert_null(first->next);
	table_roster(*state, &n);
	assert_int_equal(n, 0);
	assert_int_equal(table_settle(*state), OK);
	assert_null(table_newborn_locked(*state));
	table_roster(*state, &n);
	assert_int_equal(n, 2);
}

static size_t members(const struct source *s)
{
	size_t n = 0;
	for (const struct instance *i = s->members; i != NULL; i = i->next) {
		assert_ptr_equal(i->source, s);
		n++;
	}
	return n;
}

static void members__settled_and_swept__exactly_those_that_live(void **state)
{
	struct source even = { .name = (char *)"even" }, odd = { .name = (char *)"odd" };
	char          name[32];
	for (unsigned k = 0; k < 100; k++)
		assert_int_equal(add_ident(*state, numbered(name, k), k % 2 == 0 ? &even : &odd, NULL), OK);
	assert_int_equal(members(&even), 0);
	assert_int_equal(table_settle(*state), OK);
	assert_int_equal(members(&even), 50);
	assert_int_equal(members(&odd), 50);
	add_ident(*state, ident_of("h/p/x"), &even, NULL);
	assert_int_equal(table_sweep(*state, ends_in, (void *)"x"), 1);
	assert_int_equal(members(&even), 50);
	assert_int_equal(table_sweep(*state, all, NULL), 100);
	assert_null(even.members);
	assert_null(odd.members);
}

/* ---- drops ---- */

static void sweep__over__gone_from_look_up_and_roster(void **state)
{
	add(*state, "a/b/x");
	add(*state, "a/b/y");
	add(*state, "a/c/x");
	assert_int_equal(table_sweep(*state, ends_in, (void *)"x"), 2);
	assert_int_equal(table_count(*state), 1);
	assert_null(table_find(*state, ident_of("a/b/x")));
	assert_null(table_find(*state, ident_of("a/c/x")));
	assert_non_null(table_find(*state, ident_of("a/b/y")));
	assert_in_order(*state, 1);
}

static void sweep__reply_points_to_it__stays(void **state)
{
	struct instance *i = add(*state, "a/b/x");
	i->refs = 1;
	assert_int_equal(table_sweep(*state, all, NULL), 0);
	assert_ptr_equal(table_find(*state, ident_of("a/b/x")), i);
	i->refs = 0;
	assert_int_equal(table_sweep(*state, all, NULL), 1);
}

/* Over while the roster is walked, seen again before its turn to be dropped: it stays. */
static bool is_over_once(void *ctx, struct instance *i)
{
	(void)i;
	return (*(int *)ctx)++ == 0;
}

static void sweep__seen_again_meanwhile__stays(void **state)
{
	int asked = 0;
	add(*state, "a/b/x");
	assert_int_equal(table_sweep(*state, is_over_once, &asked), 0);
	assert_int_equal(asked, 2);
	assert_non_null(table_find(*state, ident_of("a/b/x")));
}

/* Probing goes on where an instance was dropped, and dropped names may come back. */
static void churn__births_and_deaths__others_are_always_found(void **state)
{
	char     name[32];
	uint64_t seed = 9;
	add_many(*state, 0, 3000);
	for (unsigned round = 0; round < 60; round++) {
		char last = (char)('0' + random_below(&seed, 10));
		for (unsigned k = 0; k < 3000; k++) {
			char own[40];
			snprintf(own, sizeof(own), "r/%u/%u%c", round % 3, k, last);
			if (k % 10 == 0 && table_find(*state, ident_of(own)) == NULL)
				add(*state, own);
		}
		assert_true(table_sweep(*state, ends_in, &last) > 0);
		assert_int_equal(table_count(*state), 3000);
		for (unsigned k = round; k < 3000; k += 60)
			assert_non_null(table_find(*state, numbered(name, k)));
	}
	assert_in_order(*state, 3000);
	assert_int_equal(table_sweep(*state, all, NULL), 3000);
	assert_int_equal(table_count(*state), 0);
}

int main(void)
{
#define IN_TABLE(test) cmocka_unit_test_setup_teardown(test, table_open, table_close)
	const struct CMUnitTest tests[] = {
		IN_TABLE(find__never_added__nothing),
		IN_TABLE(find__added__that_very_instance),
		IN_TABLE(find__same_hash__text_decides),
		IN_TABLE(find__after_growth__every_one),
		cmocka_unit_test(add__full__refused_and_nothing_changed),
		IN_TABLE(new__empty__takes_little),
		IN_TABLE(roster__bytes_decide__unsigned_and_prefix_first),
		IN_TABLE(roster__long_shared_runs__in_order),
		IN_TABLE(settle__batches_of_every_size__in_order),
		IN_TABLE(range__any_prefix__as_a_search_by_hand),
		IN_TABLE(newborn__until_settled__newest_first_and_not_in_the_roster),
		IN_TABLE(members__settled_and_swept__exactly_those_that_live),
		IN_TABLE(sweep__over__gone_from_look_up_and_roster),
		IN_TABLE(sweep__reply_points_to_it__stays),
		IN_TABLE(sweep__seen_again_meanwhile__stays),
		IN_TABLE(churn__births_and_deaths__others_are_always_found),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
