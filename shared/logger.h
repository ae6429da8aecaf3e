/*
 * logger - one set of rules over one set of metric instances: ledger, table, gate and state file behind one door.
 *
 * Role     an object, not a global: several may exist (specification section 18).  The data path calls logger_value(), the
 *          control side all the rest.
 * Threads  logger_value(): any number of threads, wait-free against requests but for the instance's own small lock.  Control
 *          functions: any thread; each takes the control lock, so that requests are judged one after the other.
 * Locks    control lock > births lock > sources' lock > instance lock (lock.h).  Nothing of the host is called with one
 *          held.  The state file is written with the control lock held: no value waits for that.
 * Owns     ledger, table, sources, tally, state file.
 * Units    struct now: nanoseconds of three clocks, read by the caller.
 * Errors   enum err and a sentence; on any error nothing has changed.
 */
#ifndef LC_LOGGER_H
#define LC_LOGGER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "control.h"
#include "err.h"
#include "gate.h"
#include "ident.h"
#include "ledger.h"
#include "selector.h"
#include "settings.h"
#include "source.h"
#include "tally.h"
#include "window.h"

struct logger;
struct instance;

struct now {
	int64_t arrival_ns; /* monotonic: the arrival clock */
	int64_t boot_ns;    /* counts suspend, never steps: ends of timed entries */
	int64_t wall_ns;    /* since the epoch: at=, ends on disk */
};

/* The rules of the configuration are folded in, then those of the state file.  `own_host` is the daemon's host name,
 * `default_interval_ns` its Interval.  `notices` gets what the start-up log should say (refused entries of the file,
 * saved rules in force or dropped), one call a line; `ctx` is handed through.  ERR_BUSY: the state file belongs to another
 * daemon. */
typedef void notice_fn(void *ctx, int severity, const char *text); /* severity: SEVERITY_* of settings.h */
enum err     logger_new(struct logger **out, const struct settings *settings, const char *own_host,
			int64_t default_interval_ns, const struct now *now, notice_fn *notice, void *ctx, struct why *why);
/* Nobody is inside any more, no reply points into it. */
void         logger_free(struct logger *lg);

/* ---- data path ---- */

/* Where a value comes from. */
struct whence {
	const char *source;      /* the reader's name as the host's context gives it, borrowed; NULL: unknown */
	int64_t     interval_ns; /* the reader's configured interval; 0: unknown */
};

/* One value list.  `values` and `kinds` have `n` elements; a logged value may have them rewritten (`rewritten`). */
struct sample {
	struct ident  ident; /* borrowed */
	int64_t       time_ns, interval_ns, arrival_ns;
	struct whence whence;
	/* NULL, or finds `whence` when it is wanted: for newcomers, and when values of a name carry another interval than before.  Called
	 * in the caller's thread with nothing locked. */
	struct whence (*find_whence)(void);
	union number  *values;
	const uint8_t *kinds; /* enum kind */
	size_t         n;
};

struct pass {
	bool    logged;
	bool    rewritten;   /* `values` of the sample hold what is to be logged */
	int64_t interval_ns; /* what it is logged with */
};

/* Judges one value list.  Never fails: without memory the value passes as it is (counted). */
struct pass logger_value(struct logger *lg, struct sample *sample);

/* ---- requests ---- */

/* A LOG request, parsed.  Selectors: references taken over by logger_log() in every case. */
struct log_request {
	struct ask        ask;
	uint64_t          for_ms; /* 0: permanent */
	const char       *note;   /* terminated; NULL for none */
	bool              dry_run;
	uint32_t          uid;
	size_t            n_selectors;
	struct selector **selectors;
};

enum outcome { OUTCOME_DONE, OUTCOME_REFUSED, OUTCOME_NONE, OUTCOME_HELD, OUTCOME_WOULD };

/* One line of a reply.  16 bytes: there may be a million. */
struct row {
	struct instance *instance; /* referenced; NULL: unseen, or (OUTCOME_NONE) nothing */
	struct held      held;     /* as of the request; `spare` holds the enum outcome */
};

/* The lines that one selector of the request gave, in order of identifier. */
struct row_group {
	struct selector *selector; /* reference */
	size_t           n_rows;
};

struct outcomes {
	struct logger    *logger; /* where the references are given back; NULL while empty */
	size_t            n_groups, n_rows;
	struct row_group *groups;
	struct row       *rows; /* those of the first group, then of the second ... */
	uint64_t          id;   /* 0: nothing stayed */
	bool              saved;
	int64_t           ends_ms;       /* left; -1 when not timed */
	double            before, after; /* dry run: logged values a second of what was selected */
	bool              dry_run;
};

#define OUTCOMES_INIT ((struct outcomes){ .ends_ms = -1 })
void outcomes_fini(struct outcomes *o);

/* Applies one request as a single step: whoever reads states, the gate included, sees all of it or none.  The order is
 * judge, save and sync, publish; an error of any of them changes nothing. */
enum err logger_log(struct logger *lg, struct log_request *request, const struct now *now, struct outcomes *out,
		    struct why *why);

/* What ENQUIRE asks; -1 in control or on means either. */
struct enquiry {
	int               control, on;
	bool              unavailable; /* only those that are on and not available */
	size_t            n_selectors;
	struct selector **selectors; /* references taken over in every case */
};
enum err logger_enquire(struct logger *lg, struct enquiry *enquiry, const struct now *now, struct outcomes *out,
			struct why *why);

/* What the control side knows of one row now; flags may be newer than the row. */
struct facts {
	bool     seen, in_log, available, driven;
	bool     timed;              /* the entry that decided ends by itself */
	int64_t  source_interval_ns; /* 0: unknown */
	uint64_t delta_ms;           /* as a reply shows it, for row->held */
};
struct facts logger_facts(struct logger *lg, const struct row *row, const struct now *now);
/* Does what a name holds end by itself?  For names that were never seen; any thread. */
bool         logger_is_timed(struct logger *lg, struct ident ident);

/* May the caller forget this entry?  Called with the control lock held: must be quick and call nothing here. */
typedef bool may_forget_fn(void *ctx, const struct entry *entry);

/* Removes entries and folds again: `ids` (n > 0), or with `n` 0 every socket entry that `may` allows.  ERR_UNKNOWN names an id
 * that is not there, ERR_DENIED one that `may` forbids.  `gone` gets their number. */
enum err logger_forget(struct logger *lg, const uint64_t *ids, size_t n, may_forget_fn *may, void *ctx,
		       const struct now *now, size_t *gone, struct why *why);

/* Entries in force, as a list of references that stays valid while others change the ledger; entries_fini() gives it back. */
struct entries {
	struct logger *logger;
	size_t         n;
	struct entry **list;
};
#define ENTRIES_INIT ((struct entries){ NULL, 0, NULL })
enum err logger_entries(struct logger *lg, struct entries *out);
void     entries_fini(struct entries *e);
/* How many known metric instances the entry selects, each counted once (without memory: once for each selector); at a million
 * instances some 50 ms a pattern. */
size_t   logger_selected(struct logger *lg, const struct entry *e);

/* Calls `fn` as ledger_explain() does, control lock held. */
void logger_explain(struct logger *lg, struct ident ident, step_fn *fn, void *ctx);

/* ---- time ---- */

/* What time brings: timed entries end, instances unseen for HistoryTimeout go, memory is reclaimed, newcomers are listed.
 * Call it about once a second, and when logger_next_end() has come.  Cheap when nothing is due.  `ended` (may be NULL) gets
 * the number of entries that ended. */
enum err logger_tick(struct logger *lg, const struct now *now, size_t *ended);
/* Boot-time instant of the next end of a timed entry; ENTRY_FOREVER: none. */
int64_t  logger_next_end(struct logger *lg);

/* ---- figures ---- */

struct figures {
	size_t   instances, max_instances, entries, selectors, max_selectors;
	uint64_t counted[COUNTED_MAX];
	uint64_t newest_id;
};
/* Any thread; waits for no lock. */
void                   logger_figures(struct logger *lg, struct figures *out);
void                   logger_count(struct logger *lg, enum counted what); /* requests: COUNT_ACCEPTED ... */
struct sources        *logger_sources(struct logger *lg);
const char            *logger_own_host(const struct logger *lg);
const struct settings *logger_settings(const struct logger *lg);

/* ---- driven sources (planner) ---- */

/* Calls `fn` with what each known instance of `source` needs now: its hold as in force, and whether it is a once that still
 * waits for its value.  Control lock held meanwhile, and not waited for: false when a request has it, and nothing was told. */
typedef void need_fn(void *ctx, struct held held, bool once_to_come);
bool         logger_each_need(struct logger *lg, const struct source *source, need_fn *fn, void *ctx);
/* Goes up with each change of rules, each newcomer, each once that had its value, and when instances are dropped: nothing to plan
 * anew while it stands. */
uint64_t     logger_epoch(struct logger *lg);

#endif
