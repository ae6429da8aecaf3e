/*
 * selector - an identifier, or a pattern over identifiers (specification section 3).
 *
 * Threads  immutable once parsed, so any thread may match; the reference count is the control side's alone (it is only
 *          touched under the logger's control lock, or before the logger runs).
 * Owns     a selector owns its texts; selector_ref/unref share it between entries of successive ledgers.
 * Errors   ERR_INVAL names the form, ERR_NOMEM.
 */
#ifndef LC_SELECTOR_H
#define LC_SELECTOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "err.h"
#include "ident.h"

struct selector;

/* Parses one selector.  `own_host` fills in the host of a two-part selector. */
enum err selector_parse(struct selector **out, const char *text, size_t len, const char *own_host, struct why *why);
struct selector *selector_ref(struct selector *s);
void             selector_unref(struct selector *s); /* NULL is fine */

/* Does `s` select the metric instance of that name?  Byte for byte equality always does. */
bool selector_matches(const struct selector *s, const char *ident, size_t len);

bool         selector_is_pattern(const struct selector *s);
/* Of a pattern: bits of ident_pairs() that every name has which it selects.  A newcomer meets a thousand patterns: most of them
 * are done with by this, without a look at the selector. */
uint64_t     selector_pairs(const struct selector *s);
/* The full text, own host filled in, as an ident (hash included).  Two selectors are the same when these are equal. */
struct ident selector_ident(const struct selector *s);
bool         selector_same(const struct selector *a, const struct selector *b);
/* The text as it was written (this is what is saved and what RULES prints); terminated. */
const char  *selector_text(const struct selector *s, size_t *len);
/* How many bytes at the start of selector_ident() every selected identifier begins with: lets a sorted list be searched
 * (all of it for an exact selector).  `h/load-*` counts `h/load` only, since it also selects `h/load/...`. */
size_t       selector_prefix(const struct selector *s);

#endif
