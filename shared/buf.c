/* buf - see buf.h. */
#include "buf.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void buf_fini(struct buf *b)
{
	free(b->data);
	*b = BUF_INIT;
}

/* Room for `more` bytes and a terminator. */
static bool reserve(struct buf *b, size_t more)
{
	if (b->failed)
		return false;
	if (b->size - b->len > more)
		return true;
	size_t size = b->size < 128 ? 128 : b->size;
	while (size - b->len <= more) {
		if (size > SIZE_MAX / 2) {
			b->failed = true;
			return false;
		}
		size *= 2;
	}
	char *data = realloc(b->data, size);
	if (data == NULL) {
		b->failed = true;
		return false;
	}
	b->data = data;
	b->size = size;
	return true;
}

void buf_add_growing(struct buf *b, const void *data, size_t len)
{
	if (len == 0 || !reserve(b, len))
		return;
	memcpy(b->data + b->len, data, len);
	b->len += len;
}

void buf_addf(struct buf *b, const char *fmt, ...)
{
	va_list args, again;
	va_start(args, fmt);
	va_copy(again, args);
	int n = vsnprintf(NULL, 0, fmt, args);
	if (n >= 0 && reserve(b, (size_t)n)) {
		vsnprintf(b->data + b->len, (size_t)n + 1, fmt, again);
		b->len += (size_t)n;
	}
	va_end(again);
	va_end(args);
}

#define EACH(byte) (UINT64_C(0x0101010101010101) * (byte))

/* Not 0 if one of eight bytes may not stand in quotes as it is: below 0x20, above 0x7e, a quote or a backslash. */
static uint64_t odd_ones(uint64_t bytes)
{
	uint64_t quote = bytes ^ EACH('"'), backslash = bytes ^ EACH('\\');
	/* of bytes below 0x80 these are exact or say too much, of others the first says so */
	return (bytes | (bytes - EACH(0x20)) | (bytes + EACH(1)) | (quote - EACH(1)) | (backslash - EACH(1))) &
	       EACH(0x80);
}

/* How many bytes at the start of `text` stand in quotes as they are. */
static size_t plain_length(const char *text, size_t len)
{
	size_t   n = 0;
	uint64_t bytes;
	for (; n + sizeof(bytes) <= len; n += sizeof(bytes)) {
		memcpy(&bytes, text + n, sizeof(bytes));
		if (odd_ones(bytes) != 0)
			break;
	}
	while (n < len && text[n] >= 0x20 && text[n] <= 0x7e && text[n] != '"' && text[n] != '\\')
		n++;
	return n;
}

void buf_add_quoted(struct buf *b, const char *text, size_t len)
{
	static const char digits[] = "0123456789abcdef";
	buf_addc(b, '"');
	for (size_t i = 0; i < len; i++) {
		size_t plain = plain_length(text + i, len - i);
		buf_add(b, text + i, plain);
		i += plain;
		if (i == len)
			break;
		unsigned char c = (unsigned char)text[i];
		if (c == '"' || c == '\\') {
			char pair[2] = { '\\', (char)c };
			buf_add(b, pair, sizeof(pair));
		} else {
			char hex[4] = { '\\', 'x', digits[c >> 4], digits[c & 15] };
			buf_add(b, hex, sizeof(hex));
		}
	}
	buf_addc(b, '"');
}

const char *buf_text(struct buf *b)
{
	if (!reserve(b, 0))
		return "";
	b->data[b->len] = '\0';
	return b->data;
}
