/*
 * lab - a real logger with real commands under simulated time: what the story tests work in.
 *
 * Role     requests go in as lines, replies come out as text, values are judged one by one; time only moves when told to.
 * Threads  one.
 * Units    seconds as double in calls, for reading; nanoseconds inside.
 */
#ifndef LC_LAB_H
#define LC_LAB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "command.h"
#include "logger.h"

struct lab {
	struct settings settings;
	struct logger  *logger;
	struct now      now; /* wall, boot and arrival clock move together, from different starts */
	unsigned        rights;
	char           *reply;      /* the last one, terminated; owned */
	union number    value;      /* of the last value judged, as it would be logged */
	double          interval_s; /* with which it would be logged */
};

/* A logger without configured rules whose default is `def`. */
void        lab_open(struct lab *lab, struct held def);
/* The same with settings that were prepared in `lab->settings` (settings_init() done). */
void        lab_start(struct lab *lab);
void        lab_close(struct lab *lab);
void        lab_advance(struct lab *lab, double seconds); /* and lets entries end */
/* Runs one line; the reply, owned by the lab until the next call. */
const char *lab_ask(struct lab *lab, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Judges a value of `name` (three parts, no instances cut) that comes now, with time stamp now: is it logged? */
bool        lab_gauge(struct lab *lab, const char *name, double interval_s, double value);
/* The same with everything given. */
bool lab_value(struct lab *lab, const char *name, int64_t time_ns, double interval_s, union number value, uint8_t kind);
/* Word number `word` (from 0) of line number `line` (0 is the first) of the last reply; "" if there is none. */
const char *lab_word(struct lab *lab, size_t line, size_t word);

#endif
