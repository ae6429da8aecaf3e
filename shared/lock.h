/*
 * lock - the order in which locks are taken (DESIGN.md), kept by every thread and checked in debug builds.
 *
 * Role     plain mutexes with a rank: a thread that holds one may wait only for those of a higher rank.  With LC_DEBUG each
 *          thread remembers what it holds and says so and aborts when it breaks the order, at the first time and not when
 *          two threads happen to meet; without it, nothing is left but the mutex.
 * Threads  any; what is remembered is the thread's own.
 * Errors   none: a broken order ends a debug build, with a sentence on standard error.
 */
#ifndef LC_LOCK_H
#define LC_LOCK_H

#include <pthread.h>
#include <stdbool.h>

enum lock_rank {
	RANK_DRIVER,  /* plans of the driven sources; its holder calls the host */
	RANK_CONTROL, /* its holder waits for grace periods: never waited for inside a read section */
	RANK_BIRTHS,
	RANK_SOURCES,
	RANK_INSTANCE, /* nothing is waited for while it is held */
};

#ifdef LC_DEBUG
/* The thread is about to wait for a lock of that rank, which it will then hold. */
void lock_note_wait(enum lock_rank rank);
/* The thread has taken it without waiting: no order is broken, whatever it holds. */
void lock_note_taken(enum lock_rank rank);
void lock_note_given(enum lock_rank rank);
/* Read sections (rcu.h): begun, ended. */
void lock_note_enter(void);
void lock_note_leave(void);
/* The thread is about to wait for all read sections: whoever is in one may wait for any lock but the control lock. */
void lock_note_grace(void);
#else
static inline void lock_note_wait(enum lock_rank rank)
{
	(void)rank;
}

static inline void lock_note_taken(enum lock_rank rank)
{
	(void)rank;
}

static inline void lock_note_given(enum lock_rank rank)
{
	(void)rank;
}

static inline void lock_note_enter(void)
{
}

static inline void lock_note_leave(void)
{
}

static inline void lock_note_grace(void)
{
}
#endif

static inline void lock_take(pthread_mutex_t *lock, enum lock_rank rank)
{
	lock_note_wait(rank);
	pthread_mutex_lock(lock);
}

/* false: another thread has it. */
static inline bool lock_try(pthread_mutex_t *lock, enum lock_rank rank)
{
	if (pthread_mutex_trylock(lock) != 0)
		return false;
	lock_note_taken(rank);
	return true;
}

static inline void lock_give(pthread_mutex_t *lock, enum lock_rank rank)
{
	lock_note_given(rank);
	pthread_mutex_unlock(lock);
}

#endif
