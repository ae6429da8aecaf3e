/*
 * input - where statements come from: a file, a pipe, or somebody at a terminal.
 *
 * Threads  one at a time.
 */
#ifndef CTL_INPUT_H
#define CTL_INPUT_H

#include <stdio.h>

#include "run.h"

/* Runs all statements of `file`, or those up to quit or a lost connection.  0, or an errno value if reading failed. */
int input_file(struct run *run, FILE *file, bool dry_run);
/* The same at a terminal, with a prompt, line editing and a history (libedit). */
int input_terminal(struct run *run, bool dry_run);

#endif
