/*
 * chain - our place in the host's filter chains; see parts.h and specification section 9.
 *
 * A chain of our own is named by the option PreCacheChain (or PostCacheChain); its only target runs the user's chain itself, so
 * whatever that chain does is done before (PreCache) or for what passed (PostCache).  Options are in time in module_register and
 * in the configuration callback; at init the host has already looked the chains up by name.
 */
#include <stdlib.h>
#include <string.h>

#include "configfile.h"
#include "parts.h"

#define PRE_OPTION  "PreCacheChain"
#define POST_OPTION "PostCacheChain"
#define PRE_CHAIN   "log_control_precache"
#define POST_CHAIN  "log_control_postcache"

static void say(int severity, const char *text)
{
	plugin_log(severity, PLUGIN_NAME ": %s", text);
}

/* <Chain NAME> <Rule "log_control"> Target "log_control" </Rule> </Chain> for fc_configure(); it copies what it keeps. */
static int rule_add(struct module *m, const char *chain, enum role role)
{
	/* the host's tree is not const, though it only reads */
	oconfig_value_t name = { .type = OCONFIG_TYPE_STRING, .value.string = (char *)PLUGIN_NAME };
	oconfig_value_t chain_name = { .type = OCONFIG_TYPE_STRING, .value.string = (char *)chain };
	oconfig_item_t  target = { .key = (char *)"Target", .values = &name, .values_num = 1 };
	oconfig_item_t  rule = {
		 .key = (char *)"Rule", .values = &name, .values_num = 1, .children = &target, .children_num = 1
	};
	oconfig_item_t item = {
		.key = (char *)"Chain", .values = &chain_name, .values_num = 1, .children = &rule, .children_num = 1
	};
	target.parent = &rule;
	rule.parent = &item;
	m->creating = role;
	int status = fc_configure(&item);
	m->creating = ROLE_USER;
	return status;
}

/* Names our chain in the option, and remembers which one stood there.  `*user` NULL means that our chain does not exist yet. */
static void take(struct module *m, const char *option, const char *chain, char **user, enum role role)
{
	const char *named = global_option_get(option);
	if (named != NULL && strcmp(named, chain) == 0)
		return;
	char *copy = strdup(named == NULL ? "" : named);
	if (copy == NULL || (*user == NULL && rule_add(m, chain, role) != 0)) {
		free(copy);
		return;
	}
	free(*user);
	*user = copy;
	global_option_set(option, chain, false);
}

/* Gives the option back to the user's chain. */
static void give_back(const char *option, const char *chain, const char *user)
{
	const char *named = global_option_get(option);
	if (user != NULL && named != NULL && strcmp(named, chain) == 0)
		global_option_set(option, user, false);
}

void chain_install(struct module *m)
{
	if (m->settings.placement == PLACE_PRECACHE)
		take(m, PRE_OPTION, PRE_CHAIN, &m->user_pre, ROLE_PRECACHE);
	else
		give_back(PRE_OPTION, PRE_CHAIN, m->user_pre);
	if (m->settings.placement == PLACE_POSTCACHE)
		take(m, POST_OPTION, POST_CHAIN, &m->user_post, ROLE_POSTCACHE);
	else
		give_back(POST_OPTION, POST_CHAIN, m->user_post);
}

static fc_chain_t *chain_of(const char *name)
{
	return name == NULL || name[0] == '\0' ? NULL : fc_chain_get_by_name(name);
}

/* The option names another chain than ours: ours is never run.  Our rule goes to the end of that chain, if there is one. */
static bool append(struct module *m, const char *option, const char *named)
{
	if (chain_of(named) == NULL || rule_add(m, named, ROLE_APPENDED) != 0) {
		plugin_log(
			LOG_ERR,
			PLUGIN_NAME
			": nothing is gated: %s was set to \"%s\" after this plugin was loaded, and there is no such "
			"chain to join; put that option in front of LoadPlugin " PLUGIN_NAME ", or define the chain",
			option, named == NULL ? "" : named);
		return false;
	}
	m->gating = ROLE_APPENDED;
	plugin_log(LOG_WARNING,
		   PLUGIN_NAME
		   ": %s was set to \"%s\" after this plugin was loaded: the gate stands at the end of that chain, and "
		   "what its earlier rules write or stop goes around it; put that option in front of "
		   "LoadPlugin " PLUGIN_NAME " to change that",
		   option, named);
	return true;
}

static bool settle_on(struct module *m, const char *option, const char *chain, enum role role)
{
	const char *named = global_option_get(option);
	m->gating = role;
	if (named == NULL || strcmp(named, chain) != 0)
		return append(m, option, named);
	if (fc_chain_get_by_name(chain) != NULL)
		return true;
	say(LOG_ERR, "nothing is gated: the chain of this plugin could not be made; see the messages above");
	return false;
}

bool chain_settle(struct module *m)
{
	m->pre_chain = chain_of(m->user_pre);
	m->post_chain = chain_of(m->user_post);
	if (m->n_user_targets > 0 && m->settings.placement != PLACE_NONE)
		say(LOG_WARNING,
		    "a <Target \"log_control\"> does nothing beside Chain \"PreCache\" or \"PostCache\"; set Chain "
		    "\"none\", or take the target out");
	switch (m->settings.placement) {
	case PLACE_PRECACHE:
		return settle_on(m, PRE_OPTION, PRE_CHAIN, ROLE_PRECACHE);
	case PLACE_POSTCACHE:
		return settle_on(m, POST_OPTION, POST_CHAIN, ROLE_POSTCACHE);
	case PLACE_NONE:
		m->gating = ROLE_USER;
		if (m->n_user_targets == 0)
			say(LOG_WARNING, "Chain is \"none\" and no chain has a <Target \"log_control\">: every value "
					 "passes; add the "
					 "target, or set Chain \"PreCache\"");
		return true;
	}
	return true;
}
