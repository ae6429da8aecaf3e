/*
 * rcu - read-copy-update, from liburcu's "bulletproof" flavour: the host's threads need no registration.
 *
 * Role     the only place that includes liburcu.  ThreadSanitizer does not see the library's barriers, so its builds
 *          are told of the edge from the end of each read section to the end of a grace period.
 * Threads  read sections nest and never wait.  rcu_grace() may take long: control side only, never on the data path,
 *          and never before the host has forked (module load and configuration).
 */
#ifndef LC_RCU_H
#define LC_RCU_H

#ifndef _LGPL_SOURCE
#define _LGPL_SOURCE 1 /* inlines the read lock */
#endif
#include <urcu-bp.h>

#include "lock.h"

#if defined(__SANITIZE_THREAD__)
#define RCU_TSAN 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define RCU_TSAN 1
#endif
#endif

#ifdef RCU_TSAN
void        __tsan_acquire(void *addr);
void        __tsan_release(void *addr);
extern char rcu_edge; /* rcu.c; only its address is used */
#define RCU_RELEASE() __tsan_release(&rcu_edge)
#define RCU_ACQUIRE() __tsan_acquire(&rcu_edge)
#else
#define RCU_RELEASE() ((void)0)
#define RCU_ACQUIRE() ((void)0)
#endif

static inline void rcu_enter(void)
{
	lock_note_enter();
	urcu_bp_read_lock();
}

static inline void rcu_leave(void)
{
	RCU_RELEASE();
	urcu_bp_read_unlock();
	lock_note_leave();
}

/* Waits until every read section that is open now has ended. */
static inline void rcu_grace(void)
{
	lock_note_grace();
	urcu_bp_synchronize_rcu();
	RCU_ACQUIRE();
}

#endif
