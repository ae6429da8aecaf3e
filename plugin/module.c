/*
 * module - the order of life and death.
 *
 *   module_register   parent, before the fork: callbacks, target, our chain.  No thread, no RCU, no file.
 *   config_block      the same, once a <Plugin "log_control"> block
 *   module_init       child, before any value: are we in a chain? then the logger, then the listener's thread
 *   target_invoke     write threads
 *   driver.c          read threads, when there are sources to drive
 *   module_read       our own metrics, every interval
 *   module_shutdown   after the last value: listener joined, logger freed
 */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "parts.h"

struct module module = { .creating = ROLE_USER };

static void host_log(int severity, const char *text)
{
	plugin_log(severity, "%s", text);
}

static int host_thread_start(pthread_t *thread, void *(*fn)(void *), void *arg, const char *name)
{
	sigset_t all, old;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	int status = plugin_thread_create(thread, fn, arg, name);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	return status;
}

static int64_t clock_ns(clockid_t clock)
{
	struct timespec t = { 0 };
	clock_gettime(clock, &t);
	return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

static void host_now(struct now *now)
{
	*now = (struct now){ clock_ns(CLOCK_MONOTONIC_COARSE), clock_ns(CLOCK_BOOTTIME), clock_ns(CLOCK_REALTIME) };
}

const struct host module_host = { host_log, host_thread_start, host_now };

static void notice(void *ctx, int severity, const char *text)
{
	(void)ctx;
	plugin_log(severity, "%s", text);
}

/* `*alone`: another daemon has the state file, so neither it nor the socket is touched. */
static struct logger *start_logger(struct module *m, bool *alone)
{
	struct logger *lg = NULL;
	struct now     now;
	struct why     why = { "" };
	int64_t        interval_ns = (int64_t)(CDTIME_T_TO_DOUBLE(interval_g) * 1e9);
	host_now(&now);
	m->started_ns = now.boot_ns;
	enum err err = logger_new(&lg, &m->settings, hostname_g, interval_ns, &now, notice, NULL, &why);
	*alone = false;
	if (err != OK && m->settings.state_file != NULL) {
		plugin_log(LOG_ERR,
			   PLUGIN_NAME
			   ": StateFile \"%s\": %s; the rules of the configuration are in force, no socket is opened",
			   m->settings.state_file, why.text);
		free(m->settings.state_file);
		m->settings.state_file = NULL;
		*alone = true;
		err = logger_new(&lg, &m->settings, hostname_g, interval_ns, &now, notice, NULL, &why);
	}
	if (err != OK)
		plugin_log(LOG_ERR, "%s", why.text);
	return err == OK ? lg : NULL;
}

static void say_access(struct module *m)
{
	struct buf b = BUF_INIT;
	access_describe(m->settings.access, &b);
	plugin_log(LOG_INFO, PLUGIN_NAME ": socket %s: %s", m->settings.socket_file, buf_text(&b));
	buf_fini(&b);
}

/* As the host's plugin_init_all() reads it. */
static unsigned read_threads(void)
{
	const char *text = global_option_get("ReadThreads");
	int         n = text == NULL ? 0 : atoi(text);
	return n == -1 ? 0 : n > 0 ? (unsigned)n : 5;
}

static const struct stat_source extra = { stats_lines, &module };

static void start_listener(struct module *m, struct logger *lg, bool alone)
{
	struct listener_options options = {
		.path = alone ? NULL : m->settings.socket_file,
		.group = m->settings.socket_group,
		.perms = m->settings.socket_perms,
		.max_clients = m->settings.max_clients,
		.half_line_ms = 60000,
		.stuck_ms = 10000,
		.max_line = (size_t)1 << 20,
	};
	struct why why = { "" };
	enum err   err = listener_start(&m->listener, &module_host, lg, &options, &extra, &why);
	if (err == OK && options.path != NULL)
		say_access(m);
	if (err == OK)
		return;
	plugin_log(LOG_ERR, PLUGIN_NAME ": %s", why.text);
	options.path = NULL; /* the clock of the rules still runs */
	if (listener_start(&m->listener, &module_host, lg, &options, &extra, &why) != OK)
		plugin_log(LOG_ERR, PLUGIN_NAME ": %s", why.text);
}

static int module_init(void)
{
	bool alone;
	if (!module.configured || atomic_load(&module.logger) != NULL)
		return module.configured ? 0 : -1;
	module.settings.rrd_writer = rrd_writer_loaded();
	if (settings_check(&module.settings, config_report, NULL) != OK || !chain_settle(&module))
		return -1;
	struct logger *lg = start_logger(&module, &alone);
	if (lg == NULL)
		return -1;
	atomic_store_explicit(&module.logger, lg, memory_order_release);
	module.driver = driver_start(&module_host, lg, &module.settings, read_threads());
	start_listener(&module, lg, alone);
	return 0;
}

static int module_read(void)
{
	/* the listener's thread is the clock of timed entries; this one goes on should that thread not have come up */
	struct logger *lg = atomic_load(&module.logger);
	struct now     now;
	host_now(&now);
	if (lg != NULL && module.listener == NULL)
		logger_tick(lg, &now, NULL);
	stats_report(&module);
	return 0;
}

static int module_shutdown(void)
{
	struct logger *lg = atomic_exchange(&module.logger, NULL);
	listener_stop(module.listener);
	module.listener = NULL;
	driver_stop(module.driver); /* its memory stays: the host still calls its log function */
	logger_free(lg);
	settings_fini(&module.settings);
	module.configured = false;
	free(module.user_pre);
	free(module.user_post);
	module.user_pre = module.user_post = NULL;
	module.pre_chain = module.post_chain = NULL;
	return 0;
}

/* The one symbol that the host looks for. */
void module_register(void);
void module_register(void)
{
	target_proc_t target = { target_create, target_destroy, target_invoke };
	module.configured = settings_init(&module.settings) == OK;
	plugin_register_complex_config(PLUGIN_NAME, config_block);
	plugin_register_init(PLUGIN_NAME, module_init);
	plugin_register_read(PLUGIN_NAME, module_read);
	plugin_register_shutdown(PLUGIN_NAME, module_shutdown);
	fc_register_target(PLUGIN_NAME, target);
	if (module.configured)
		chain_install(&module);
}
