/* parse_time - intervals and durations as people write them: `10 sec`, `10s`, `1.5 hours`; see parse.h. */
#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "delta.h"
#include "parse.h"

/* Names of units, the peer's and ours, and what the line protocol calls them. */
static const struct unit {
	const char *name, *protocol;
} units[] = {
	{ "ms", "ms" },   { "msec", "ms" },  { "msecs", "ms" },   { "millisecond", "ms" }, { "milliseconds", "ms" },
	{ "s", "s" },     { "sec", "s" },    { "secs", "s" },     { "second", "s" },       { "seconds", "s" },
	{ "min", "min" }, { "mins", "min" }, { "minute", "min" }, { "minutes", "min" },    { "h", "h" },
	{ "hour", "h" },  { "hours", "h" },  { "d", "d" },        { "day", "d" },          { "days", "d" },
};

static const char *unit_find(const char *name)
{
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		if (strcasecmp(units[i].name, name) == 0)
			return units[i].protocol;
	}
	return NULL;
}

/* How much of a word is a number; the rest is its unit. */
static size_t number_len(const struct word *word)
{
	return word->kind == WORD_PLAIN ? strspn(word->text, "0123456789.") : 0;
}

bool parse_is_interval(const struct word *word)
{
	return number_len(word) > 0 || word_is(word, "once") || word_is(word, "native");
}

static enum err no_number(struct parse *p, const char *name, const struct word *word)
{
	if (word_is(word, "default"))
		return why_set(p->why, ERR_INVAL,
			       "there is no default interval; write one, as: every 10 sec, once, native");
	return why_set(p->why, ERR_INVAL, "%s is no duration; write a number and a unit, as: %s 10 sec",
		       excerpt_of(word->text, word->len).text, name);
}

/* Checks number and unit as the daemon will, and adds NAME=NUMBERUNIT. */
static enum err add_duration(struct parse *p, const char *name, const struct word *number, size_t len, const char *unit)
{
	struct buf text = BUF_INIT;
	uint64_t   ms = 0;
	buf_add(&text, number->text, len);
	buf_adds(&text, unit);
	enum err err = duration_parse(text.data, text.len, name, &ms, p->why);
	if (err == OK && ms == 0 && strcmp(name, "for") == 0)
		err = why_set(p->why, ERR_INVAL,
			      "for 0 would end at once; name a time, as: for 15 min, or leave it out");
	if (err == OK)
		buf_addf(&p->statement->command, " %s=%s", name, buf_text(&text));
	buf_fini(&text);
	return err;
}

enum err parse_duration(struct parse *p, const char *name)
{
	if (p->next == p->words->n) {
		p->is_open = true;
		return OK;
	}
	const struct word *number = &p->words->list[p->next];
	size_t             len = number_len(number);
	if (len == 0)
		return no_number(p, name, number);
	p->next++;
	const char *unit_name = number->text + len;
	if (*unit_name == '\0') {
		if (p->next == p->words->n) {
			p->is_open = true;
			return OK;
		}
		unit_name = p->words->list[p->next++].text;
	}
	const char *unit = unit_find(unit_name);
	if (unit == NULL)
		return why_set(p->why, ERR_INVAL,
			       "%.40s needs a unit, which %s is not; units: msec, sec, min, hour, day", number->text,
			       excerpt_of(unit_name, strlen(unit_name)).text);
	return add_duration(p, name, number, len, unit);
}

enum err parse_every(struct parse *p)
{
	if (p->has_every)
		return why_set(p->why, ERR_INVAL, "the interval is given twice; give it once");
	p->has_every = true;
	if (p->next < p->words->n && number_len(&p->words->list[p->next]) == 0 &&
	    parse_is_interval(&p->words->list[p->next])) {
		const struct word *word = &p->words->list[p->next++];
		buf_adds(&p->statement->command, word_is(word, "once") ? " every=once" : " every=native");
		return OK;
	}
	return parse_duration(p, "every");
}
