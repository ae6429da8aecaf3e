/*
 * settings - the configuration block, checked (specification section 14).
 *
 * Role     a neutral tree (what the host's parser hands us, without its types) -> struct settings.  All messages about the
 *          configuration are made here, so that they can be tested and fuzzed without a daemon.
 * Threads  one, before the logger runs; then constant.
 * Owns     copies of everything.
 * Errors   a bad line is reported through `report` and left out; the rest stays in force.  Only ERR_NOMEM is returned.
 */
#ifndef LC_SETTINGS_H
#define LC_SETTINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "access.h"
#include "control.h"
#include "err.h"
#include "gate.h"

/* Severities: the host's numbers (syslog). */
enum severity { SEVERITY_ERROR = 3, SEVERITY_WARNING = 4, SEVERITY_NOTICE = 5, SEVERITY_INFO = 6 };

enum conf_type { CONF_STRING, CONF_NUMBER, CONF_BOOLEAN };
struct conf_value {
	enum conf_type type;
	const char    *string; /* CONF_STRING */
	double         number;
	bool           boolean;
};
struct conf_item {
	const char              *key;
	size_t                   n_values, n_children;
	const struct conf_value *values;
	const struct conf_item  *children;
};

enum placement { PLACE_PRECACHE, PLACE_POSTCACHE, PLACE_NONE };

/* One <Log> block: entry c1, c2, ...  Selectors stay text: the own host is not known while the file is read. */
struct log_block {
	unsigned   number; /* its place in the file: "<Log> block 3" */
	struct ask ask;
	size_t     n_metrics;
	char     **metrics;
};

struct source_block {
	char    *name;
	uint64_t min_ms, max_ms, idle_ms; /* 0: the default */
	bool     force;                   /* AllowUnknown true: the user vouches for a plugin we do not know */
};

struct settings {
	char             *socket_file, *socket_group; /* NULL: default path; group unchanged */
	unsigned          socket_perms;
	char             *state_file; /* NULL: rules are temporary */
	enum placement    placement;
	size_t            n_bypass;
	char            **bypass;
	enum align        align;
	uint64_t          min_ms;
	size_t            max_instances, max_rules, max_clients;
	uint64_t          history_ms;
	bool              report_stats;
	struct held       def;
	size_t            n_logs;
	struct log_block *logs;
	unsigned          n_plugin_blocks, n_log_blocks, n_source_blocks, n_access_blocks; /* seen, left-out ones too */
	size_t            n_sources;
	struct source_block *sources;
	const char          *rrd_writer; /* found at init: the plugin that writes RRD files; NULL: none */
	struct access       *access;     /* lines of all <Access> blocks; never NULL */
};

#define SETTINGS_SOCKET_FILE "/run/collectd-log_control.sock"

typedef void report_fn(void *ctx, enum severity severity, const char *text);

/* Fills in the defaults. */
enum err settings_init(struct settings *s);
void     settings_fini(struct settings *s);
/* Adds one <Plugin "log_control"> block; several add up, of single options the last counts.  After ERR_NOMEM the rest was not
 * read, and might have been an <Access> block: the socket's mode alone gives no rights then. */
enum err settings_add(struct settings *s, const struct conf_item *block, report_fn *report, void *ctx);
/* Once after the last block: what can only be judged then (Bypass without PostCache, ...). */
enum err settings_check(struct settings *s, report_fn *report, void *ctx);

#endif
