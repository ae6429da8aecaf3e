/* nomem - see nomem.h. */
#include "nomem.h"

#include <errno.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>

void *__real_malloc(size_t size);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *old, size_t size);
void *__real_aligned_alloc(size_t alignment, size_t size);
char *__real_strdup(const char *text);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *old, size_t size);
void *__wrap_aligned_alloc(size_t alignment, size_t size);
char *__wrap_strdup(const char *text);

static _Thread_local unsigned long left; /* allocations until the one that fails; 0: none will */
static _Thread_local bool          has_failed;

void nomem_at(unsigned long n)
{
	left = n;
	has_failed = false;
}

bool nomem_off(void)
{
	left = 0;
	return has_failed;
}

static atomic_ulong injected;

__attribute__((destructor)) static void tell(void)
{
	printf("faults injected: allocation %lu\n", atomic_load(&injected));
}

static bool fails(void)
{
	if (left == 0 || --left > 0)
		return false;
	has_failed = true;
	atomic_fetch_add(&injected, 1);
	errno = ENOMEM;
	return true;
}

void *__wrap_malloc(size_t size)
{
	return fails() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t n, size_t size)
{
	return fails() ? NULL : __real_calloc(n, size);
}

void *__wrap_realloc(void *old, size_t size)
{
	return fails() ? NULL : __real_realloc(old, size);
}

void *__wrap_aligned_alloc(size_t alignment, size_t size)
{
	return fails() ? NULL : __real_aligned_alloc(alignment, size);
}

char *__wrap_strdup(const char *text)
{
	return fails() ? NULL : __real_strdup(text);
}
