/* control - see control.h. */
#include "control.h"

#include <inttypes.h>
#include <string.h>
#include <strings.h>

/* Which pair is held, and which asked; advisory maybe does not exist. */
enum { HELD_ADV_OFF, HELD_ADV_ON, HELD_MAND_OFF, HELD_MAND_ON, HELD_COUNT };
enum { ASKED_MAND_ON, ASKED_MAND_OFF, ASKED_MAND_MAYBE, ASKED_ADV_ON, ASKED_ADV_OFF, ASKED_COUNT };

/* What follows: the pair held next, SAME (not refused, nothing changes), or NO (refused). */
enum next { ADV_OFF = HELD_ADV_OFF, ADV_ON, MAND_OFF, MAND_ON, SAME, NO };

/* The rule of __pmControlLog(3), specification section 4.  Mandatory beats advisory until a mandatory maybe.
 * clang-format would fold the table: */
/* clang-format off */
static const enum next rule[HELD_COUNT][ASKED_COUNT] = {
	/* held              mand on  mand off  mand maybe adv on  adv off */
	[HELD_ADV_OFF]  = { MAND_ON, MAND_OFF, SAME,      ADV_ON, ADV_OFF },
	[HELD_ADV_ON]   = { MAND_ON, MAND_OFF, SAME,      ADV_ON, ADV_OFF },
	[HELD_MAND_OFF] = { MAND_ON, MAND_OFF, ADV_OFF,   NO,     NO      },
	[HELD_MAND_ON]  = { MAND_ON, MAND_OFF, ADV_OFF,   NO,     NO      },
};
/* clang-format on */

static unsigned held_index(struct held h)
{
	return (h.mandatory ? 2u : 0u) + (h.on ? 1u : 0u);
}

static unsigned asked_index(const struct ask *ask)
{
	if (ask->control == CONTROL_ADVISORY)
		return ask->state == STATE_ON ? ASKED_ADV_ON : ASKED_ADV_OFF;
	if (ask->state == STATE_MAYBE)
		return ASKED_MAND_MAYBE;
	return ask->state == STATE_ON ? ASKED_MAND_ON : ASKED_MAND_OFF;
}

static struct held held_of(enum next next, const struct ask *ask)
{
	struct held h = { .mandatory = next == MAND_ON || next == MAND_OFF, .on = next == ADV_ON || next == MAND_ON };
	if (h.on) {
		h.ms = ask->delta.ms & ((UINT64_C(1) << 40) - 1);
		h.kind = ask->delta.kind;
		h.value = ask->value;
	}
	return h;
}

bool control_next(struct hold *hold, const struct ask *ask, uint64_t by)
{
	enum next next = rule[held_index(hold->held)][asked_index(ask)];
	if (next == NO)
		return false;
	if (next != SAME)
		*hold = (struct hold){ held_of(next, ask), by };
	return true;
}

enum err ask_check(struct ask *ask, uint64_t min_ms, struct why *why)
{
	if (ask->control == CONTROL_ADVISORY && ask->state == STATE_MAYBE)
		return why_set(why, ERR_INVAL,
			       "advisory maybe: there is no such request; ask for mandatory maybe, advisory on or "
			       "advisory off");
	if (ask->state != STATE_ON) {
		ask->delta = (struct delta){ DELTA_NATIVE, 0 };
		ask->value = VALUE_LAST;
		return OK;
	}
	if (ask->delta.kind == DELTA_EVERY && ask->delta.ms < min_ms)
		return why_set(why, ERR_INVAL,
			       "every=%s is below MinInterval (%" PRIu64 " ms); ask for every=%" PRIu64 "ms or more",
			       duration_format(ask->delta.ms).text, min_ms, min_ms);
	return OK;
}

bool ask_equal(const struct ask *a, const struct ask *b)
{
	return a->control == b->control && a->state == b->state && a->delta.kind == b->delta.kind &&
	       a->delta.ms == b->delta.ms && a->value == b->value;
}

bool held_equal(struct held a, struct held b)
{
	return a.ms == b.ms && a.mandatory == b.mandatory && a.on == b.on && a.kind == b.kind && a.value == b.value;
}

static const char *const control_names[] = { [CONTROL_ADVISORY] = "advisory", [CONTROL_MANDATORY] = "mandatory" };
static const char *const state_names[] = { [STATE_OFF] = "off", [STATE_ON] = "on", [STATE_MAYBE] = "maybe" };
static const char *const value_names[] = {
	[VALUE_LAST] = "last", [VALUE_AVERAGE] = "average", [VALUE_MIN] = "min", [VALUE_MAX] = "max"
};

/* Index of `text` among `n` names, or -1. */
static int name_find(const char *const *names, int n, const char *text, size_t len)
{
	for (int i = 0; i < n; i++) {
		if (strlen(names[i]) == len && strncasecmp(names[i], text, len) == 0)
			return i;
	}
	return -1;
}

const char *control_name(enum control c)
{
	return control_names[c];
}

const char *state_name(enum state s)
{
	return state_names[s];
}

const char *value_name(enum value_kind v)
{
	return value_names[v];
}

bool control_parse(const char *text, size_t len, enum control *out)
{
	int i = name_find(control_names, 2, text, len);
	if (i >= 0)
		*out = (enum control)i;
	return i >= 0;
}

bool state_parse(const char *text, size_t len, enum state *out)
{
	int i = name_find(state_names, 3, text, len);
	if (i >= 0)
		*out = (enum state)i;
	return i >= 0;
}

bool value_parse(const char *text, size_t len, enum value_kind *out)
{
	int i = name_find(value_names, 4, text, len);
	if (i >= 0)
		*out = (enum value_kind)i;
	return i >= 0;
}
