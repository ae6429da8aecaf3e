/* words - see words.h. */
#include "words.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "quote.h"

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\f' || c == '\v';
}

static enum err no_memory(struct why *why)
{
	return why_set(why, ERR_NOMEM, "out of memory; nothing of this statement was done");
}

/* ---- one word ---- */

/* How long NAME is in NAME=..., before any slash; 0: it is none. */
static size_t option_name(const char *text, const char *end)
{
	const char *at = text;
	while (at < end && (isalnum((unsigned char)*at) || *at == '_'))
		at++;
	return at < end && *at == '=' ? (size_t)(at - text) : 0;
}

/* Where the [set] at `at` ends, inside its word; NULL: it is not closed. */
static const char *set_end(const char *at, const char *end)
{
	while (at < end && *at != ']' && !is_blank(*at))
		at++;
	return at < end && *at == ']' ? at + 1 : NULL;
}

static bool is_end_of_word(const char *at, const char *end, bool in_list)
{
	return at == end || is_blank(*at) || (in_list && (*at == ',' || *at == '}'));
}

/* Where an unquoted word ends.  In a list that is a comma or a brace too, but a [set] is passed over whole. */
static const char *plain_end(const char *at, const char *end, bool in_list)
{
	bool may_have_sets = in_list;
	while (!is_end_of_word(at, end, in_list)) {
		const char *behind = may_have_sets && *at == '[' ? set_end(at, end) : NULL;
		may_have_sets = may_have_sets && (*at != '[' || behind != NULL);
		at = behind != NULL ? behind : at + 1;
	}
	return at;
}

/* Where the quoted text that opens at `at` ends at the latest. */
static const char *quoted_end(const char *at, const char *end)
{
	for (at++; at < end && *at != '"'; at++)
		at += *at == '\\' && at + 1 < end;
	return at;
}

static enum err add(struct words *w, struct word word, struct why *why)
{
	if (w->n == 0 || (w->n >= 16 && (w->n & (w->n - 1)) == 0)) { /* room is made at 0, 16, 32 ... */
		struct word *more = realloc(w->list, (w->n == 0 ? 16 : 2 * w->n) * sizeof(*more));
		if (more == NULL) {
			free(word.text);
			return no_memory(why);
		}
		w->list = more;
	}
	w->list[w->n++] = word;
	return OK;
}

/* Reads a word that is quoted from `prefix` bytes on (0: wholly) and moves `at` behind it. */
static enum err quoted(struct word *word, const char **at, const char *end, size_t prefix, bool in_list,
		       struct why *why)
{
	char *out = word->text;
	memcpy(out, *at, prefix);
	out += prefix;
	*at += prefix + 1;
	enum err err = quote_read(at, end, &out, why);
	if (err != OK)
		return err;
	if (!is_end_of_word(*at, end, in_list))
		return why_set(why, ERR_INVAL, "%s follows a closing quote; put a blank between words",
			       excerpt_of(*at, (size_t)(end - *at)).text);
	word->len = (size_t)(out - word->text);
	word->text[word->len] = '\0';
	return OK;
}

/* Reads one word at `at`, which is no blank, and moves behind it. */
static enum err word_read(struct words *w, const char **at, const char *end, struct why *why)
{
	const char *stop = plain_end(*at, end, w->in_list);
	size_t      name_len = option_name(*at, stop);
	bool        is_quoted = **at == '"';
	size_t      quote_at = is_quoted ? 0 : name_len + 1;
	struct word word = { is_quoted ? WORD_QUOTED : name_len > 0 ? WORD_OPTION : WORD_PLAIN, NULL, 0, name_len };
	bool        has_quote = is_quoted || (name_len > 0 && *at + quote_at < end && (*at)[quote_at] == '"');
	word.text = malloc((size_t)((has_quote ? quoted_end(*at + quote_at, end) : stop) - *at) + 1);
	if (word.text == NULL)
		return no_memory(why);
	if (has_quote) {
		enum err err = quoted(&word, at, end, quote_at, w->in_list, why);
		if (err != OK) {
			free(word.text);
			return err;
		}
	} else {
		word.len = (size_t)(stop - *at);
		memcpy(word.text, *at, word.len);
		word.text[word.len] = '\0';
		*at = stop;
	}
	return add(w, word, why);
}

static enum err brace(struct words *w, bool opens, struct why *why)
{
	if (opens == w->in_list)
		return why_set(why, ERR_INVAL,
			       opens ? "a { stands inside a list; close the list with } first"
				     : "a } closes no list; open one with {");
	struct word word = { opens ? WORD_OPEN : WORD_CLOSE, strdup(opens ? "{" : "}"), 1, 0 };
	if (word.text == NULL)
		return no_memory(why);
	w->in_list = opens;
	return add(w, word, why);
}

/* ---- what others may call ---- */

enum err words_add_line(struct words *w, const char *line, size_t len, struct why *why)
{
	const char *at = line, *end = line + len;
	enum err    err = OK;
	if (memchr(line, '\0', len) != NULL)
		return why_set(why, ERR_INVAL, "the line holds a NUL byte; this is no text");
	while (err == OK) {
		while (at < end && (is_blank(*at) || (w->in_list && *at == ',')))
			at++;
		if (at == end || *at == '#')
			return OK;
		if (*at == '{' || (*at == '}' && w->in_list)) {
			err = brace(w, *at == '{', why);
			at++;
		} else {
			err = word_read(w, &at, end, why);
		}
	}
	return err;
}

enum err words_add_argument(struct words *w, const char *text, struct why *why)
{
	size_t len = strlen(text);
	if (strcmp(text, "{") == 0 || strcmp(text, "}") == 0)
		return brace(w, text[0] == '{', why);
	if (w->in_list && len > 0 && text[len - 1] == ',')
		len--;
	if (len == 0)
		return w->in_list ? OK : why_set(why, ERR_INVAL, "an argument is empty; leave it out");
	const char *at = text, *end = text + len;
	size_t      name_len = option_name(text, end);
	if (text[0] == '"' || (name_len > 0 && text[name_len + 1] == '"')) {
		enum err err = word_read(w, &at, end, why);
		return err != OK || at == end ? err : why_set(why, ERR_INVAL, "%s is more than one word", text);
	}
	struct word word = { name_len > 0 ? WORD_OPTION : WORD_PLAIN, strndup(text, len), len, name_len };
	return word.text == NULL ? no_memory(why) : add(w, word, why);
}

void words_clear(struct words *w)
{
	for (size_t i = 0; i < w->n; i++)
		free(w->list[i].text);
	w->n = 0;
	w->in_list = false;
}

void words_fini(struct words *w)
{
	words_clear(w);
	free(w->list);
	*w = WORDS_INIT;
}

bool word_is(const struct word *word, const char *keyword)
{
	return word->kind == WORD_PLAIN && strcasecmp(word->text, keyword) == 0;
}
