/* source - one record a name, for good. */
#include <pthread.h>

#include "../fake/check.h"
#include "source.h"

static int sources_open(void **state)
{
	*state = sources_new();
	return *state == NULL;
}

static int sources_close(void **state)
{
	sources_free(*state);
	return 0;
}

static void get__same_name__same_record(void **state)
{
	char           name[] = "cpu";
	struct source *cpu = source_get(*state, name);
	name[0] = 'x'; /* the name is copied */
	assert_ptr_equal(source_get(*state, "cpu"), cpu);
	assert_ptr_not_equal(source_get(*state, "cpufreq"), cpu);
	assert_string_equal(cpu->name, "cpu");
	assert_int_equal(cpu->configured_ns, 0);
	assert_false(cpu->driven);
	assert_null(cpu->members);
}

static void get__no_name__the_source_called_dash(void **state)
{
	struct source *none = source_get(*state, NULL);
	assert_string_equal(none->name, "-");
	assert_ptr_equal(source_get(*state, ""), none);
	assert_ptr_equal(source_find(*state, "-"), none);
}

static void find__never_met__nothing_is_made(void **state)
{
	assert_null(source_find(*state, "cpu"));
	assert_int_equal(sources_count(*state), 0);
}

static void get__many__records_stay_where_they_are(void **state)
{
	struct source *made[200];
	char           name[16];
	for (size_t i = 0; i < 200; i++) {
		snprintf(name, sizeof(name), "s%zu", i);
		made[i] = source_get(*state, name);
	}
	assert_int_equal(sources_count(*state), 200);
	for (size_t i = 0; i < 200; i++) {
		snprintf(name, sizeof(name), "s%zu", i);
		assert_ptr_equal(source_find(*state, name), made[i]);
		assert_ptr_equal(sources_at(*state, i), made[i]);
		assert_int_equal(made[i]->index, i);
	}
}

static void *get_all(void *arg)
{
	char name[16];
	for (int i = 0; i < 1000; i++) {
		snprintf(name, sizeof(name), "s%d", i % 50);
		source_get(arg, name);
	}
	return NULL;
}

static void get__from_several_threads__each_name_once(void **state)
{
	pthread_t threads[4];
	for (int i = 0; i < 4; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, get_all, *state), 0);
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	assert_int_equal(sources_count(*state), 50);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(get__same_name__same_record, sources_open, sources_close),
		cmocka_unit_test_setup_teardown(get__no_name__the_source_called_dash, sources_open, sources_close),
		cmocka_unit_test_setup_teardown(find__never_met__nothing_is_made, sources_open, sources_close),
		cmocka_unit_test_setup_teardown(get__many__records_stay_where_they_are, sources_open, sources_close),
		cmocka_unit_test_setup_teardown(get__from_several_threads__each_name_once, sources_open, sources_close),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
