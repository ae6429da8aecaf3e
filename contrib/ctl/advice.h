/*
 * advice - what people should know beside the table of a log statement: values that come more rarely than asked for, and the
 * daemon's hints as sentences.
 *
 * Threads  one at a time.
 */
#ifndef CTL_ADVICE_H
#define CTL_ADVICE_H

#include <stdio.h>

#include "log_control.h"

/* How many metric instances come more rarely than the delta that they now hold. */
void advice_on_sources(FILE *out, const struct lc_status *status);
/* hint=... of the first line, a sentence each. */
void advice_on_hints(FILE *out, const struct lc_status *status);
/* That no value of that metric instance was seen. */
void advice_on_unseen(FILE *out, const char *identifier);

#endif
