/*
 * nomem - lets one allocation fail, by number.
 *
 * Role     the program that uses it is linked with --wrap for malloc, calloc, realloc, aligned_alloc and strdup.  At its
 *          end it prints how many have failed.
 * Threads  counts and fails in the calling thread alone.
 */
#ifndef LC_NOMEM_H
#define LC_NOMEM_H

#include <stdbool.h>

/* The `n`th allocation from now on fails, counted from 1. */
void nomem_at(unsigned long n);
/* From now on none fails.  Has one failed since nomem_at()? */
bool nomem_off(void);

#endif
