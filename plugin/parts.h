/*
 * parts - the one object of the module, and what its files do for each other.
 *
 * Role     module.c owns the life; config.c reads the block, chain.c puts us into the filter chains, target.c judges values,
 *          stats.c reports.  Nothing outside plugin/ includes this.
 * Threads  configuration and init: the host's main thread, before its write threads run.  target_*(): any write thread.
 */
#ifndef LC_PARTS_H
#define LC_PARTS_H

#include <stdatomic.h>

#include "collectd.h"

#include "filter_chain.h"
#include "plugin.h"

#include "driver.h"
#include "host.h"
#include "listener.h"
#include "logger.h"
#include "settings.h"

#define PLUGIN_NAME "log_control"

/* Where a target of ours stands; a target's user data points to one of these. */
enum role {
	ROLE_PRECACHE,  /* our own pre-cache chain: wraps the user's */
	ROLE_POSTCACHE, /* our own post-cache chain: wraps the user's */
	ROLE_APPENDED,  /* at the end of a chain that took the option away from us */
	ROLE_USER,      /* written by the user */
	N_ROLES
};

struct module {
	/* configuration and init, then constant */
	struct settings  settings;
	bool             configured; /* settings_init() succeeded */
	enum role        creating;   /* who creates a target now */
	unsigned         n_user_targets;
	char            *user_pre, *user_post;   /* names of the user's chains; NULL: ours was never put in front */
	fc_chain_t      *pre_chain, *post_chain; /* those chains; NULL: there is none */
	enum role        gating;                 /* the role that gates */
	int64_t          started_ns;             /* boot-time clock */
	struct listener *listener;
	struct driver   *driver; /* NULL: no source is driven */

	/* set by init before any value comes, cleared by shutdown after the last */
	_Atomic(struct logger *) logger;
	_Atomic uint64_t         bypass_reported; /* a bit a name */
};

/* config.c: one <Plugin "log_control"> block; the host's callback. */
int  config_block(oconfig_item_t *block);
void config_report(void *ctx, enum severity severity, const char *text);

/* chain.c */
/* Puts our chain in front of the user's for the placement asked for, and takes it away from the other one.  May be called again
 * after each block. */
void chain_install(struct module *m);
/* At init, when the host has looked the chains up: are we in?  false: nothing can be gated, which has been said. */
bool chain_settle(struct module *m);

/* target.c: the callbacks of the target "log_control". */
int target_create(const oconfig_item_t *ci, void **user_data);
int target_destroy(void **user_data);
int target_invoke(const data_set_t *ds, value_list_t *vl, notification_meta_t **meta, void **user_data);

/* stats.c: dispatches our own metrics, and warns of what the data path had to do. */
void stats_report(struct module *m);
void stats_lines(void *ctx, struct buf *out); /* struct stat_source: more lines for STATUS */

/* writers.c: the name of a loaded plugin that writes RRD files; NULL: none.  At init, when all are loaded. */
const char *rrd_writer_loaded(void);

/* module.c */
extern struct module     module;
extern const struct host module_host;

#endif
