/*
 * source - the read functions that values come from, by plugin name (specification sections 2 and 10).
 *
 * Role     one record a source: its configured interval, whether it is driven and at what interval it is read now.
 * Threads  source_get() any thread (a short lock, once a newcomer).  Fields marked atomic: any thread; the driver writes
 *          them, and configured_ns of a source that is not driven follows the values.
 * Owns     its records until sources_free(); a struct source pointer stays valid until then.
 */
#ifndef LC_SOURCE_H
#define LC_SOURCE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct instance;

struct source {
	/* constant once made */
	char           *name;
	size_t          index; /* order of making */
	struct sources *all;

	/* atomic, relaxed */
	_Atomic int64_t  configured_ns; /* the interval the daemon gave it (the reader's context); 0: not known yet */
	_Atomic int64_t  present_ns;    /* the interval it is read at now; = configured unless driven */
	_Atomic int64_t  pace_ns;       /* source_set_pace() */
	_Atomic bool     driven;
	_Atomic uint64_t changes; /* re-registrations done */

	/* control side (table.c) */
	struct instance *members; /* the known instances that came from here, by `next`; newborn not yet */
};

struct sources;

struct sources *sources_new(void);
void            sources_free(struct sources *s);
/* The source of that name, made if new.  NULL: no memory.  `name` NULL or "" gives the source named "-". */
struct source  *source_get(struct sources *s, const char *name);
struct source  *source_find(struct sources *s, const char *name); /* NULL: never met */
/* What struct moment.pace_ns is for its instances: configured_ns while it is driven and read faster, else 0.  One thread. */
void            source_set_pace(struct source *s, int64_t pace_ns);
/* Any thread, no lock.  false: no source has a pace, so there is none to be looked at. */
bool            sources_are_paced(const struct sources *s);
size_t          sources_count(struct sources *s);
struct source  *sources_at(struct sources *s, size_t i); /* i < sources_count() */

#endif
