/*
 * ident - the full text name of a metric instance, host/plugin[-plugin_instance]/type[-type_instance].
 *
 * Role     the one spelling of a name everywhere; two value lists with the same text are the same metric instance.
 * Owns     nothing: a struct ident borrows its text.
 * Errors   ident_parse(): ERR_INVAL with the form.
 */
#ifndef LC_IDENT_H
#define LC_IDENT_H

#include <stddef.h>
#include <stdint.h>

#include "err.h"

#define FIELD_MAX  127 /* the host's DATA_MAX_NAME_LEN - 1 */
#define FIELD_ROOM (FIELD_MAX + 1)
#define IDENT_MAX  (5 * FIELD_MAX + 4)  /* longest text, without a terminator */
#define IDENT_ROOM (IDENT_MAX + 1 + 16) /* what ident_format() may write to */

struct ident {
	const char *text; /* need not be terminated */
	uint32_t    len;
	uint64_t    hash; /* ident_hash() of the text */
};

/* XXH3 of the text. */
uint64_t ident_hash(const char *text, size_t len);

/* A bit, of 64, for two bytes that stand side by side, and all those of a text: one that lacks the bit of a pair does not have that
 * pair. */
static inline uint64_t pair_bit(unsigned char first, unsigned char second)
{
	return UINT64_C(1) << ((((uint32_t)first << 8 | second) * UINT32_C(0x9E3779B1)) >> 26);
}
uint64_t ident_pairs(const char *text, size_t len);

/* Writes the text of five fields (an empty instance leaves out its hyphen) into `out`, terminated, and returns it as an ident
 * that borrows `out`.  Each field stands in FIELD_ROOM bytes, as in the host's value lists: all of them may be read, and what has no
 * terminator is cut to FIELD_MAX bytes.  Called for every value: no allocation, no stdio. */
struct ident ident_format(char out[IDENT_ROOM], const char *host, const char *plugin, const char *plugin_instance,
			  const char *type, const char *type_instance);

/* Checks a name that somebody typed, wildcards being plain characters; two parts get `own_host` in front.  Writes the
 * full text, terminated, to `out`.  Rules and messages are those of specification section 3. */
enum err ident_parse(const char *text, size_t len, const char *own_host, char out[IDENT_MAX + 1], struct ident *ident,
		     struct why *why);

/* The number of parts of a typed name (2 or 3), none of them empty; ERR_INVAL with the form for anything else, or for a NUL. */
enum err ident_check(const char *text, size_t len, size_t *n_parts, struct why *why);
/* No field of a full name (three parts) is longer than the host's limit; cut at the first hyphen as the host does. */
enum err ident_check_fields(const char *text, size_t len, struct why *why);

#endif
