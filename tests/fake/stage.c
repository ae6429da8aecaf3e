/* stage - see stage.h: the host's functions that the driver calls, and drivable.h's, played. */
#include "stage.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collectd.h"

#include "plugin.h"

#include "check.h"
#include "drivable.h"
#include "hosttime.h"

#define MOST 8

struct read_function {
	char           name[64];
	plugin_read_cb fn;
	user_data_t    ud;
};

struct registered {
	char     name[64];
	unsigned times;
	double   interval_s;
	bool     lost;
};

static struct {
	struct lab          *lab;
	struct read_function reads[MOST];
	unsigned             n_reads, n_logs;
	struct registered    plugins[MOST];
	struct buf           log;
} host;

/* A driver stays until the process ends. */
static struct driver *drivers[64];

/* ---- the host ---- */

int plugin_register_complex_read(const char *group, const char *name, plugin_read_cb fn, cdtime_t interval,
				 user_data_t const *ud)
{
	struct read_function *r = &host.reads[host.n_reads++];
	assert_true(host.n_reads <= MOST);
	assert_string_equal(group, "log_control");
	assert_int_equal(ns_of_host(interval), DRIVER_PERIOD_NS);
	snprintf(r->name, sizeof(r->name), "%s", name);
	r->fn = fn;
	r->ud = *ud;
	return 0;
}

int plugin_unregister_read(const char *name)
{
	for (unsigned i = 0; i < host.n_reads; i++) {
		if (strcmp(host.reads[i].name, name) == 0) {
			host.reads[i] = host.reads[--host.n_reads];
			return 0;
		}
	}
	fail_msg("%s is not registered", name);
	return -1;
}

int plugin_register_log(const char *name, plugin_log_cb fn, user_data_t const *ud)
{
	assert_string_equal(name, "log_control");
	assert_non_null(ud->data);
	host.n_logs += fn != NULL;
	return 0;
}

/* ---- plugins ---- */

static struct registered *registered(const char *name)
{
	struct registered *r = host.plugins;
	while (r->name[0] != '\0' && strcmp(r->name, name) != 0)
		r++;
	assert_true(r < host.plugins + MOST);
	snprintf(r->name, sizeof(r->name), "%s", name);
	return r;
}

enum err drivable_find(struct drivable *out, const char *name, bool unknown_too, struct why *why)
{
	*out = (struct drivable){ .tried = strcmp(name, "strange") != 0 };
	snprintf(out->name, sizeof(out->name), "%s", name);
	if (strcmp(name, "absent") == 0 || (!out->tried && !unknown_too))
		return why_set(why, ERR_INVAL, "%s cannot be driven", name);
	return OK;
}

bool drivable_log_is_written(void)
{
	return true;
}

bool drivable_register(const struct drivable *d, char *context, uint64_t interval)
{
	struct registered *r = registered(d->name);
	assert_string_equal(context, d->name);
	if (r->lost)
		return false;
	r->times++;
	r->interval_s = (double)ns_of_host(interval) / 1e9;
	return true;
}

unsigned stage_registrations(const char *plugin)
{
	return registered(plugin)->times;
}

double stage_interval(const char *plugin)
{
	return registered(plugin)->interval_s;
}

void stage_lose(const char *plugin)
{
	registered(plugin)->lost = true;
}

unsigned stage_readers(void)
{
	return host.n_reads;
}

unsigned stage_log_functions(void)
{
	return host.n_logs;
}

const char *stage_log(void)
{
	return buf_text(&host.log);
}

/* ---- the daemon's life ---- */

static void log_line(int severity, const char *text)
{
	buf_addf(&host.log, "%d %s\n", severity, text);
}

static void now(struct now *out)
{
	*out = host.lab->now;
}

static const struct host functions = { log_line, NULL, now };

void stage_prepare(struct stage *s, const char *const *names)
{
	memset(&host, 0, sizeof(host));
	*s = (struct stage){ 0 };
	assert_int_equal(settings_init(&s->lab.settings), OK);
	struct settings *settings = &s->lab.settings;
	settings->sources = calloc(MOST, sizeof(*settings->sources));
	for (; names[settings->n_sources] != NULL; settings->n_sources++)
		settings->sources[settings->n_sources].name = strdup(names[settings->n_sources]);
}

void stage_open(struct stage *s, unsigned readers)
{
	lab_start(&s->lab);
	host.lab = &s->lab;
	s->driver = driver_start(&functions, s->lab.logger, &s->lab.settings, readers);
	for (size_t i = 0; s->driver != NULL; i++) {
		assert_true(i < sizeof(drivers) / sizeof(drivers[0]));
		if (drivers[i] == NULL) {
			drivers[i] = s->driver;
			break;
		}
	}
}

void stage_close(struct stage *s)
{
	driver_stop(s->driver);
	lab_close(&s->lab);
	buf_fini(&host.log);
}

/* A read function may register itself anew while it is called. */
static void read_some(unsigned present)
{
	struct read_function reads[MOST];
	unsigned             n = host.n_reads < present ? host.n_reads : present;
	memcpy(reads, host.reads, sizeof(reads));
	for (unsigned i = 0; i < n; i++)
		assert_int_equal(reads[i].fn(&reads[i].ud), 0);
}

void stage_read_once(struct stage *s)
{
	(void)s;
	read_some(MOST);
}

void stage_run(struct stage *s, double seconds, unsigned present)
{
	const double period_s = (double)DRIVER_PERIOD_NS / 1e9;
	for (double t = 0; t < seconds - period_s / 2; t += period_s) {
		lab_advance(&s->lab, period_s);
		read_some(present);
	}
}

bool stage_value(struct stage *s, const char *name, const char *source, double interval_s)
{
	union number  value = { .gauge = 1 };
	const uint8_t kind = KIND_GAUGE;
	struct sample sample = { .ident = { name, (uint32_t)strlen(name), ident_hash(name, strlen(name)) },
				 .time_ns = s->lab.now.wall_ns,
				 .interval_ns = (int64_t)(interval_s * 1e9),
				 .arrival_ns = s->lab.now.arrival_ns,
				 .whence = { source, (int64_t)(interval_s * 1e9) },
				 .values = &value,
				 .kinds = &kind,
				 .n = 1 };
	return logger_value(s->lab.logger, &sample).logged;
}

struct source *stage_source(struct stage *s, const char *name)
{
	struct source *found = source_find(logger_sources(s->lab.logger), name);
	assert_non_null(found);
	return found;
}
