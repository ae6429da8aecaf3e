/*
 * request_bench - newcomers, requests and memory: a logger behind a real listener, and values judged on another thread meanwhile.
 *
 * LC_BENCH=long: a million names; else a tenth of that.
 */
#include <malloc.h>
#include <math.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "../fake/live.h"
#include "dial.h"
#include "figures.h"
#include "watch.h"

#define S_NS      INT64_C(1000000000)
#define PATTERNS  1000
#define SELECTORS 100000

static struct live live;
static size_t      n_names;

/* ---- values ---- */

static void name_write(char *out, size_t size, const char *of, size_t i)
{
	static const char *const metrics[] = { "cpu-%zu/derive-n", "interface-%zu/if_octets-n", "disk-%zu/derive-n" };
	size_t                   len = (size_t)snprintf(out, size, "%s%04zu.example.net/", of, i / 1000);
	/* the format is one of the three above */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
	snprintf(out + len, size - len, metrics[i % 3], i % 1000);
#pragma GCC diagnostic pop
}

static void judge(const char *name, int64_t time_ns)
{
	uint8_t       kind = KIND_DERIVE;
	union number  value = { .derive = 1 };
	struct sample s = { .ident = { name, (uint32_t)strlen(name), ident_hash(name, strlen(name)) },
			    .time_ns = time_ns,
			    .interval_ns = 10 * S_NS,
			    .arrival_ns = (int64_t)(wall_s() * 1e9),
			    .whence.source = "bench",
			    .values = &value,
			    .kinds = &kind,
			    .n = 1 };
	logger_value(live.logger, &s);
}

/* CPU nanoseconds a newcomer.  By the clock on the wall: how long the longest took, and the longest making of a name. */
static double newcomers(const char *of, size_t n, double *longest_us, double *longest_nothing_us)
{
	char   name[IDENT_MAX + 1];
	double before = thread_cpu_s();
	*longest_us = *longest_nothing_us = 0;
	for (size_t i = 0; i < n; i++) {
		double start = wall_s();
		name_write(name, sizeof(name), of, i);
		double made = wall_s();
		judge(name, INT64_C(1700000000) * S_NS);
		double end = wall_s();
		*longest_us = fmax(*longest_us, (end - made) * 1e6);
		*longest_nothing_us = fmax(*longest_nothing_us, (made - start) * 1e6);
	}
	return (thread_cpu_s() - before) * 1e9 / (double)n;
}

static char **known_names(const char *of, size_t n)
{
	char **names = calloc(n, sizeof(*names));
	for (size_t i = 0; i < n; i++) {
		char name[IDENT_MAX + 1];
		name_write(name, sizeof(name), of, i * 997 % n_names);
		names[i] = strdup(name);
	}
	return names;
}

/* ---- a client ---- */

struct answer {
	double first_s, all_s; /* until the first byte, until the last */
	size_t bytes, lines;
	char   head[200];
};

static size_t count_lines(const char *text, size_t n)
{
	size_t lines = 0;
	for (const char *end = text + n; (text = memchr(text, '\n', (size_t)(end - text))) != NULL; text++)
		lines++;
	return lines;
}

/* Sends all of `text` while it reads, until the other side has said all there is; lines are counted when asked to, which costs time. */
static struct answer ask(const char *text, size_t len, bool with_lines)
{
	static char   in[1 << 18];
	struct answer a = { 0 };
	size_t        sent = 0;
	int           fd = dial(live.socket);
	double        start = wall_s();
	for (;;) {
		struct pollfd p = { fd, (short)(POLLIN | (sent < len ? POLLOUT : 0)), 0 };
		poll(&p, 1, -1);
		if ((p.revents & POLLOUT) != 0) {
			ssize_t n = send(fd, text + sent, len - sent, MSG_DONTWAIT | MSG_NOSIGNAL);
			sent += n > 0 ? (size_t)n : 0;
			if (sent == len)
				shutdown(fd, SHUT_WR);
		}
		if ((p.revents & (POLLIN | POLLHUP)) == 0)
			continue;
		ssize_t n = recv(fd, in, sizeof(in), MSG_DONTWAIT);
		if (n == 0)
			break;
		if (n < 0)
			continue;
		if (a.bytes == 0) {
			a.first_s = wall_s() - start;
			snprintf(a.head, sizeof(a.head), "%.*s", (int)(n < 120 ? n : 120), in);
		}
		a.bytes += (size_t)n;
		a.lines += with_lines ? count_lines(in, (size_t)n) : 0;
	}
	a.all_s = wall_s() - start;
	close(fd);
	if (a.head[0] == '-' || a.bytes == 0)
		printf("# refused: %s\n", a.head);
	return a;
}

static double rss_bytes(void)
{
	long  total = 0, resident = 0;
	FILE *f = fopen("/proc/self/statm", "r");
	if (f == NULL || fscanf(f, "%ld %ld", &total, &resident) != 2)
		abort();
	fclose(f);
	return (double)resident * (double)sysconf(_SC_PAGESIZE);
}

static double peak_bytes(void)
{
	char   line[200];
	double kib = 0;
	FILE  *f = fopen("/proc/self/status", "r");
	while (f != NULL && fgets(line, sizeof(line), f) != NULL)
		sscanf(line, "VmHWM: %lf", &kib);
	if (f != NULL)
		fclose(f);
	return kib * 1024;
}

/* ---- figures ---- */

static void open_live(void)
{
	live_prepare(&live);
	live.settings.max_instances = 4000000;
	live.settings.max_rules = 1000000;
	live.settings.history_ms = 3600000;
	live_start(&live, 0600);
}

static char *rules_text(size_t *len)
{
	size_t size = (size_t)SELECTORS * 64 + PATTERNS * 100, used = 0;
	char  *text = malloc(size);
	for (size_t i = 0; i < PATTERNS; i++) {
		const char *pattern = i % 3 == 0   ? "LOG advisory on every=20s \"db%zu*/*/*\"\n"
				      : i % 3 == 1 ? "LOG advisory on every=20s \"*/swap-%zu/*\"\n"
						   : "LOG advisory on every=20s \"*.example.net/*/*-x%zu*\"\n";
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
		used += (size_t)snprintf(text + used, size - used, pattern, i);
#pragma GCC diagnostic pop
	}
	for (size_t i = 0; i < SELECTORS; i++) {
		if (i % 10000 == 0)
			used += (size_t)snprintf(text + used, size - used, "LOG advisory on every=20s");
		used += (size_t)snprintf(text + used, size - used, " \"ruled%06zu/a/b\"%s", i,
					 i % 10000 == 9999 ? "\n" : "");
	}
	*len = used;
	return text;
}

static void figures_of_newcomers(void)
{
	size_t n = 20000, len;
	double longest, nothing, plain, ruled;
	char  *rules = rules_text(&len);
	open_live();
	plain = newcomers("plain", n, &longest, &nothing);
	ask(rules, len, false);
	free(rules);
	ruled = newcomers("ruled", n, &longest, &nothing);
	figure_one("newcomer_under_no_rule", plain / 1000, "us_cpu", NULL, 0);
	figure_one("newcomer_under_1000_patterns_100000_names", ruled / 1000, "us_cpu", "limit", 20);
	live_close(&live);
}

/* What the daemon's side of a long reply costs it in CPU time: its lines are made, and nobody takes them. */
static void figure_of_making(void)
{
	static char                out[65536];
	static const struct caller somebody = { .uid = 0 };
	struct session             session = { live.logger, &somebody, RIGHT_ALL, NULL };
	char                       line[] = "ENQUIRE \"*/*/*\"";
	struct now    now = { (int64_t)(wall_s() * 1e9), (int64_t)(wall_s() * 1e9), INT64_C(1700000000) * S_NS };
	size_t        bytes = 0, n;
	double        start = thread_cpu_s();
	struct reply *r = command_run(&session, line, sizeof(line) - 1, &now);
	double        found = thread_cpu_s();
	while ((n = reply_read(r, out, sizeof(out), &now)) > 0)
		bytes += n;
	double made = thread_cpu_s();
	reply_free(r);
	figure_one("enquire_all", found - start, "s_cpu", NULL, 0);
	figure_one("reply_made", (double)bytes / 1e6 / (made - found), "MB/s_cpu", "aim", 200);
}

/* Memory by instance beside its name, as the system sees it, and what is left of that when all are forgotten. */
static void figures_of_memory(void)
{
	char   name[IDENT_MAX + 1];
	double longest, nothing, names_bytes = 0, before, after;
	open_live();
	for (size_t i = 0; i < n_names; i++) {
		name_write(name, sizeof(name), "host", i);
		names_bytes += (double)strlen(name) + 1;
	}
	malloc_trim(0);
	before = rss_bytes();
	newcomers("host", n_names, &longest, &nothing);
	listener_stop(live.listener);
	live.listener = NULL;
	struct now now = { (int64_t)(wall_s() * 1e9), 2 * S_NS, INT64_C(1700000000) * S_NS };
	logger_tick(live.logger, &now, NULL); /* newcomers are put in order, what growing left behind is freed */
	after = rss_bytes();
	figure_one("memory_an_instance", (after - before - names_bytes) / (double)n_names, "bytes", "limit", 256);
	now.arrival_ns += 7200 * S_NS;
	logger_tick(live.logger, &now, NULL);
	figure_one("memory_kept_after_HistoryTimeout", (rss_bytes() - before) / (after - before), "of_it", NULL, 0);
	live_close(&live);
}

/* ---- requests over many, and values meanwhile ---- */

static char **known;

static struct watch *watch(void)
{
	return watch_start(live.logger, known, 1000);
}

static void figures_of_pattern(void)
{
	static const char line[] = "LOG advisory on every=20s \"*/*/*\"\n";
	double            peak_before = peak_bytes();
	struct answer     a = ask(line, sizeof(line) - 1, false);
	figure_one("pattern_over_all_applied", a.first_s, "s", "limit", 1);
	figure_one("reply_streamed", (double)a.bytes / 1e6 / (a.all_s - a.first_s), "MB/s", "aim", 200);
	figure_one("memory_of_the_reply", (peak_bytes() - peak_before) / (double)n_names, "bytes/line", NULL, 0);
	struct watch *w = watch();
	ask(line, sizeof(line) - 1, false);
	watch_stop(w, "pattern_over_all");
}

static void figures_of_pipeline(void)
{
	size_t n = bench_is_long() ? 100000 : 20000, used = 0;
	char  *text = malloc(n * 80);
	for (size_t i = 0; i < n; i++)
		used += (size_t)sprintf(text + used, "LOG advisory on every=%zus \"%s\"\n", 20 + i % 2, known[0]);
	struct answer a = ask(text, used, false);
	figure_one("requests_on_one_instance", (double)n / a.all_s, "requests/s", "aim", 10000);
	struct watch *w = watch();
	ask(text, used, false);
	watch_stop(w, "requests_on_one_instance");
	free(text);
}

static void figures_of_names(void)
{
	char  *text = malloc(1 << 20);
	size_t size = (size_t)sprintf(text, "LOG advisory off");
	for (size_t i = 0; i < SELECTORS; i++)
		size += (size_t)sprintf(text + size, " h/%zu/t", i);
	text[size++] = '\n';
	struct answer a = ask(text, size, true);
	figure_one("request_with_100000_names", a.all_s, "s", "limit", 1);
	printf("# its reply: %zu lines\n", a.lines);
	struct watch *w = watch();
	ask(text, size, false);
	watch_stop(w, "request_with_100000_names");
	free(text);
}

static void figures_of_crowd(void)
{
	double longest, nothing;
	open_live();
	known = known_names("known", 1000);
	for (size_t i = 0; i < 1000; i++)
		judge(known[i], INT64_C(1700000000) * S_NS);
	struct watch *w = watch();
	usleep(bench_is_long() ? 3000000 : 500000);
	watch_stop(w, "nothing"); /* what the machine alone does to a call */
	w = watch();
	double each = newcomers("host", n_names, &longest, &nothing);
	watch_stop(w, "newcomers");
	figure_one("newcomers_in_a_row", each / 1000, "us_cpu", NULL, 0);
	figure_one("longest_newcomer", longest, "us", "making_its_name", nothing);
	ask("ENQUIRE none/none/none\n", 23, false); /* all of them are put in order */
	figure_of_making();
	figures_of_pattern();
	figures_of_pipeline();
	figures_of_names();
	live_close(&live);
}

int main(void)
{
	n_names = bench_is_long() ? 1000000 : 100000;
	figures_of_newcomers();
	figures_of_memory();
	figures_of_crowd();
	return 0;
}
