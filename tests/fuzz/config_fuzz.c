/*
 * config_fuzz - a configuration block, as text that is much like the host's: `Key value...`, `<Block value...>`, `</Block>`, one a
 * line; numbers, booleans and strings as the host's parser tells them apart.  Whatever it is: complaints are one line each, and
 * what is left in force can be used.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "settings.h"

#define VALUES_MAX 16
#define DEPTH_MAX  4

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool claim, const char *what)
{
	if (claim)
		return;
	fprintf(stderr, "config_fuzz: %s\n", what);
	abort();
}

/* ---- text -> items; strings point into the text ---- */

static struct conf_value value_of(char *word)
{
	char  *end;
	double number = strtod(word, &end);
	if (end > word && *end == '\0')
		return (struct conf_value){ CONF_NUMBER, NULL, number, false };
	if (strcasecmp(word, "true") == 0 || strcasecmp(word, "yes") == 0 || strcasecmp(word, "on") == 0)
		return (struct conf_value){ CONF_BOOLEAN, NULL, 0, true };
	if (strcasecmp(word, "false") == 0 || strcasecmp(word, "no") == 0 || strcasecmp(word, "off") == 0)
		return (struct conf_value){ CONF_BOOLEAN, NULL, 0, false };
	return (struct conf_value){ CONF_STRING, word, 0, false };
}

/* The next word, or quoted string, of the line; NULL: none. */
static char *next_word(char **at, bool *quoted)
{
	char *word = *at + strspn(*at, " \t\r>"), *end;
	*quoted = *word == '"';
	if (*word == '\0')
		return NULL;
	word += *quoted;
	end = word + strcspn(word, *quoted ? "\"" : " \t\r>");
	*at = *end == '\0' ? end : end + 1;
	*end = '\0';
	return word;
}

/* A key is of letters, digits and underscores: the host's scanner takes no other. */
static char *key_of(char *word)
{
	for (char *at = word; *at != '\0'; at++) {
		if (!isalnum((unsigned char)*at))
			*at = '_';
	}
	return word;
}

static struct conf_item item_of(char *line)
{
	bool               quoted;
	struct conf_value *values = calloc(VALUES_MAX, sizeof(*values));
	char              *key = next_word(&line, &quoted), *word;
	struct conf_item   item = { key == NULL ? "_" : key_of(key), 0, 0, values, NULL };
	while (item.n_values < VALUES_MAX && (word = next_word(&line, &quoted)) != NULL)
		values[item.n_values++] = quoted ? (struct conf_value){ CONF_STRING, word, 0, false } : value_of(word);
	return item;
}

static char *next_line(char **at)
{
	char *line = *at, *newline;
	if (line == NULL || *line == '\0')
		return NULL;
	newline = strchr(line, '\n');
	if (newline != NULL)
		*newline = '\0';
	*at = newline == NULL ? NULL : newline + 1;
	return line;
}

/* Reads items up to the end of their block. */
static void read_block(struct conf_item *parent, char **at, int depth)
{
	struct conf_item *list = NULL;
	char             *line;
	while ((line = next_line(at)) != NULL) {
		line += strspn(line, " \t");
		if (*line == '\0' || *line == '#')
			continue;
		if (strncmp(line, "</", 2) == 0)
			break;
		bool              opens = *line == '<' && depth < DEPTH_MAX;
		struct conf_item *more = realloc(list, (parent->n_children + 1) * sizeof(*list));
		must(more != NULL, "no memory");
		list = more;
		list[parent->n_children] = item_of(line + (*line == '<'));
		if (opens)
			read_block(&list[parent->n_children], at, depth + 1);
		parent->n_children++;
	}
	parent->children = list;
}

static void free_items(const struct conf_item *item)
{
	for (size_t i = 0; i < item->n_children; i++)
		free_items(&item->children[i]);
	free((void *)item->children);
	free((void *)item->values);
}

/* ---- what must hold ---- */

static void report(void *ctx, enum severity severity, const char *text)
{
	(void)ctx;
	must(severity == SEVERITY_ERROR || severity == SEVERITY_WARNING, "a complaint that is none");
	must(strncmp(text, "log_control: ", 13) == 0, "a complaint that does not say whose it is");
	for (; *text != '\0'; text++)
		must((unsigned char)*text >= ' ' && *text != 0x7f, "a complaint of more than one plain line");
}

static void check(const struct settings *s)
{
	must(s->socket_perms <= 07777 && s->access != NULL, "SocketPerms or Access");
	must(s->max_rules > 0 && s->max_clients > 0 && s->max_instances > 0, "a limit of nothing");
	must(s->min_ms <= DELTA_MAX_MS && s->history_ms > 0, "MinInterval or HistoryTimeout");
	must(s->placement == PLACE_POSTCACHE || s->n_bypass == 0, "Bypass without PostCache");
	for (size_t i = 0; i < s->n_logs; i++)
		must(s->logs[i].n_metrics > 0 && s->logs[i].number <= s->n_log_blocks, "a <Log> block without metrics");
	for (size_t i = 0; i < s->n_sources; i++)
		must(s->sources[i].name != NULL, "a <Source> block without a name");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct settings  s;
	struct conf_item root = { .key = "Plugin" };
	char            *text = malloc(size + 1), *at = text;
	must(text != NULL, "no memory");
	memcpy(text, data, size);
	text[size] = '\0';
	read_block(&root, &at, 0);
	must(settings_init(&s) == OK, "no settings");
	must(settings_add(&s, &root, report, NULL) == OK, "settings_add");
	must(settings_check(&s, report, NULL) == OK, "settings_check");
	check(&s);
	settings_fini(&s);
	free_items(&root);
	free(text);
	return 0;
}
