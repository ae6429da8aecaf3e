/* settings_blocks - <Log>, <Source> and <Access>; see settings.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "ident.h"
#include "selector.h"
#include "settings_internal.h"

static struct place child_of(const struct place *p, size_t i, const char *block)
{
	return (struct place){ p->settings, &p->item->children[i], block, p->report, p->ctx };
}

/* ---- <Log> ---- */

static struct place block_of(const struct place *p, const char *block)
{
	return (struct place){ p->settings, p->item, block, p->report, p->ctx };
}

/* `1.5 h` comes as number and string. */
static enum err delta_read(const struct place *p, struct delta *delta, struct why *why)
{
	char *text = values_text(p->item), *out = text;
	if (text == NULL)
		return ERR_NOMEM;
	for (const char *in = text; *in != '\0'; in++) {
		if (*in != ' ')
			*out++ = *in;
	}
	*out = '\0';
	enum err err = delta_parse(text, strlen(text), p->item->key, delta, why);
	free(text);
	return err;
}

static bool every_read(const struct place *p, struct ask *ask, enum err *err)
{
	struct why why;
	why_set(&why, OK, "names no delta");
	*err = p->item->n_values == 0 ? ERR_INVAL : delta_read(p, &ask->delta, &why);
	if (*err != OK && *err != ERR_NOMEM)
		complain(p, "%s; write seconds, or \"250ms\", \"once\", \"native\"; the block is left out", why.text);
	return *err == OK;
}

/* Control, State, Every or Value; false: a bad one, which voids the block.  *err: ERR_NOMEM. */
static bool log_option(const struct place *p, struct ask *ask, enum err *err)
{
	char  *text = values_text(p->item);
	bool   good = true;
	size_t len = text == NULL ? 0 : strlen(text);
	*err = text == NULL ? ERR_NOMEM : OK;
	if (text == NULL)
		return false;
	if (key_is(p->item, "Control")) {
		good = control_parse(text, len, &ask->control);
		if (!good)
			complain(p, "write \"mandatory\" or \"advisory\"; the block is left out");
	} else if (key_is(p->item, "State")) {
		good = state_parse(text, len, &ask->state);
		if (!good)
			complain(p, "write \"on\", \"off\" or \"maybe\"; the block is left out");
	} else if (key_is(p->item, "Value")) {
		good = value_parse(text, len, &ask->value);
		if (!good)
			complain(p, "write \"last\", \"average\", \"min\" or \"max\"; the block is left out");
	} else if (key_is(p->item, "Every")) {
		good = every_read(p, ask, err);
	} else {
		complain(p,
			 "unknown option; known here are Control, State, Every, Value, Metric; the line is left out");
	}
	free(text);
	return good;
}

static enum err metric_add(const struct place *p, const struct conf_value *v, struct log_block *b)
{
	struct selector *s;
	struct why       why;
	if (v->type != CONF_STRING) {
		complain_of(p, v, "a selector is a text in quotes, as \"*/load-*/*\"");
		return OK;
	}
	/* any host will do: only the form is judged here */
	enum err err = selector_parse(&s, v->string, strlen(v->string), "host", &why);
	if (err == ERR_NOMEM)
		return err;
	if (err != OK) {
		complain_of(p, v, "%s", why.text);
		return OK;
	}
	selector_unref(s);
	char **list = realloc(b->metrics, (b->n_metrics + 1) * sizeof(char *));
	if (list == NULL)
		return ERR_NOMEM;
	b->metrics = list;
	list[b->n_metrics] = strdup(v->string);
	if (list[b->n_metrics] == NULL)
		return ERR_NOMEM;
	b->n_metrics++;
	return OK;
}

static enum err metrics_add(const struct place *p, struct log_block *b)
{
	enum err err = OK;
	if (p->item->n_values == 0)
		complain(p, "names no selector; write one or more, as \"*/load-*/*\"");
	for (size_t i = 0; i < p->item->n_values && err == OK; i++)
		err = metric_add(p, &p->item->values[i], b);
	return err;
}

static void log_block_fini(struct log_block *b)
{
	for (size_t i = 0; i < b->n_metrics; i++)
		free(b->metrics[i]);
	free(b->metrics);
}

static enum err log_block_keep(struct settings *s, const struct log_block *b)
{
	struct log_block *logs = realloc(s->logs, (s->n_logs + 1) * sizeof(*logs));
	if (logs == NULL)
		return ERR_NOMEM;
	s->logs = logs;
	logs[s->n_logs++] = *b;
	return OK;
}

/* A line without a block gets its one error from what it lacks. */
static void takes_no_name(const struct place *here, const char *way_out)
{
	if (here->item->n_values > 0 && here->item->n_children > 0)
		complain_block(here, "the block takes no name; %s; the name is left out", way_out);
}

static enum err log_lines(const struct place *here, struct log_block *b, bool *good, bool *named)
{
	enum err err = OK;
	for (size_t i = 0; i < here->item->n_children && err == OK; i++) {
		struct place child = child_of(here, i, here->block);
		if (key_is(child.item, "Metric")) {
			*named = true;
			err = metrics_add(&child, b);
		} else {
			*good = log_option(&child, &b->ask, &err) && *good;
			err = err == ERR_NOMEM ? ERR_NOMEM : OK;
		}
	}
	return err;
}

enum err log_block_add(struct place *p)
{
	struct log_block  b = { .number = ++p->settings->n_log_blocks, .ask = { .state = STATE_ON } };
	struct block_name name = block_name("Log", b.number);
	struct place      here = block_of(p, name.text);
	bool              good = true, named = false;
	struct why        why;
	takes_no_name(&here, "selectors go into Metric lines");
	enum err err = log_lines(&here, &b, &good, &named);
	if (err == OK && good && b.ask.control == CONTROL_ADVISORY && b.ask.state == STATE_MAYBE) {
		complain_block(&here,
			       "advisory maybe: there is no such request; write Control \"mandatory\"; the block "
			       "is left out");
		good = false;
	}
	if (err == OK && good && !named)
		complain_block(&here, "has no Metric; write one or more selectors; the block is left out");
	bool keep = err == OK && good && b.n_metrics > 0 && ask_check(&b.ask, 0, &why) == OK;
	if (keep)
		err = log_block_keep(p->settings, &b);
	if (!keep || err != OK)
		log_block_fini(&b);
	return err;
}

/* ---- <Source> ---- */

static enum err source_interval(const struct place *p, uint64_t *ms)
{
	struct delta delta = { DELTA_NATIVE, 0 };
	struct why   why;
	enum err     err = p->item->n_values == 0 ? ERR_INVAL : OK;
	why_set(&why, OK, "is no interval");
	if (err == OK)
		err = delta_read(p, &delta, &why);
	if (err == OK && delta.kind == DELTA_EVERY)
		*ms = delta.ms;
	else if (err != ERR_NOMEM)
		complain(p, "%s; write seconds, or \"250ms\"; the line is left out", why.text);
	return err == ERR_NOMEM ? err : OK;
}

static enum err source_allow(const struct place *p, bool *allow)
{
	char *text = values_text(p->item);
	if (text == NULL)
		return ERR_NOMEM;
	if (!boolean_parse(text, allow))
		complain(p, "is no boolean; write true or false; the line is left out");
	free(text);
	return OK;
}

static enum err source_option(const struct place *p, struct source_block *b)
{
	if (key_is(p->item, "AllowUnknown"))
		return source_allow(p, &b->force);
	if (key_is(p->item, "MinInterval"))
		return source_interval(p, &b->min_ms);
	if (key_is(p->item, "MaxInterval"))
		return source_interval(p, &b->max_ms);
	if (key_is(p->item, "IdleInterval"))
		return source_interval(p, &b->idle_ms);
	complain(
		p,
		"unknown option; known here are MinInterval, MaxInterval, IdleInterval, AllowUnknown; the line is left "
		"out");
	return OK;
}

static enum err source_block_keep(struct settings *s, const struct source_block *b, const char *name)
{
	struct source_block *list = realloc(s->sources, (s->n_sources + 1) * sizeof(*list));
	if (list == NULL)
		return ERR_NOMEM;
	s->sources = list;
	list[s->n_sources] = *b;
	list[s->n_sources].name = strdup(name);
	if (list[s->n_sources].name == NULL)
		return ERR_NOMEM;
	s->n_sources++;
	return OK;
}

enum err source_block_add(struct place *p)
{
	struct source_block b = { 0 };
	struct block_name   name = block_name("Source", ++p->settings->n_source_blocks);
	struct place        here = block_of(p, name.text);
	if (p->item->n_values != 1 || p->item->values[0].type != CONF_STRING || p->item->values[0].string[0] == '\0') {
		complain_block(&here, "name one plugin as in LoadPlugin: <Source \"cpu\">; the block is left out");
		return OK;
	}
	for (size_t i = 0; i < p->item->n_children; i++) {
		struct place child = child_of(p, i, name.text);
		if (source_option(&child, &b) != OK)
			return ERR_NOMEM;
	}
	if (b.max_ms != 0 && b.min_ms > b.max_ms) {
		complain_block(&here, "MinInterval is above MaxInterval; exchange the two; the block is left out");
		return OK;
	}
	return source_block_keep(p->settings, &b, p->item->values[0].string);
}

/* ---- <Access> ---- */

#define WORDS_MAX 16

/* Values from `from` on as words; a number or boolean is no right, so it is reported by access_add(). */
static size_t words_of(const struct conf_item *item, size_t from, const char *words[WORDS_MAX])
{
	size_t n = 0;
	for (size_t i = from; i < item->n_values && n < WORDS_MAX; i++)
		words[n++] = item->values[i].type == CONF_STRING ? item->values[i].string : "(not a text)";
	return n;
}

/* One that has more than we look at has surely one that is none. */
static bool has_too_many_words(const struct place *p)
{
	if (p->item->n_values <= WORDS_MAX)
		return false;
	complain(p,
		 "has more than %d words; the rights are enquire, advisory, mandatory, all, none (this line gives no "
		 "right)",
		 WORDS_MAX);
	return true;
}

static enum err access_line(const struct place *p)
{
	const char      *words[WORDS_MAX];
	enum access_kind kind = key_is(p->item, "User")    ? ACCESS_USER
				: key_is(p->item, "Group") ? ACCESS_GROUP
							   : ACCESS_OTHER;
	struct conf_item first = { p->item->key, 1, 0, p->item->values, NULL };
	bool             named = kind != ACCESS_OTHER;
	struct why       why;
	if (!named && !key_is(p->item, "Other")) {
		complain(p, "unknown option; known here are User, Group, Other (this line gives no right)");
		return OK;
	}
	if (has_too_many_words(p))
		return OK;
	if (named && p->item->n_values < 2) {
		complain(p,
			 "names no right; write %s \"NAME\" \"enquire\"; quote a name with a hyphen (this line gives "
			 "no right)",
			 p->item->key);
		return OK;
	}
	char *name = named ? values_text(&first) : NULL;
	if (named && name == NULL)
		return ERR_NOMEM;
	enum err err =
		access_add(p->settings->access, kind, name, words, words_of(p->item, named ? 1 : 0, words), &why);
	free(name);
	if (err != OK && err != ERR_NOMEM)
		complain(p, "%s", why.text);
	return err == ERR_NOMEM ? err : OK;
}

enum err access_block_add(struct place *p)
{
	struct block_name name = block_name("Access", ++p->settings->n_access_blocks);
	struct place      here = block_of(p, name.text);
	access_close(p->settings->access);
	if (p->item->n_values > 0)
		complain_block(&here,
			       "the block takes no name; write User, Group or Other lines; the name is left out");
	for (size_t i = 0; i < p->item->n_children; i++) {
		struct place child = child_of(p, i, name.text);
		enum err     err = access_line(&child);
		if (err != OK)
			return err;
	}
	return OK;
}
