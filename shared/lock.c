/* lock - see lock.h. */
#include "lock.h"

#ifdef LC_DEBUG

#include <stdio.h>
#include <stdlib.h>

static const char *const names[] = { "driver's lock", "control lock", "births lock", "sources' lock", "instance lock" };

static _Thread_local unsigned held; /* one bit a rank */
static _Thread_local unsigned read_sections;

static void broken(const char *what, const char *while_what)
{
	fprintf(stderr, "log_control: lock order broken: %s %s (shared/DESIGN.md)\n", what, while_what);
	abort();
}

/* The lowest of the ranks from `from` on that is held, or none. */
static const char *held_from(unsigned from)
{
	for (unsigned rank = from; rank <= RANK_INSTANCE; rank++) {
		if ((held & 1u << rank) != 0)
			return names[rank];
	}
	return NULL;
}

void lock_note_wait(enum lock_rank rank)
{
	const char *in_the_way = held_from(rank);
	if (in_the_way != NULL) {
		fprintf(stderr, "log_control: waiting for the %s\n", names[rank]);
		broken("the thread holds the", in_the_way);
	}
	if (rank == RANK_CONTROL && read_sections > 0)
		broken("waiting for the control lock", "inside a read section");
	held |= 1u << rank;
}

void lock_note_taken(enum lock_rank rank)
{
	held |= 1u << rank;
}

void lock_note_given(enum lock_rank rank)
{
	if ((held & 1u << rank) == 0)
		broken("giving back what the thread does not hold: the", names[rank]);
	held &= ~(1u << rank);
}

void lock_note_enter(void)
{
	read_sections++;
}

void lock_note_leave(void)
{
	if (read_sections-- == 0)
		broken("a read section ends", "that never began");
}

void lock_note_grace(void)
{
	const char *in_the_way = held_from(RANK_BIRTHS);
	if (in_the_way != NULL)
		broken("waiting for a grace period with the", in_the_way);
	if (read_sections > 0)
		broken("waiting for a grace period", "inside a read section");
}

#else
extern int lock_is_plain; /* nothing to define: a translation unit must not be empty */
#endif
