/*
 * The order of locks: whoever keeps it goes on, whoever breaks it dies with a sentence.  lock.c is compiled into this program with LC_DEBUG, so
 * that the check itself is tested in every build; what the logger does is checked by all tests of a debug build.
 */
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../fake/check.h"
#include "../fake/lab.h"
#include "lock.h"
#include "rcu.h"

static pthread_mutex_t mutexes[] = { PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER,
				     PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER };

static void take(int rank)
{
	lock_take(&mutexes[rank], (enum lock_rank)rank);
}

static void give(int rank)
{
	lock_give(&mutexes[rank], (enum lock_rank)rank);
}

/* What a process said that had to do `what` and died of SIGABRT; NULL: it did not. */
static const char *death_of(void (*what)(int, int), int a, int b)
{
	static char text[1000];
	int         ends[2], status;
	ssize_t     len;
	assert_int_equal(pipe(ends), 0);
	pid_t pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		setrlimit(RLIMIT_CORE, &(struct rlimit){ 0, 0 });
		dup2(ends[1], STDERR_FILENO);
		alarm(20); /* a deadlock is no death */
		what(a, b);
		_exit(0);
	}
	close(ends[1]);
	for (size_t at = 0; (len = read(ends[0], text + at, sizeof(text) - 1 - at)) > 0;)
		text[at += (size_t)len] = '\0';
	close(ends[0]);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT ? text : NULL;
}

static void take_both(int a, int b)
{
	take(a);
	if (a == b)
		lock_note_wait((enum lock_rank)b); /* the mutex itself would wait for ever */
	else
		take(b);
}

static void two_locks__higher_rank_last__goes_on(void **state)
{
	(void)state;
	for (int a = RANK_DRIVER; a <= RANK_INSTANCE; a++) {
		for (int b = a + 1; b <= RANK_INSTANCE; b++) {
			take_both(a, b);
			give(a); /* in any order */
			give(b);
		}
	}
}

static void two_locks__same_or_lower_rank_last__dies_and_names_both(void **state)
{
	static const char *const names[] = { "driver's lock", "control lock", "births lock", "sources' lock",
					     "instance lock" };
	(void)state;
	for (int a = RANK_DRIVER; a <= RANK_INSTANCE; a++) {
		for (int b = RANK_DRIVER; b <= a; b++) {
			const char *said = death_of(take_both, a, b);
			assert_non_null(said);
			assert_has(said, names[a]);
			assert_has(said, names[b]);
		}
	}
}

static void try_control(int a, int b)
{
	(void)a;
	(void)b;
	take(RANK_BIRTHS);
	if (!lock_try(&mutexes[RANK_CONTROL], RANK_CONTROL))
		_exit(3);
	give(RANK_CONTROL);
	take(RANK_SOURCES);
	_exit(2);
}

static void lock__tried_only__breaks_no_order(void **state)
{
	(void)state;
	assert_null(death_of(try_control, 0, 0));
}

static void take_inside_read(int rank, int b)
{
	(void)b;
	rcu_enter();
	take(rank);
	give(rank);
	rcu_leave();
}

static void wait_grace(int rank, int sections)
{
	while (sections-- > 0)
		rcu_enter();
	if (rank >= 0)
		take(rank);
	rcu_grace();
}

static void read_section__waits_for_control__dies(void **state)
{
	(void)state;
	assert_has(death_of(take_inside_read, RANK_CONTROL, 0), "inside a read section");
	assert_null(death_of(take_inside_read, RANK_BIRTHS, 0));
	assert_null(death_of(take_inside_read, RANK_SOURCES, 0));
	assert_null(death_of(take_inside_read, RANK_INSTANCE, 0));
}

static void grace_period__waited_for_where_readers_wait__dies(void **state)
{
	(void)state;
	assert_null(death_of(wait_grace, -1, 0));
	assert_null(death_of(wait_grace, RANK_CONTROL, 0));
	for (int rank = RANK_BIRTHS; rank <= RANK_INSTANCE; rank++)
		assert_has(death_of(wait_grace, rank, 0), "grace period");
	assert_has(death_of(wait_grace, -1, 1), "inside a read section");
	assert_has(death_of(wait_grace, -1, 2), "inside a read section");
}

static void give_only(int rank, int b)
{
	(void)b;
	give(rank);
}

static void leave_only(int a, int b)
{
	(void)a;
	(void)b;
	lock_note_leave();
}

static void lock__given_back_by_who_has_none__dies(void **state)
{
	(void)state;
	assert_has(death_of(give_only, RANK_BIRTHS, 0), "births lock");
	assert_has(death_of(leave_only, 0, 0), "never began");
}

#ifndef NDEBUG /* the library is a debug build as well */

static void ask_again(void *ctx, const struct step *step)
{
	(void)step;
	logger_next_end(ctx);
}

static void explain_within(int a, int b)
{
	struct lab lab;
	(void)a;
	(void)b;
	lab_open(&lab, HELD_DEFAULT);
	logger_explain(lab.logger, (struct ident){ "a/b/c", 5, ident_hash("a/b/c", 5) }, ask_again, lab.logger);
}

/* As a callback might: without the check that is a deadlock. */
static void logger__asked_from_its_own_callback__dies(void **state)
{
	(void)state;
	assert_has(death_of(explain_within, 0, 0), "control lock");
}

#endif

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(two_locks__higher_rank_last__goes_on),
		cmocka_unit_test(two_locks__same_or_lower_rank_last__dies_and_names_both),
		cmocka_unit_test(lock__tried_only__breaks_no_order),
		cmocka_unit_test(read_section__waits_for_control__dies),
		cmocka_unit_test(grace_period__waited_for_where_readers_wait__dies),
		cmocka_unit_test(lock__given_back_by_who_has_none__dies),
#ifndef NDEBUG
		cmocka_unit_test(logger__asked_from_its_own_callback__dies),
#endif
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
