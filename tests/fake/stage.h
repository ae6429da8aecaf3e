/*
 * stage - a daemon for the driver under simulated time: it keeps read functions and calls them when the test says so, takes log
 *         lines, and counts how often a plugin was registered and at what interval.
 *
 * Threads  one.
 * Owns     the lab; there is one stage at a time, since the driver calls the host by name.
 */
#ifndef LC_STAGE_H
#define LC_STAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "driver.h"
#include "lab.h"

struct stage {
	struct lab     lab;
	struct driver *driver;
};

/* Settings with one <Source> block for each of `names` (ended by NULL), still to be changed: stage->lab.settings. */
void           stage_prepare(struct stage *s, const char *const *names);
/* Logger and driver; `readers` as for driver_start(). */
void           stage_open(struct stage *s, unsigned readers);
void           stage_close(struct stage *s);
/* Time goes by in steps of the driver's period; in each of them the first `present` of its read functions are called. */
void           stage_run(struct stage *s, double seconds, unsigned present);
/* Calls each of its read functions once, now. */
void           stage_read_once(struct stage *s);
/* A value of `name`, now, read by `source` every `interval_s`: is it logged? */
bool           stage_value(struct stage *s, const char *name, const char *source, double interval_s);
/* Read functions that the host holds; log functions. */
unsigned       stage_readers(void);
unsigned       stage_log_functions(void);
/* How often the plugin was registered anew, and at what interval in s the last time. */
unsigned       stage_registrations(const char *plugin);
double         stage_interval(const char *plugin);
/* From now on the plugin has no read function. */
void           stage_lose(const char *plugin);
/* All log lines so far. */
const char    *stage_log(void);
struct source *stage_source(struct stage *s, const char *name);

#endif
