/* line_fuzz - lines of the protocol against a real logger with some instances: no crash, and every reply is well formed. */
#include <stdlib.h>
#include <string.h>

#include "../fake/lab.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A reply is nothing, one line with a negative number, or as many lines as its first word says. */
static void check_reply(const char *text, size_t len)
{
	size_t lines = 0;
	for (size_t i = 0; i < len; i++)
		lines += text[i] == '\n';
	if (len == 0)
		return;
	long n = strtol(text, NULL, 10);
	if (text[len - 1] != '\n' || lines != (n < 0 ? 1 : (size_t)n + 1))
		abort();
}

static void run_line(struct lab *lab, char *line, size_t len)
{
	static const struct caller root;
	struct session             session = { lab->logger, &root, RIGHT_ALL, NULL };
	static char                out[1 << 20];
	struct reply              *r = command_run(&session, line, len, &lab->now);
	size_t                     n, used = 0;
	while (used < sizeof(out) && (n = reply_read(r, out + used, sizeof(out) - used, &lab->now)) > 0)
		used += n;
	if (used < sizeof(out))
		check_reply(out, used);
	reply_free(r);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct lab lab;
	char      *copy = malloc(size + 1), *at = copy;
	if (copy == NULL)
		return 0;
	memcpy(copy, data, size);
	lab_open(&lab, HELD_DEFAULT);
	lab_gauge(&lab, "own/cpu-0/cpu-idle", 10, 1);
	lab_gauge(&lab, "own/load/load", 10, 1);
	lab_gauge(&lab, "web/a[*]-\\x/b", 1, 1);
	for (size_t left = size; left > 0;) {
		char  *end = memchr(at, '\n', left);
		size_t len = end == NULL ? left : (size_t)(end - at);
		run_line(&lab, at, len);
		lab_gauge(&lab, "own/cpu-0/cpu-idle", 10, 1);
		lab_advance(&lab, 3);
		left -= end == NULL ? left : len + 1;
		at = end == NULL ? at : end + 1;
	}
	lab_close(&lab);
	free(copy);
	return 0;
}
