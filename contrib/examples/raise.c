/*
 * raise - logs some metric instances every second for ten minutes, and prints what each of them holds.
 *
 *	cc raise.c -o raise $(pkg-config --cflags --libs log_control)
 *	./raise /run/collectd-log_control.sock 'web1/load/load' 'cpu-?/cpu-idle'
 *
 * A complete program for the client library of log_control, see lc_control_log(3).  What ends by itself is a line of the
 * protocol, sent with lc_command(); what is asked in the peer's manner goes through lc_control_log().  Exit status 0: all
 * of it is logged now; 1: something was refused, or selects nothing yet; 2: the daemon could not be asked.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <log_control.h>

static const char *outcome_word(enum lc_outcome outcome)
{
	switch (outcome) {
	case PMLC_DONE:
		return "done";
	case PMLC_REFUSED:
		return "refused";
	case PMLC_NONE:
		return "selects nothing yet";
	case PMLC_HELD:
		return "holds";
	case PMLC_WOULD:
		return "would be done";
	}
	return "?";
}

/* Prints each row, and returns how many are not as they were asked. */
static int print_status(const struct lc_status *status)
{
	int wrong = 0;
	for (size_t i = 0; i < status->n_elements; i++) {
		for (size_t k = 0; k < status->elements[i].n_rows; k++) {
			const struct lc_row *row = &status->elements[i].rows[k];
			printf("%s: %s", row->identifier, outcome_word(row->outcome));
			if (row->outcome != PMLC_NONE)
				printf(", %s %s, every %" PRId64 " ms%s%s",
				       PMLC_GET_MAND(row->word) ? "mandatory" : "advisory",
				       PMLC_GET_ON(row->word) ? "on" : "off", row->delta_ms,
				       PMLC_GET_INLOG(row->word) ? ", in log" : "",
				       PMLC_GET_AVAIL(row->word) ? ", available" : "");
			putchar('\n');
			wrong += row->outcome == PMLC_REFUSED || row->outcome == PMLC_NONE;
		}
	}
	return wrong;
}

/* LOG advisory on every=1s for=10min "..." "..."; allocated. */
static char *raise_line(char **selectors, size_t n)
{
	char  *line = NULL;
	size_t size = 0;
	FILE  *f = open_memstream(&line, &size);
	if (f == NULL)
		return NULL;
	fputs("LOG advisory on every=1s for=10min", f);
	for (size_t i = 0; i < n; i++) {
		char *word = lc_quote(selectors[i]);
		fprintf(f, " %s", word == NULL ? "" : word);
		free(word);
	}
	return fclose(f) == 0 ? line : NULL;
}

static int raise_them(int fd, char **selectors, size_t n, struct lc_status **status)
{
	struct lc_reply *reply = NULL;
	char            *line = raise_line(selectors, n);
	int              err = line == NULL ? -ENOMEM : lc_command(fd, line, &reply);
	free(line);
	return err == 0 ? lc_reply_status(reply, n, status) : err;
}

static int enquire(int fd, char **selectors, size_t n, struct lc_status **status)
{
	struct lc_metric *metrics = calloc(n, sizeof(*metrics));
	if (metrics == NULL)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++)
		metrics[i].selector = selectors[i];
	struct lc_request request = { n, metrics };
	int               err = lc_control_log(fd, &request, PMLC_ENQUIRE, 0, 0, status);
	free(metrics);
	return err;
}

int main(int argc, char **argv)
{
	struct lc_status *raised = NULL, *held = NULL;
	int               fd = -1, wrong = 0;
	if (argc < 3) {
		fprintf(stderr, "usage: raise SOCKET SELECTOR...\n");
		return 2;
	}
	int err = lc_connect(argv[1], 5000, &fd);
	if (err == 0)
		err = raise_them(fd, argv + 2, (size_t)argc - 2, &raised);
	if (err == 0) {
		wrong = print_status(raised);
		printf("rule %" PRIu64 " ends in %" PRId64 " s; until then they hold:\n", raised->id, raised->ends_s);
		err = enquire(fd, argv + 2, (size_t)argc - 2, &held);
	}
	if (err == 0)
		print_status(held);
	else
		fprintf(stderr, "raise: %s: %s\n", argv[1],
			lc_message(held != NULL || raised == NULL || raised->n_elements > 0 ? held : raised, err));
	lc_status_free(held);
	lc_status_free(raised);
	if (fd >= 0)
		close(fd);
	return err != 0 ? 2 : wrong > 0;
}
