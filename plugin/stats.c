/* stats - what the plugin says about itself; see parts.h and specification section 16. */
#include <inttypes.h>
#include <string.h>

#include "lc_version.h"
#include "parts.h"

/* `source`: plugin instance, NULL for none. */
static void dispatch(const char *source, const char *type, const char *type_instance, value_t value)
{
	value_list_t vl = VALUE_LIST_INIT;
	vl.values = &value;
	vl.values_len = 1;
	strncpy(vl.plugin, PLUGIN_NAME, sizeof(vl.plugin) - 1);
	if (source != NULL)
		strncpy(vl.plugin_instance, source, sizeof(vl.plugin_instance) - 1);
	strncpy(vl.type, type, sizeof(vl.type) - 1);
	strncpy(vl.type_instance, type_instance, sizeof(vl.type_instance) - 1);
	plugin_dispatch_values(&vl);
}

static void dispatch_total(const char *type, const char *type_instance, uint64_t n)
{
	dispatch(NULL, type, type_instance, (value_t){ .derive = (derive_t)n });
}

static void dispatch_count(const char *type_instance, size_t n)
{
	dispatch(NULL, "count", type_instance, (value_t){ .gauge = (gauge_t)n });
}

static void dispatch_sources(struct driver *d)
{
	struct driven_report r;
	for (size_t i = 0; driver_report(d, i, &r); i++) {
		if (r.name == NULL)
			continue;
		dispatch(r.name, "duration", "configured", (value_t){ .gauge = (gauge_t)r.configured_ns / 1e9 });
		dispatch(r.name, "duration", "present", (value_t){ .gauge = (gauge_t)r.present_ns / 1e9 });
		dispatch(r.name, "total_operations", "changes", (value_t){ .derive = (derive_t)r.changes });
	}
}

static const struct {
	enum counted what;
	const char  *type, *type_instance;
} totals[] = {
	{ COUNT_PASSED, "total_values", "passed" },
	{ COUNT_SUPPRESSED, "total_values", "suppressed" },
	{ COUNT_LATE, "total_values", "late" },
	{ COUNT_DUPLICATE, "total_values", "duplicate" },
	{ COUNT_FAILED_OPEN, "total_values", "failed_open" },
	{ COUNT_ACCEPTED, "total_requests", "accepted" },
	{ COUNT_REFUSED, "total_requests", "refused" },
	{ COUNT_FAILED, "total_requests", "failed" },
};

/* The data path only counts; it is here that it gets a voice, at most once a minute. */
static void warn_failed_open(const struct figures *f)
{
	static uint64_t told;
	static int64_t  told_ns;
	struct now      now;
	module_host.now(&now);
	uint64_t n = f->counted[COUNT_FAILED_OPEN];
	if (n == told || (told != 0 && now.arrival_ns - told_ns < INT64_C(60000000000)))
		return;
	plugin_log(LOG_WARNING,
		   PLUGIN_NAME
		   ": %" PRIu64
		   " values passed without being judged: %s; %zu metric instances are known, MaxInstances is %zu",
		   n - told, f->instances >= f->max_instances ? "MaxInstances is reached, raise it" : "memory ran out",
		   f->instances, f->max_instances);
	told = n;
	told_ns = now.arrival_ns;
}

void stats_report(struct module *m)
{
	struct logger          *lg = atomic_load(&m->logger);
	struct figures          f;
	struct listener_figures clients = { 0 };
	if (lg == NULL)
		return;
	logger_figures(lg, &f);
	warn_failed_open(&f);
	if (!m->settings.report_stats)
		return;
	if (m->listener != NULL)
		listener_figures(m->listener, &clients);
	for (size_t i = 0; i < sizeof(totals) / sizeof(totals[0]); i++)
		dispatch_total(totals[i].type, totals[i].type_instance, f.counted[totals[i].what]);
	dispatch_count("instances", f.instances);
	dispatch_count("rules", f.entries);
	dispatch_count("clients", clients.clients);
	dispatch_sources(m->driver);
}

void stats_lines(void *ctx, struct buf *out)
{
	struct module          *m = ctx;
	struct now              now;
	struct listener_figures clients = { 0 };
	module_host.now(&now);
	if (m->listener != NULL)
		listener_figures(m->listener, &clients);
	buf_addf(out, "version=%s\n", LC_VERSION);
	buf_addf(out, "uptime=%" PRId64 "\n", (now.boot_ns - m->started_ns) / 1000000000);
	buf_addf(out,
		 "clients=%zu\nclients_accepted=%" PRIu64 "\nclients_busy=%" PRIu64 "\nclients_dropped=%" PRIu64 "\n",
		 clients.clients, clients.accepted, clients.busy, clients.dropped);
	driver_lines(m->driver, out);
}
