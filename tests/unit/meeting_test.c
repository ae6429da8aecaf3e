/* meeting - all inside or nobody; those who are sent away are sent away together; closed for good.  Run under ThreadSanitizer too. */
#include <sched.h>
#include <stdatomic.h>

#include "../fake/check.h"
#include "meeting.h"

#define MEMBERS 5
#define LONG_NS INT64_C(60000000000) /* never waited for in these tests */

struct club {
	struct meeting meeting;
	int64_t        wait_ns;
	long           rounds;
	int            secret; /* changed by the leader alone, with no lock: ThreadSanitizer watches it */
	atomic_int     inside, leads, missed, together;
};

static void lead(struct club *c)
{
	atomic_fetch_add(&c->leads, 1);
	c->secret++;
	meeting_end(&c->meeting);
}

static void *attend(void *arg)
{
	struct club *c = arg;
	for (long i = 0; i < c->rounds; i++) {
		atomic_fetch_add(&c->inside, 1);
		switch (meeting_join(&c->meeting, c->wait_ns)) {
		case MET_LEAD:
			atomic_fetch_add(&c->together, atomic_load(&c->inside) >= MEMBERS);
			lead(c);
			break;
		case MET_MISSED:
			atomic_fetch_add(&c->missed, 1);
			break;
		case MET_OVER:
			break;
		}
		atomic_fetch_sub(&c->inside, 1);
	}
	return NULL;
}

static void club_open(struct club *c, int64_t wait_ns, long rounds)
{
	*c = (struct club){ .wait_ns = wait_ns, .rounds = rounds };
	assert_int_equal(meeting_init(&c->meeting, MEMBERS), 0);
}

static void start(struct club *c, pthread_t *threads, int n)
{
	for (int i = 0; i < n; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, attend, c), 0);
}

static void end(pthread_t *threads, int n)
{
	for (int i = 0; i < n; i++)
		pthread_join(threads[i], NULL);
}

static void all_members__each_meeting_has_one_leader_and_all_are_inside(void **state)
{
	struct club c;
	pthread_t   threads[MEMBERS];
	(void)state;
	club_open(&c, LONG_NS, 2000);
	start(&c, threads, MEMBERS);
	end(threads, MEMBERS);
	assert_int_equal(c.leads, 2000);
	assert_int_equal(c.together, 2000);
	assert_int_equal(c.secret, 2000);
	assert_int_equal(c.missed, 0);
	meeting_fini(&c.meeting);
}

static void one_is_away__nobody_leads_and_one_member_is_told(void **state)
{
	struct club c;
	pthread_t   threads[MEMBERS - 1];
	(void)state;
	club_open(&c, 20000000, 1);
	start(&c, threads, MEMBERS - 1);
	end(threads, MEMBERS - 1);
	assert_int_equal(c.leads, 0);
	assert_true(c.missed >= 1); /* a member that came after the first meeting had failed has failed alone */
	c.wait_ns = LONG_NS;
	pthread_t all[MEMBERS];
	start(&c, all, MEMBERS);
	end(all, MEMBERS);
	assert_int_equal(c.leads, 1);
	meeting_fini(&c.meeting);
}

static void alone__is_the_leader_at_once(void **state)
{
	struct meeting m;
	(void)state;
	assert_int_equal(meeting_init(&m, 1), 0);
	assert_int_equal(meeting_join(&m, 0), MET_LEAD);
	meeting_end(&m);
	assert_int_equal(meeting_join(&m, 0), MET_LEAD);
	meeting_end(&m);
	meeting_fini(&m);
}

static void closed__those_who_wait_go_and_nobody_leads_again(void **state)
{
	struct club c;
	pthread_t   threads[MEMBERS];
	(void)state;
	club_open(&c, LONG_NS, 1);
	start(&c, threads, MEMBERS - 1);
	assert_false(meeting_is_closed(&c.meeting));
	meeting_close(&c.meeting);
	end(threads, MEMBERS - 1);
	assert_true(meeting_is_closed(&c.meeting));
	start(&c, threads, MEMBERS);
	end(threads, MEMBERS);
	assert_int_equal(c.leads, 0);
	meeting_fini(&c.meeting);
}

static void *close_it(void *arg)
{
	meeting_close(&((struct club *)arg)->meeting);
	atomic_fetch_add(&((struct club *)arg)->together, 100);
	return NULL;
}

static bool is_closed_soon(struct club *c)
{
	while (!meeting_is_closed(&c->meeting))
		sched_yield();
	return true;
}

static void closed_in_the_middle_of_the_work__waits_for_its_end_and_so_do_the_members(void **state)
{
	struct club c;
	pthread_t   threads[MEMBERS - 1], closer;
	(void)state;
	club_open(&c, LONG_NS, 1);
	start(&c, threads, MEMBERS - 1);
	/* the test is the fifth member: it leads only if all others wait already */
	while (atomic_load(&c.inside) < MEMBERS - 1)
		sched_yield();
	atomic_fetch_add(&c.inside, 1);
	enum met met = meeting_join(&c.meeting, LONG_NS);
	if (met == MET_LEAD) {
		assert_int_equal(pthread_create(&closer, NULL, close_it, &c), 0);
		assert_true(is_closed_soon(&c));
		assert_int_equal(c.together, 0); /* still waiting for us */
		assert_int_equal(c.inside, MEMBERS);
		meeting_end(&c.meeting);
		pthread_join(closer, NULL);
		assert_int_equal(c.together, 100);
	} else {
		/* one of them had not come to the lock yet, and led */
		assert_int_equal(c.leads, 1);
	}
	end(threads, MEMBERS - 1);
	meeting_fini(&c.meeting);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_members__each_meeting_has_one_leader_and_all_are_inside),
		cmocka_unit_test(one_is_away__nobody_leads_and_one_member_is_told),
		cmocka_unit_test(alone__is_the_leader_at_once),
		cmocka_unit_test(closed__those_who_wait_go_and_nobody_leads_again),
		cmocka_unit_test(closed_in_the_middle_of_the_work__waits_for_its_end_and_so_do_the_members),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
