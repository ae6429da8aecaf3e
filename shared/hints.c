/* hints - see hints.h. */
#include "hints.h"

#include "instance.h"

static bool was_taken(const struct row *row)
{
	return row->held.spare == OUTCOME_DONE || row->held.spare == OUTCOME_WOULD;
}

/* What one metric instance adds. */
static unsigned hints_of_instance(struct instance *i, uint64_t delta_ms)
{
	int64_t delta_ns = (int64_t)delta_ms * 1000000;
	instance_lock(i);
	bool grows = i->memory.in_log && delta_ns > i->memory.interval_ns;
	instance_unlock(i);
	return (grows ? HINT_RRD_HEARTBEAT : 0u) |
	       (i->has_counter && delta_ms > HINT_COUNTER_WRAP_MS ? HINT_COUNTER_WRAP : 0u);
}

unsigned hints_of(const struct ask *ask, const struct outcomes *o, const char *rrd_writer)
{
	unsigned hints = 0, wanted = HINT_COUNTER_WRAP | (rrd_writer != NULL ? HINT_RRD_HEARTBEAT : 0u);
	if (ask->state != STATE_ON || ask->delta.kind != DELTA_EVERY)
		return 0;
	for (size_t i = 0; i < o->n_rows && (hints & wanted) != wanted; i++) {
		if (o->rows[i].instance != NULL && was_taken(&o->rows[i]))
			hints |= hints_of_instance(o->rows[i].instance, ask->delta.ms) & wanted;
	}
	/* new files come with names to come, too */
	if (rrd_writer != NULL && ask->delta.ms < HINT_RRD_STEP_MS)
		hints |= HINT_RRD_STEP;
	return hints;
}

void hints_format(unsigned hints, struct buf *out)
{
	static const char *const names[] = { "rrd_step", "rrd_heartbeat", "counter_wrap" };
	const char              *before = " hint=";
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if ((hints & 1u << i) == 0)
			continue;
		buf_adds(out, before);
		buf_adds(out, names[i]);
		before = ",";
	}
}
