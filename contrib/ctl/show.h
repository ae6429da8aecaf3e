/*
 * show - the daemon's reply to a statement, for people or for programs, and what it means for the exit status.
 *
 * Threads  one at a time.
 * Errors   a reply that is not of the form it should have shows nothing and returns SHOWN_GARBLED.
 */
#ifndef CTL_SHOW_H
#define CTL_SHOW_H

#include <stdbool.h>

#include "log_control.h"
#include "statement.h"

enum shown {
	SHOWN_APPLIED,
	SHOWN_REFUSED, /* something was refused, or a selector selects nothing yet; said on stderr */
	SHOWN_GARBLED,
	SHOWN_NO_MEMORY,
};

/* A reply whose number is no error; taken over.  Answers go to stdout, what needs attention to stderr. */
enum shown show_reply(const struct statement *s, struct lc_reply *reply, bool json);
/* Our own list of commands, or one of them. */
void       show_help(const struct statement *s);

#endif
