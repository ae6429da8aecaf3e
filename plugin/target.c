/* target - value list -> sample -> verdict -> what the host is to do; see parts.h. */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "hosttime.h"
#include "parts.h"
#include "utils/metadata/meta_data.h"

#define JUDGED          "log_control:judged" /* in Chain "none" with several targets: the first has judged */
#define VALUES_ON_STACK 16

_Static_assert(sizeof(union number) == sizeof(value_t), "a value of the host is a number of ours");
_Static_assert(KIND_COUNTER == DS_TYPE_COUNTER && KIND_GAUGE == DS_TYPE_GAUGE && KIND_DERIVE == DS_TYPE_DERIVE &&
		       KIND_ABSOLUTE == DS_TYPE_ABSOLUTE,
	       "kinds have the host's numbers");

static enum role roles[N_ROLES] = { ROLE_PRECACHE, ROLE_POSTCACHE, ROLE_APPENDED, ROLE_USER };

int target_create(const oconfig_item_t *ci, void **user_data)
{
	/* never fails: the host would drop the whole chain and write everything */
	for (int i = 0; ci != NULL && i < ci->children_num; i++)
		plugin_log(LOG_ERR,
			   PLUGIN_NAME
			   ": <Target \"log_control\">: option %s is ignored: the target takes none; rules go into "
			   "<Plugin \"log_control\">",
			   ci->children[i].key);
	if (module.creating == ROLE_USER)
		module.n_user_targets++;
	*user_data = &roles[module.creating];
	return 0;
}

int target_destroy(void **user_data)
{
	*user_data = NULL; /* a role is not ours to free */
	return 0;
}

/* A few milliseconds of resolution do for telling a clock step from a burst, and cost a fifth of the exact clock. */
static int64_t arrival_now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC_COARSE, &t);
	return t.tv_sec * NS_PER_S + t.tv_nsec;
}

static struct whence find_whence(void)
{
	plugin_ctx_t ctx = plugin_get_ctx();
	return (struct whence){ ctx.name, ns_of_host(ctx.interval) };
}

static bool judge(struct logger *lg, value_list_t *vl, const uint8_t *kinds)
{
	char          name[IDENT_ROOM];
	struct sample sample = {
		.ident = ident_format(name, vl->host, vl->plugin, vl->plugin_instance, vl->type, vl->type_instance),
		.time_ns = ns_of_host(vl->time),
		.interval_ns = ns_of_host(vl->interval),
		.arrival_ns = arrival_now(),
		.find_whence = find_whence,
		.values = (union number *)vl->values, /* rewritten in place */
		.kinds = kinds,
		.n = vl->values_len,
	};
	struct pass pass = logger_value(lg, &sample);
	if (pass.logged && pass.interval_ns != sample.interval_ns)
		vl->interval = host_of_ns(pass.interval_ns);
	return pass.logged;
}

/* Without memory a value list passes as it is. */
static bool fail_open(struct logger *lg)
{
	logger_count(lg, COUNT_FAILED_OPEN);
	logger_count(lg, COUNT_PASSED);
	return true;
}

static bool is_logged_long(struct logger *lg, const data_set_t *ds, value_list_t *vl)
{
	uint8_t *kinds = malloc(vl->values_len);
	if (kinds == NULL)
		return fail_open(lg);
	for (size_t i = 0; i < vl->values_len; i++)
		kinds[i] = (uint8_t)ds->ds[i].type;
	bool logged = judge(lg, vl, kinds);
	free(kinds);
	return logged;
}

/* Is the value list to be logged?  Changes it in place. */
static bool is_logged(struct logger *lg, const data_set_t *ds, value_list_t *vl)
{
	uint8_t kinds[VALUES_ON_STACK];
	if (vl->values_len > VALUES_ON_STACK)
		return is_logged_long(lg, ds, vl);
	for (size_t i = 0; i < vl->values_len; i++)
		kinds[i] = (uint8_t)ds->ds[i].type;
	return judge(lg, vl, kinds);
}

static int invoke_precache(struct logger *lg, const data_set_t *ds, value_list_t *vl)
{
	if (module.pre_chain != NULL && fc_process_chain(ds, vl, module.pre_chain) == FC_TARGET_STOP)
		return FC_TARGET_STOP;
	return lg == NULL || is_logged(lg, ds, vl) ? FC_TARGET_CONTINUE : FC_TARGET_STOP;
}

/* Each of the first 63 names by itself, those behind it together. */
static bool is_reported(size_t name)
{
	uint64_t bit = UINT64_C(1) << (name < 63 ? name : 63);
	return (atomic_fetch_or(&module.bypass_reported, bit) & bit) != 0;
}

/* Suppressed values go to the writers named in Bypass; each name that no writer has is reported once. */
static void bypass(const data_set_t *ds, value_list_t *vl)
{
	for (size_t i = 0; i < module.settings.n_bypass; i++) {
		if (plugin_write(module.settings.bypass[i], ds, vl) != ENOENT || is_reported(i))
			continue;
		plugin_log(LOG_ERR,
			   PLUGIN_NAME ": Bypass \"%s\": no writer has that name, so it gets nothing; write one of "
				       "those that the next message "
				       "lists",
			   module.settings.bypass[i]);
		plugin_log_available_writers();
	}
}

static int invoke_postcache(struct logger *lg, const data_set_t *ds, value_list_t *vl)
{
	if (lg != NULL && !is_logged(lg, ds, vl))
		bypass(ds, vl);
	else if (module.post_chain != NULL)
		fc_process_chain(ds, vl, module.post_chain);
	else
		fc_default_action(ds, vl);
	return FC_TARGET_STOP;
}

/* With several targets of the user's, a value list that was judged carries a mark.  One that cannot be marked is not judged: by the
 * second target it would be left out, as a duplicate of itself. */
static bool was_judged(struct logger *lg, value_list_t *vl)
{
	bool marked = false;
	if (module.n_user_targets < 2)
		return false;
	if (vl->meta != NULL && meta_data_get_boolean(vl->meta, JUDGED, &marked) == 0 && marked)
		return true;
	if (vl->meta == NULL)
		vl->meta = meta_data_create();
	if (vl->meta == NULL || meta_data_add_boolean(vl->meta, JUDGED, true) != 0)
		return fail_open(lg);
	return false;
}

static int invoke_plain(struct logger *lg, const data_set_t *ds, value_list_t *vl)
{
	if (lg == NULL || is_logged(lg, ds, vl))
		return FC_TARGET_CONTINUE;
	if (module.settings.placement == PLACE_POSTCACHE)
		bypass(ds, vl);
	return FC_TARGET_STOP;
}

int target_invoke(const data_set_t *ds, value_list_t *vl, notification_meta_t **meta, void **user_data)
{
	const enum role role = *(const enum role *)*user_data;
	struct logger  *lg = role == module.gating ? atomic_load_explicit(&module.logger, memory_order_acquire) : NULL;
	(void)meta;
	switch (role) {
	case ROLE_PRECACHE:
		return invoke_precache(lg, ds, vl);
	case ROLE_POSTCACHE:
		return invoke_postcache(lg, ds, vl);
	case ROLE_USER:
		if (lg != NULL && was_judged(lg, vl))
			return FC_TARGET_CONTINUE;
		return invoke_plain(lg, ds, vl);
	case ROLE_APPENDED:
	case N_ROLES:
		break;
	}
	return invoke_plain(lg, ds, vl);
}
