/* live - see live.h. */
#include "live.h"

#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* ---- host ---- */

static void host_log(int severity, const char *text)
{
	(void)severity;
	(void)text;
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

static int64_t clock_ns(clockid_t id)
{
	struct timespec t;
	clock_gettime(id, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static void host_now(struct now *now)
{
	*now = (struct now){ clock_ns(CLOCK_MONOTONIC), clock_ns(CLOCK_BOOTTIME), clock_ns(CLOCK_REALTIME) };
}

static const struct host host = { host_log, host_thread_start, host_now };

/* ---- life ---- */

static void fatal(const char *what)
{
	fprintf(stderr, "live: %s\n", what);
	exit(1);
}

void live_prepare(struct live *l)
{
	memset(l, 0, sizeof(*l));
	strcpy(l->folder, "/tmp/log_control.XXXXXX");
	if (mkdtemp(l->folder) == NULL || chmod(l->folder, 0755) != 0 || settings_init(&l->settings) != OK)
		fatal("no folder");
	snprintf(l->socket, sizeof(l->socket), "%s/socket", l->folder);
}

static void no_notice(void *ctx, int severity, const char *text)
{
	(void)ctx;
	(void)severity;
	(void)text;
}

void live_start(struct live *l, unsigned perms)
{
	struct why              why = { "" };
	struct now              now;
	struct listener_options options = {
		.path = l->socket,
		.perms = perms,
		.max_clients = l->settings.max_clients,
		.half_line_ms = 60000,
		.stuck_ms = 10000,
		.max_line = 1 << 20,
	};
	host_now(&now);
	if (logger_new(&l->logger, &l->settings, "own", INT64_C(10000000000), &now, no_notice, NULL, &why) != OK ||
	    listener_start(&l->listener, &host, l->logger, &options, NULL, &why) != OK)
		fatal(why.text);
}

void live_close(struct live *l)
{
	if (l->listener != NULL)
		listener_stop(l->listener);
	if (l->logger != NULL)
		logger_free(l->logger);
	settings_fini(&l->settings);
	unlink(l->socket);
	if (rmdir(l->folder) != 0)
		fatal("the folder is not empty: something was left behind");
}

void live_value(struct live *l, const char *name, double time_s, double interval_s)
{
	union number  value = { .gauge = 1 };
	uint8_t       kind = KIND_GAUGE;
	struct sample sample = {
		.ident = { name, (uint32_t)strlen(name), ident_hash(name, strlen(name)) },
		.time_ns = (int64_t)(time_s * 1e9),
		.interval_ns = (int64_t)(interval_s * 1e9),
		.arrival_ns = clock_ns(CLOCK_MONOTONIC),
		.whence = { "live", (int64_t)(interval_s * 1e9) },
		.values = &value,
		.kinds = &kind,
		.n = 1,
	};
	logger_value(l->logger, &sample);
}

struct ran logctl(struct live *l, const char *input, ...)
{
	const char *arguments[48] = { "-s", l->socket };
	va_list     list;
	size_t      n = 2;
	va_start(list, input);
	while (n < 47 && (arguments[n] = va_arg(list, const char *)) != NULL)
		n++;
	va_end(list);
	arguments[n] = NULL;
	return run_program("collectd-logctl", arguments, input, 0);
}
