/*
 * heap - how much memory is in use, for tests that nothing piles up.
 *
 * Role     the program that uses it is linked with --wrap for malloc, calloc, realloc, aligned_alloc, strdup, vasprintf,
 *          __vasprintf_chk and free.
 * Threads  any.
 * Units    blocks, exactly; bytes as the C library rounds them, which is not the same each time.
 */
#ifndef LC_HEAP_H
#define LC_HEAP_H

/* What this program's own code and the library have allocated and not freed. */
long heap_blocks(void);
long heap_bytes(void);

#endif
