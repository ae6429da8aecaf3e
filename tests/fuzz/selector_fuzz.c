/* selector_fuzz - a selector, a newline, an identifier: parsing and matching end, and a selector selects its own text. */
#include <stdlib.h>
#include <string.h>

#include "selector.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char      *text = (const char *)data, *newline = size == 0 ? NULL : memchr(text, '\n', size);
	size_t           len = newline == NULL ? size : (size_t)(newline - text);
	struct selector *s;
	struct why       why;
	if (size > 4096 || selector_parse(&s, text, len, "own", &why) != OK)
		return 0;
	struct ident own = selector_ident(s);
	if (!selector_matches(s, own.text, own.len) || selector_prefix(s) > own.len)
		abort();
	if (newline != NULL) {
		const char *name = newline + 1;
		size_t      n = size - len - 1;
		if (selector_matches(s, name, n) && n != own.len &&
		    (n < selector_prefix(s) || memcmp(name, own.text, selector_prefix(s)) != 0))
			abort();
	}
	selector_unref(s);
	return 0;
}
