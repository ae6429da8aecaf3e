/* ident - the text of a name, made from the host's fields a piece at a time, against the plain way of making it. */
#include "../fake/check.h"

#include "ident.h"

#include <stdio.h>

struct fields {
	char host[FIELD_ROOM], plugin[FIELD_ROOM], plugin_instance[FIELD_ROOM], type[FIELD_ROOM],
		type_instance[FIELD_ROOM];
};

/* A field of `n` bytes, and behind its terminator something that is not to be seen. */
static void fill(char field[FIELD_ROOM], size_t n, char with)
{
	memset(field, '#', FIELD_ROOM);
	memset(field, with, n);
	if (n < FIELD_ROOM)
		field[n] = '\0';
}

static void check(const struct fields *f)
{
	char out[IDENT_ROOM + 1], plain[IDENT_MAX + 1];
	int  most = FIELD_MAX;
	out[IDENT_ROOM] = '!';
	struct ident ident = ident_format(out, f->host, f->plugin, f->plugin_instance, f->type, f->type_instance);
	int          len = snprintf(plain, sizeof(plain), "%.*s/%.*s%s%.*s/%.*s%s%.*s", most, f->host, most, f->plugin,
                           f->plugin_instance[0] == '\0' ? "" : "-", most, f->plugin_instance, most, f->type,
                           f->type_instance[0] == '\0' ? "" : "-", most, f->type_instance);
	assert_string_equal(out, plain);
	assert_int_equal(ident.len, len);
	assert_ptr_equal(ident.text, out);
	assert_true(ident.hash == ident_hash(plain, (size_t)len));
	assert_int_equal(out[IDENT_ROOM], '!');
}

static void ident_format__every_length_of_every_field__as_the_plain_way(void **state)
{
	struct fields f;
	(void)state;
	for (size_t i = 0; i < 5; i++) {
		for (size_t n = 0; n < FIELD_ROOM; n++) {
			fill(f.host, i == 0 ? n : 17, 'h');
			fill(f.plugin, i == 1 ? n : 9, 'p');
			fill(f.plugin_instance, i == 2 ? n : 0, 'i');
			fill(f.type, i == 3 ? n : 8, 't');
			fill(f.type_instance, i == 4 ? n : 3, 'j');
			check(&f);
		}
	}
}

static void ident_format__bytes_above_127__are_no_ends(void **state)
{
	struct fields f;
	(void)state;
	for (int c = 1; c < 256; c++) {
		fill(f.host, 33, (char)c);
		fill(f.plugin, 5, (char)c);
		fill(f.plugin_instance, 1, (char)c);
		fill(f.type, 16, (char)c);
		fill(f.type_instance, 0, 0);
		check(&f);
	}
}

static void ident_format__all_at_their_longest_or_without_an_end__cut_and_in_bounds(void **state)
{
	struct fields f;
	(void)state;
	for (size_t n = FIELD_MAX; n <= FIELD_ROOM; n++) {
		fill(f.host, n, 'h');
		fill(f.plugin, n, 'p');
		fill(f.plugin_instance, n, 'i');
		fill(f.type, n, 't');
		fill(f.type_instance, n, 'j');
		check(&f);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ident_format__every_length_of_every_field__as_the_plain_way),
		cmocka_unit_test(ident_format__bytes_above_127__are_no_ends),
		cmocka_unit_test(ident_format__all_at_their_longest_or_without_an_end__cut_and_in_bounds),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
