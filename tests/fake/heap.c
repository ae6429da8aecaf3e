/* heap - see heap.h. */
#include "heap.h"

#include <malloc.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

void *__real_malloc(size_t size);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *old, size_t size);
void *__real_aligned_alloc(size_t alignment, size_t size);
char *__real_strdup(const char *text);
int   __real_vasprintf(char **out, const char *fmt, va_list args);
int   __real___vasprintf_chk(char **out, int flag, const char *fmt, va_list args);
void  __real_free(void *p);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *old, size_t size);
void *__wrap_aligned_alloc(size_t alignment, size_t size);
char *__wrap_strdup(const char *text);
int   __wrap_vasprintf(char **out, const char *fmt, va_list args);
int   __wrap___vasprintf_chk(char **out, int flag, const char *fmt, va_list args);
void  __wrap_free(void *p);

static _Atomic long in_use, blocks;

long heap_blocks(void)
{
	return atomic_load(&blocks);
}

long heap_bytes(void)
{
	return atomic_load(&in_use);
}

static void *counted(void *p)
{
	if (p != NULL)
		atomic_fetch_add(&blocks, 1);
	atomic_fetch_add(&in_use, (long)malloc_usable_size(p));
	return p;
}

void *__wrap_malloc(size_t size)
{
	return counted(__real_malloc(size));
}

void *__wrap_calloc(size_t n, size_t size)
{
	return counted(__real_calloc(n, size));
}

void *__wrap_realloc(void *old, size_t size)
{
	long  before = (long)malloc_usable_size(old);
	bool  old_is_block = old != NULL;
	void *p = __real_realloc(old, size);
	if (p != NULL) {
		atomic_fetch_sub(&in_use, before);
		if (old_is_block)
			atomic_fetch_sub(&blocks, 1);
	}
	return p == NULL ? NULL : counted(p);
}

void *__wrap_aligned_alloc(size_t alignment, size_t size)
{
	return counted(__real_aligned_alloc(alignment, size));
}

char *__wrap_strdup(const char *text)
{
	return counted(__real_strdup(text));
}

int __wrap_vasprintf(char **out, const char *fmt, va_list args)
{
	int n = __real_vasprintf(out, fmt, args);
	if (n >= 0)
		counted(*out);
	return n;
}

/* What _FORTIFY_SOURCE makes of it. */
int __wrap___vasprintf_chk(char **out, int flag, const char *fmt, va_list args)
{
	int n = __real___vasprintf_chk(out, flag, fmt, args);
	if (n >= 0)
		counted(*out);
	return n;
}

void __wrap_free(void *p)
{
	if (p != NULL)
		atomic_fetch_sub(&blocks, 1);
	atomic_fetch_sub(&in_use, (long)malloc_usable_size(p));
	__real_free(p);
}
