/*
 * buf - bytes that grow: reply text, file records.
 *
 * Threads  one at a time; the caller sees to it.
 * Owns     its memory; BUF_INIT is empty and owns none, buf_fini() of it is a no-op.
 * Errors   a failed allocation sets `failed`, later calls do nothing: check it once at the end.
 */
#ifndef LC_BUF_H
#define LC_BUF_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

struct buf {
	char  *data; /* not terminated, unless buf_text() was called */
	size_t len, size;
	bool   failed;
};

#define BUF_INIT ((struct buf){ NULL, 0, 0, false })

void        buf_fini(struct buf *b);
/* buf_add() where there may be no room. */
void        buf_add_growing(struct buf *b, const void *data, size_t len);
void        buf_addf(struct buf *b, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Appends `text` in the quotes of specification section 11: \" \\ and \xHH for bytes outside 0x20..0x7e. */
void        buf_add_quoted(struct buf *b, const char *text, size_t len);
/* The content as a terminated string, borrowed until the next call; "" when nothing or `failed`. */
const char *buf_text(struct buf *b);

/* Appends `len` bytes.  Inline: a reply of a million lines is made of twenty such pieces a line. */
static inline void buf_add(struct buf *b, const void *data, size_t len)
{
	if (len == 0 || b->failed || b->size - b->len <= len) {
		buf_add_growing(b, data, len);
		return;
	}
	memcpy(b->data + b->len, data, len);
	b->len += len;
}

static inline void buf_addc(struct buf *b, char c)
{
	buf_add(b, &c, 1);
}

static inline void buf_adds(struct buf *b, const char *text)
{
	buf_add(b, text, strlen(text));
}

#endif
