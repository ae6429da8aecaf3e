/* client_reply - see client_reply.h: bytes -> lines. */
#include "client_reply.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* The reply that programs see, and what it stands on. */
struct whole {
	struct lc_reply reply;
	char           *bytes;
	const char     *lines[];
};

/* "-22 text", "5 Values id=17", "0": an optional minus, digits, then a blank or the end.  Returns how much it took; 0:
 * no number of a reply (an error of 0, or beyond what errno can be, is none either). */
static size_t number_read(const char *line, size_t len, int *number)
{
	size_t i = len > 0 && line[0] == '-', digits_at = i;
	long   n = 0;
	for (; i < len && line[i] >= '0' && line[i] <= '9'; i++) {
		n = n * 10 + (line[i] - '0');
		if (n > INT_MAX)
			return 0;
	}
	bool is_error = digits_at == 1;
	if (i == digits_at || (i < len && line[i] != ' ') || (is_error && (n == 0 || n > 4095)))
		return 0;
	*number = is_error ? -(int)n : (int)n;
	return i;
}

bool intake_is_whole(const struct intake *in)
{
	return in->n_ends > 0 && in->n_ends - 1 == (in->number > 0 ? (size_t)in->number : 0);
}

/* A line has ended; nothing of it can be a NUL, since texts are handed out terminated. */
static int line_check(struct intake *in, size_t end)
{
	const char *line = in->bytes.data + in->line_start;
	size_t      len = end - in->line_start;
	if (len > REPLY_MAX_LINE)
		return -EMSGSIZE;
	if (memchr(line, '\0', len) != NULL)
		return -EPROTO;
	if (in->n_ends == 0 && number_read(line, len, &in->number) == 0)
		return -EPROTO;
	in->n_ends++;
	in->line_start = end + 1;
	return 0;
}

int intake_add(struct intake *in, const char *bytes, size_t len)
{
	if (len > REPLY_MAX_BYTES - in->bytes.len)
		return -EMSGSIZE;
	buf_add(&in->bytes, bytes, len);
	if (in->bytes.failed)
		return -ENOMEM;
	while (in->checked < in->bytes.len) {
		if (intake_is_whole(in))
			return -EPROTO; /* we ask once, so nothing may follow */
		const char *from = in->bytes.data + in->checked;
		const char *end = memchr(from, '\n', in->bytes.len - in->checked);
		if (end == NULL) {
			in->checked = in->bytes.len;
			return in->bytes.len - in->line_start > REPLY_MAX_LINE ? -EMSGSIZE : 0;
		}
		size_t at = (size_t)(end - in->bytes.data);
		int    err = line_check(in, at);
		if (err != 0)
			return err;
		in->checked = at + 1;
	}
	return 0;
}

void intake_fini(struct intake *in)
{
	buf_fini(&in->bytes);
	*in = INTAKE_INIT;
}

/* Terminates each line in place and notes where it begins. */
static void lines_split(struct whole *w, size_t n_ends)
{
	char *at = w->bytes;
	for (size_t i = 0; i < n_ends; i++) {
		char *end = strchr(at, '\n');
		*end = '\0';
		w->lines[i] = at;
		at = end + 1;
	}
}

struct lc_reply *intake_finish(struct intake *in)
{
	if (buf_text(&in->bytes) == NULL || in->bytes.failed)
		return NULL;
	struct whole *w = malloc(sizeof(*w) + in->n_ends * sizeof(w->lines[0]));
	if (w == NULL)
		return NULL;
	w->bytes = in->bytes.data;
	lines_split(w, in->n_ends);
	const char *first = w->lines[0];
	first += number_read(first, strlen(first), &in->number);
	w->reply = (struct lc_reply){
		.number = in->number,
		.text = *first == ' ' ? first + 1 : first,
		.n_lines = in->n_ends - 1,
		.lines = w->lines + 1,
	};
	in->bytes = BUF_INIT; /* now the reply's */
	intake_fini(in);
	return &w->reply;
}

void lc_reply_free(struct lc_reply *reply)
{
	struct whole *w = (struct whole *)reply; /* its first member */
	if (w == NULL)
		return;
	free(w->bytes);
	free(w);
}
