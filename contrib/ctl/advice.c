/* advice - see advice.h. */
#include "advice.h"

#include <inttypes.h>
#include <stdbool.h>
#include <string.h>

#include "delta.h"
#include "grid.h"

static bool was_taken(const struct lc_row *row)
{
	return row->outcome == PMLC_DONE || row->outcome == PMLC_WOULD;
}

/* Once and native have no delta of their own, and a driven source is read faster. */
static bool comes_more_rarely(const struct lc_row *row)
{
	bool has_delta = (row->flags & (PMLC_FLAG_NATIVE | PMLC_FLAG_ONCE | PMLC_FLAG_DRIVEN)) == 0;
	return was_taken(row) && row->state == PMLC_ON && has_delta && row->source_interval_ms > row->delta_ms;
}

static int64_t larger(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

void advice_on_sources(FILE *out, const struct lc_status *status)
{
	size_t  n = 0;
	int64_t interval_ms = 0;
	for (size_t i = 0; i < status->n_elements; i++) {
		for (size_t k = 0; k < status->elements[i].n_rows; k++) {
			const struct lc_row *row = &status->elements[i].rows[k];
			n += comes_more_rarely(row);
			interval_ms =
				comes_more_rarely(row) ? larger(interval_ms, row->source_interval_ms) : interval_ms;
		}
	}
	if (n > 0)
		fprintf(out, "%zu of them %s more rarely, up to every %s: each value is logged, none is invented\n", n,
			n == 1 ? "comes" : "come", duration_format((uint64_t)interval_ms).text);
}

/* The delta that was asked for is that of any row which took it. */
static int64_t delta_of(const struct lc_status *status)
{
	int64_t delta_ms = 0;
	for (size_t i = 0; i < status->n_elements; i++) {
		for (size_t k = 0; k < status->elements[i].n_rows; k++) {
			if (was_taken(&status->elements[i].rows[k]))
				delta_ms = larger(delta_ms, status->elements[i].rows[k].delta_ms);
		}
	}
	return delta_ms;
}

void advice_on_hints(FILE *out, const struct lc_status *status)
{
	const char *hints = strstr(status->message, " hint=");
	if (hints == NULL)
		return;
	if (strstr(hints, "rrd_step") != NULL)
		fputs("collectd-logctl: hint: RRD files take one value a second at most, and none are made for an "
		      "interval "
		      "below 0.5 s; ask for 1 sec or more if rrdtool or rrdcached is to follow\n",
		      out);
	if (strstr(hints, "rrd_heartbeat") != NULL)
		fprintf(out,
			"collectd-logctl: hint: RRD files that exist keep their step and heartbeat, and hold NaN where "
			"values "
			"come more rarely than that; so that they follow: rrdtool tune FILE --heartbeat DS:%" PRId64
			"\n",
			(2 * delta_of(status) + 999) / 1000);
	if (strstr(hints, "counter_wrap") != NULL)
		fputs("collectd-logctl: hint: a COUNTER of 32 bits that wraps more than once between two logged values "
		      "gives "
		      "wrong rates (octets at 1 Gbit/s wrap in 34 s); ask for less, or have the source use 64 bits\n",
		      out);
}

void advice_on_unseen(FILE *out, const char *identifier)
{
	struct buf name = BUF_INIT;
	identifier_add(&name, identifier);
	fprintf(out,
		"collectd-logctl: no value of %s was seen; this is what it would be under (query '*/*/*' lists the "
		"names that "
		"there are)\n",
		buf_text(&name));
	buf_fini(&name);
}
