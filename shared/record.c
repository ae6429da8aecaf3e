/* record - see record.h. */
#include "record.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "ident.h"
#include "request.h"

#define MS_NS   INT64_C(1000000)
#define SUM_LEN 16

#define SEARCH_BUDGET ((size_t)256 << 20)

void record_fini(struct record *r)
{
	entry_unref(r->entry);
	free(r->ids);
	*r = (struct record){ 0 };
}

/* ---- writing ---- */

static void add_sum(struct buf *out, size_t from)
{
	buf_addc(out, ' ');
	if (!out->failed)
		buf_addf(out, "%016" PRIx64 "\n", ident_hash(out->data + from, out->len - from));
}

void record_entry(struct buf *out, const struct entry *e, int64_t boot_ns, int64_t wall_ns)
{
	size_t     from = out->len;
	struct buf request = BUF_INIT;
	buf_addf(out, "E %" PRIu64 " %" PRId64 " %" PRIu32, e->id, e->at_s, e->uid);
	if (e->ends_ns == ENTRY_FOREVER) {
		buf_adds(out, " - - ");
	} else {
		int64_t rest_ms = (e->ends_ns - boot_ns) / MS_NS;
		rest_ms = rest_ms < 0 ? 0 : rest_ms;
		buf_addf(out, " %" PRId64 " %" PRId64 " ", wall_ns / MS_NS + rest_ms, rest_ms);
	}
	buf_add_quoted(out, e->note == NULL ? "" : e->note, e->note == NULL ? 0 : strlen(e->note));
	buf_addc(out, ' ');
	entry_format(e, &request);
	buf_add_quoted(out, request.data, request.len);
	out->failed |= request.failed;
	buf_fini(&request);
	add_sum(out, from);
}

void record_forget(struct buf *out, int64_t wall_ns, const uint64_t *ids, size_t n)
{
	size_t from = out->len;
	buf_addf(out, "F %" PRId64, wall_ns / (1000 * MS_NS));
	for (size_t i = 0; i < n; i++)
		buf_addf(out, " %" PRIu64, ids[i]);
	add_sum(out, from);
}

void record_newest(struct buf *out, uint64_t id)
{
	size_t from = out->len;
	buf_addf(out, "N %" PRIu64, id);
	add_sum(out, from);
}

/* ---- reading ---- */

static bool hex_value(char c, uint64_t *value)
{
	static const char digits[] = "0123456789abcdef";
	const char       *at = memchr(digits, c, SUM_LEN);
	*value = at == NULL ? 0 : (uint64_t)(at - digits);
	return at != NULL;
}

/* A sum stands at the end of `line`; false: it does not even look like one. */
static bool sum_read(const char *line, size_t len, uint64_t *sum)
{
	uint64_t digit;
	*sum = 0;
	if (len < SUM_LEN + 2 || line[len - SUM_LEN - 1] != ' ')
		return false;
	for (const char *at = line + len - SUM_LEN; at < line + len; at++) {
		if (!hex_value(*at, &digit))
			return false;
		*sum = *sum << 4 | digit;
	}
	return true;
}

static bool sum_is_right(const char *line, size_t len)
{
	uint64_t sum;
	return sum_read(line, len, &sum) && sum == ident_hash(line, len - SUM_LEN);
}

/* Does a record begin here, as far as its first three bytes tell? */
static bool begins(const char *at, size_t len)
{
	return len > SUM_LEN + 4 && (*at == 'E' || *at == 'F' || *at == 'N') && at[1] == ' ' && at[2] >= '0' &&
	       at[2] <= '9';
}

/* Where the record that begins at text[0] ends; 0: nowhere.  Looks at no more than *budget bytes in all. */
static size_t search_end(const char *text, size_t len, size_t *budget)
{
	uint64_t sum;
	for (size_t stop = SUM_LEN + 2; stop <= len && *budget > 0; stop++, (*budget)--) {
		if (!sum_read(text, stop, &sum))
			continue;
		if (sum == ident_hash(text, stop - SUM_LEN))
			return stop;
		*budget -= *budget < stop ? *budget : stop;
	}
	return 0;
}

bool record_search(const char *text, size_t len, size_t from, size_t *start, size_t *stop)
{
	size_t budget = SEARCH_BUDGET;
	for (*start = from; *start < len; (*start)++) {
		if (!begins(text + *start, len - *start))
			continue;
		size_t n = search_end(text + *start, len - *start, &budget);
		*stop = *start + n;
		if (n > 0)
			return true;
	}
	return false;
}

static bool number(struct span s, uint64_t *out)
{
	uint64_t n = 0;
	for (size_t i = 0; i < s.len; i++) {
		if (s.text[i] < '0' || s.text[i] > '9' || n > (UINT64_MAX - 9) / 10)
			return false;
		n = n * 10 + (uint64_t)(s.text[i] - '0');
	}
	*out = n;
	return s.len > 0;
}

/* Ids count up from 1: nobody gets that far, but whoever makes records by hand. */
static bool id_read(struct span s, uint64_t *id)
{
	return number(s, id) && *id > 0 && *id <= INT64_MAX;
}

static void unref_all(struct selector **list, size_t n)
{
	for (size_t i = 0; i < n; i++)
		selector_unref(list[i]);
	free(list);
}

static bool ask_read(const struct request *r, struct ask *ask)
{
	const struct span *every = request_option(r, "every"), *value = request_option(r, "value");
	return r->n_words > 3 && span_is(r->words[0], "LOG") &&
	       control_parse(r->words[1].text, r->words[1].len, &ask->control) &&
	       state_parse(r->words[2].text, r->words[2].len, &ask->state) &&
	       (every == NULL || delta_parse(every->text, every->len, "every", &ask->delta, NULL) == OK) &&
	       (value == NULL || value_parse(value->text, value->len, &ask->value)) && ask_check(ask, 0, NULL) == OK;
}

/* The request line of an entry -> ask and selectors.  *e stays NULL when it is not whole. */
static enum err entry_parse(const struct request *r, uint64_t id, const char *note, const char *own_host,
			    struct entry **e)
{
	struct ask ask = { 0 };
	if (!ask_read(r, &ask))
		return OK;
	size_t            n = r->n_words - 3, k = 0;
	struct selector **list = calloc(n, sizeof(*list));
	enum err          err = list == NULL ? ERR_NOMEM : OK;
	for (; err == OK && k < n; k += err == OK)
		err = selector_parse(&list[k], r->words[3 + k].text, r->words[3 + k].len, own_host, NULL);
	if (err == OK) {
		*e = entry_new(ORIGIN_SOCKET, id, &ask, list, n, note);
		err = *e == NULL ? ERR_NOMEM : OK;
	}
	if (*e == NULL)
		unref_all(list, k);
	else
		free(list);
	return err == ERR_NOMEM ? err : OK;
}

/* END and REST; a permanent entry has neither.  What is left is end - now, and never more than REST. */
static bool ends_read(const struct request *r, int64_t boot_ns, int64_t wall_ns, int64_t *ends_ns)
{
	uint64_t end_ms, rest_ms;
	*ends_ns = ENTRY_FOREVER;
	if (span_is(r->words[4], "-"))
		return true;
	if (!number(r->words[4], &end_ms) || !number(r->words[5], &rest_ms) || rest_ms > DELTA_MAX_MS ||
	    end_ms > INT64_MAX / MS_NS)
		return false;
	int64_t left_ms = (int64_t)end_ms - wall_ns / MS_NS;
	if (left_ms > (int64_t)rest_ms)
		left_ms = (int64_t)rest_ms;
	*ends_ns = boot_ns + (left_ms < 0 ? 0 : left_ms) * MS_NS;
	return true;
}

static enum err read_entry(struct record *out, const struct request *r, const char *own_host, int64_t boot_ns,
			   int64_t wall_ns)
{
	uint64_t id, at, uid;
	int64_t  ends_ns;
	if (r->n_words != 9 || !id_read(r->words[1], &id) || !number(r->words[2], &at) || at > INT64_MAX ||
	    !number(r->words[3], &uid) || uid > UINT32_MAX || !ends_read(r, boot_ns, wall_ns, &ends_ns))
		return OK;
	struct request inner = REQUEST_INIT;
	struct span    note = r->words[6], line = r->words[7];
	char          *note_text = note.len == 0 ? NULL : strndup(note.text, note.len);
	enum err       err = note.len > 0 && note_text == NULL ? ERR_NOMEM : OK;
	if (err == OK)
		err = request_parse(&inner, (char *)line.text, line.len, NULL);
	if (err == OK)
		err = entry_parse(&inner, id, note_text, own_host, &out->entry);
	request_fini(&inner);
	free(note_text);
	if (out->entry != NULL) {
		out->kind = RECORD_ENTRY;
		out->newest = id;
		out->entry->at_s = (int64_t)at;
		out->entry->uid = (uint32_t)uid;
		out->entry->ends_ns = ends_ns;
		out->entry->saved = true;
	}
	return err == ERR_NOMEM ? err : OK;
}

static enum err read_forget(struct record *out, const struct request *r)
{
	size_t   n = r->n_words - 3; /* less the letter, the time and the sum */
	uint64_t at;
	out->ids = calloc(n, sizeof(*out->ids));
	if (out->ids == NULL)
		return ERR_NOMEM;
	if (!number(r->words[1], &at))
		return OK;
	for (size_t i = 0; i < n; i++) {
		if (!id_read(r->words[2 + i], &out->ids[i]))
			return OK;
	}
	out->n_ids = n;
	out->kind = RECORD_FORGET;
	return OK;
}

enum err record_read(struct record *out, char *line, size_t len, const char *own_host, int64_t boot_ns, int64_t wall_ns)
{
	struct request r = REQUEST_INIT;
	*out = (struct record){ 0 };
	if (!sum_is_right(line, len))
		return OK;
	enum err err = request_parse(&r, line, len, NULL);
	if (err != OK)
		return err == ERR_NOMEM ? err : OK;
	if (r.n_words > 2 && span_is(r.words[0], "E"))
		err = read_entry(out, &r, own_host, boot_ns, wall_ns);
	else if (r.n_words > 3 && span_is(r.words[0], "F"))
		err = read_forget(out, &r);
	else if (r.n_words == 3 && span_is(r.words[0], "N") && id_read(r.words[1], &out->newest))
		out->kind = RECORD_NEWEST;
	request_fini(&r);
	return err;
}
