/* word - every row of status_words.tsv, computed by the peer's own macros. */
#include "../fake/check.h"
#include "log_control.h"
#include "word.h"

static void word_make__every_row_of_status_words__is_laid_out_as_the_peers(void **state)
{
	char   line[512];
	size_t rows = 0, passed = 0, saturating = 0, refused = 0;
	FILE  *f = fopen(SRCDIR "/tests/conformance/status_words.tsv", "r");
	(void)state;
	assert_non_null(f);
	assert_non_null(fgets(line, sizeof(line), f));
	while (fgets(line, sizeof(line), f) != NULL) {
		int       on, mand, avail, inlog;
		long long delta;
		unsigned  word;
		assert_int_equal(sscanf(line, "%d %d %d %d %lld %x", &on, &mand, &avail, &inlog, &delta, &word), 6);
		rows++;
		if (delta < 0) { /* ours cannot be asked for: no delta is negative */
			refused++;
			continue;
		}
		struct held held = { .mandatory = mand != 0, .on = on != 0 };
		uint32_t    ours = word_make(held, avail != 0, inlog != 0, (uint64_t)delta);
		if (delta > PMLC_MAX_DELTA) {
			saturating++;
			assert_int_equal(PMLC_GET_DELTA(ours), PMLC_MAX_DELTA);
		} else {
			assert_int_equal(ours, word);
			assert_int_equal(PMLC_GET_DELTA(ours), delta);
		}
		assert_int_equal(PMLC_GET_ON(ours), on);
		assert_int_equal(PMLC_GET_MAND(ours), mand);
		assert_int_equal(PMLC_GET_AVAIL(ours), avail);
		assert_int_equal(PMLC_GET_INLOG(ours), inlog);
		passed++;
	}
	fclose(f);
	print_message(
		"status_words.tsv: %zu rows, %zu passed, %zu differing by design (%zu saturate, %zu are refused)\n",
		rows, passed, saturating + refused, saturating, refused);
	assert_int_equal(rows, 65);
	assert_int_equal(passed + refused, rows);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(word_make__every_row_of_status_words__is_laid_out_as_the_peers),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
