/* tally - no count is lost, however many threads there are. */
#include <pthread.h>

#include "../fake/check.h"
#include "tally.h"

#define TURNS 2000
#define CROWD 80 /* more than there are stripes, so that some threads share one */

static void *count_some(void *arg)
{
	for (int i = 0; i < TURNS; i++) {
		tally_count(arg, COUNT_PASSED);
		if (i % 4 == 0)
			tally_count(arg, COUNT_LATE);
	}
	return NULL;
}

static void read__nothing_counted__zero_everywhere(void **state)
{
	(void)state;
	struct tally *t = tally_new();
	for (int c = 0; c < COUNTED_MAX; c++)
		assert_int_equal(tally_read(t, (enum counted)c), 0);
	tally_free(t);
}

static void count__each_counter__by_itself(void **state)
{
	(void)state;
	struct tally *t = tally_new(), *other = tally_new();
	for (int c = 0; c < COUNTED_MAX; c++) {
		for (int n = 0; n <= c; n++)
			tally_count(t, (enum counted)c);
	}
	for (int c = 0; c < COUNTED_MAX; c++) {
		assert_int_equal(tally_read(t, (enum counted)c), c + 1);
		assert_int_equal(tally_read(other, (enum counted)c), 0);
	}
	tally_free(t);
	tally_free(other);
}

static void count__more_threads_than_stripes_at_once__none_is_lost(void **state)
{
	(void)state;
	pthread_t     threads[CROWD];
	struct tally *t = tally_new();
	for (int i = 0; i < CROWD; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, count_some, t), 0);
	for (int i = 0; i < CROWD; i++)
		pthread_join(threads[i], NULL);
	assert_int_equal(tally_read(t, COUNT_PASSED), CROWD * TURNS);
	assert_int_equal(tally_read(t, COUNT_LATE), CROWD * TURNS / 4);
	tally_free(t);
}

/* A stripe that is given back goes on from what its last owner had counted. */
static void count__threads_one_after_another__none_is_lost(void **state)
{
	(void)state;
	struct tally *t = tally_new();
	for (int i = 0; i < CROWD; i++) {
		pthread_t a, b;
		assert_int_equal(pthread_create(&a, NULL, count_some, t), 0);
		assert_int_equal(pthread_create(&b, NULL, count_some, t), 0);
		pthread_join(a, NULL);
		pthread_join(b, NULL);
	}
	assert_int_equal(tally_read(t, COUNT_PASSED), 2 * CROWD * TURNS);
	tally_free(t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(read__nothing_counted__zero_everywhere),
		cmocka_unit_test(count__each_counter__by_itself),
		cmocka_unit_test(count__more_threads_than_stripes_at_once__none_is_lost),
		cmocka_unit_test(count__threads_one_after_another__none_is_lost),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
