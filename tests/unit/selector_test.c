/* selector - forms, matching, and a plain recursive matcher to compare with (specification section 3). */
#include "../fake/check.h"
#include "selector.h"

static struct selector *parse(const char *text)
{
	struct selector *s = NULL;
	struct why       why;
	if (selector_parse(&s, text, strlen(text), "own", &why) != OK)
		fail_msg("%s: %s", text, why.text);
	return s;
}

static bool selects(const char *selector, const char *identifier)
{
	struct selector *s = parse(selector);
	bool             yes = selector_matches(s, identifier, strlen(identifier));
	selector_unref(s);
	return yes;
}

static void matches__table__as_the_specification_says(void **state)
{
	static const struct {
		const char *selector, *identifier;
		bool        yes;
	} rows[] = {
		{ "h/cpu-0/cpu-idle", "h/cpu-0/cpu-idle", true },
		{ "h/cpu/cpu", "h/cpufreq/cpu", false },
		{ "h/load-*/load", "h/load/load", true },
		{ "h/load-*/load", "h/load-x/load", true },
		{ "h/load-*/load", "h/loader/load", false },
		{ "web-*/load/load", "web/load/load", false },
		{ "web-*/load/load", "web-1/load/load", true },
		{ "*/*/*", "a/b/c", true },
		{ "*/*", "own/b/c", true },
		{ "*/*", "a/b/c", false },
		{ "cpu-?/cpu-idle", "own/cpu-3/cpu-idle", true },
		{ "h/cpu-[0-3]/x", "h/cpu-2/x", true },
		{ "h/cpu-[!0-3]/x", "h/cpu-2/x", false },
		{ "h/cpu-[!0-3]/x", "h/cpu-7/x", true },
		{ "h/p-[]x]/t", "h/p-]/t", true },
		{ "h/p-[x/t", "h/p-[x/t", true },
		{ "h/p-[*]/t", "h/p-*/t", true },
		{ "h/p-[*]/t", "h/p-x/t", false },
		{ "h/p-[*]/t", "h/p-[*]/t", true },
		{ "h/p-a\\*/t", "h/p-a\\b/t", true },
		{ "h/kumo.web.1/t", "h/kumo.web.1/t", true },
		{ "h/kumo.web.1/t", "h/kumoxwebx1/t", false },
		{ "h/*/t", "h/a/b/t", false },
		{ "h/p/t-*", "h/p/t", true },
		{ "h/CPU/t", "h/cpu/t", false },
		{ "h/p/*a*b*c", "h/p/xxaxxbxxc", true },
		{ "h/p/*a*b*c", "h/p/xxaxxbxxcd", false },
	};
	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (selects(rows[i].selector, rows[i].identifier) != rows[i].yes)
			fail_msg("%s on %s", rows[i].selector, rows[i].identifier);
	}
}

static void parse__bad_forms__name_the_form(void **state)
{
	static const char *const bad[] = { "", "a", "a/b/c/d", "/b/c", "a//c", "a/b/", "df-/", "h/df-/usr/df" };
	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct selector *s;
		struct why       why;
		enum err         err = selector_parse(&s, bad[i], strlen(bad[i]), "own", &why);
		if (strcmp(bad[i], "df-/") == 0)
			assert_has(why.text, "df-root");
		assert_int_equal(err, ERR_INVAL);
		assert_has(why.text, "[HOST/]PLUGIN[-INSTANCE]/TYPE[-INSTANCE]");
	}
}

static void parse__exact_field_over_the_hosts_limit__is_refused_and_a_pattern_is_not(void **state)
{
	char             text[300] = "h/", name[129];
	struct selector *s;
	struct why       why;
	(void)state;
	memset(name, 'p', 128);
	name[128] = '\0';
	strcat(strcat(text, name), "/t");
	assert_int_equal(selector_parse(&s, text, strlen(text), "own", &why), ERR_INVAL);
	assert_has(why.text, "127");
	strcat(text, "*");
	assert_int_equal(selector_parse(&s, text, strlen(text), "own", &why), OK);
	selector_unref(s);
	/* cut at the first hyphen: 120 + 120 is no too long name */
	memset(text, 0, sizeof(text));
	name[120] = '\0';
	strcat(strcat(strcat(strcat(strcat(text, "h/"), name), "-"), name), "/t");
	assert_int_equal(selector_parse(&s, text, strlen(text), "own", &why), OK);
	selector_unref(s);
}

static void same__own_host_filled_in__is_the_same(void **state)
{
	struct selector *a = parse("cpu-*/cpu-idle"), *b = parse("own/cpu-*/cpu-idle"),
			*c = parse("own/cpu-*/cpu-user");
	size_t len;
	(void)state;
	assert_true(selector_same(a, b));
	assert_false(selector_same(a, c));
	assert_string_equal(selector_text(a, &len), "cpu-*/cpu-idle");
	selector_unref(a);
	selector_unref(b);
	selector_unref(c);
}

static void pattern_of_a_thousand_stars__ends(void **state)
{
	char text[2100] = "h/p/", name[2100] = "h/p/";
	(void)state;
	for (int i = 0; i < 1000; i++)
		strcat(text, "*a");
	memset(name + 4, 'a', 1500);
	strcpy(name + 1504, "b");
	assert_false(selects(text, name));
}

/* ---- a plain matcher, recursive ---- */

static bool plain_part(const char *p, const char *pe, const char *t, const char *te);

static bool plain_set(const char **p, const char *pe, char c, bool *closed)
{
	const char *q = *p + 1;
	bool        negated = q < pe && *q == '!', in = false;
	q += negated;
	for (const char *first = q; q < pe && (*q != ']' || q == first);) {
		if (q + 2 < pe && q[1] == '-' && q[2] != ']') {
			in |= c >= q[0] && c <= q[2];
			q += 3;
		} else {
			in |= *q++ == c;
		}
	}
	*closed = q < pe;
	if (*closed)
		*p = q + 1;
	return in != negated;
}

static bool plain_part(const char *p, const char *pe, const char *t, const char *te)
{
	if (p == pe)
		return t == te;
	if (*p == '*') {
		for (const char *k = t; k <= te; k++) {
			if (plain_part(p + 1, pe, k, te))
				return true;
		}
		return false;
	}
	if (t == te)
		return false;
	if (*p == '?')
		return plain_part(p + 1, pe, t + 1, te);
	if (*p == '[') {
		bool closed, in = plain_set(&p, pe, *t, &closed);
		if (closed)
			return in && plain_part(p, pe, t + 1, te);
	}
	return *p == *t && plain_part(p + 1, pe, t + 1, te);
}

static bool plain_bare(const char *p, const char *pe, const char *t, const char *te)
{
	if (plain_part(p, pe, t, te))
		return true;
	return pe - p >= 2 && pe[-1] == '*' && pe[-2] == '-' && plain_part(p, pe - 2, t, te);
}

static void random_text(uint64_t *seed, const char *letters, char *out)
{
	size_t n = 1 + random_below(seed, 5);
	for (size_t i = 0; i < n; i++)
		*out++ = letters[random_below(seed, (unsigned)strlen(letters))];
	*out = '\0';
}

static uint64_t pairs_of(const char *text)
{
	struct selector *s;
	assert_int_equal(selector_parse(&s, text, strlen(text), "own", NULL), OK);
	uint64_t pairs = selector_pairs(s);
	selector_unref(s);
	return pairs;
}

static void pairs__of_plain_characters__less_those_of_a_bare_hyphen(void **state)
{
	(void)state;
	assert_true(pairs_of("db1*/*/*") == (pair_bit('d', 'b') | pair_bit('b', '1')));
	assert_true(pairs_of("*/ab-*/*") == pair_bit('a', 'b'));
	assert_true(pairs_of("*/a?c[de]f/*") == 0);
	assert_true(pairs_of("ab-*/x/y") == (pair_bit('a', 'b') | pair_bit('b', '-')));
	assert_true(ident_pairs("abc", 3) == (pair_bit('a', 'b') | pair_bit('b', 'c')));
}

static void matches__random_patterns_and_names__as_a_plain_matcher(void **state)
{
	uint64_t seed = 11;
	long     times = times_from("LC_MATCHES", 300000), hits = 0;
	(void)state;
	for (long i = 0; i < times; i++) {
		char p[3][8], t[3][8], selector[32], name[32];
		for (int k = 0; k < 3; k++) {
			random_text(&seed, "aab-***?[]!", p[k]);
			random_text(&seed, "ab-", t[k]);
		}
		snprintf(selector, sizeof(selector), "%s/%s/%s", p[0], p[1], p[2]);
		snprintf(name, sizeof(name), "%s/%s/%s", t[0], t[1], t[2]);
		bool plain = strcmp(selector, name) == 0 ||
			     (plain_part(p[0], p[0] + strlen(p[0]), t[0], t[0] + strlen(t[0])) &&
			      plain_bare(p[1], p[1] + strlen(p[1]), t[1], t[1] + strlen(t[1])) &&
			      plain_bare(p[2], p[2] + strlen(p[2]), t[2], t[2] + strlen(t[2])));
		hits += plain;
		if (selects(selector, name) != plain)
			fail_msg("%s on %s: should be %d", selector, name, plain);
		if (plain && (pairs_of(selector) & ~ident_pairs(name, strlen(name))) != 0)
			fail_msg("%s selects %s, which lacks a pair of it", selector, name);
	}
	assert_true(hits > times / 500);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(matches__table__as_the_specification_says),
		cmocka_unit_test(parse__bad_forms__name_the_form),
		cmocka_unit_test(parse__exact_field_over_the_hosts_limit__is_refused_and_a_pattern_is_not),
		cmocka_unit_test(same__own_host_filled_in__is_the_same),
		cmocka_unit_test(pattern_of_a_thousand_stars__ends),
		cmocka_unit_test(pairs__of_plain_characters__less_those_of_a_bare_hyphen),
		cmocka_unit_test(matches__random_patterns_and_names__as_a_plain_matcher),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
