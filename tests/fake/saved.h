/*
 * saved - a folder with a state file in it, for tests of what survives.
 *
 * Role     set up and torn down around each test; a lab whose rules are saved there; the file's bytes.
 * Threads  one.
 */
#ifndef LC_SAVED_H
#define LC_SAVED_H

#include <stddef.h>

#include "lab.h"
#include "savefile.h"

extern char saved_dir[64], saved_path[96];

int      saved_setup(void **state);
int      saved_teardown(void **state);
/* A lab that starts from the file, and writes to it. */
void     saved_lab(struct lab *lab);
/* The whole file, for free(3). */
char    *saved_read(size_t *len);
void     saved_write(const char *text, size_t len);
/* RULES lists `n`. */
void     saved_assert_rules(struct lab *lab, size_t n);
/* Opens a file without a logger, entries going nowhere. */
enum err saved_open(struct savefile **f, const char *path, struct why *why);

#endif
