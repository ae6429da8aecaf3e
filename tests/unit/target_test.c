/*
 * target - the daemon's write threads as they call us: value lists of the host, many threads, one instance, out of order, with requests, ends
 * and the state file meanwhile; and what is done when memory runs out.  Run under ThreadSanitizer too.
 */
#include <pthread.h>
#include <stdatomic.h>

#include "../fake/check.h"
#include "../fake/lab.h"
#include "../fake/nomem.h"
#include "../fake/saved.h"

#include "hosttime.h"
#include "parts.h"
#include "utils/metadata/meta_data.h"

/* ---- the host, as far as the target calls it ---- */

struct module module;

struct meta_data_s {
	bool judged;
};

static atomic_long written, bypassed; /* handed to the writers; to the writers of Bypass */
static bool        no_meta;
static char        logged_text[1024]; /* all messages about Bypass, one behind the other */

void plugin_log(int level, char const *format, ...)
{
	size_t  used = strlen(logged_text);
	va_list args;
	va_start(args, format);
	if (level == LOG_ERR && strstr(format, "Bypass") != NULL)
		vsnprintf(logged_text + used, sizeof(logged_text) - used, format, args);
	va_end(args);
}

plugin_ctx_t plugin_get_ctx(void)
{
	return (plugin_ctx_t){ .interval = TIME_T_TO_CDTIME_T(1), .name = (char *)"crowd" };
}

int plugin_write(const char *plugin, const data_set_t *ds, const value_list_t *vl)
{
	(void)ds;
	(void)vl;
	if (strcmp(plugin, "threshold") != 0)
		return ENOENT;
	atomic_fetch_add(&bypassed, 1);
	return 0;
}

void plugin_log_available_writers(void)
{
}

int fc_process_chain(const data_set_t *ds, value_list_t *vl, fc_chain_t *chain)
{
	(void)ds;
	(void)vl;
	(void)chain;
	return FC_TARGET_CONTINUE;
}

int fc_default_action(const data_set_t *ds, value_list_t *vl)
{
	(void)ds;
	(void)vl;
	atomic_fetch_add(&written, 1);
	return 0;
}

meta_data_t *meta_data_create(void)
{
	return no_meta ? NULL : calloc(1, sizeof(meta_data_t));
}

int meta_data_add_boolean(meta_data_t *md, const char *key, bool value)
{
	(void)key;
	md->judged = value;
	return 0;
}

int meta_data_get_boolean(meta_data_t *md, const char *key, bool *value)
{
	(void)key;
	*value = md->judged;
	return 0;
}

/* ---- value lists ---- */

#define DATA_SOURCES 20 /* more than stand on the stack */
#define WRITERS      8

static data_source_t    wide_sources[DATA_SOURCES];
static const data_set_t narrow = { "absolute", 1, (data_source_t[]){ { "value", DS_TYPE_ABSOLUTE, 0, 0 } } };
static data_set_t       wide = { "wide", DATA_SOURCES, wide_sources };

static void make(value_list_t *vl, value_t *values, const data_set_t *ds, const char *plugin, double time_s)
{
	memset(vl, 0, sizeof(*vl));
	vl->values = values;
	vl->values_len = ds->ds_num;
	vl->time = DOUBLE_TO_CDTIME_T(time_s);
	vl->interval = TIME_T_TO_CDTIME_T(1);
	snprintf(vl->host, sizeof(vl->host), "h");
	snprintf(vl->plugin, sizeof(vl->plugin), "%s", plugin);
	snprintf(vl->type, sizeof(vl->type), "%s", ds->type);
}

/* A target in that place, with the lab's logger behind it. */
static void *target_at(struct lab *lab, enum role role)
{
	void *user_data = NULL;
	module = (struct module){ .creating = role, .gating = role, .n_user_targets = 0 };
	module.settings.placement = role == ROLE_POSTCACHE ? PLACE_POSTCACHE : PLACE_PRECACHE;
	atomic_store(&module.logger, lab->logger);
	atomic_store(&written, 0);
	atomic_store(&bypassed, 0);
	assert_int_equal(target_create(NULL, &user_data), 0);
	return user_data;
}

static int invoke(const data_set_t *ds, value_list_t *vl, void *target)
{
	return target_invoke(ds, vl, NULL, &target);
}

static int setup(void **state)
{
	for (size_t i = 0; i < DATA_SOURCES; i++) {
		snprintf(wide_sources[i].name, sizeof(wide_sources[i].name), "s%zu", i);
		wide_sources[i].type = i % 2 == 0 ? DS_TYPE_GAUGE : DS_TYPE_ABSOLUTE;
	}
	return saved_setup(state);
}

/* ---- many write threads ---- */

struct writer {
	void             *target;
	int               number;
	long              values;
	atomic_bool      *stop;
	_Atomic long     *sent, *logged;
	_Atomic uint64_t *sum;
	long              wrong;
};

static void write_shared(struct writer *w, double time_s)
{
	value_t      value = { .absolute = 1 };
	value_list_t vl;
	make(&vl, &value, &narrow, "shared", time_s);
	atomic_fetch_add(w->sent, 1);
	if (invoke(&narrow, &vl, w->target) == FC_TARGET_STOP)
		return;
	atomic_fetch_add(w->logged, 1);
	atomic_fetch_add(w->sum, value.absolute);
	w->wrong += vl.interval != TIME_T_TO_CDTIME_T(10); /* what it is logged with is the logging interval */
}

/* Twenty values, of which half are sums: what comes out is whole, never half of one value list and half of another. */
static void write_wide(struct writer *w, double time_s)
{
	value_t      values[DATA_SOURCES];
	value_list_t vl;
	for (size_t i = 0; i < DATA_SOURCES; i++) {
		if (i % 2 == 0)
			values[i].gauge = 7;
		else
			values[i].absolute = 1;
	}
	make(&vl, values, &wide, "wide", time_s);
	if (invoke(&wide, &vl, w->target) == FC_TARGET_STOP)
		return;
	for (size_t i = 2; i < DATA_SOURCES; i++)
		w->wrong += i % 2 == 0 ? values[i].gauge != 7 : values[i].absolute != values[1].absolute;
}

static void *write_all(void *arg)
{
	struct writer *w = arg;
	uint64_t       seed = (uint64_t)w->number;
	char           plugin[32];
	value_t        value = { .absolute = 1 };
	value_list_t   vl;
	for (long i = 0; i < w->values && !atomic_load(w->stop); i++) {
		double time_s = 1.7e9 + (double)i + w->number / 64.0;
		write_shared(w, time_s);
		if (i % 3 == 0) /* late, and with a stamp of its own */
			write_shared(w, time_s - random_below(&seed, 20) + 1 / 1024.0);
		write_wide(w, time_s);
		snprintf(plugin, sizeof(plugin), "p%u", random_below(&seed, 300));
		make(&vl, &value, &narrow, plugin, time_s);
		invoke(&narrow, &vl, w->target);
	}
	return NULL;
}

static void crowd__requests_and_ends_meanwhile__nothing_lost_and_lists_whole(void **state)
{
	struct lab       lab;
	pthread_t        threads[WRITERS];
	struct writer    writers[WRITERS];
	atomic_bool      stop = false;
	_Atomic long     sent = 0, logged = 0;
	_Atomic uint64_t sum = 0;
	long             wrong = 0, values = times_from("LC_VALUES", 6000) / 2;
	(void)state;
	saved_lab(&lab);
	lab_ask(&lab, "LOG mandatory on every=10s h/shared/absolute");
	lab_ask(&lab, "LOG mandatory on every=5s value=average h/wide/wide");
	lab.rights = RIGHT_ENQUIRE | RIGHT_ADVISORY;
	void *target = target_at(&lab, ROLE_APPENDED);
	for (int i = 0; i < WRITERS; i++) {
		writers[i] = (struct writer){ target, i, values, &stop, &sent, &logged, &sum, 0 };
		assert_int_equal(pthread_create(&threads[i], NULL, write_all, &writers[i]), 0);
	}
	for (int i = 0; i < 150; i++) {
		lab_ask(&lab, "LOG advisory %s \"h/p%d*/absolute\"", i % 2 == 0 ? "off" : "on every=3s for=5", i % 10);
		if (i % 7 == 0)
			lab_ask(&lab, "FORGET all");
		if (i % 10 == 0)
			lab_advance(&lab, 4);
	}
	for (int i = 0; i < WRITERS; i++) {
		pthread_join(threads[i], NULL);
		wrong += writers[i].wrong;
	}
	/* one that is due for certain takes along what was gathered */
	write_shared(&writers[0], 1.8e9);
	assert_int_equal(wrong, 0);
	struct figures f;
	logger_figures(lab.logger, &f);
	assert_in_range(sum + f.counted[COUNT_DUPLICATE], sent, sent + f.counted[COUNT_DUPLICATE]);
	assert_in_range(logged, values / 10, values / 10 + 2);
	assert_int_equal(f.counted[COUNT_FAILED_OPEN], 0);
	lab_close(&lab);
}

/* ---- places ---- */

static void postcache__suppressed__goes_to_bypass_alone(void **state)
{
	struct lab   lab;
	value_t      value = { .absolute = 1 };
	value_list_t vl;
	(void)state;
	lab_open(&lab, HELD_DEFAULT);
	lab_ask(&lab, "LOG mandatory off h/a/absolute");
	void *target = target_at(&lab, ROLE_POSTCACHE);
	module.settings.n_bypass = 1;
	module.settings.bypass = (char *[]){ (char *)"threshold" };
	make(&vl, &value, &narrow, "a", 1);
	assert_int_equal(invoke(&narrow, &vl, target), FC_TARGET_STOP);
	make(&vl, &value, &narrow, "b", 1);
	assert_int_equal(invoke(&narrow, &vl, target), FC_TARGET_STOP);
	assert_int_equal(atomic_load(&bypassed), 1);
	assert_int_equal(atomic_load(&written), 1);
	lab_close(&lab);
}

static void bypass__names_that_no_writer_has__each_reported_once(void **state)
{
	struct lab   lab;
	value_t      value = { .absolute = 1 };
	value_list_t vl;
	(void)state;
	lab_open(&lab, HELD_DEFAULT);
	lab_ask(&lab, "LOG mandatory off h/a/absolute");
	void *target = target_at(&lab, ROLE_POSTCACHE);
	module.settings.n_bypass = 3;
	module.settings.bypass = (char *[]){ (char *)"write_http", (char *)"threshold", (char *)"thresholds" };
	logged_text[0] = '\0';
	for (int i = 1; i <= 3; i++) {
		make(&vl, &value, &narrow, "a", i);
		invoke(&narrow, &vl, target);
	}
	assert_int_equal(atomic_load(&bypassed), 3);
	const char *first = strstr(logged_text, "\"write_http\""), *second = strstr(logged_text, "\"thresholds\"");
	assert_non_null(first);
	assert_non_null(second);
	assert_null(strstr(first + 1, "\"write_http\""));
	assert_null(strstr(second + 1, "\"thresholds\""));
	lab_close(&lab);
}

static void no_logger__passes(void **state)
{
	struct lab   lab;
	value_t      value = { .absolute = 1 };
	value_list_t vl;
	(void)state;
	lab_open(&lab, HELD_DEFAULT);
	void *target = target_at(&lab, ROLE_APPENDED);
	atomic_store(&module.logger, NULL);
	make(&vl, &value, &narrow, "a", 1);
	assert_int_equal(invoke(&narrow, &vl, target), FC_TARGET_CONTINUE);
	lab_close(&lab);
}

/* Two targets in one chain: the second lets pass what the first has judged. */
static void two_targets__judged_once(void **state)
{
	struct lab   lab;
	value_t      value = { .absolute = 1 };
	value_list_t vl;
	(void)state;
	lab_open(&lab, HELD_DEFAULT);
	lab_ask(&lab, "LOG mandatory on every=10s h/a/absolute");
	void *target = target_at(&lab, ROLE_USER);
	module.n_user_targets = 2;
	make(&vl, &value, &narrow, "a", 1);
	assert_int_equal(invoke(&narrow, &vl, target), FC_TARGET_CONTINUE);
	assert_int_equal(invoke(&narrow, &vl, target), FC_TARGET_CONTINUE);
	free(vl.meta);
	lab_close(&lab);
}

/* ---- no memory ---- */

static uint64_t counted(struct lab *lab, enum counted what)
{
	struct figures f;
	logger_figures(lab->logger, &f);
	return f.counted[what];
}

static void two_targets__no_memory_for_the_mark__passes_and_is_counted(void **state)
{
	struct lab   lab;
	value_t      value = { .absolute = 1 };
	value_list_t vl;
	(void)state;
	lab_open(&lab, HELD_DEFAULT);
	lab_ask(&lab, "LOG mandatory on every=10s h/a/absolute");
	void *target = target_at(&lab, ROLE_USER);
	module.n_user_targets = 2;
	no_meta = true;
	for (int i = 1; i <= 3; i++) { /* judged by both it would be a duplicate of itself, and be left out */
		make(&vl, &value, &narrow, "a", i);
		assert_int_equal(invoke(&narrow, &vl, target), FC_TARGET_CONTINUE);
		assert_int_equal(invoke(&narrow, &vl, target), FC_TARGET_CONTINUE);
	}
	no_meta = false;
	assert_true(counted(&lab, COUNT_FAILED_OPEN) >= 3);
	lab_close(&lab);
}

static void wide_list__each_allocation_fails__passes_as_it_is_and_is_counted(void **state)
{
	(void)state;
	bool          happened = true;
	unsigned long n;
	for (n = 1; happened; n++) {
		struct lab   lab;
		value_t      values[DATA_SOURCES];
		value_list_t vl;
		lab_open(&lab, HELD_DEFAULT);
		lab_ask(&lab, "LOG mandatory off h/wide/wide");
		void *target = target_at(&lab, ROLE_APPENDED);
		for (size_t i = 0; i < DATA_SOURCES; i++)
			values[i].absolute = i;
		make(&vl, values, &wide, "wide", 1);
		nomem_at(n);
		int said = invoke(&wide, &vl, target);
		happened = nomem_off();
		assert_int_equal(said, happened ? FC_TARGET_CONTINUE : FC_TARGET_STOP);
		assert_int_equal(vl.interval, TIME_T_TO_CDTIME_T(1));
		assert_int_equal(values[3].absolute, 3);
		assert_int_equal(counted(&lab, COUNT_FAILED_OPEN), happened);
		assert_int_equal(counted(&lab, COUNT_PASSED), happened);
		lab_close(&lab);
	}
	assert_true(n > 5);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(crowd__requests_and_ends_meanwhile__nothing_lost_and_lists_whole, setup,
						saved_teardown),
		cmocka_unit_test(postcache__suppressed__goes_to_bypass_alone),
		cmocka_unit_test(bypass__names_that_no_writer_has__each_reported_once),
		cmocka_unit_test(no_logger__passes),
		cmocka_unit_test(two_targets__judged_once),
		cmocka_unit_test(two_targets__no_memory_for_the_mark__passes_and_is_counted),
		cmocka_unit_test(wide_list__each_allocation_fails__passes_as_it_is_and_is_counted),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
