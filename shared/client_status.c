/* client_status - lines of a LOG or ENQUIRE reply -> status, see client_reply.h; specification section 11. */
#include "client_reply.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "quote.h"

/* The status that programs see, and what it stands on. */
struct holder {
	struct lc_status   status;
	struct lc_reply   *reply; /* has all the texts */
	struct lc_element *elements;
	struct lc_row     *rows;
};

/* ---- one line ---- */

/* The words of one line, which end in a blank; `at` moves behind it. */
struct word {
	const char *text;
	size_t      len;
};

static bool word_read(char **at, struct word *w)
{
	char *end = strchr(*at, ' ');
	if (end == NULL || end == *at)
		return false;
	*w = (struct word){ *at, (size_t)(end - *at) };
	*at = end + 1;
	return true;
}

static bool word_is(const struct word *w, const char *text)
{
	return strlen(text) == w->len && memcmp(w->text, text, w->len) == 0;
}

/* A position in a list of words from 1 on; 0: not in it. */
static int word_find(const struct word *w, const char *const *list, int n)
{
	for (int i = 0; i < n; i++) {
		if (word_is(w, list[i]))
			return i + 1;
	}
	return 0;
}

static bool number_parse(const char *text, size_t len, uint64_t max, uint64_t *out)
{
	uint64_t n = 0;
	for (size_t i = 0; i < len; i++) {
		uint64_t digit = (uint64_t)text[i] - '0';
		if (text[i] < '0' || text[i] > '9' || n > (max - digit) / 10)
			return false;
		n = n * 10 + digit;
	}
	*out = n;
	return len > 0;
}

/* Milliseconds, or `-`, which is -1. */
static bool ms_parse(const struct word *w, int64_t *ms)
{
	uint64_t n;
	*ms = -1;
	if (word_is(w, "-"))
		return true;
	if (!number_parse(w->text, w->len, INT64_MAX, &n))
		return false;
	*ms = (int64_t)n;
	return true;
}

static bool hex_parse(const struct word *w, uint32_t *out)
{
	uint32_t n = 0;
	if (w->len != 10 || memcmp(w->text, "0x", 2) != 0)
		return false;
	for (size_t i = 2; i < w->len; i++) {
		static const char digits[] = "0123456789abcdef";
		const char       *digit = memchr(digits, w->text[i], 16);
		if (digit == NULL)
			return false;
		n = n << 4 | (uint32_t)(digit - digits);
	}
	*out = n;
	return true;
}

static unsigned flags_parse(const struct word *w)
{
	static const char *const names[] = { "inlog", "avail", "native", "once", "timed", "driven", "unseen" };
	unsigned                 flags = 0;
	for (const char *at = w->text, *end = w->text + w->len; at < end;) {
		const char *comma = memchr(at, ',', (size_t)(end - at));
		struct word one = { at, (size_t)((comma == NULL ? end : comma) - at) };
		int         bit = word_find(&one, names, 7);
		if (bit > 0)
			flags |= 1u << (bit - 1); /* in the order of PMLC_FLAG_* */
		at = comma == NULL ? end : comma + 1;
	}
	return flags;
}

/* The identifier in its quotes, up to the end of the line, resolved in place. */
static bool identifier_read(char *at, const char **identifier)
{
	const char *in = at + 1, *end = at + strlen(at);
	char       *out = at;
	if (*at != '"' || quote_read(&in, end, &out, NULL) != OK || in != end ||
	    memchr(at, '\0', (size_t)(out - at)) != NULL)
		return false;
	*out = '\0';
	*identifier = at;
	return true;
}

/* One line, which is rewritten. */
static bool row_read(char *line, struct lc_row *row, uint64_t *selector)
{
	static const char *const outcomes[] = { "done", "refused", "none", "held", "would" };
	static const char *const controls[] = { "mandatory", "advisory" };
	static const char *const states[] = { "on", "off" };
	struct word              w[8];
	for (int i = 0; i < 8; i++) {
		if (!word_read(&line, &w[i]))
			return false;
	}
	*row = (struct lc_row){
		.outcome = (enum lc_outcome)word_find(&w[1], outcomes, 5),
		.control = word_find(&w[3], controls, 2),
		.state = word_find(&w[4], states, 2),
		.flags = flags_parse(&w[7]),
	};
	bool is_held = row->outcome != PMLC_NONE;
	return number_parse(w[0].text, w[0].len, INT64_MAX, selector) && (int)row->outcome != 0 &&
	       hex_parse(&w[2], &row->word) && (row->control != 0) == is_held && (row->state != 0) == is_held &&
	       ms_parse(&w[5], &row->delta_ms) && ms_parse(&w[6], &row->source_interval_ms) &&
	       identifier_read(line, &row->identifier);
}

/* ---- the first line ---- */

/* The value behind ` name=`; false: it is not there. */
static bool option_find(const char *text, const char *name, struct word *value)
{
	size_t len = strlen(name);
	for (const char *at = strchr(text, ' '); at != NULL; at = strchr(at, ' ')) {
		at++;
		if (strncmp(at, name, len) != 0 || at[len] != '=')
			continue;
		at += len + 1;
		*value = (struct word){ at, strcspn(at, " ") };
		return true;
	}
	return false;
}

static bool options_read(struct lc_status *s)
{
	struct word w;
	uint64_t    n;
	s->ends_s = -1;
	if (option_find(s->message, "id", &w) && !word_is(&w, "-") && !number_parse(w.text, w.len, UINT64_MAX, &s->id))
		return false;
	if (option_find(s->message, "keep", &w))
		s->saved = word_is(&w, "saved");
	if (option_find(s->message, "ends", &w)) {
		if (!number_parse(w.text, w.len, INT64_MAX, &n))
			return false;
		s->ends_s = (int64_t)n;
	}
	return true;
}

/* ---- all of it ---- */

/* Which element a row belongs to, while they are read in order. */
struct place {
	const size_t *n_selectors; /* of each element; NULL: one */
	size_t        element;
	uint64_t      first; /* number of the element's first selector, from 1 on */
};

static size_t selectors_of(const struct place *p)
{
	return p->n_selectors == NULL ? 1 : p->n_selectors[p->element];
}

static int rows_read(struct holder *h, struct place p, size_t n_elements)
{
	uint64_t selector, before = 1;
	for (size_t i = 0; i < h->reply->n_lines; i++) {
		struct lc_row *row = &h->rows[i];
		/* the bytes are ours, see struct whole in client_reply.c; only readers of a reply may not write */
		if (!row_read((char *)h->reply->lines[i], row, &selector) || selector < before)
			return -EPROTO;
		before = selector;
		while (p.element < n_elements && selector >= p.first + selectors_of(&p)) {
			p.first += selectors_of(&p);
			p.element++;
		}
		if (p.element == n_elements)
			return -EPROTO;
		row->instance = (size_t)(selector - p.first);
		struct lc_element *e = &h->elements[p.element];
		if (e->n_rows++ == 0)
			e->rows = row;
	}
	return 0;
}

static int fill(struct holder *h, const size_t *n_selectors, size_t n_elements)
{
	if (!options_read(&h->status))
		return -EPROTO;
	h->elements = calloc(n_elements + 1, sizeof(*h->elements));
	h->rows = calloc(h->reply->n_lines + 1, sizeof(*h->rows));
	if (h->elements == NULL || h->rows == NULL)
		return -ENOMEM;
	int err = rows_read(h, (struct place){ n_selectors, 0, 1 }, n_elements);
	if (err != 0)
		return err;
	h->status.n_elements = n_elements;
	h->status.elements = h->elements;
	return 0;
}

int reply_to_status(struct lc_reply *reply, const size_t *n_selectors, size_t n_elements, struct lc_status **status)
{
	*status = NULL;
	struct holder *h = calloc(1, sizeof(*h));
	if (h == NULL) {
		lc_reply_free(reply);
		return -ENOMEM;
	}
	h->reply = reply;
	h->status = (struct lc_status){ .message = reply->text, .ends_s = -1 };
	int err = reply->number < 0 ? reply->number : fill(h, n_selectors, n_elements);
	if (err == 0 || reply->number < 0)
		*status = &h->status;
	else
		lc_status_free(&h->status);
	return err;
}

int lc_reply_status(struct lc_reply *reply, size_t n_selectors, struct lc_status **status)
{
	return reply_to_status(reply, NULL, n_selectors, status);
}

void lc_status_free(struct lc_status *status)
{
	struct holder *h = (struct holder *)status; /* its first member */
	if (h == NULL)
		return;
	lc_reply_free(h->reply);
	free(h->elements);
	free(h->rows);
	free(h);
}
