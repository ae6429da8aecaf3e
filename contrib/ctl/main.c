/* collectd-logctl - asks a running collectd what it logs, and says what it is to log: arguments; see
 * collectd-logctl(1). */
#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "delta.h"
#include "input.h"
#include "log_control.h"
#include "run.h"
#include "script.h"

struct arguments {
	const char  *file; /* -f; NULL: none */
	bool         dry_run;
	bool         is_done; /* --help or --version was all */
	struct words words;   /* of a statement on the command line */
	struct buf   raw;     /* what stands behind the command raw */
	bool         is_raw;
};

static const char usage_text[] = "usage: collectd-logctl [-s SOCKET] [-t SECONDS] [-n] [--json] STATEMENT\n"
				 "       collectd-logctl [-s SOCKET] [-t SECONDS] [-n] [--json] [-f FILE]\n"
				 "\n"
				 "    collectd-logctl log mandatory on every 10 sec '*/cpu-*/cpu-idle' for 15 min\n"
				 "    collectd-logctl query '*/*/*'\n"
				 "    collectd-logctl help\n"
				 "\n"
				 "  -s, --socket SOCKET    the daemon's socket [" PMLC_SOCKET "]\n"
				 "  -t, --timeout SECONDS  how long to wait for the daemon [5]\n"
				 "  -f, --file FILE        statements from FILE, - for standard input (which they come "
				 "from as well without STATEMENT)\n"
				 "  -n, --dry-run          log statements change nothing and tell what they would do\n"
				 "      --json             one JSON object a statement\n"
				 "  -h, --help             this text        -V, --version\n"
				 "\n"
				 "exit status: 0 all applied, 1 something refused or a selector that selects nothing "
				 "yet, 2 no connection or timeout,\n"
				 "3 usage, 4 no permission\n";

static bool usage_error(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

static bool usage_error(const char *fmt, ...)
{
	va_list args;
	fputs("collectd-logctl: ", stderr);
	va_start(args, fmt);
	vfprintf(stderr, fmt, args);
	va_end(args);
	fputs(" (collectd-logctl --help)\n", stderr);
	return false;
}

/* A positive number of seconds, as duration_parse() reads it. */
static bool timeout_read(struct run *run, const char *text)
{
	uint64_t ms = 0;
	if (duration_parse(text, strlen(text), "-t", &ms, NULL) != OK || ms == 0 || ms > INT_MAX)
		return usage_error("-t %s is no time limit; write seconds above 0, as -t 5 or -t 0.5", text);
	run->timeout_ms = (int)ms;
	return true;
}

/* ---- the statement on the command line ---- */

static bool add_text(struct arguments *a, const char *text)
{
	struct why why;
	if (words_add_line(&a->words, text, strlen(text), &why) == OK)
		return true;
	return usage_error("%s", why.text);
}

static bool add_argument(struct arguments *a, const char *text)
{
	struct why why;
	if (a->is_raw) {
		buf_adds(&a->raw, a->raw.len > 0 ? " " : "");
		buf_adds(&a->raw, text);
		return true;
	}
	if (a->words.n == 0 && strcasecmp(text, "raw") == 0) {
		a->is_raw = true;
		return true;
	}
	if (a->words.n == 0 && strpbrk(text, " \t") != NULL)
		return add_text(a, text); /* a whole statement in one argument, or its beginning */
	if (words_add_argument(&a->words, text, &why) == OK)
		return true;
	return usage_error("%s", why.text);
}

/* ---- options ---- */

enum { OPTION_JSON = 256 };

static bool option_read(struct arguments *a, struct run *run, int c)
{
	switch (c) {
	case 1: /* no option: a word of the statement */
		return add_argument(a, optarg);
	case 's':
		run->socket = optarg;
		return true;
	case 't':
		return timeout_read(run, optarg);
	case 'f':
		a->file = optarg;
		return true;
	case 'n':
		a->dry_run = true;
		return true;
	case OPTION_JSON:
		run->json = true;
		return true;
	case 'h':
		fputs(usage_text, stdout);
		a->is_done = true;
		return true;
	case 'V':
		puts("collectd-logctl " LC_VERSION);
		a->is_done = true;
		return true;
	default:
		return usage_error("the options are wrong; a word that begins with - stands behind --");
	}
}

/* Options may stand among the words of the statement (the `-` in front of getopt's list hands words out in order), but
 * not behind raw. */
static bool arguments_read(struct arguments *a, struct run *run, int argc, char **argv)
{
	static const struct option options[] = {
		{ "socket", required_argument, NULL, 's' }, { "timeout", required_argument, NULL, 't' },
		{ "file", required_argument, NULL, 'f' },   { "dry-run", no_argument, NULL, 'n' },
		{ "json", no_argument, NULL, OPTION_JSON }, { "help", no_argument, NULL, 'h' },
		{ "version", no_argument, NULL, 'V' },      { NULL, 0, NULL, 0 },
	};
	int c;
	while (!a->is_raw && !a->is_done && (c = getopt_long(argc, argv, "-s:t:f:nhV", options, NULL)) != -1) {
		if (!option_read(a, run, c))
			return false;
	}
	while (!a->is_done && optind < argc) {
		if (!add_argument(a, argv[optind++]))
			return false;
	}
	if (a->file != NULL && (a->words.n > 0 || a->is_raw))
		return usage_error("a statement and -f exclude each other; leave one out");
	if (run->socket[0] == '\0')
		return usage_error("-s names no socket");
	return true;
}

/* ---- running ---- */

static void run_words(struct run *run, const struct arguments *a)
{
	struct statement s;
	struct why       why;
	bool             is_open = false;
	enum err         err = a->is_raw ? statement_raw(&s, a->raw.data == NULL ? "" : a->raw.data, a->raw.len, &why)
					 : statement_parse(&s, &a->words, a->dry_run, &is_open, &why);
	if (err != OK) {
		run_bad_statement(run, 0, why.text);
		return;
	}
	if (is_open) {
		run_bad_statement(
			run, 0, "the statement is not complete; it lacks a selector or other words (help shows them)");
		return;
	}
	run_statement(run, &s, 0);
	statement_fini(&s);
}

static int run_named_file(struct run *run, const char *name, bool dry_run)
{
	FILE *file = fopen(name, "re");
	if (file == NULL)
		return errno;
	run->input = name;
	int err = input_file(run, file, dry_run);
	fclose(file);
	return err;
}

static void run_input(struct run *run, const struct arguments *a)
{
	const char *name = a->file == NULL || strcmp(a->file, "-") == 0 ? "standard input" : a->file;
	int         err;
	if (name == a->file) {
		err = run_named_file(run, name, a->dry_run);
	} else {
		run->is_interactive = isatty(STDIN_FILENO) && a->file == NULL;
		run->input = run->is_interactive ? NULL : name;
		err = run->is_interactive ? input_terminal(run, a->dry_run) : input_file(run, stdin, a->dry_run);
	}
	if (err == 0)
		return;
	fprintf(stderr, "collectd-logctl: cannot read %s: %s\n", name, strerror(err));
	run->result = RESULT_USAGE;
}

int main(int argc, char **argv)
{
	struct run       run = { .socket = PMLC_SOCKET, .timeout_ms = 5000, .fd = -1 };
	struct arguments a = { .words = WORDS_INIT, .raw = BUF_INIT };
	if (!arguments_read(&a, &run, argc, argv))
		run.result = RESULT_USAGE;
	else if (!a.is_done && (a.words.n > 0 || a.is_raw))
		run_words(&run, &a);
	else if (!a.is_done)
		run_input(&run, &a);
	words_fini(&a.words);
	buf_fini(&a.raw);
	run_fini(&run);
	return (int)run.result;
}
