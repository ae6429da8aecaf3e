/* meeting - see meeting.h. */
#include "meeting.h"

#include <errno.h>

int meeting_init(struct meeting *m, unsigned n)
{
	pthread_condattr_t monotonic;
	*m = (struct meeting){ .n = n };
	int err = pthread_condattr_init(&monotonic);
	if (err != 0)
		return err;
	pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
	err = pthread_cond_init(&m->changed, &monotonic);
	pthread_condattr_destroy(&monotonic);
	return err != 0 ? err : pthread_mutex_init(&m->lock, NULL);
}

void meeting_fini(struct meeting *m)
{
	pthread_cond_destroy(&m->changed);
	pthread_mutex_destroy(&m->lock);
}

static void end_locked(struct meeting *m)
{
	m->inside = 0;
	m->in_session = false;
	m->number++;
	pthread_cond_broadcast(&m->changed);
}

static void set_deadline(struct meeting *m, int64_t wait_ns)
{
	clock_gettime(CLOCK_MONOTONIC, &m->deadline);
	int64_t ns = m->deadline.tv_nsec + wait_ns;
	m->deadline.tv_sec += (time_t)(ns / 1000000000);
	m->deadline.tv_nsec = (long)(ns % 1000000000);
}

/* Once in session it is as long as the work takes. */
static enum met wait_locked(struct meeting *m)
{
	uint64_t number = m->number;
	while (m->number == number && (m->in_session || !m->closed)) {
		if (m->in_session)
			pthread_cond_wait(&m->changed, &m->lock);
		else if (pthread_cond_timedwait(&m->changed, &m->lock, &m->deadline) == ETIMEDOUT &&
			 m->number == number && !m->in_session && !m->closed) {
			end_locked(m);
			return MET_MISSED;
		}
	}
	return MET_OVER;
}

enum met meeting_join(struct meeting *m, int64_t wait_ns)
{
	enum met met = MET_OVER;
	pthread_mutex_lock(&m->lock);
	if (!m->closed) {
		if (m->inside++ == 0)
			set_deadline(m, wait_ns);
		m->in_session = m->inside == m->n;
		met = m->in_session ? MET_LEAD : wait_locked(m);
	}
	pthread_mutex_unlock(&m->lock);
	return met;
}

void meeting_end(struct meeting *m)
{
	pthread_mutex_lock(&m->lock);
	end_locked(m);
	pthread_mutex_unlock(&m->lock);
}

void meeting_close(struct meeting *m)
{
	pthread_mutex_lock(&m->lock);
	m->closed = true;
	pthread_cond_broadcast(&m->changed);
	while (m->in_session)
		pthread_cond_wait(&m->changed, &m->lock);
	pthread_mutex_unlock(&m->lock);
}

bool meeting_is_closed(struct meeting *m)
{
	pthread_mutex_lock(&m->lock);
	bool closed = m->closed;
	pthread_mutex_unlock(&m->lock);
	return closed;
}
