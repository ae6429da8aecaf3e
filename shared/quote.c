/* quote - see quote.h. */
#include "quote.h"

static int hex_of(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

static enum err escape_read(const char **in, const char *end, char **out, struct why *why)
{
	const char *at = *in;
	if (end - at >= 2 && (at[1] == '"' || at[1] == '\\')) {
		*(*out)++ = at[1];
		*in += 2;
		return OK;
	}
	if (end - at >= 4 && at[1] == 'x' && hex_of(at[2]) >= 0 && hex_of(at[3]) >= 0) {
		*(*out)++ = (char)(hex_of(at[2]) << 4 | hex_of(at[3]));
		*in += 4;
		return OK;
	}
	return why_set(why, ERR_INVAL,
		       "inside quotes a backslash stands before \", \\ or xHH only; write \\\\ for a backslash");
}

enum err quote_read(const char **in, const char *end, char **out, struct why *why)
{
	while (*in < end && **in != '"') {
		if (**in == '\\') {
			enum err err = escape_read(in, end, out, why);
			if (err != OK)
				return err;
		} else {
			*(*out)++ = *(*in)++;
		}
	}
	if (*in == end)
		return why_set(why, ERR_INVAL, "a quote is not closed; end the word with \"");
	++*in;
	return OK;
}
