/*
 * one_value pass|suppress|ruled [one_more] - hands 1000 value lists of 1000 known metric instances to the target as the host does, all native or all
 * off, in judge_all(): under callgrind, what one value costs in instructions (instructions_test.sh).  "ruled" is "pass" under 100 patterns and 9000
 * names that select none of them.
 */
#include <stdio.h>
#include <string.h>

#include "../fake/lab.h"

#include "parts.h"
#include "utils/metadata/meta_data.h"

#define N 1000

/* ---- the host, as far as the target calls it ---- */

struct module module;

void plugin_log(int level, char const *format, ...)
{
	(void)level;
	(void)format;
}

plugin_ctx_t plugin_get_ctx(void)
{
	return (plugin_ctx_t){ .interval = TIME_T_TO_CDTIME_T(10), .name = (char *)"interface" };
}

int plugin_write(const char *plugin, const data_set_t *ds, const value_list_t *vl)
{
	(void)plugin;
	(void)ds;
	(void)vl;
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
	return 0;
}

meta_data_t *meta_data_create(void)
{
	return NULL;
}

int meta_data_add_boolean(meta_data_t *md, const char *key, bool value)
{
	(void)md;
	(void)key;
	(void)value;
	return -1;
}

int meta_data_get_boolean(meta_data_t *md, const char *key, bool *value)
{
	(void)md;
	(void)key;
	(void)value;
	return -1;
}

/* ---- values ---- */

static data_source_t    source = { "value", DS_TYPE_GAUGE, 0, 0 };
static const data_set_t set = { "gauge", 1, &source };

size_t judge_all(target_proc_t target, void *user_data, time_t time);

__attribute__((noinline, used)) size_t judge_all(target_proc_t target, void *user_data, time_t time)
{
	static value_list_t vl = { .host = "host0017.example",
				   .plugin = "interface",
				   .type = "if_octets",
				   .type_instance = "rx",
				   .values_len = 1 };
	value_t             value = { .gauge = 1 };
	size_t              passed = 0;
	vl.values = &value;
	vl.time = TIME_T_TO_CDTIME_T(time);
	for (unsigned i = 0; i < N; i++) {
		vl.plugin_instance[0] = (char)('0' + i / 100);
		vl.plugin_instance[1] = (char)('0' + i / 10 % 10);
		vl.plugin_instance[2] = (char)('0' + i % 10);
		vl.interval = TIME_T_TO_CDTIME_T(10);
		passed += target.invoke(&set, &vl, NULL, &user_data) == FC_TARGET_CONTINUE;
	}
	return passed;
}

static void add_rules(struct lab *lab)
{
	static char line[90 * 32];
	for (unsigned i = 0; i < 100; i++) {
		lab_ask(lab, "LOG advisory on every=20s \"db%u*/*/*\"", i);
		size_t len = (size_t)snprintf(line, sizeof(line), "LOG advisory on every=20s");
		for (unsigned k = 0; k < 90; k++)
			len += (size_t)snprintf(line + len, sizeof(line) - len, " other-%u-%u/a/b", i, k);
		lab_ask(lab, "%s", line);
	}
}

int main(int argc, char **argv)
{
	const char   *what = argc > 1 ? argv[1] : "pass";
	bool          suppress = strcmp(what, "suppress") == 0;
	target_proc_t target = { target_create, target_destroy, target_invoke };
	void         *user_data = NULL;
	struct lab    lab;
	lab_open(&lab, HELD_DEFAULT);
	if (suppress)
		lab_ask(&lab, "LOG mandatory off */*/*");
	if (strcmp(what, "ruled") == 0)
		add_rules(&lab);
	module = (struct module){ .creating = ROLE_PRECACHE, .gating = ROLE_PRECACHE };
	atomic_store(&module.logger, lab.logger);
	if (target.create(NULL, &user_data) != 0)
		return 1;
	/* first values are dearer: the other runs differ by one that costs nothing new */
	size_t passed = 0, runs = argc > 2 && strcmp(argv[2], "one_more") == 0 ? 4 : 3;
	for (size_t i = 0; i < runs; i++)
		passed += judge_all(target, user_data, 1700000000 + (time_t)i * 10);
	lab_close(&lab);
	return passed == (suppress ? 0 : runs * N) ? 0 : 1;
}
