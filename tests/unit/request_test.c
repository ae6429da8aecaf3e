/*
 * Words, quotes and options of the line protocol (specification section 11).
 */
#include "../fake/check.h"
#include "buf.h"
#include "request.h"

#define COUNT(list) (sizeof(list) / sizeof((list)[0]))

static struct why why;
static char       shown[4096];

/* What a line is taken for: `[word]` each, then `{name=value}` each; "-22" when it is refused.  The line is copied to memory of its very size, so
 * that the sanitizer sees a byte too far. */
static const char *parsed(const char *line, size_t len)
{
	struct request r = REQUEST_INIT;
	struct buf     b = BUF_INIT;
	char          *copy = malloc(len + (len == 0));
	assert_non_null(copy);
	memcpy(copy, line, len);
	enum err err = request_parse(&r, copy, len, &why);
	if (err != OK) {
		assert_null(r.words);
		assert_null(r.options);
		buf_addf(&b, "%d", err_number(err));
	}
	for (size_t i = 0; i < r.n_words; i++)
		buf_addf(&b, "[%.*s]", (int)r.words[i].len, r.words[i].text);
	for (size_t i = 0; i < r.n_options; i++)
		buf_addf(&b, "{%.*s=%.*s}", (int)r.options[i].name.len, r.options[i].name.text,
			 (int)r.options[i].value.len, r.options[i].value.text);
	snprintf(shown, sizeof(shown), "%s", buf_text(&b));
	buf_fini(&b);
	request_fini(&r);
	free(copy);
	return shown;
}

static void parse__words_quotes_and_options__as_the_protocol_says(void **state)
{
	static const struct {
		const char *name, *line, *expected;
	} rows[] = {
		{ "nothing", "", "" },
		{ "blanks only", " \t  ", "" },
		{ "a CR only", "\r", "" },
		{ "one word", "STATUS", "[STATUS]" },
		{ "CRLF", "STATUS\r", "[STATUS]" },
		{ "one CR is dropped, not two", "STATUS\r\r", "[STATUS\r]" },
		{ "a CR inside is plain", "A b\rc", "[A][b\rc]" },
		{ "blanks and tabs separate", "\t A  \tb\t", "[A][b]" },
		{ "a quoted word", "A \"b c\"", "[A][b c]" },
		{ "an empty quoted word", "A \"\" b", "[A][][b]" },
		{ "escapes", "A \"\\\"\\\\\\x41\\x7A\\x7a\"", "[A][\"\\Azz]" },
		{ "8-bit bytes are plain", "A \xc3\xa4 \"\xff\"", "[A][\xc3\xa4][\xff]" },
		{ "control characters are plain", "A \x01\x7f", "[A][\x01\x7f]" },
		{ "a quote inside a word is plain", "A b\"c d\"", "[A][b\"c][d\"]" },
		{ "a backslash inside a word is plain", "A b\\x41\\", "[A][b\\x41\\]" },
		{ "an option", "A every=10 b", "[A][b]{every=10}" },
		{ "an option wherever it stands", "A b Every=10 c FOR=2", "[A][b][c]{Every=10}{FOR=2}" },
		{ "a quoted value", "A note=\"a \\\"b\\\" c\" d", "[A][d]{note=a \"b\" c}" },
		{ "an empty value", "A note= b", "[A][b]{note=}" },
		{ "an empty quoted value", "A note=\"\" b", "[A][b]{note=}" },
		{ "a quote later in a value is plain", "A note=a\"b", "[A]{note=a\"b}" },
		{ "the value ends at a blank", "A note=a b", "[A][b]{note=a}" },
		{ "a second = belongs to the value", "A a=b=c", "[A]{a=b=c}" },
		{ "a quote behind a second = is plain", "A a=b=\"c", "[A]{a=b=\"c}" },
		{ "letters, digits, underscore in a name", "A a_B9=1", "[A]{a_B9=1}" },
		{ "a slash before = makes a selector", "A h/p-a=b/t", "[A][h/p-a=b/t]" },
		{ "a slash behind = does not", "A p=a/t", "[A]{p=a/t}" },
		{ "quoted, it is a selector", "A \"p=a/t\"", "[A][p=a/t]" },
		{ "other characters make no name", "A a-b=c a.b=c *=d", "[A][a-b=c][a.b=c][*=d]" },
		{ "no name before = is no option", "A =b =\"b", "[A][=b][=\"b]" },
		{ "an 8-bit letter is no name", "A \xe4=1", "[A][\xe4=1]" },
		{ "the first word is the command", "every=10 A", "[every=10][A]" },
		{ "quoted first word", "\"STATUS\"", "[STATUS]" },
		{ "a quoted NUL is a byte of a word", "A \"\\x00\"b", "-22" },
	};
	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		const char *got = parsed(rows[i].line, strlen(rows[i].line));
		if (strcmp(got, rows[i].expected) != 0)
			fail_msg("%s: \"%s\" gives %s, expected %s", rows[i].name, rows[i].line, got, rows[i].expected);
	}
}

static void parse__refused__says_why(void **state)
{
	static const struct {
		const char *line;
		size_t      len;
		const char *part;
	} rows[] = {
#define LINE(text) (text), sizeof(text) - 1
		{ LINE("A \"b"), "a quote is not closed" },
		{ LINE("A note=\"b"), "a quote is not closed" },
		{ LINE("A \""), "a quote is not closed" },
		{ LINE("A \"b\\\""), "a quote is not closed" },
		{ LINE("A \"b\"c"), "\"c\" follows a closing quote" },
		{ LINE("A n=\"b\"c"), "follows a closing quote" },
		{ LINE("A \"b\"\"c\""), "follows a closing quote" },
		{ LINE("A \"\\n\""), "backslash" },
		{ LINE("A \"\\"), "backslash" },
		{ LINE("A \"\\x4\""), "backslash" },
		{ LINE("A \"\\x4g\""), "backslash" },
		{ LINE("A \"\\X41\""), "backslash" },
		{ LINE("A b\0c"), "a NUL byte" },
		{ LINE("\0"), "a NUL byte" },
		{ LINE("A a=1 b=2 A=3"), "\"A\" is given twice" },
		{ LINE("A a=1 a=1"), "given twice" },
		{ LINE("A a=1 b=1 c=1 d=1 e=1 f=1 g=1 h=1 i=1 j=1 k=1 l=1 m=1 n=1 o=1 p=1 q=1"), "is to be quoted" },
#undef LINE
	};
	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		why.text[0] = '\0';
		assert_string_equal(parsed(rows[i].line, rows[i].len), "-22");
		assert_has(why.text, rows[i].part);
	}
}

/* Whatever a reply prints in quotes comes back as it was. */
static void quoted__any_bytes__come_back(void **state)
{
	uint64_t seed = 11;
	(void)state;
	for (int round = 0; round < 20000; round++) {
		struct buf     line = BUF_INIT;
		struct request r;
		char           text[40];
		size_t         len = random_below(&seed, sizeof(text));
		for (size_t i = 0; i < len; i++)
			text[i] = (round & 1) != 0 ? "\"\\x40/= \t\r\n*["[random_below(&seed, 13)]
						   : (char)random_below(&seed, 256);
		buf_adds(&line, "ENQUIRE note=");
		buf_add_quoted(&line, text, len);
		buf_addc(&line, ' ');
		buf_add_quoted(&line, text, len);
		assert_null(memchr(line.data, '\n', line.len));
		assert_int_equal(request_parse(&r, line.data, line.len, &why), OK);
		assert_int_equal(r.n_words, 2);
		assert_int_equal(r.words[1].len, len);
		assert_memory_equal(r.words[1].text, text, len);
		assert_int_equal(r.options[0].value.len, len);
		assert_memory_equal(r.options[0].value.text, text, len);
		request_fini(&r);
		buf_fini(&line);
	}
}

/* No line crashes, and what is accepted holds together. */
static void parse__random_lines__words_stay_inside_the_line(void **state)
{
	uint64_t seed = 12;
	(void)state;
	for (int round = 0; round < 50000; round++) {
		struct request r;
		size_t         len = random_below(&seed, 24);
		char          *line = malloc(len + 1);
		assert_non_null(line);
		for (size_t i = 0; i < len; i++)
			line[i] = "\"\\x4 \t\ra_=/*\0\xff"[random_below(&seed, 14)];
		if (request_parse(&r, line, len, &why) == OK) {
			for (size_t i = 0; i < r.n_words; i++)
				assert_true(r.words[i].text >= line && r.words[i].text + r.words[i].len <= line + len);
			request_fini(&r);
		}
		free(line);
	}
}

static void parse__a_line_of_1_mib__has_all_its_words(void **state)
{
	const size_t   n = 100000;
	struct buf     line = BUF_INIT;
	struct request r;
	(void)state;
	buf_adds(&line, "LOG");
	for (size_t i = 0; i < n; i++)
		buf_addf(&line, " a/b/%05zu", i);
	assert_int_equal(request_parse(&r, line.data, line.len, &why), OK);
	assert_int_equal(r.n_words, n + 1);
	assert_memory_equal(r.words[n].text, "a/b/99999", 9);
	request_fini(&r);
	buf_fini(&line);
}

static void option__by_any_case__found(void **state)
{
	static const char *const allowed[] = { "every", "for", NULL }, *const none[] = { NULL };
	char           line[] = "LOG EVERY=\"1 s\" x";
	struct request r;
	(void)state;
	assert_int_equal(request_parse(&r, line, strlen(line), &why), OK);
	const struct span *value = request_option(&r, "every");
	assert_non_null(value);
	assert_true(span_is(*value, "1 S"));
	assert_false(span_is(*value, "1 s "));
	assert_null(request_option(&r, "for"));
	assert_int_equal(request_check_options(&r, allowed, &why), OK);
	assert_int_equal(request_check_options(&r, allowed + 1, &why), ERR_INVAL);
	assert_has(why.text, "unknown option \"EVERY\"; options here: for;");
	assert_int_equal(request_check_options(&r, none, &why), ERR_INVAL);
	assert_has(why.text, "options here: none");
	request_fini(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(parse__words_quotes_and_options__as_the_protocol_says),
		cmocka_unit_test(parse__refused__says_why),
		cmocka_unit_test(quoted__any_bytes__come_back),
		cmocka_unit_test(parse__random_lines__words_stay_inside_the_line),
		cmocka_unit_test(parse__a_line_of_1_mib__has_all_its_words),
		cmocka_unit_test(option__by_any_case__found),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
