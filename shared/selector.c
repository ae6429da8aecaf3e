/*
 * selector - see selector.h.
 *
 * A pattern is compiled to tokens, one list a part.  Matching keeps one place to fall back to (the last star), which is
 * enough since a star matches any run inside its part: time is at most length of text times length of pattern.
 */
#include "selector.h"

#include <stdlib.h>
#include <string.h>

enum token_kind { TOKEN_CHAR, TOKEN_ANY, TOKEN_STAR, TOKEN_SET };

struct token {
	enum token_kind kind;
	unsigned char   c;   /* TOKEN_CHAR */
	unsigned        set; /* TOKEN_SET: which of the selector's sets */
};

/* 256 bits: the bytes that a [set] takes, negation already applied. */
struct set {
	uint64_t bits[4];
};

struct part {
	struct token *tokens; /* inside the selector's one array */
	size_t        n;
	bool          has_bare; /* ends in -*: also stands for no instance */
};

enum { PART_HOST, PART_PLUGIN, PART_TYPE, N_PARTS };

struct selector {
	unsigned      refs;
	bool          is_pattern;
	char         *full; /* with the own host; owned */
	const char   *text; /* as written, inside `full` */
	size_t        text_len;
	struct ident  ident;
	size_t        prefix;
	uint64_t      pairs;
	struct part   parts[N_PARTS];
	struct token *tokens;
	struct set   *sets;
	size_t        n_sets;
};

static bool set_has(const struct set *s, unsigned char c)
{
	return (s->bits[c >> 6] >> (c & 63)) & 1;
}

static void set_add(struct set *s, unsigned from, unsigned to)
{
	for (unsigned c = from; c <= to; c++)
		s->bits[c >> 6] |= UINT64_C(1) << (c & 63);
}

/* Reads a [set] that opens at `at`; returns the bytes it takes, 0 when it is never closed (then `[` is a plain character). */
static size_t set_read(const char *at, size_t len, struct set *out)
{
	size_t i = 1;
	bool   negated = i < len && at[i] == '!';
	*out = (struct set){ { 0 } };
	i += negated;
	for (size_t first = i; i < len && (at[i] != ']' || i == first);) {
		unsigned char c = (unsigned char)at[i];
		if (i + 2 < len && at[i + 1] == '-' && at[i + 2] != ']') {
			set_add(out, c, (unsigned char)at[i + 2]);
			i += 3;
		} else {
			set_add(out, c, c);
			i++;
		}
	}
	if (i >= len)
		return 0;
	for (size_t w = 0; negated && w < 4; w++)
		out->bits[w] = ~out->bits[w];
	return i + 1;
}

/* One token from the text of a part; returns the bytes it takes. */
static size_t token_read(struct selector *s, const char *at, size_t len, struct token *t)
{
	if (*at == '*' || *at == '?') {
		t->kind = *at == '*' ? TOKEN_STAR : TOKEN_ANY;
		return 1;
	}
	if (*at == '[') {
		size_t used = set_read(at, len, &s->sets[s->n_sets]);
		if (used > 0) {
			t->kind = TOKEN_SET;
			t->set = (unsigned)s->n_sets++;
			return used;
		}
	}
	t->kind = TOKEN_CHAR;
	t->c = (unsigned char)*at;
	return 1;
}

static struct token *part_compile(struct selector *s, struct part *p, struct token *out, const char *text, size_t len)
{
	p->tokens = out;
	for (size_t i = 0; i < len; p->n++) {
		i += token_read(s, text + i, len - i, &p->tokens[p->n]);
		s->is_pattern |= p->tokens[p->n].kind != TOKEN_CHAR;
	}
	return out + p->n;
}

static bool ends_bare(const struct part *p)
{
	return p->n >= 2 && p->tokens[p->n - 1].kind == TOKEN_STAR && p->tokens[p->n - 2].kind == TOKEN_CHAR &&
	       p->tokens[p->n - 2].c == '-';
}

/* The literal start: up to the first token that is no character, and short of the hyphen of a bare `-*`. */
static size_t prefix_of(const struct selector *s)
{
	size_t n = 0;
	for (size_t p = 0; p < N_PARTS; p++) {
		const struct part *part = &s->parts[p];
		size_t             literal = part->n - (part->has_bare ? 2 : 0);
		for (size_t i = 0; i < literal; i++, n++) {
			if (part->tokens[i].kind != TOKEN_CHAR)
				return n;
		}
		if (part->has_bare)
			return n;
		n++;
	}
	return s->ident.len;
}

/* The pairs of plain characters; the hyphen of a bare `-*` need not be there. */
static uint64_t pairs_of(const struct selector *s)
{
	uint64_t pairs = 0;
	for (size_t p = 0; p < N_PARTS; p++) {
		const struct part *part = &s->parts[p];
		size_t             certain = part->n - (part->has_bare ? 2 : 0);
		for (size_t i = 1; i < certain; i++) {
			if (part->tokens[i - 1].kind == TOKEN_CHAR && part->tokens[i].kind == TOKEN_CHAR)
				pairs |= pair_bit(part->tokens[i - 1].c, part->tokens[i].c);
		}
	}
	return pairs;
}

static enum err compile(struct selector *s)
{
	const char *at = s->full, *end = s->full + s->ident.len;
	s->tokens = calloc(s->ident.len, sizeof(*s->tokens));
	size_t brackets = 0;
	for (const char *c = at; c < end; c++)
		brackets += *c == '[';
	s->sets = calloc(brackets + 1, sizeof(*s->sets));
	if (s->tokens == NULL || s->sets == NULL)
		return ERR_NOMEM;
	struct token *next = s->tokens;
	for (size_t p = 0; p < N_PARTS; p++) {
		const char *slash = p + 1 < N_PARTS ? memchr(at, '/', (size_t)(end - at)) : end;
		next = part_compile(s, &s->parts[p], next, at, (size_t)(slash - at));
		s->parts[p].has_bare = p != PART_HOST && ends_bare(&s->parts[p]);
		at = slash + 1;
	}
	s->prefix = prefix_of(s);
	s->pairs = s->is_pattern ? pairs_of(s) : 0;
	if (!s->is_pattern) { /* equality decides; a request may name a hundred thousand of these */
		free(s->tokens);
		free(s->sets);
		s->tokens = NULL;
		s->sets = NULL;
	}
	return OK;
}

/* The text of the selector, with the own host in front of two parts. */
static enum err texts(struct selector *s, const char *text, size_t len, const char *own_host, size_t n_parts)
{
	size_t host = n_parts == 2 ? strlen(own_host) + 1 : 0;
	s->full = malloc(host + len + 1);
	if (s->full == NULL)
		return ERR_NOMEM;
	s->text = s->full + host; /* as written: the end of the full text */
	s->text_len = len;
	if (host > 0) {
		memcpy(s->full, own_host, host - 1);
		s->full[host - 1] = '/';
	}
	memcpy(s->full + host, text, len);
	s->full[host + len] = '\0';
	s->ident = (struct ident){ s->full, (uint32_t)(host + len), ident_hash(s->full, host + len) };
	return OK;
}

enum err selector_parse(struct selector **out, const char *text, size_t len, const char *own_host, struct why *why)
{
	size_t   n_parts = 0;
	enum err err = ident_check(text, len, &n_parts, why);
	if (err != OK)
		return err;
	struct selector *s = calloc(1, sizeof(*s));
	if (s == NULL)
		return why_set(why, ERR_NOMEM, "out of memory; nothing was changed, try again later");
	s->refs = 1;
	err = texts(s, text, len, own_host, n_parts);
	if (err == OK)
		err = compile(s);
	if (err != OK)
		why_set(why, err, "out of memory; nothing was changed, try again later");
	else if (!s->is_pattern)
		err = ident_check_fields(s->full, s->ident.len, why);
	if (err != OK) {
		selector_unref(s);
		return err;
	}
	*out = s;
	return OK;
}

struct selector *selector_ref(struct selector *s)
{
	s->refs++;
	return s;
}

void selector_unref(struct selector *s)
{
	if (s == NULL || --s->refs > 0)
		return;
	free(s->full);
	free(s->tokens);
	free(s->sets);
	free(s);
}

static bool token_takes(const struct selector *s, const struct token *t, unsigned char c)
{
	return t->kind == TOKEN_ANY || (t->kind == TOKEN_CHAR ? t->c == c : set_has(&s->sets[t->set], c));
}

/* Do the first `n` tokens of `p` match all of `text`? */
static bool glob(const struct selector *s, const struct token *tokens, size_t n, const char *text, size_t len)
{
	size_t t = 0, i = 0, star = SIZE_MAX, resume = 0;
	while (i < len) {
		if (t < n && tokens[t].kind == TOKEN_STAR) {
			star = t++;
			resume = i;
			if (t == n)
				return true;
		} else if (t < n && token_takes(s, &tokens[t], (unsigned char)text[i])) {
			t++;
			i++;
		} else if (star != SIZE_MAX) {
			t = star + 1;
			i = ++resume;
		} else {
			return false;
		}
	}
	while (t < n && tokens[t].kind == TOKEN_STAR)
		t++;
	return t == n;
}

static bool part_matches(const struct selector *s, const struct part *p, const char *text, size_t len)
{
	return glob(s, p->tokens, p->n, text, len) || (p->has_bare && glob(s, p->tokens, p->n - 2, text, len));
}

static bool pattern_matches(const struct selector *s, const char *ident, size_t len)
{
	const char *end = ident + len;
	if (len < s->prefix || memcmp(ident, s->full, s->prefix) != 0)
		return false;
	const char *first = memchr(ident, '/', len);
	if (first == NULL)
		return false;
	const char *second = memchr(first + 1, '/', (size_t)(end - first - 1));
	if (second == NULL || memchr(second + 1, '/', (size_t)(end - second - 1)) != NULL)
		return false;
	return part_matches(s, &s->parts[PART_PLUGIN], first + 1, (size_t)(second - first - 1)) &&
	       part_matches(s, &s->parts[PART_TYPE], second + 1, (size_t)(end - second - 1)) &&
	       part_matches(s, &s->parts[PART_HOST], ident, (size_t)(first - ident));
}

bool selector_matches(const struct selector *s, const char *ident, size_t len)
{
	if (len == s->ident.len && memcmp(ident, s->full, len) == 0)
		return true;
	return s->is_pattern && pattern_matches(s, ident, len);
}

bool selector_is_pattern(const struct selector *s)
{
	return s->is_pattern;
}

uint64_t selector_pairs(const struct selector *s)
{
	return s->pairs;
}

struct ident selector_ident(const struct selector *s)
{
	return s->ident;
}

bool selector_same(const struct selector *a, const struct selector *b)
{
	return a->ident.hash == b->ident.hash && a->ident.len == b->ident.len &&
	       memcmp(a->full, b->full, a->ident.len) == 0;
}

const char *selector_text(const struct selector *s, size_t *len)
{
	if (len != NULL)
		*len = s->text_len;
	return s->text;
}

size_t selector_prefix(const struct selector *s)
{
	return s->prefix;
}
