/* delta - see delta.h. */
#include "delta.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

static const struct unit {
	const char *name;
	uint64_t    ms;
} units[] = { { "d", 86400000 }, { "h", 3600000 }, { "min", 60000 }, { "s", 1000 }, { "ms", 1 } };

#define N_UNITS (sizeof(units) / sizeof(units[0]))

static bool is_word(const char *text, size_t len, const char *word)
{
	return strlen(word) == len && strncasecmp(text, word, len) == 0;
}

/* The unit that `text` names; nothing means seconds.  NULL: none of ours. */
static const struct unit *unit_find(const char *text, size_t len)
{
	if (len == 0)
		return unit_find("s", 1);
	for (size_t i = 0; i < N_UNITS; i++) {
		if (is_word(text, len, units[i].name))
			return &units[i];
	}
	return NULL;
}

/* Digits with at most one point: the integer part, and the fraction as numerator over a power of ten.  Returns how much of the
 * text it took; 0: no number.  Fifteen places suffice to tell any fraction of a millisecond of a day apart. */
struct decimal {
	uint64_t whole, part, scale;
	bool     is_huge, is_too_fine;
};

static size_t decimal_read(const char *text, size_t len, struct decimal *d)
{
	size_t i = 0, digits = 0;
	*d = (struct decimal){ .scale = 1 };
	for (; i < len && isdigit((unsigned char)text[i]); i++, digits++) {
		if (d->whole > DELTA_MAX_MS)
			d->is_huge = true;
		else
			d->whole = d->whole * 10 + (uint64_t)(text[i] - '0');
	}
	if (i < len && text[i] == '.') {
		for (i++; i < len && isdigit((unsigned char)text[i]); i++, digits++) {
			if (d->scale < UINT64_C(1000000000)) {
				d->part = d->part * 10 + (uint64_t)(text[i] - '0');
				d->scale *= 10;
			} else if (text[i] != '0') {
				d->is_too_fine = true;
			}
		}
	}
	return digits > 0 ? i : 0;
}

enum err duration_parse(const char *text, size_t len, const char *what, uint64_t *ms, struct why *why)
{
	struct decimal     d;
	size_t             used = decimal_read(text, len, &d);
	const struct unit *unit = used == 0 ? NULL : unit_find(text + used, len - used);
	if (unit == NULL)
		return why_set(
			why, ERR_INVAL,
			"%s=%s is no duration; write a number with ms, s (the default), min, h or d, as 10s or 1.5h",
			what, excerpt_of(text, len).text);
	if (d.is_huge || d.whole > DELTA_MAX_MS / unit->ms)
		return why_set(why, ERR_INVAL, "%s=%s is above the largest duration (3653d); ask for less", what,
			       excerpt_of(text, len).text);
	/* part < 1e9 and unit->ms < 1e8: the product fits */
	if (d.is_too_fine || d.part * unit->ms % d.scale != 0)
		return why_set(why, ERR_INVAL, "%s=%s has a fraction of a millisecond; ask for whole milliseconds",
			       what, excerpt_of(text, len).text);
	uint64_t total = d.whole * unit->ms + d.part * unit->ms / d.scale;
	if (total > DELTA_MAX_MS)
		return why_set(why, ERR_INVAL, "%s=%s is above the largest duration (3653d); ask for less", what,
			       excerpt_of(text, len).text);
	*ms = total;
	return OK;
}

enum err delta_parse(const char *text, size_t len, const char *what, struct delta *delta, struct why *why)
{
	uint64_t ms = 0;
	if (is_word(text, len, "native")) {
		*delta = (struct delta){ DELTA_NATIVE, 0 };
		return OK;
	}
	if (!is_word(text, len, "once")) {
		enum err err = duration_parse(text, len, what, &ms, why);
		if (err != OK)
			return err;
	}
	*delta = (struct delta){ ms == 0 ? DELTA_ONCE : DELTA_EVERY, ms };
	return OK;
}

struct delta_text duration_format(uint64_t ms)
{
	struct delta_text out;
	size_t            i = 0;
	while (i < N_UNITS - 1 && (ms == 0 || ms % units[i].ms != 0))
		i++;
	snprintf(out.text, sizeof(out.text), "%" PRIu64 "%s", ms / units[i].ms, units[i].name);
	return out;
}

struct delta_text delta_format(struct delta delta)
{
	if (delta.kind == DELTA_EVERY)
		return duration_format(delta.ms);
	struct delta_text out;
	snprintf(out.text, sizeof(out.text), "%s", delta.kind == DELTA_ONCE ? "once" : "native");
	return out;
}
