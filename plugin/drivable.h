/*
 * drivable - which read plugins may be driven, and how one is registered anew (specification section 10).
 *
 * Role     a plugin may be driven if everything that it registers can be taken back and registered again by public functions
 *          alone: configuration, init, read, shutdown, each under the plugin's own name.  What a loaded plugin can register
 *          shows in the functions that it imports.
 * Threads  drivable_find(): init.  drivable_register(): inside a meeting of all read threads.
 */
#ifndef LC_DRIVABLE_H
#define LC_DRIVABLE_H

#include <stdbool.h>
#include <stdint.h>

#include "err.h"

#define DRIVABLE_NAME_MAX 63

struct drivable {
	char name[DRIVABLE_NAME_MAX + 1]; /* under which it registers: that of its file, without .so */
	void (*module_register)(void);
	bool tried; /* in our table, else the user vouches for it */
};

/* Fills in `out` for the plugin `name`, in any letter case.  `unknown_too`: one that is not in our table will do, if what it imports
 * does not speak against it.  On failure `why` names plugin, cause and, if there is one, the way out. */
enum err    drivable_find(struct drivable *out, const char *name, bool unknown_too, struct why *why);
/* What a plugin imports that it must not, given one function's name; NULL: this one is harmless.  A short phrase. */
const char *drivable_objection(const char *function);
/* Is a plugin loaded that writes the daemon's log? */
bool        drivable_log_is_written(void);

/* Takes the plugin's read function away from the daemon and has the plugin register anew at `interval` (units of the host) as the
 * source `context`, which must stay valid for ever.  false: it has no read function any more; nothing was done. */
bool drivable_register(const struct drivable *d, char *context, uint64_t interval);

#endif
