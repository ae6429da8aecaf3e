/* instance - holds that wait for their step, what that does to availability, and the small lock. */
#include <pthread.h>

#include "../fake/check.h"
#include "instance.h"

#define S          INT64_C(1000000000)
#define NO_DEFAULT 0

static struct instance *instance_of(const char *name)
{
	struct instance *i = instance_new((struct ident){ name, (uint32_t)strlen(name), 42 });
	assert_non_null(i);
	return i;
}

static struct hold hold_of(bool on, enum delta_kind kind, uint64_t ms, uint64_t by)
{
	return (struct hold){ { .on = on, .kind = kind, .ms = ms }, by };
}

static const struct hold off = { { .on = 0 }, 7 };

/* An instance of a source of 10 s that holds `hold`, and logged its value at arrival 100 s. */
static struct instance *logged_at_100(struct hold hold)
{
	struct instance *i = instance_of("h/p/t");
	struct moment m = { .time_ns = 1000 * S, .interval_ns = 10 * S, .arrival_ns = 100 * S, .newest_id = hold.by };
	instance_set_hold(i, hold);
	assert_true(gate_decide(&i->memory, &hold, &m).logged);
	return i;
}

static void pend(struct instance *i, struct hold hold, uint64_t step)
{
	instance_set_pending(i, hold, step);
}

static struct hold settled(struct instance *i, uint64_t step, int64_t arrival_ns, int64_t default_interval_ns)
{
	instance_settle_locked(i, step, arrival_ns, default_interval_ns);
	return instance_hold(i);
}

static void new__name__is_kept_and_nothing_is_held(void **state)
{
	(void)state;
	char             name[] = "h/p-1/t-2";
	struct instance *i = instance_of(name);
	name[0] = 'x';
	assert_string_equal(i->name, "h/p-1/t-2");
	assert_int_equal(instance_ident(i).len, 9);
	assert_int_equal(instance_ident(i).hash, 42);
	assert_false(i->memory.seen);
	assert_null(i->window);
	instance_free(i);
	instance_free(NULL);
}

static void new__longest_identifier__fits(void **state)
{
	(void)state;
	char name[IDENT_MAX];
	memset(name, 'n', sizeof(name));
	struct instance *i = instance_new((struct ident){ name, sizeof(name), 1 });
	assert_non_null(i);
	assert_int_equal(i->name_len, IDENT_MAX);
	assert_int_equal(strlen(i->name), IDENT_MAX);
	instance_free(i);
}

/* Specification section 17: under 256 bytes beside the name, of which index, roster and the allocator take up to 70. */
static void instance__struct__leaves_room_for_index_and_roster(void **state)
{
	(void)state;
	assert_true(sizeof(struct instance) <= 176);
}

static void hold__step_still_to_come__old_one_is_in_force(void **state)
{
	(void)state;
	struct instance *i = instance_of("h/p/t");
	instance_set_hold(i, hold_of(true, DELTA_NATIVE, 0, 1));
	pend(i, off, 5);
	assert_true(instance_peek_locked(i, 4).held.on);
	assert_true(settled(i, 4, 0, NO_DEFAULT).held.on);
	assert_int_equal(instance_pending(i)->step, 5);
	instance_free(i);
}

static void hold__step_has_come__pending_is_promoted_once(void **state)
{
	(void)state;
	struct instance *i = instance_of("h/p/t");
	instance_set_hold(i, hold_of(true, DELTA_NATIVE, 0, 1));
	pend(i, off, 5);
	assert_false(instance_peek_locked(i, 5).held.on);
	assert_int_equal(instance_pending(i)->step, 5); /* looking is not promoting */
	assert_false(settled(i, 6, 0, NO_DEFAULT).held.on);
	assert_false(i->has_pending);
	assert_int_equal(i->by, 7);
	instance_free(i);
}

static void promote__turned_on__due_one_source_interval_later(void **state)
{
	(void)state;
	struct instance *i = logged_at_100(hold_of(true, DELTA_NATIVE, 0, 0));
	pend(i, off, 1);
	instance_promote_locked(i, 105 * S, NO_DEFAULT);
	assert_true(gate_is_available(&i->memory, 9999 * S)); /* off freezes it */
	pend(i, hold_of(true, DELTA_EVERY, 60000, 8), 2);
	instance_promote_locked(i, 10000 * S, NO_DEFAULT);
	assert_true(gate_is_available(&i->memory, 10020 * S));
	assert_false(gate_is_available(&i->memory, 10021 * S));
	instance_free(i);
}

static void promote__nothing_seen_yet__default_interval_counts(void **state)
{
	(void)state;
	struct instance *i = instance_of("h/p/t");
	instance_set_hold(i, off);
	pend(i, hold_of(true, DELTA_NATIVE, 0, 8), 1);
	instance_promote_locked(i, 50 * S, 30 * S);
	assert_true(i->memory.waits);
	assert_int_equal(i->memory.due_by_ns, 80 * S);
	instance_free(i);
}

/* A request that is repeated, or changes who may decide, moves neither phase nor due time (sections 4 and 8). */
static void promote__same_delta__due_time_stays(void **state)
{
	(void)state;
	struct instance *i = logged_at_100(hold_of(true, DELTA_EVERY, 60000, 1));
	assert_int_equal(i->memory.due_by_ns, 160 * S);
	struct hold same = hold_of(true, DELTA_EVERY, 60000, 2);
	same.held.mandatory = 1;
	same.held.value = VALUE_AVERAGE;
	pend(i, same, 1);
	instance_promote_locked(i, 105 * S, NO_DEFAULT);
	assert_int_equal(i->memory.due_by_ns, 160 * S);
	assert_true(i->held.mandatory);
	assert_int_equal(i->by, 2);
	instance_free(i);
}

static void promote__other_delta__due_one_source_interval_later(void **state)
{
	(void)state;
	struct instance *i = logged_at_100(hold_of(true, DELTA_EVERY, 60000, 1));
	pend(i, hold_of(true, DELTA_EVERY, 30000, 2), 1);
	instance_promote_locked(i, 105 * S, NO_DEFAULT);
	assert_int_equal(i->memory.due_by_ns, 115 * S);
	instance_free(i);
}

static void promote__once_asked_again__waits_anew(void **state)
{
	(void)state;
	struct instance *i = logged_at_100(hold_of(true, DELTA_ONCE, 0, 1));
	assert_false(i->memory.waits);
	pend(i, hold_of(true, DELTA_ONCE, 0, 2), 1);
	instance_promote_locked(i, 105 * S, NO_DEFAULT);
	assert_true(i->memory.waits);
	assert_int_equal(i->memory.due_by_ns, 115 * S);
	instance_free(i);
}

/* A newcomer has both folded though the change does not touch it. */
static void promote__equal_hold__nothing_moves(void **state)
{
	(void)state;
	struct instance *i = logged_at_100(hold_of(true, DELTA_ONCE, 0, 1));
	pend(i, instance_hold(i), 1);
	instance_promote_locked(i, 105 * S, NO_DEFAULT);
	assert_false(i->memory.waits);
	instance_free(i);
}

#define TURNS 50000

static void *take_turns(void *arg)
{
	struct instance *i = arg;
	for (int k = 0; k < TURNS; k++) {
		instance_lock(i);
		i->memory.newest_ns++; /* not atomic: only the lock keeps it right */
		instance_unlock(i);
	}
	return NULL;
}

static void lock__several_threads__one_at_a_time(void **state)
{
	(void)state;
	pthread_t        threads[4];
	struct instance *i = instance_of("h/p/t");
	for (int k = 0; k < 4; k++)
		assert_int_equal(pthread_create(&threads[k], NULL, take_turns, i), 0);
	for (int k = 0; k < 4; k++)
		pthread_join(threads[k], NULL);
	assert_int_equal(i->memory.newest_ns, 4 * TURNS);
	instance_free(i);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(new__name__is_kept_and_nothing_is_held),
		cmocka_unit_test(new__longest_identifier__fits),
		cmocka_unit_test(instance__struct__leaves_room_for_index_and_roster),
		cmocka_unit_test(hold__step_still_to_come__old_one_is_in_force),
		cmocka_unit_test(hold__step_has_come__pending_is_promoted_once),
		cmocka_unit_test(promote__turned_on__due_one_source_interval_later),
		cmocka_unit_test(promote__nothing_seen_yet__default_interval_counts),
		cmocka_unit_test(promote__same_delta__due_time_stays),
		cmocka_unit_test(promote__other_delta__due_one_source_interval_later),
		cmocka_unit_test(promote__once_asked_again__waits_anew),
		cmocka_unit_test(promote__equal_hold__nothing_moves),
		cmocka_unit_test(lock__several_threads__one_at_a_time),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
