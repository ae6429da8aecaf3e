/* driver - see driver.h. */
#include "driver.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "collectd.h"

#include "plugin.h"

#include "driven.h"
#include "hosttime.h"
#include "lock.h"
#include "meeting.h"

#define PLUGIN_NAME "log_control"

/* What the host's run_loop() says before it shuts down. */
#define LAST_WORDS "Exiting normally."

/* After a missed meeting this many periods pass before the next, each time twice as many. */
#define MOST_PERIODS_BETWEEN 16

struct reader {
	struct driver *driver;
	char           name[40];
};

struct driver {
	/* constant */
	const struct host *host;
	struct logger     *logger;
	bool               never_slower, log_is_written;
	unsigned           n_readers;
	struct reader     *readers;
	size_t             n_sources;
	struct driven     *sources;

	struct meeting meeting;

	pthread_mutex_t lock; /* of what follows, and of struct driven */
	int64_t         decided_ns;
	bool            wanted; /* those who come now are to meet */
	uint64_t        epoch;  /* of the rules that the plans are made for */
	int64_t         due_ns; /* when they change without another rule */
	unsigned        periods_between, skip;

	_Atomic uint64_t meetings, missed;
};

static int64_t arrival_ns(const struct driver *d)
{
	struct now now;
	d->host->now(&now);
	return now.arrival_ns;
}

/* ---- what is to be ---- */

static void plan_all(struct driver *d, int64_t now_ns)
{
	uint64_t epoch = logger_epoch(d->logger);
	if (epoch == d->epoch && now_ns < d->due_ns)
		return;
	bool whole = true;
	d->due_ns = INT64_MAX;
	for (size_t i = 0; i < d->n_sources; i++) {
		whole = driven_plan(&d->sources[i], d->logger, d->never_slower, now_ns) && whole;
		int64_t due_ns = driven_plan_due_ns(&d->sources[i]);
		d->due_ns = due_ns < d->due_ns ? due_ns : d->due_ns;
	}
	d->epoch = whole ? epoch : epoch - 1;
}

static bool decide(struct driver *d, int64_t now_ns)
{
	bool due = false;
	if (d->skip > 0) {
		d->skip--;
		return false;
	}
	plan_all(d, now_ns);
	for (size_t i = 0; i < d->n_sources; i++) {
		driven_rest(&d->sources[i], now_ns);
		due = driven_is_due(&d->sources[i]) || due;
	}
	return due;
}

/* Whoever comes first in a period decides for all who come in it. */
static bool is_meeting_wanted(struct driver *d, int64_t now_ns)
{
	lock_take(&d->lock, RANK_DRIVER);
	if (now_ns - d->decided_ns >= DRIVER_PERIOD_NS - DRIVER_PERIOD_NS / 4) {
		d->decided_ns = now_ns;
		d->wanted = decide(d, now_ns);
	}
	bool wanted = d->wanted;
	lock_give(&d->lock, RANK_DRIVER);
	return wanted;
}

/* ---- the change ---- */

static void change_all(struct driver *d)
{
	int64_t now_ns = arrival_ns(d);
	lock_take(&d->lock, RANK_DRIVER);
	for (size_t i = 0; i < d->n_sources; i++) {
		if (driven_is_due(&d->sources[i]))
			driven_change(&d->sources[i], now_ns);
	}
	d->wanted = false;
	d->periods_between = 0;
	atomic_fetch_add(&d->meetings, 1);
	lock_give(&d->lock, RANK_DRIVER);
}

/* Copied out under the lock: the log may be a slow disk, and the next meeting may be near. */
struct note {
	const char *name;
	bool        lost;
	int64_t     before_ns, now_ns, configured_ns;
};

static void note_say(const struct driver *d, const struct note *n)
{
	char text[256];
	if (n->lost) {
		snprintf(text, sizeof(text),
			 PLUGIN_NAME
			 ": source \"%s\": its read function is gone, as that of a plugin that failed; it is not "
			 "driven any more",
			 n->name);
	} else {
		snprintf(text, sizeof(text),
			 PLUGIN_NAME ": source \"%s\": read every %.3f s, %.3f s before; %.3f s are configured",
			 n->name, (double)n->now_ns / 1e9, (double)n->before_ns / 1e9, (double)n->configured_ns / 1e9);
	}
	d->host->log(n->lost ? SEVERITY_ERROR : SEVERITY_INFO, text);
}

static bool note_take(struct driver *d, size_t i, struct note *out)
{
	struct driven *s = &d->sources[i];
	lock_take(&d->lock, RANK_DRIVER);
	*out = (struct note){ s->name, s->lost, s->before_ns, s->plan.interval_ns,
			      s->source == NULL ? 0 : atomic_load(&s->source->configured_ns) };
	s->before_ns = 0;
	lock_give(&d->lock, RANK_DRIVER);
	return out->before_ns != 0;
}

static void back_off(struct driver *d)
{
	lock_take(&d->lock, RANK_DRIVER);
	d->wanted = false;
	d->periods_between = d->periods_between == 0 ? 1 : 2 * d->periods_between;
	if (d->periods_between > MOST_PERIODS_BETWEEN)
		d->periods_between = MOST_PERIODS_BETWEEN;
	d->skip = d->periods_between;
	atomic_fetch_add(&d->missed, 1);
	lock_give(&d->lock, RANK_DRIVER);
}

/* ---- the host's read threads ---- */

static int attend(user_data_t *ud);

static int reader_register(struct reader *r)
{
	return plugin_register_complex_read(PLUGIN_NAME, r->name, attend, host_of_ns(DRIVER_PERIOD_NS),
					    &(user_data_t){ .data = r });
}

/* A read function's phase drifts off the others' when its thread was busy.  Registered anew, those who waited for each other are due
 * at the same time again. */
static void align(struct reader *r)
{
	plugin_unregister_read(r->name);
	reader_register(r);
}

static void meet(struct driver *d)
{
	switch (meeting_join(&d->meeting, DRIVER_WAIT_NS)) {
	case MET_LEAD:
		change_all(d);
		meeting_end(&d->meeting);
		for (size_t i = 0; i < d->n_sources; i++) {
			struct note note;
			if (note_take(d, i, &note))
				note_say(d, &note);
		}
		break;
	case MET_MISSED:
		back_off(d);
		break;
	case MET_OVER:
		break;
	}
}

static int attend(user_data_t *ud)
{
	struct reader *r = ud->data;
	struct driver *d = r->driver;
	int64_t        came_ns = arrival_ns(d);
	if (!is_meeting_wanted(d, came_ns))
		return 0;
	meet(d);
	if (!meeting_is_closed(&d->meeting) && arrival_ns(d) - came_ns > DRIVER_PERIOD_NS / 10)
		align(r);
	return 0;
}

/* ---- the end ---- */

void driver_hear(struct driver *d, const char *message)
{
	if (strcmp(message, LAST_WORDS) == 0)
		meeting_close(&d->meeting);
}

/* With a log function registered the host no longer writes to stderr when no log plugin is loaded. */
static void hear(int severity, const char *message, user_data_t *ud)
{
	struct driver *d = ud->data;
	(void)severity;
	if (!d->log_is_written)
		fprintf(stderr, "%s\n", message);
	if (syscall(SYS_gettid) == getpid())
		driver_hear(d, message);
}

/* ---- life ---- */

static void driver_free(struct driver *d)
{
	for (size_t i = 0; i < d->n_sources; i++)
		free(d->sources[i].name);
	free(d->sources);
	free(d->readers);
	free(d);
}

static struct driver *driver_new(const struct host *host, struct logger *lg, const struct settings *settings,
				 unsigned readers)
{
	struct driver *d = calloc(1, sizeof(*d));
	if (d == NULL)
		return NULL;
	d->host = host;
	d->logger = lg;
	d->never_slower = settings->placement != PLACE_PRECACHE;
	d->log_is_written = drivable_log_is_written();
	d->epoch = UINT64_MAX;
	d->decided_ns = INT64_MIN / 2;
	d->n_readers = readers;
	d->readers = calloc(readers, sizeof(*d->readers));
	d->sources = calloc(settings->n_sources, sizeof(*d->sources));
	if (d->readers == NULL || d->sources == NULL || pthread_mutex_init(&d->lock, NULL) != 0 ||
	    meeting_init(&d->meeting, readers) != 0) {
		driver_free(d);
		return NULL;
	}
	for (size_t i = 0; i < settings->n_sources; i++)
		d->n_sources += driven_init(&d->sources[d->n_sources], host, &settings->sources[i]);
	return d;
}

/* false: not all came to be; then they never meet, and nothing is ever changed. */
static bool register_all(struct driver *d)
{
	bool all = plugin_register_log(PLUGIN_NAME, hear, &(user_data_t){ .data = d }) == 0;
	for (unsigned i = 0; i < d->n_readers && all; i++) {
		struct reader *r = &d->readers[i];
		r->driver = d;
		snprintf(r->name, sizeof(r->name), PLUGIN_NAME "/driver-%u", i);
		all = reader_register(r) == 0;
	}
	return all;
}

struct driver *driver_start(const struct host *host, struct logger *lg, const struct settings *settings,
			    unsigned readers)
{
	if (settings->n_sources == 0)
		return NULL;
	if (readers == 0) {
		for (size_t i = 0; i < settings->n_sources; i++)
			driven_refuse(host, &settings->sources[i], "the daemon has no read threads, ReadThreads is -1");
		return NULL;
	}
	struct driver *d = driver_new(host, lg, settings, readers);
	if (d == NULL || (d->n_sources > 0 && !register_all(d)))
		host->log(LOG_ERR, PLUGIN_NAME ": sources are not driven, only gated: no memory");
	if (d == NULL || d->n_sources > 0)
		return d;
	meeting_fini(&d->meeting);
	driver_free(d);
	return NULL;
}

void driver_stop(struct driver *d)
{
	if (d == NULL)
		return;
	meeting_close(&d->meeting);
	lock_take(&d->lock, RANK_DRIVER);
	for (size_t i = 0; i < d->n_sources; i++)
		d->sources[i].source = NULL;
	d->logger = NULL;
	lock_give(&d->lock, RANK_DRIVER);
}

/* ---- what it tells ---- */

void driver_lines(struct driver *d, struct buf *out)
{
	if (d == NULL)
		return;
	buf_addf(out, "driver_sources=%zu\ndriver_meetings=%" PRIu64 "\ndriver_meetings_missed=%" PRIu64 "\n",
		 d->n_sources, atomic_load(&d->meetings), atomic_load(&d->missed));
}

bool driver_report(struct driver *d, size_t i, struct driven_report *out)
{
	if (d == NULL || i >= d->n_sources)
		return false;
	lock_take(&d->lock, RANK_DRIVER);
	struct source *s = d->sources[i].source;
	if (s != NULL)
		*out = (struct driven_report){ s->name, atomic_load(&s->configured_ns), atomic_load(&s->present_ns),
					       atomic_load(&s->changes) };
	lock_give(&d->lock, RANK_DRIVER);
	if (s == NULL)
		out->name = NULL;
	return true;
}
