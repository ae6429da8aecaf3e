/* err - see err.h. */
#include "err.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

int err_number(enum err e)
{
	switch (e) {
	case OK:
		return 0;
	case ERR_INVAL:
		return -EINVAL;
	case ERR_UNKNOWN:
		return -ENOENT;
	case ERR_IO:
		return -EIO;
	case ERR_BUSY:
		return -EAGAIN;
	case ERR_NOMEM:
		return -ENOMEM;
	case ERR_DENIED:
		return -EACCES;
	case ERR_SPACE:
		return -ENOSPC;
	case ERR_FULL:
		return -ENOBUFS;
	}
	return -EINVAL;
}

enum err why_set(struct why *why, enum err e, const char *fmt, ...)
{
	if (why == NULL)
		return e;
	va_list args;
	va_start(args, fmt);
	int n = vsnprintf(why->text, sizeof(why->text), fmt, args);
	va_end(args);
	if (n < 0)
		why->text[0] = '\0';
	else if ((size_t)n >= sizeof(why->text))
		memcpy(why->text + sizeof(why->text) - 4, "...", 4);
	return e;
}

/* What one byte looks like inside quotes; returns the number of characters. */
static int escape(unsigned char c, char out[5])
{
	if (c == '"' || c == '\\')
		return snprintf(out, 5, "\\%c", c);
	if (c < 0x20 || c > 0x7e)
		return snprintf(out, 5, "\\x%02x", c);
	return snprintf(out, 5, "%c", c);
}

struct excerpt excerpt_of(const char *text, size_t len)
{
	struct excerpt e;
	const size_t   room = sizeof(e.text) - sizeof("\"...");
	size_t         used = 0, i = 0;
	e.text[used++] = '"';
	for (; i < len; i++) {
		char piece[5];
		int  n = escape((unsigned char)text[i], piece);
		if (used + (size_t)n > room)
			break;
		memcpy(e.text + used, piece, (size_t)n);
		used += (size_t)n;
	}
	memcpy(e.text + used, i < len ? "...\"" : "\"", i < len ? 5 : 2);
	return e;
}
