/* request - see request.h; specification section 11. */
#include "request.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "quote.h"

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

/* [A-Za-z0-9_], whatever the locale of the process says about letters. */
static bool is_name_char(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

bool span_is(struct span s, const char *word)
{
	return strlen(word) == s.len && strncasecmp(s.text, word, s.len) == 0;
}

/* Where reading is, and where the resolved text is written (never ahead of it). */
struct cursor {
	const char *in, *end;
	char       *out;
};

/* From behind the opening quote to behind the closing one, where the word has to end. */
static enum err quoted_read(struct cursor *c, struct why *why)
{
	enum err err = quote_read(&c->in, c->end, &c->out, why);
	if (err == OK && c->in < c->end && !is_blank(*c->in))
		return why_set(why, ERR_INVAL, "%s follows a closing quote; put a blank between words",
			       excerpt_of(c->in, (size_t)(c->end - c->in)).text);
	return err;
}

/* One word from its first character on.  `name_len`: length of NAME when it is NAME=..., else 0. */
static enum err word_read(struct cursor *c, size_t *name_len, struct why *why)
{
	const char *start = c->in;
	bool        only_name = true;
	*name_len = 0;
	if (*c->in == '"') {
		c->in++;
		return quoted_read(c, why);
	}
	while (c->in < c->end && !is_blank(*c->in)) {
		char ch = *c->in++;
		*c->out++ = ch;
		if (ch == '=' && only_name && c->in - 1 > start) {
			*name_len = (size_t)(c->in - 1 - start);
			if (c->in < c->end && *c->in == '"') {
				c->in++;
				return quoted_read(c, why);
			}
		}
		only_name = only_name && is_name_char(ch);
	}
	return OK;
}

/* Lists that grow by doubling, one call a word. */
static bool grow(void **list, size_t n, size_t each)
{
	if (n < 8 ? n != 0 : (n & (n - 1)) != 0)
		return true; /* room is made at 0, 8, 16, 32 ... */
	void *more = realloc(*list, (n == 0 ? 8 : 2 * n) * each);
	if (more == NULL)
		return false;
	*list = more;
	return true;
}

static enum err add_option(struct request *r, struct option o, struct why *why)
{
	for (size_t i = 0; i < r->n_options; i++) {
		struct span had = r->options[i].name;
		if (had.len == o.name.len && strncasecmp(had.text, o.name.text, had.len) == 0)
			return why_set(why, ERR_INVAL, "option %s is given twice; give it once",
				       excerpt_of(o.name.text, o.name.len).text);
	}
	if (r->n_options >= 16)
		return why_set(why, ERR_INVAL,
			       "more than 16 options; a selector that has a name and = is to be quoted");
	if (!grow((void **)&r->options, r->n_options, sizeof(*r->options)))
		return ERR_NOMEM;
	r->options[r->n_options++] = o;
	return OK;
}

static enum err add_word(struct request *r, struct span word)
{
	if (!grow((void **)&r->words, r->n_words, sizeof(*r->words)))
		return ERR_NOMEM;
	r->words[r->n_words++] = word;
	return OK;
}

static enum err next_word(struct request *r, struct cursor *c, struct why *why)
{
	size_t      name_len;
	const char *start = c->out;
	enum err    err = word_read(c, &name_len, why);
	if (err != OK)
		return err;
	size_t len = (size_t)(c->out - start);
	if (name_len > 0 && r->n_words > 0) /* the first word is the command, whatever it looks like */
		err = add_option(
			r, (struct option){ { start, name_len }, { start + name_len + 1, len - name_len - 1 } }, why);
	else
		err = add_word(r, (struct span){ start, len });
	if (err == ERR_NOMEM)
		why_set(why, err, "out of memory; nothing was changed, try again later");
	return err;
}

enum err request_parse(struct request *r, char *line, size_t len, struct why *why)
{
	*r = REQUEST_INIT;
	if (len > 0 && line[len - 1] == '\r')
		len--;
	if (memchr(line, '\0', len) != NULL)
		return why_set(why, ERR_INVAL, "the line holds a NUL byte; write it as \\x00 inside quotes");
	struct cursor c = { line, line + len, line };
	enum err      err = OK;
	while (err == OK) {
		while (c.in < c.end && is_blank(*c.in))
			c.in++;
		if (c.in == c.end)
			return OK;
		err = next_word(r, &c, why);
	}
	request_fini(r);
	return err;
}

void request_fini(struct request *r)
{
	free(r->words);
	free(r->options);
	*r = REQUEST_INIT;
}

const struct span *request_option(const struct request *r, const char *name)
{
	for (size_t i = 0; i < r->n_options; i++) {
		if (span_is(r->options[i].name, name))
			return &r->options[i].value;
	}
	return NULL;
}

static bool is_allowed(struct span name, const char *const *allowed)
{
	while (*allowed != NULL && !span_is(name, *allowed))
		allowed++;
	return *allowed != NULL;
}

enum err request_check_options(const struct request *r, const char *const *allowed, struct why *why)
{
	char   list[128] = "none";
	size_t used = 0;
	for (const char *const *a = allowed; *a != NULL && used + strlen(*a) + 3 < sizeof(list); a++) {
		memcpy(list + used, used == 0 ? "" : ", ", used == 0 ? 0 : 2);
		used += used == 0 ? 0 : 2;
		memcpy(list + used, *a, strlen(*a) + 1);
		used += strlen(*a);
	}
	for (size_t i = 0; i < r->n_options; i++) {
		if (!is_allowed(r->options[i].name, allowed))
			return why_set(
				why, ERR_INVAL,
				"unknown option %s; options here: %s; a selector that has a name and = is to be quoted",
				excerpt_of(r->options[i].name.text, r->options[i].name.len).text, list);
	}
	return OK;
}
