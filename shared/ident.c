/* ident - see ident.h. */
#include "ident.h"

#include <endian.h>
#include <string.h>

/* XXH3 from Debian's libxxhash-dev, inlined: the names are short, and a call would cost as much as the hash. */
#define XXH_INLINE_ALL
#include <xxhash.h>

uint64_t ident_hash(const char *text, size_t len)
{
	return XXH3_64bits(text, len);
}

uint64_t ident_pairs(const char *text, size_t len)
{
	uint64_t pairs = 0;
	for (size_t i = 1; i < len; i++)
		pairs |= pair_bit((unsigned char)text[i - 1], (unsigned char)text[i]);
	return pairs;
}

#ifdef __SSE2__
#include <emmintrin.h>

#define PIECE 16

/* Copies so many bytes; how many of them stand before the first zero byte?  PIECE or more: there is none. */
static inline unsigned put_piece(char *at, const char *from)
{
	__m128i bytes = _mm_loadu_si128((const __m128i *)from);
	_mm_storeu_si128((__m128i *)at, bytes);
	unsigned zeros = (unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(bytes, _mm_setzero_si128()));
	return (unsigned)__builtin_ctz(zeros | 1u << PIECE);
}

#else

#define PIECE 8
#define ONES  UINT64_C(0x0101010101010101)

static inline unsigned put_piece(char *at, const char *from)
{
	uint64_t word;
	memcpy(&word, from, sizeof(word));
	memcpy(at, &word, sizeof(word));
	word = le64toh(word);
	/* the lowest bit that is set belongs to the first zero byte */
	uint64_t zeros = (word - ONES) & ~word & ONES << 7;
	return zeros == 0 ? PIECE : (unsigned)__builtin_ctzll(zeros) / 8;
}

#endif

/* Copies a field, with some bytes of what follows it, and gives where it ends. */
static inline char *put(char *at, const char *field)
{
	for (unsigned i = 0; i < FIELD_ROOM; i += PIECE, at += PIECE) {
		unsigned n = put_piece(at, field + i);
		if (n < PIECE)
			return at + n;
	}
	return at - 1;
}

/* Without a branch: some names have an instance and some have none. */
static inline char *put_instance(char *at, const char *field)
{
	*at = '-';
	return put(at + (field[0] != '\0'), field);
}

struct ident ident_format(char out[IDENT_ROOM], const char *host, const char *plugin, const char *plugin_instance,
			  const char *type, const char *type_instance)
{
	char *at = put(out, host);
	*at++ = '/';
	at = put_instance(put(at, plugin), plugin_instance);
	*at++ = '/';
	at = put_instance(put(at, type), type_instance);
	*at = '\0';
	size_t len = (size_t)(at - out);
	return (struct ident){ out, (uint32_t)len, ident_hash(out, len) };
}

static enum err form(const char *text, size_t len, struct why *why)
{
	return why_set(
		why, ERR_INVAL,
		"%s is no [HOST/]PLUGIN[-INSTANCE]/TYPE[-INSTANCE]; a slash inside a name is an underscore here, and "
		"the root file system is df-root",
		excerpt_of(text, len).text);
}

/* Length of a name and of its instance, cut at the first hyphen as the host's parse_identifier() does. */
static size_t longest_field(const char *part, size_t len)
{
	const char *hyphen = memchr(part, '-', len);
	if (hyphen == NULL)
		return len;
	size_t name = (size_t)(hyphen - part), instance = len - name - 1;
	return name > instance ? name : instance;
}

enum err ident_check(const char *text, size_t len, size_t *n_parts, struct why *why)
{
	const char *part = text, *end = text + len;
	size_t      n = 1;
	for (const char *c = text; c <= end; c++) {
		if (c < end && *c != '/')
			continue;
		if (c == part)
			return form(text, len, why);
		part = c + 1;
		n += c < end;
	}
	if (n != 2 && n != 3)
		return form(text, len, why);
	if (memchr(text, '\0', len) != NULL)
		return why_set(why, ERR_INVAL, "%s holds a NUL byte, which no identifier has; leave it out",
			       excerpt_of(text, len).text);
	*n_parts = n;
	return OK;
}

enum err ident_check_fields(const char *text, size_t len, struct why *why)
{
	const char *slash = memchr(text, '/', len);
	size_t      host = (size_t)(slash - text), rest = len - host - 1;
	const char *plugin = slash + 1;
	const char *second = memchr(plugin, '/', rest);
	size_t      plugin_len = (size_t)(second - plugin);
	if (host > FIELD_MAX || longest_field(plugin, plugin_len) > FIELD_MAX ||
	    longest_field(second + 1, rest - plugin_len - 1) > FIELD_MAX)
		return why_set(
			why, ERR_INVAL,
			"%s has a name of more than %d bytes, which no identifier has; shorten it or use a pattern",
			excerpt_of(text, len).text, FIELD_MAX);
	return OK;
}

enum err ident_parse(const char *text, size_t len, const char *own_host, char out[IDENT_MAX + 1], struct ident *ident,
		     struct why *why)
{
	size_t   n_parts, used = 0;
	enum err err = ident_check(text, len, &n_parts, why);
	if (err != OK)
		return err;
	char   full[2 * IDENT_MAX + 2];
	size_t host = n_parts == 2 ? strlen(own_host) : 0;
	if (len > IDENT_MAX || host > FIELD_MAX)
		return why_set(why, ERR_INVAL, "%s is longer than any identifier (%d bytes); shorten it",
			       excerpt_of(text, len).text, IDENT_MAX);
	if (n_parts == 2) {
		memcpy(full, own_host, host);
		full[host] = '/';
		used = host + 1;
	}
	memcpy(full + used, text, len);
	err = ident_check_fields(full, used + len, why);
	if (err != OK)
		return err;
	used += len;
	memcpy(out, full, used);
	out[used] = '\0';
	*ident = (struct ident){ out, (uint32_t)used, ident_hash(out, used) };
	return OK;
}
