/* window - see window.h; specification section 7. */
#include "window.h"

#include <math.h>
#include <stdlib.h>

/* What one data source has gathered since the last logged value: a sum of an ABSOLUTE, or a GAUGE's. */
struct cell {
	union number sum;
	double       min, max;
	uint64_t     n; /* samples: of a gauge those that are numbers, of an absolute all */
};

struct window {
	size_t      n;
	struct cell cells[];
};

struct window *window_new(size_t n)
{
	struct window *w = calloc(1, sizeof(*w) + n * sizeof(struct cell));
	if (w != NULL)
		w->n = n;
	return w;
}

void window_free(struct window *w)
{
	free(w);
}

size_t window_count(const struct window *w)
{
	return w->n;
}

bool window_is_needed(struct held held, const struct verdict *verdict, const uint8_t *kinds, size_t n)
{
	if (!held.on || verdict->logged)
		return false; /* what is logged at once need not be kept */
	for (size_t i = 0; i < n; i++) {
		if (kinds[i] == KIND_ABSOLUTE ? !verdict->duplicate : kinds[i] == KIND_GAUGE && !verdict->late)
			return true;
	}
	return false;
}

static void gather_gauge(struct cell *c, double value)
{
	if (isnan(value))
		return;
	if (c->n == 0) {
		*c = (struct cell){ { .gauge = value }, value, value, 1 };
		return;
	}
	c->sum.gauge += value;
	c->min = value < c->min ? value : c->min;
	c->max = value > c->max ? value : c->max;
	c->n++;
}

static void forget_gauges(struct window *w, const uint8_t *kinds)
{
	for (size_t i = 0; i < w->n; i++) {
		if (kinds[i] == KIND_GAUGE)
			w->cells[i].n = 0;
	}
}

void window_collect(struct window *w, struct held held, const struct verdict *verdict, const union number *values,
		    const uint8_t *kinds, size_t n)
{
	if (!held.on) {
		forget_gauges(w, kinds);
		return;
	}
	/* native lets duplicates pass as they come, so they are part of the sum there */
	bool counts = !verdict->duplicate || verdict->reason == REASON_NATIVE;
	for (size_t i = 0; i < n; i++) {
		struct cell *c = &w->cells[i];
		if (kinds[i] == KIND_ABSOLUTE && counts) {
			c->sum.absolute = (c->n == 0 ? 0 : c->sum.absolute) + values[i].absolute;
			c->n++;
		} else if (kinds[i] == KIND_GAUGE && !verdict->late) {
			gather_gauge(c, values[i].gauge);
		}
	}
}

static double gauge_of(const struct cell *c, enum value_kind kind, double last)
{
	if (kind == VALUE_LAST)
		return last;
	if (c->n == 0)
		return NAN;
	if (kind == VALUE_AVERAGE)
		return c->sum.gauge / (double)c->n;
	return kind == VALUE_MIN ? c->min : c->max;
}

void window_emit(struct window *w, struct held held, union number *values, const uint8_t *kinds, size_t n)
{
	/* no effect on native and once */
	enum value_kind value = held.kind == DELTA_EVERY ? (enum value_kind)held.value : VALUE_LAST;
	for (size_t i = 0; i < n; i++) {
		struct cell *c = &w->cells[i];
		if (kinds[i] == KIND_ABSOLUTE && c->n > 0)
			values[i].absolute = c->sum.absolute;
		else if (kinds[i] == KIND_GAUGE)
			values[i].gauge = gauge_of(c, value, values[i].gauge);
		c->n = 0;
	}
}

bool window_is_empty(const struct window *w)
{
	for (size_t i = 0; i < w->n; i++) {
		if (w->cells[i].n > 0)
			return false;
	}
	return true;
}
