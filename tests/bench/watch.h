/*
 * watch - a thread that judges values all the time and remembers how long each call took.
 *
 * Role     shows whether something else makes values wait.  Calls during which the system put the thread off the processor without its asking are
 *          counted apart: on a busy machine these are other programs' doing (a yield of ours is among them, too).
 * Threads  watch_start() and watch_stop() from one; the watching is another.
 */
#ifndef LC_WATCH_H
#define LC_WATCH_H

#include <stddef.h>

#include "logger.h"

struct watch;

/* `names` (n of them, known to the logger; borrowed) are judged in turn. */
struct watch *watch_start(struct logger *lg, char *const *names, size_t n);
/* Ends it, prints what it saw as figures named after `what`, and frees it. */
void          watch_stop(struct watch *w, const char *what);

#endif
