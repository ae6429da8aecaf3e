/*
 * program - runs a program of the build and keeps what it said.
 *
 * Threads  one.
 * Owns     a struct ran its texts, until ran_free().
 */
#ifndef LC_PROGRAM_H
#define LC_PROGRAM_H

#include <sys/types.h>

/* What a program did. */
struct ran {
	int   status;    /* of exit(2); 127: could not be run, -1: a signal */
	char *out, *err; /* allocated */
};

/* Runs `program`, a file of the build directory, with the arguments (NULL ends them), `input` (NULL: none) on its standard
 * input, as user `uid` (0: as we are). */
struct ran run_program(const char *program, const char *const *arguments, const char *input, uid_t uid);
void       ran_free(struct ran *r);

#endif
