/* rig - see rig.h. */
#include "rig.h"

#include <dirent.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "check.h"

#define LOG_LINES 256

/* The host's functions take no context, so the fake host is one. */
static _Atomic int64_t ahead_ns, frozen_ns; /* frozen at; 0: the clocks run */
static pthread_mutex_t log_lock = PTHREAD_MUTEX_INITIALIZER;
static char           *log_lines[LOG_LINES];
static size_t          n_log_lines;

static void host_log(int severity, const char *text)
{
	(void)severity;
	pthread_mutex_lock(&log_lock);
	if (n_log_lines < LOG_LINES)
		log_lines[n_log_lines++] = strdup(text);
	pthread_mutex_unlock(&log_lock);
}

static int host_thread_start(pthread_t *thread, void *(*fn)(void *), void *arg, const char *name)
{
	sigset_t all, before;
	(void)name;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	int err = pthread_create(thread, NULL, fn, arg);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return err;
}

static int64_t running_ns(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static void host_now(struct now *now)
{
	int64_t ns = atomic_load(&frozen_ns);
	ns = (ns == 0 ? running_ns() : ns) + atomic_load(&ahead_ns);
	*now = (struct now){ ns, ns, INT64_C(1700000000) * 1000000000 + ns };
}

static const struct host host = { host_log, host_thread_start, host_now };

void rig_freeze(void)
{
	atomic_store(&frozen_ns, running_ns());
}

void rig_advance(double seconds)
{
	atomic_fetch_add(&ahead_ns, (int64_t)(seconds * 1e9));
}

size_t rig_logged(const char *part)
{
	size_t n = 0;
	pthread_mutex_lock(&log_lock);
	for (size_t i = 0; i < n_log_lines; i++)
		n += strstr(log_lines[i], part) != NULL;
	pthread_mutex_unlock(&log_lock);
	return n;
}

static void log_empty(void)
{
	pthread_mutex_lock(&log_lock);
	while (n_log_lines > 0)
		free(log_lines[--n_log_lines]);
	pthread_mutex_unlock(&log_lock);
}

size_t rig_descriptors(void)
{
	size_t n = 0;
	DIR   *d = opendir("/proc/self/fd");
	assert_non_null(d);
	while (readdir(d) != NULL)
		n++;
	closedir(d);
	return n;
}

void rig_prepare(struct rig *rig)
{
	memset(rig, 0, sizeof(*rig));
	log_empty();
	strcpy(rig->folder, "/tmp/log_control.XXXXXX");
	assert_non_null(mkdtemp(rig->folder));
	assert_int_equal(chmod(rig->folder, 0755), 0);
	assert_int_equal(settings_init(&rig->settings), OK);
	snprintf(rig->path, sizeof(rig->path), "%s/socket", rig->folder);
	rig->descriptors = rig_descriptors();
	rig->options = (struct listener_options){
		.path = rig->path,
		.perms = 0770,
		.max_clients = 64,
		.half_line_ms = 60000,
		.stuck_ms = 10000,
		.max_line = 1 << 20,
	};
}

static void notice(void *ctx, int severity, const char *text)
{
	(void)ctx;
	host_log(severity, text);
}

enum err rig_start(struct rig *rig, struct why *why)
{
	struct now now;
	host_now(&now);
	if (rig->logger == NULL)
		assert_int_equal(
			logger_new(&rig->logger, &rig->settings, "own", INT64_C(10000000000), &now, notice, NULL, why),
			OK);
	return listener_start(&rig->listener, &host, rig->logger, &rig->options, NULL, why);
}

void rig_stop(struct rig *rig)
{
	listener_stop(rig->listener);
	rig->listener = NULL;
}

void rig_open(struct rig *rig)
{
	struct why why = { "" };
	rig_prepare(rig);
	if (rig_start(rig, &why) != OK)
		fail_msg("%s", why.text);
}

void rig_close(struct rig *rig)
{
	rig_stop(rig);
	logger_free(rig->logger);
	settings_fini(&rig->settings);
	log_empty();
	atomic_store(&frozen_ns, 0);
	assert_int_equal(rig_descriptors(), rig->descriptors);
	assert_int_equal(rmdir(rig->folder), 0);
}

void rig_fill(struct rig *rig, size_t n)
{
	struct now now;
	host_now(&now);
	for (size_t i = 0; i < n; i++) {
		char          name[40];
		union number  value = { .gauge = 1 };
		uint8_t       kind = KIND_GAUGE;
		size_t        len = (size_t)snprintf(name, sizeof(name), "h/p-%07zu/t", i);
		struct sample sample = {
			.ident = { name, (uint32_t)len, ident_hash(name, len) },
			.time_ns = now.wall_ns,
			.interval_ns = INT64_C(10000000000),
			.arrival_ns = now.arrival_ns,
			.whence.source = "rig",
			.values = &value,
			.kinds = &kind,
			.n = 1,
		};
		logger_value(rig->logger, &sample);
	}
}

void rig_poke(struct rig *rig)
{
	struct peer p = peer_open(rig->path);
	assert_has(peer_ask(&p, "HELP LOG"), "2 Help\n");
	peer_close(&p);
}
