/*
 * run - one run of the client program: its connection, its statements, its exit status.
 *
 * Threads  one at a time.
 * Owns     the connection.
 */
#ifndef CTL_RUN_H
#define CTL_RUN_H

#include <stdbool.h>

#include "statement.h"

/* The exit statuses of specification section 15; of several statements the largest counts, but a lost connection ends a
 * run. */
enum result {
	RESULT_APPLIED = 0,
	RESULT_REFUSED = 1,
	RESULT_NO_CONNECTION = 2,
	RESULT_USAGE = 3,
	RESULT_DENIED = 4,
};

struct run {
	/* set at the start, then constant */
	const char *socket;
	int         timeout_ms;
	bool        json;
	bool        is_interactive; /* goes on after a lost connection */
	const char *input;          /* name of the file of statements, for messages; NULL: the command line */

	int         fd; /* -1: not connected */
	enum result result;
	bool        is_over; /* quit, or the connection is lost */
};

/* Does what a statement says.  Errors are printed and noted in `run`. */
void run_statement(struct run *run, const struct statement *s, unsigned line);
/* A statement that could not be read. */
void run_bad_statement(struct run *run, unsigned line, const char *error);
void run_fini(struct run *run);

#endif
