/* settings - see settings.h; single options.  Blocks: settings_blocks.c; messages: settings_text.c; at last: settings_check.c. */
#include "settings.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "settings_internal.h"

char *value_string(const struct place *p)
{
	if (p->item->n_values != 1) {
		complain(p, "takes one value, not %zu; quote a text that has blanks or hyphens", p->item->n_values);
		return NULL;
	}
	return values_text(p->item);
}

/* ---- single options, each with the text of its value ---- */

typedef enum err option_fn(struct place *p, char *text);

static enum err replace(char **where, const char *text)
{
	char *copy = strdup(text);
	if (copy == NULL)
		return ERR_NOMEM;
	free(*where);
	*where = copy;
	return OK;
}

/* A bare number or on/off is no path that anybody meant. */
static enum err set_path(struct place *p, char *text, const char *example, char **where)
{
	if (text[0] == '\0')
		complain(p, "names no file; write a path, as \"%s\"", example);
	else if (p->item->values[0].type != CONF_STRING)
		complain(p, "is no path; write one in quotes, as \"%s\"", example);
	else
		return replace(where, text);
	return OK;
}

static enum err set_socket_file(struct place *p, char *text)
{
	return set_path(p, text, SETTINGS_SOCKET_FILE, &p->settings->socket_file);
}

static enum err set_state_file(struct place *p, char *text)
{
	return set_path(p, text, "/var/lib/collectd/log_control.state", &p->settings->state_file);
}

static enum err set_socket_group(struct place *p, char *text)
{
	if (p->item->values[0].type != CONF_BOOLEAN)
		return replace(&p->settings->socket_group, text);
	complain(p, "is no group; write a name in quotes, or a number");
	return OK;
}

/* 0770, "0770" and 770 all mean the octal digits: the parser hands us a number without its leading zero. */
static enum err set_socket_perms(struct place *p, char *text)
{
	char         *end;
	unsigned long perms = strtoul(text, &end, 8);
	if (text[0] == '\0' || *end != '\0' || perms > 0777)
		complain(p, "is no mode; write octal digits up to 0777, as \"0770\"");
	else
		p->settings->socket_perms = (unsigned)perms;
	return OK;
}

static enum err set_chain(struct place *p, char *text)
{
	static const char *const names[] = { "PreCache", "PostCache", "none" };
	for (int i = 0; i < 3; i++) {
		if (strcasecmp(text, names[i]) == 0) {
			p->settings->placement = (enum placement)i;
			return OK;
		}
	}
	complain(p, "is no placement; write \"PreCache\", \"PostCache\" or \"none\"");
	return OK;
}

static enum err set_align(struct place *p, char *text)
{
	if (strcasecmp(text, "start") == 0)
		p->settings->align = ALIGN_START;
	else if (strcasecmp(text, "clock") == 0)
		p->settings->align = ALIGN_CLOCK;
	else
		complain(p, "is no alignment; write \"start\" or \"clock\"");
	return OK;
}

/* "1.5 h" (number and string) and "1.5h" are the same. */
static void squeeze(char *text)
{
	char *out = text;
	for (; *text != '\0'; text++) {
		if (*text != ' ')
			*out++ = *text;
	}
	*out = '\0';
}

static enum err set_duration(struct place *p, char *text, const char *what, uint64_t at_least, uint64_t *ms)
{
	struct why why;
	uint64_t   got;
	squeeze(text);
	if (duration_parse(text, strlen(text), what, &got, &why) != OK)
		complain(p, "%s", why.text);
	else if (got < at_least)
		complain(p, "is too short; write 1ms or more");
	else
		*ms = got;
	return OK;
}

static enum err set_min_interval(struct place *p, char *text)
{
	return set_duration(p, text, "MinInterval", 1, &p->settings->min_ms);
}

static enum err set_history_timeout(struct place *p, char *text)
{
	return set_duration(p, text, "HistoryTimeout", 1, &p->settings->history_ms);
}

static enum err set_count(struct place *p, const char *text, size_t most, size_t *out)
{
	char              *end;
	unsigned long long n = strtoull(text, &end, 10);
	if (text[0] < '0' || text[0] > '9' || *end != '\0' || n == 0 || n > most)
		complain(p, "is no count from 1 to %zu; write a whole number", most);
	else
		*out = (size_t)n;
	return OK;
}

static enum err set_max_instances(struct place *p, char *text)
{
	return set_count(p, text, 100000000, &p->settings->max_instances);
}

static enum err set_max_rules(struct place *p, char *text)
{
	return set_count(p, text, 10000000, &p->settings->max_rules);
}

static enum err set_max_clients(struct place *p, char *text)
{
	return set_count(p, text, 10000, &p->settings->max_clients);
}

static enum err set_report_stats(struct place *p, char *text)
{
	if (!boolean_parse(text, &p->settings->report_stats))
		complain(p, "is no boolean; write true or false");
	return OK;
}

/* `advisory on native`, `on 10s`, `advisory off`: control first (only advisory), then state, then delta. */
static enum err set_default(struct place *p, char *text)
{
	struct ask ask = { .state = STATE_ON };
	struct why why = { "" };
	char      *save = NULL, *word = strtok_r(text, " ", &save);
	bool       good = word != NULL;
	if (good && strcasecmp(word, "mandatory") == 0) {
		complain(p, "a default is always advisory; write \"advisory on native\", or a mandatory <Log> block");
		return OK;
	}
	if (good && control_parse(word, strlen(word), &ask.control))
		word = strtok_r(NULL, " ", &save);
	good = word != NULL && state_parse(word, strlen(word), &ask.state) && ask.state != STATE_MAYBE;
	word = good ? strtok_r(NULL, "", &save) : NULL; /* the rest */
	if (word != NULL)
		squeeze(word);
	if (word != NULL && word[0] != '\0') {
		good = delta_parse(word, strlen(word), "Default", &ask.delta, &why) == OK;
	}
	if (good)
		good = ask_check(&ask, 0, &why) == OK;
	if (!good) {
		complain(p, "%s%swrite \"advisory on native\", \"advisory off\", or a delta as in \"advisory on 60s\"",
			 why.text, why.text[0] == '\0' ? "" : "; ");
		return OK;
	}
	struct hold hold = { { 0 }, 0 };
	control_next(&hold, &ask, 0);
	p->settings->def = hold.held;
	return OK;
}

static const struct {
	const char *key;
	option_fn  *set;
	bool        many; /* takes several values */
} options[] = {
	{ "SocketFile", set_socket_file, false },
	{ "SocketGroup", set_socket_group, false },
	{ "SocketPerms", set_socket_perms, false },
	{ "StateFile", set_state_file, false },
	{ "Chain", set_chain, false },
	{ "Align", set_align, false },
	{ "MinInterval", set_min_interval, true },
	{ "MaxInstances", set_max_instances, false },
	{ "MaxRules", set_max_rules, false },
	{ "MaxClients", set_max_clients, false },
	{ "HistoryTimeout", set_history_timeout, true },
	{ "ReportStats", set_report_stats, false },
	{ "Default", set_default, true },
};

#define N_OPTIONS (sizeof(options) / sizeof(options[0]))

static enum err bypass_add(struct place *p)
{
	const struct conf_item *item = p->item;
	if (item->n_values == 0)
		complain(p, "names no writer; write one or more, as \"threshold\"");
	for (size_t i = 0; i < item->n_values; i++) {
		if (item->values[i].type != CONF_STRING) {
			complain(p, "a writer is a name in quotes, as \"threshold\"");
			continue;
		}
		char **list = realloc(p->settings->bypass, (p->settings->n_bypass + 1) * sizeof(char *));
		if (list == NULL)
			return ERR_NOMEM;
		p->settings->bypass = list;
		list[p->settings->n_bypass] = strdup(item->values[i].string);
		if (list[p->settings->n_bypass] == NULL)
			return ERR_NOMEM;
		p->settings->n_bypass++;
	}
	return OK;
}

static enum err option_add(struct place *p)
{
	for (size_t i = 0; i < N_OPTIONS; i++) {
		if (!key_is(p->item, options[i].key))
			continue;
		bool  fits = p->item->n_values == 1 || (options[i].many && p->item->n_values > 0);
		char *text = fits ? values_text(p->item) : value_string(p);
		if (text == NULL)
			return fits ? ERR_NOMEM : OK;
		enum err err = options[i].set(p, text);
		free(text);
		return err;
	}
	complain(p, "unknown option; known are SocketFile, SocketGroup, SocketPerms, StateFile, Chain, Bypass, Align, "
		    "MinInterval, MaxInstances, MaxRules, MaxClients, HistoryTimeout, ReportStats, Default, <Log>, "
		    "<Source>, "
		    "<Access>");
	return OK;
}

enum err settings_init(struct settings *s)
{
	*s = (struct settings){
		.socket_perms = 0770,
		.placement = PLACE_PRECACHE,
		.align = ALIGN_START,
		.min_ms = 100,
		.max_instances = 1000000,
		.max_rules = 10000,
		.max_clients = 64,
		.history_ms = UINT64_C(24) * 3600 * 1000,
		.report_stats = true,
		.def = HELD_DEFAULT,
		.access = access_new(),
	};
	return s->access == NULL ? ERR_NOMEM : OK;
}

void strings_free(char **list, size_t n)
{
	for (size_t i = 0; i < n; i++)
		free(list[i]);
	free(list);
}

void settings_fini(struct settings *s)
{
	free(s->socket_file);
	free(s->socket_group);
	free(s->state_file);
	strings_free(s->bypass, s->n_bypass);
	for (size_t i = 0; i < s->n_logs; i++)
		strings_free(s->logs[i].metrics, s->logs[i].n_metrics);
	free(s->logs);
	for (size_t i = 0; i < s->n_sources; i++)
		free(s->sources[i].name);
	free(s->sources);
	access_free(s->access);
	memset(s, 0, sizeof(*s));
}

enum err settings_add(struct settings *s, const struct conf_item *block, report_fn *report, void *ctx)
{
	struct block_name name = block_name("Plugin", ++s->n_plugin_blocks);
	for (size_t i = 0; i < block->n_children; i++) {
		struct place p = { s, &block->children[i], name.text, report, ctx };
		enum err     err;
		if (key_is(p.item, "Log"))
			err = log_block_add(&p);
		else if (key_is(p.item, "Source"))
			err = source_block_add(&p);
		else if (key_is(p.item, "Access"))
			err = access_block_add(&p);
		else
			err = key_is(p.item, "Bypass") ? bypass_add(&p) : option_add(&p);
		if (err != OK) {
			access_close(s->access);
			return err;
		}
	}
	return OK;
}
