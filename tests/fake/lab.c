/* lab - see lab.h. */
#include "lab.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define S_NS 1e9

static void no_notice(void *ctx, int severity, const char *text)
{
	(void)ctx;
	fprintf(stderr, "notice %d: %s\n", severity, text);
}

void lab_start(struct lab *lab)
{
	struct why why = { "" };
	lab->now = (struct now){ INT64_C(5000) * 1000000000, INT64_C(9000) * 1000000000,
				 INT64_C(1700000000) * 1000000000 };
	lab->rights = RIGHT_ALL;
	if (logger_new(&lab->logger, &lab->settings, "own", INT64_C(10) * 1000000000, &lab->now, no_notice, NULL,
		       &why) != OK) {
		fprintf(stderr, "lab: %s\n", why.text);
		abort();
	}
}

void lab_open(struct lab *lab, struct held def)
{
	memset(lab, 0, sizeof(*lab));
	if (settings_init(&lab->settings) != OK)
		abort();
	lab->settings.def = def;
	lab_start(lab);
}

void lab_close(struct lab *lab)
{
	logger_free(lab->logger);
	settings_fini(&lab->settings);
	free(lab->reply);
}

void lab_advance(struct lab *lab, double seconds)
{
	int64_t ns = (int64_t)(seconds * S_NS);
	lab->now.arrival_ns += ns;
	lab->now.boot_ns += ns;
	lab->now.wall_ns += ns;
	logger_tick(lab->logger, &lab->now, NULL);
}

static char *read_all(struct reply *r, const struct now *now)
{
	size_t len = 0, size = 8192, n;
	char  *text = malloc(size);
	while (text != NULL && (n = reply_read(r, text + len, size - len - 1, now)) > 0) {
		len += n;
		if (size - len < 4097)
			text = realloc(text, size *= 2);
	}
	if (text == NULL)
		abort();
	text[len] = '\0';
	return text;
}

const char *lab_ask(struct lab *lab, const char *fmt, ...)
{
	static const struct caller somebody = { .uid = 1000, .gid = 1000, .pid = 77 };
	struct session             session = { lab->logger, &somebody, lab->rights, NULL };
	char                      *line = NULL;
	va_list                    args;
	va_start(args, fmt);
	int len = vasprintf(&line, fmt, args);
	va_end(args);
	if (len < 0)
		abort();
	struct reply *r = command_run(&session, line, (size_t)len, &lab->now);
	free(lab->reply);
	lab->reply = read_all(r, &lab->now);
	reply_free(r);
	free(line);
	return lab->reply;
}

bool lab_value(struct lab *lab, const char *name, int64_t time_ns, double interval_s, union number value, uint8_t kind)
{
	lab->value = value;
	struct sample sample = {
		.ident = { name, (uint32_t)strlen(name), ident_hash(name, strlen(name)) },
		.time_ns = time_ns,
		.interval_ns = (int64_t)(interval_s * S_NS),
		.arrival_ns = lab->now.arrival_ns,
		.whence = { "lab", (int64_t)(interval_s * S_NS) },
		.values = &lab->value,
		.kinds = &kind,
		.n = 1,
	};
	struct pass pass = logger_value(lab->logger, &sample);
	lab->interval_s = (double)pass.interval_ns / S_NS;
	return pass.logged;
}

bool lab_gauge(struct lab *lab, const char *name, double interval_s, double value)
{
	return lab_value(lab, name, lab->now.wall_ns, interval_s, (union number){ .gauge = value }, KIND_GAUGE);
}

const char *lab_word(struct lab *lab, size_t line, size_t word)
{
	static char out[1024];
	const char *at = lab->reply;
	for (; at != NULL && line > 0; line--)
		at = (at = strchr(at, '\n')) == NULL ? NULL : at + 1;
	for (; at != NULL && word > 0; word--) {
		at += strcspn(at, " \n");
		at = *at == ' ' ? at + 1 : NULL;
	}
	size_t n = at == NULL ? 0 : strcspn(at, " \n");
	snprintf(out, sizeof(out), "%.*s", (int)n, at == NULL ? "" : at);
	return out;
}
