/* run - see run.h. */
#include "run.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "advice.h"
#include "grid.h"
#include "json.h"
#include "log_control.h"
#include "show.h"

/* ---- errors ---- */

/* To stderr, and as JSON to stdout; `s` NULL: the statement could not be read. */
static void complain(const struct run *run, const struct statement *s, unsigned line, int number, const char *message)
{
	struct buf text = BUF_INIT;
	printable_add(&text, message); /* it may be the daemon's: nothing of it controls a terminal */
	fflush(stdout);
	if (run->input != NULL)
		fprintf(stderr, "collectd-logctl: %s:%u: %s\n", run->input, line, buf_text(&text));
	else
		fprintf(stderr, "collectd-logctl: %s\n", buf_text(&text));
	if (run->json)
		json_error(stdout, s, number, message);
	buf_fini(&text);
}

static void conclude(struct run *run, enum result result)
{
	bool is_lost = result == RESULT_NO_CONNECTION && !run->is_interactive;
	if (is_lost || result > run->result)
		run->result = result;
	run->is_over |= is_lost;
}

static void disconnect(struct run *run)
{
	if (run->fd >= 0)
		close(run->fd);
	run->fd = -1;
}

/* ---- connection ---- */

static const char *way_out(int err)
{
	switch (-err) {
	case EACCES:
		return "no permission; SocketGroup and SocketPerms in collectd.conf say who may connect";
	case ENOENT:
		return "there is no such socket; does collectd run, with log_control loaded? (-s SOCKET names another)";
	case ECONNREFUSED:
		return "nobody listens there; does collectd run, with log_control loaded?";
	case ETIMEDOUT:
		return "the daemon does not take the connection within the time limit (-t SECONDS)";
	default:
		return lc_message(NULL, err);
	}
}

static bool connected(struct run *run, const struct statement *s, unsigned line)
{
	if (run->fd >= 0)
		return true;
	int err = lc_connect(run->socket, run->timeout_ms, &run->fd);
	if (err == 0)
		return true;
	struct buf text = BUF_INIT;
	buf_addf(&text, "cannot connect to %s: %s", run->socket, way_out(err));
	complain(run, s, line, err, buf_text(&text));
	buf_fini(&text);
	conclude(run, err == -EACCES || err == -EPERM ? RESULT_DENIED : RESULT_NO_CONNECTION);
	run->is_over |= !run->is_interactive;
	return false;
}

/* Nothing is known of what the daemon did; the connection is of no more use. */
static void lost(struct run *run, const struct statement *s, unsigned line, int err)
{
	struct buf text = BUF_INIT;
	buf_addf(&text, "%s: %s", run->socket, lc_message(NULL, err));
	if (err == -ETIMEDOUT)
		buf_addf(&text, " of %d ms (-t SECONDS); whether the request was done is not known, query tells",
			 run->timeout_ms);
	complain(run, s, line, err, buf_text(&text));
	buf_fini(&text);
	disconnect(run);
	conclude(run, RESULT_NO_CONNECTION);
}

/* ---- replies ---- */

/* The daemon's own error: nothing has changed.  One client too many is no connection. */
static void refused(struct run *run, const struct statement *s, unsigned line, const struct lc_reply *reply)
{
	complain(run, s, line, reply->number, reply->text[0] != '\0' ? reply->text : lc_message(NULL, reply->number));
	if (reply->number == -EAGAIN)
		disconnect(run);
	conclude(run, reply->number == -EACCES   ? RESULT_DENIED
		      : reply->number == -EAGAIN ? RESULT_NO_CONNECTION
						 : RESULT_REFUSED);
}

static void answered(struct run *run, const struct statement *s, unsigned line, struct lc_reply *reply)
{
	switch (show_reply(s, reply, run->json)) {
	case SHOWN_APPLIED:
		return;
	case SHOWN_REFUSED:
		conclude(run, RESULT_REFUSED);
		return;
	case SHOWN_GARBLED:
		lost(run, s, line, -EPROTO);
		return;
	case SHOWN_NO_MEMORY:
		lost(run, s, line, -ENOMEM);
		return;
	}
}

/* Rules are explained for any name, so a slip of the pen, or a host by its other name, would look like an answer. */
static void unseen_note(struct run *run, const struct statement *s)
{
	struct lc_reply  *reply = NULL;
	struct lc_status *status = NULL;
	struct buf        command = BUF_INIT;
	buf_adds(&command, "ENQUIRE ");
	buf_add_quoted(&command, s->selectors.data, strlen(s->selectors.data));
	buf_text(&command);
	if (command.failed || lc_command(run->fd, command.data, &reply) != 0)
		disconnect(run); /* the next statement connects anew */
	else
		lc_reply_status(reply, 1, &status);
	if (status != NULL && status->n_elements == 1 && status->elements[0].n_rows == 1 &&
	    (status->elements[0].rows[0].flags & PMLC_FLAG_UNSEEN) != 0)
		advice_on_unseen(stderr, status->elements[0].rows[0].identifier);
	lc_status_free(status);
	buf_fini(&command);
}

static void ask(struct run *run, const struct statement *s, unsigned line)
{
	struct lc_reply *reply = NULL;
	struct buf       command = BUF_INIT;
	if (!connected(run, s, line))
		return;
	buf_add(&command, s->command.data, s->command.len);
	buf_text(&command);
	int err = command.failed ? -ENOMEM : lc_command(run->fd, command.data, &reply);
	buf_fini(&command);
	if (err != 0) {
		lost(run, s, line, err);
	} else if (reply->number < 0) {
		if (s->verb == VERB_RAW && !run->json)
			printf("%d %s\n", reply->number, reply->text);
		refused(run, s, line, reply);
		lc_reply_free(reply);
	} else {
		answered(run, s, line, reply);
		if (s->verb == VERB_EXPLAIN && run->fd >= 0)
			unseen_note(run, s);
	}
}

void run_statement(struct run *run, const struct statement *s, unsigned line)
{
	if (s->verb == VERB_HELP)
		show_help(s);
	else if (s->verb == VERB_QUIT)
		run->is_over = true;
	else
		ask(run, s, line);
	if (fflush(stdout) != 0 || ferror(stdout)) {
		clearerr(stdout);
		fprintf(stderr,
			"collectd-logctl: the answer could not be written: standard output is full or closed\n");
		conclude(run, RESULT_NO_CONNECTION);
	}
}

void run_bad_statement(struct run *run, unsigned line, const char *error)
{
	complain(run, NULL, line, -EINVAL, error);
	conclude(run, RESULT_USAGE);
}

void run_fini(struct run *run)
{
	disconnect(run);
}
