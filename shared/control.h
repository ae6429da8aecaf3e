/*
 * control - the control rule: what an instance holds after a request about it (specification section 4).
 *
 * Role     the one place that knows the rule; a table, from __pmControlLog(3).
 * Threads  pure functions.
 * Units    delta: milliseconds.
 */
#ifndef LC_CONTROL_H
#define LC_CONTROL_H

#include <stdbool.h>
#include <stdint.h>

#include "delta.h"
#include "err.h"

enum control { CONTROL_ADVISORY, CONTROL_MANDATORY };
enum state { STATE_OFF, STATE_ON, STATE_MAYBE };
enum value_kind { VALUE_LAST, VALUE_AVERAGE, VALUE_MIN, VALUE_MAX };

/* What a request wants. */
struct ask {
	enum control    control;
	enum state      state;
	struct delta    delta; /* DELTA_NATIVE unless state is STATE_ON */
	enum value_kind value; /* VALUE_LAST unless state is STATE_ON */
};

/* What an instance holds.  Eight bytes, since there may be a million. */
struct held {
	uint64_t ms : 40;       /* of DELTA_EVERY; else 0 */
	uint64_t mandatory : 1; /* enum control */
	uint64_t on : 1;
	uint64_t kind : 2;   /* enum delta_kind; DELTA_NATIVE while off */
	uint64_t value : 2;  /* enum value_kind; VALUE_LAST while off */
	uint64_t spare : 18; /* 0 */
};

/* ... and which entry decided: its id, 0 for the configuration's and the default (specification section 4, once). */
struct hold {
	struct held held;
	uint64_t    by;
};

/* advisory on native: the default where the configuration says nothing. */
#define HELD_DEFAULT ((struct held){ .on = 1, .kind = DELTA_NATIVE })

/* Makes `ask` canonical (off and maybe carry no delta and no value) and checks it: advisory maybe, or a delta below
 * `min_ms`, is ERR_INVAL with the limit and the way out; `ask` then stays as it was. */
enum err ask_check(struct ask *ask, uint64_t min_ms, struct why *why);
bool     ask_equal(const struct ask *a, const struct ask *b);

/* The rule.  Returns false when refused, and leaves `hold` as it is; true when not refused, `hold` being what is held
 * afterwards (which may be unchanged: a maybe meets advisory).  `ask` has passed ask_check(). */
bool control_next(struct hold *hold, const struct ask *ask, uint64_t by);

bool held_equal(struct held a, struct held b);

/* Words: "advisory"/"mandatory", "off"/"on"/"maybe", "last"/"average"/"min"/"max"; parse takes any letter case and
 * returns false for anything else, leaving the out-parameter alone. */
const char *control_name(enum control c);
const char *state_name(enum state s);
const char *value_name(enum value_kind v);
bool        control_parse(const char *text, size_t len, enum control *out);
bool        state_parse(const char *text, size_t len, enum state *out);
bool        value_parse(const char *text, size_t len, enum value_kind *out);

#endif
