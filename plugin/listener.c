/* listener - see listener.h. */
#include "listener.h"

#include <errno.h>
#include <poll.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "conn.h"
#include "socket.h"

#define MS_NS         INT64_C(1000000)
#define TICK_MS       5000  /* housekeeping when nothing is timed */
#define TIMED_TICK_MS 500   /* the boot-time clock runs on in a suspend, poll() does not: look again soon */
#define FILE_CHECK_MS 2000  /* is the socket file still there? */
#define PAUSE_MS      500   /* after descriptors or memory ran out */
#define SILENCE_MS    60000 /* between two messages of a kind */

struct listener {
	/* set by listener_start(), then constant */
	const struct host      *host;
	struct logger          *logger;
	struct listener_options options; /* path and group are copies */
	struct conn_context     context;
	int                     wake_fd; /* owned; written once, to end the loop */
	pthread_t               thread;

	/* listener thread only */
	struct place_of_socket socket;
	struct conn          **conns;
	struct pollfd         *polls; /* wake, socket, then one a connection */
	size_t                 n_conns;
	struct now             now;
	int64_t                tick_ns, retry_ns, check_ns, resume_ns;
	int64_t                tell_ns;   /* no word before this about accept() that fails */
	bool                   told_file; /* that the file is not ours, or cannot be made again */

	/* atomic, relaxed: read to fill a status reply */
	_Atomic size_t   clients;
	_Atomic uint64_t accepted, busy, dropped;
};

static void count(_Atomic uint64_t *n)
{
	atomic_fetch_add_explicit(n, 1, memory_order_relaxed);
}

/* ---- connections ---- */

static void conn_remove(struct listener *l, size_t i)
{
	conn_free(l->conns[i]);
	l->conns[i] = l->conns[--l->n_conns];
	atomic_store_explicit(&l->clients, l->n_conns, memory_order_relaxed);
}

static void refuse(struct listener *l, int fd)
{
	struct why why;
	char       unread[4096];
	why_set(&why, ERR_BUSY, "%d MaxClients (%zu) are connected; try again later\n", err_number(ERR_BUSY),
		l->options.max_clients);
	(void)!send(fd, why.text, strlen(why.text), MSG_NOSIGNAL | MSG_DONTWAIT);
	(void)!recv(fd, unread, sizeof(unread), MSG_DONTWAIT); /* what is unread at close() resets the connection */
	close(fd);
	count(&l->busy);
}

static void welcome(struct listener *l, int fd)
{
	if (l->n_conns >= l->options.max_clients) {
		refuse(l, fd);
		return;
	}
	struct conn *c = conn_new(&l->context, fd, &l->now);
	if (c == NULL) {
		count(&l->dropped);
		return;
	}
	l->conns[l->n_conns++] = c;
	atomic_store_explicit(&l->clients, l->n_conns, memory_order_relaxed);
	count(&l->accepted);
}

/* The file is gone, or somebody closed our descriptor: makes the socket anew. */
static void reopen(struct listener *l)
{
	struct why why = { "" };
	socket_close(&l->socket, l->options.path);
	enum err err = socket_open(&l->socket, l->options.path, l->options.group, l->options.perms, &why);
	if (err == OK)
		why_set(&why, OK, "SocketFile \"%s\" was gone and has been made again", l->options.path);
	struct why line;
	why_set(&line, err, "log_control: %s%s", why.text, err == OK ? "" : "; it is tried again and again");
	if (err == OK || !l->told_file)
		l->host->log(err == OK ? SEVERITY_NOTICE : SEVERITY_WARNING, line.text);
	l->told_file = err != OK;
}

static void pause_accepting(struct listener *l, int error)
{
	struct why line;
	l->resume_ns = l->now.arrival_ns + PAUSE_MS * MS_NS;
	if (l->now.arrival_ns < l->tell_ns)
		return;
	l->tell_ns = l->now.arrival_ns + SILENCE_MS * MS_NS;
	why_set(&line, OK,
		"log_control: no client can connect: accept: %s; those connected are served, and it is tried "
		"again; more descriptors (ulimit -n) may help",
		strerror(error));
	l->host->log(SEVERITY_WARNING, line.text);
}

/* A stranger in the process closed the socket, or shut it down: it is made again with the next turn. */
static void give_up(struct listener *l)
{
	socket_close(&l->socket, l->options.path);
	l->check_ns = l->now.arrival_ns;
}

/* Accepts what waits, up to a bound so that others get their turn. */
static void accept_some(struct listener *l)
{
	for (int i = 0; i < 64; i++) {
		int fd = accept4(l->socket.fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
		if (fd >= 0) {
			welcome(l, fd);
			continue;
		}
		switch (errno) {
		case EAGAIN:
			return;
		case EINTR:
		case ECONNABORTED:
		case EPROTO:
			continue;
		case EBADF:
		case EINVAL:
		case ENOTSOCK:
		case EOPNOTSUPP:
			give_up(l);
			return;
		default: /* EMFILE, ENFILE, ENOMEM, ENOBUFS ... */
			pause_accepting(l, errno);
			return;
		}
	}
}

/* ---- housekeeping ---- */

static void check_file(struct listener *l)
{
	bool missing = false;
	if (l->options.path == NULL || l->now.arrival_ns < l->check_ns)
		return;
	l->check_ns = l->now.arrival_ns + FILE_CHECK_MS * MS_NS;
	if (!socket_is_open(&l->socket)) {
		reopen(l);
		return;
	}
	if (socket_is_ours(&l->socket, l->options.path, &missing)) {
		l->told_file = false;
	} else if (missing) {
		reopen(l);
	} else if (!l->told_file) {
		l->told_file = true;
		l->host->log(SEVERITY_WARNING,
			     "log_control: somebody else's file stands where SocketFile was; it is left alone: remove "
			     "it and the socket is made again");
	}
}

static void tick(struct listener *l)
{
	size_t  ended = 0;
	int64_t end_ns = logger_next_end(l->logger);
	if (l->now.arrival_ns < l->tick_ns && (l->now.boot_ns < end_ns || l->now.arrival_ns < l->retry_ns))
		return;
	if (logger_tick(l->logger, &l->now, &ended) != OK)
		l->retry_ns = l->now.arrival_ns + PAUSE_MS * MS_NS;
	if (ended > 0) {
		struct why line;
		why_set(&line, OK, "log_control: %zu timed entries have ended", ended);
		l->host->log(SEVERITY_INFO, line.text);
	}
	l->tick_ns = l->now.arrival_ns + TICK_MS * MS_NS;
}

static int sooner(int a_ms, int64_t b_ms)
{
	if (b_ms < 0)
		b_ms = 0;
	return a_ms < b_ms ? a_ms : (int)b_ms;
}

static int wait_ms(struct listener *l)
{
	int     ms = sooner(TICK_MS, (l->tick_ns - l->now.arrival_ns) / MS_NS + 1);
	int64_t end_ns = logger_next_end(l->logger);
	if (end_ns != ENTRY_FOREVER)
		ms = sooner(ms, sooner(TIMED_TICK_MS, (end_ns - l->now.boot_ns) / MS_NS + 1));
	if (l->now.arrival_ns < l->retry_ns)
		ms = PAUSE_MS; /* out of memory: no spinning */
	if (l->options.path != NULL)
		ms = sooner(ms, (l->check_ns - l->now.arrival_ns) / MS_NS + 1);
	if (l->resume_ns > l->now.arrival_ns)
		ms = sooner(ms, (l->resume_ns - l->now.arrival_ns) / MS_NS + 1);
	for (size_t i = 0; i < l->n_conns; i++) {
		int patience_ms = conn_patience_ms(l->conns[i], &l->now);
		if (patience_ms >= 0)
			ms = sooner(ms, patience_ms);
	}
	return ms;
}

/* ---- the loop ---- */

static void set_polls(struct listener *l, bool *busy)
{
	bool accepts = l->socket.fd >= 0 && l->now.arrival_ns >= l->resume_ns;
	l->polls[0] = (struct pollfd){ l->wake_fd, POLLIN, 0 };
	l->polls[1] = (struct pollfd){ accepts ? l->socket.fd : -1, POLLIN, 0 };
	for (size_t i = 0; i < l->n_conns; i++)
		l->polls[2 + i] = (struct pollfd){ conn_fd(l->conns[i]), conn_events(l->conns[i], busy), 0 };
}

/* From the last to the first: removing moves the last one into the gap. */
static void serve(struct listener *l)
{
	for (size_t i = l->n_conns; i-- > 0;) {
		bool  busy = false;
		short events = l->polls[2 + i].revents;
		conn_events(l->conns[i], &busy);
		if ((events != 0 || busy) && !conn_work(l->conns[i], &l->now)) {
			conn_remove(l, i);
		} else if (conn_is_overdue(l->conns[i], &l->now)) {
			conn_remove(l, i);
			count(&l->dropped);
		}
	}
}

static bool is_stopped(const struct listener *l)
{
	uint64_t n;
	return read(l->wake_fd, &n, sizeof(n)) == sizeof(n);
}

static void *run(void *arg)
{
	struct listener *l = arg;
	for (;;) {
		bool busy = false;
		l->host->now(&l->now);
		check_file(l);
		tick(l);
		set_polls(l, &busy);
		int n = poll(l->polls, 2 + l->n_conns, busy ? 0 : wait_ms(l));
		if (n < 0 && errno != EINTR)
			poll(NULL, 0, PAUSE_MS); /* no memory, or a new limit of descriptors: again a little later */
		l->host->now(&l->now);
		if (n != 0 && is_stopped(l))
			return NULL;
		if (n >= 0)
			serve(l);
		if (n > 0 && (l->polls[1].revents & (POLLERR | POLLHUP | POLLNVAL)) != 0)
			give_up(l);
		else if (n > 0 && l->polls[1].revents != 0)
			accept_some(l);
	}
}

/* ---- life ---- */

static void listener_free(struct listener *l)
{
	while (l->n_conns > 0)
		conn_remove(l, l->n_conns - 1);
	if (l->options.path != NULL)
		socket_close(&l->socket, l->options.path);
	if (l->wake_fd >= 0)
		close(l->wake_fd);
	free(l->conns);
	free(l->polls);
	free((char *)l->options.path);
	free((char *)l->options.group);
	free(l);
}

static enum err copy_options(struct listener *l, const struct listener_options *options)
{
	l->options = *options;
	l->options.path = options->path == NULL ? NULL : strdup(options->path);
	l->options.group = options->group == NULL ? NULL : strdup(options->group);
	bool whole = (l->options.path != NULL) == (options->path != NULL) &&
		     (l->options.group != NULL) == (options->group != NULL);
	return whole ? OK : ERR_NOMEM;
}

static enum err listener_init(struct listener *l, const struct listener_options *options, struct why *why)
{
	l->socket.fd = l->wake_fd = -1;
	enum err err = copy_options(l, options);
	l->conns = calloc(options->max_clients, sizeof(*l->conns));
	l->polls = calloc(options->max_clients + 2, sizeof(*l->polls));
	l->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (err != OK || l->conns == NULL || l->polls == NULL)
		return why_set(why, ERR_NOMEM, "out of memory; no socket is opened");
	if (l->wake_fd < 0)
		return why_set(why, ERR_IO, "no descriptor is left; no socket is opened");
	if (l->options.path == NULL)
		return OK;
	return socket_open(&l->socket, l->options.path, l->options.group, l->options.perms, why);
}

enum err listener_start(struct listener **out, const struct host *host, struct logger *logger,
			const struct listener_options *options, const struct stat_source *extra, struct why *why)
{
	struct listener *l = calloc(1, sizeof(*l));
	if (l == NULL)
		return why_set(why, ERR_NOMEM, "out of memory; no socket is opened");
	l->host = host;
	l->logger = logger;
	enum err err = listener_init(l, options, why);
	if (err == OK) {
		l->context = (struct conn_context){ host, logger, &l->options, extra, getuid() };
		host->now(&l->now);
		l->check_ns = l->now.arrival_ns + FILE_CHECK_MS * MS_NS;
		if (host->thread_start(&l->thread, run, l, "log_control") != 0)
			err = why_set(why, ERR_IO, "no thread could be started; no socket is opened");
	}
	if (err != OK) {
		listener_free(l);
		return err;
	}
	*out = l;
	return OK;
}

void listener_stop(struct listener *l)
{
	const uint64_t one = 1;
	if (l == NULL)
		return;
	while (write(l->wake_fd, &one, sizeof(one)) < 0 && errno == EINTR)
		;
	pthread_join(l->thread, NULL);
	listener_free(l);
}

void listener_figures(const struct listener *l, struct listener_figures *out)
{
	struct listener *from = (struct listener *)l;
	*out = (struct listener_figures){
		.clients = atomic_load_explicit(&from->clients, memory_order_relaxed),
		.accepted = atomic_load_explicit(&from->accepted, memory_order_relaxed),
		.busy = atomic_load_explicit(&from->busy, memory_order_relaxed),
		.dropped = atomic_load_explicit(&from->dropped, memory_order_relaxed),
	};
}
