/*
 * model - sections 3 to 8 of the specification once more, as plainly as can be: lists, no cleverness, no code of shared/.
 *
 * Made to be read in one sitting, and compared with the real thing over random events.  One data source a metric instance.
 * Units: nanoseconds; delta in milliseconds.
 */
#ifndef LC_MODEL_H
#define LC_MODEL_H

#include <stdbool.h>
#include <stdint.h>

enum { M_ENTRIES = 400, M_SELECTORS = 4, M_INSTANCES = 16, M_SAMPLES = 4096 };

enum m_kind { M_NATIVE, M_ONCE, M_EVERY };
enum m_value { M_LAST, M_AVERAGE, M_MIN, M_MAX };

struct m_ask {
	bool         mandatory, maybe, on;
	enum m_kind  kind;
	int64_t      ms;
	enum m_value value;
};

struct m_held {
	bool         mandatory, on;
	enum m_kind  kind;
	int64_t      ms;
	enum m_value value;
	int64_t      by;
};

struct m_entry {
	int64_t      id, ends; /* ends INT64_MAX: never */
	struct m_ask ask;
	int          n;
	const char  *selectors[M_SELECTORS];
};

struct m_instance {
	const char *name;
	bool        seen, in_log, available, has_run, has_grid, waits;
	int64_t     newest, interval, last_logged, logged_at, run_first, run_last, due_by;
	int64_t     grid_ms, anchor, served; /* the last served grid point is anchor + served * delta */
	int         n_samples;
	double      samples[M_SAMPLES]; /* since the last logged value */
	uint64_t    sum;                /* of an ABSOLUTE */
};

struct model {
	bool              align_clock;
	int64_t           next_id;
	int               n_entries, n_instances;
	struct m_entry    entries[M_ENTRIES];
	struct m_instance instances[M_INSTANCES];
};

struct m_verdict {
	bool    logged;
	int64_t interval;
	double  gauge;
	int64_t absolute;
};

bool               model_matches(const char *selector, const char *name);
struct m_held      model_fold(const struct model *m, const char *name);
/* -> id of the entry, 0 when nothing stayed. */
int64_t            model_request(struct model *m, struct m_ask ask, const char *const *selectors, int n, int64_t ends,
				 int64_t mono);
bool               model_forget(struct model *m, int64_t id, int64_t mono); /* false: no such entry */
void               model_expire(struct model *m, int64_t boot, int64_t mono);
struct m_instance *model_instance(struct model *m, const char *name); /* made when new */
struct m_verdict   model_value(struct model *m, const char *name, int64_t t, int64_t interval, int64_t mono,
			       bool absolute, double gauge, uint64_t count);
bool               model_available(const struct m_instance *i, int64_t mono);

#endif
