/* client_test - the client library against scripted peers at the other end of a socket pair. */
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "client_reply.h"
#include "log_control.h"

#define COUNT(list) (sizeof(list) / sizeof((list)[0]))

/* ---- scripted peer ---- */

struct pair {
	int ours, theirs;
};

static struct pair pair_new(void)
{
	int fds[2];
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds), 0);
	return (struct pair){ fds[0], fds[1] };
}

static void pair_free(struct pair *p)
{
	close(p->ours);
	if (p->theirs >= 0)
		close(p->theirs);
}

static void limit_ms(int fd, int ms)
{
	struct timeval t = { ms / 1000, ms % 1000 * 1000 };
	assert_int_equal(setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &t, sizeof(t)), 0);
	assert_int_equal(setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &t, sizeof(t)), 0);
}

/* What the peer says; it fits into the socket, so it may be said before it was asked. */
static void peer_says(struct pair *p, const char *text, size_t len)
{
	assert_int_equal(send(p->theirs, text, len, MSG_NOSIGNAL), len);
}

/* What the peer was asked so far. */
static const char *peer_heard(struct pair *p)
{
	static char text[65536];
	ssize_t     n = recv(p->theirs, text, sizeof(text) - 1, MSG_DONTWAIT);
	text[n < 0 ? 0 : n] = '\0';
	return text;
}

static double elapsed_ms(const struct timespec *since)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)(now.tv_sec - since->tv_sec) * 1e3 + (double)(now.tv_nsec - since->tv_nsec) / 1e6;
}

/* ---- requests: what is sent, and what is not ---- */

static const struct lc_metric  load_metric = { .host = "web1", .plugin = "load", .type = "load" };
static const struct lc_request load_request = { 1, &load_metric };

static const char *line_of(const struct lc_request *r, int control, int state, int64_t delta_ms)
{
	static char       line[65536];
	struct pair       p = pair_new();
	struct lc_status *status = NULL;
	peer_says(&p, "-22 no\n", 7);
	int err = lc_control_log(p.ours, r, control, state, delta_ms, &status);
	snprintf(line, sizeof(line), "%s", peer_heard(&p));
	/* the peer answers every line with an error, so both are -EINVAL; only an answered one has its message */
	assert_int_equal(err, -EINVAL);
	assert_int_equal(status != NULL, line[0] != '\0');
	lc_status_free(status);
	pair_free(&p);
	return line;
}

static void control_log__each_ask__is_one_line(void **state)
{
	(void)state;
	static const struct {
		int         control, state;
		int64_t     delta_ms;
		const char *line;
	} rows[] = {
		{ PMLC_MANDATORY, PMLC_ON, 10000, "LOG mandatory on every=10000ms \"web1/load-*/load-*\"\n" },
		{ PMLC_MANDATORY, PMLC_ON, 268435456, "LOG mandatory on every=268435456ms \"web1/load-*/load-*\"\n" },
		{ PMLC_ADVISORY, PMLC_ON, PMLC_DELTA_ONCE, "LOG advisory on every=once \"web1/load-*/load-*\"\n" },
		{ PMLC_ADVISORY, PMLC_ON, PMLC_DELTA_NATIVE, "LOG advisory on every=native \"web1/load-*/load-*\"\n" },
		{ PMLC_MANDATORY, PMLC_OFF, 5000, "LOG mandatory off \"web1/load-*/load-*\"\n" },
		{ PMLC_ADVISORY, PMLC_OFF, 0, "LOG advisory off \"web1/load-*/load-*\"\n" },
		{ PMLC_MANDATORY, PMLC_MAYBE, 0, "LOG mandatory maybe \"web1/load-*/load-*\"\n" },
		{ PMLC_ENQUIRE, PMLC_ON, 5000, "ENQUIRE \"web1/load-*/load-*\"\n" },
		{ PMLC_ENQUIRE, 0, -1, "ENQUIRE \"web1/load-*/load-*\"\n" },
		{ PMLC_ENQUIRE, 99, INT64_MIN, "ENQUIRE \"web1/load-*/load-*\"\n" },
	};
	for (size_t i = 0; i < COUNT(rows); i++)
		assert_string_equal(line_of(&load_request, rows[i].control, rows[i].state, rows[i].delta_ms),
				    rows[i].line);
}

static void control_log__bad_ask__sends_nothing(void **state)
{
	(void)state;
	static const struct {
		int     control, state;
		int64_t delta_ms;
	} rows[] = {
		{ PMLC_ADVISORY, PMLC_MAYBE, 0 },
		{ PMLC_MANDATORY, PMLC_ON, -1 },
		{ PMLC_MANDATORY, PMLC_OFF, -1 },
		{ PMLC_ADVISORY, PMLC_ON, -1 },
		{ PMLC_ADVISORY, PMLC_OFF, INT64_MIN },
		{ PMLC_MANDATORY, PMLC_MAYBE, -1 },
		{ 0, PMLC_ON, 0 },
		{ 99, PMLC_ON, 0 },
		{ PMLC_MANDATORY, 0, 0 },
		{ PMLC_MANDATORY, 7, 0 },
		{ PMLC_ADVISORY, 7, 0 },
	};
	for (size_t i = 0; i < COUNT(rows); i++)
		assert_string_equal(line_of(&load_request, rows[i].control, rows[i].state, rows[i].delta_ms), "");
}

static void control_log__bad_metric__sends_nothing(void **state)
{
	(void)state;
	static const struct lc_instance slash = { "a/b", NULL };
	static const struct lc_metric   rows[] = {
		  { .host = "h" },
		  { .host = "h", .plugin = "p" },
		  { .plugin = "p", .type = "" },
		  { .host = "", .plugin = "p", .type = "t" },
		  { .host = "h/x", .plugin = "p", .type = "t" },
		  { .plugin = "p/x", .type = "t" },
		  { .plugin = "p", .type = "t/x" },
		  { .plugin = "p", .type = "t", .n_instances = 1 },
		  { .plugin = "p", .type = "t", .n_instances = 1, .instances = &slash },
		  { .selector = "h/p/t", .plugin = "p" },
		  { .selector = "h/p/t", .n_instances = 1, .instances = &slash },
	};
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct lc_metric  both[] = { load_metric, rows[i] };
		struct lc_request r = { 2, both };
		assert_string_equal(line_of(&r, PMLC_MANDATORY, PMLC_ON, 0), "");
		assert_string_equal(line_of(&r, PMLC_ENQUIRE, 0, 0), "");
	}
}

static void control_log__no_metric__sends_nothing(void **state)
{
	(void)state;
	static const struct lc_request none = { 0, &load_metric }, nowhere = { 3, NULL };
	assert_string_equal(line_of(&none, PMLC_MANDATORY, PMLC_ON, 0), "");
	assert_string_equal(line_of(&none, PMLC_ENQUIRE, 0, 0), "");
	assert_string_equal(line_of(&nowhere, PMLC_ENQUIRE, 0, 0), "");
	assert_string_equal(line_of(NULL, PMLC_ENQUIRE, 0, 0), "");
}

static void control_log__instances__are_named_in_order(void **state)
{
	(void)state;
	static const struct lc_instance cores[] = { { "0", "idle" }, { NULL, "user" }, { "1", NULL }, { "", "" } };
	static const struct lc_metric   metrics[] = {
		  { .plugin = "cpu", .type = "cpu", .n_instances = 4, .instances = cores },
		  { .selector = "*/\"odd\"\xff x/y" },
		  { .plugin = "df", .type = "free" },
	};
	static const struct lc_request r = { 3, metrics };
	assert_string_equal(line_of(&r, PMLC_ENQUIRE, 0, 0),
			    "ENQUIRE \"cpu-0/cpu-idle\" \"cpu/cpu-user\" \"cpu-1/cpu\" \"cpu/cpu\" "
			    "\"*/\\\"odd\\\"\\xff x/y\" \"df-*/free-*\"\n");
}

/* ---- status ---- */

static struct lc_status *status_of(const struct lc_request *r, const char *text, int want)
{
	struct pair       p = pair_new();
	struct lc_status *status = NULL;
	limit_ms(p.ours, 2000);
	peer_says(&p, text, strlen(text));
	int err = lc_control_log(p.ours, r, PMLC_ADVISORY, PMLC_ON, 10000, &status);
	if (err != want)
		fail_msg("%d instead of %d for the reply:\n%s", err, want, text);
	pair_free(&p);
	return status;
}

static void status__example_of_the_specification__stands_one_to_one(void **state)
{
	(void)state;
	static const struct lc_metric  metrics[] = { { .selector = "*/cpu-*/cpu-idle" },
						     { .selector = "web1/load/load" },
						     { .selector = "db*/x/y" },
						     { .selector = "web1/new/gauge" } };
	static const struct lc_request r = { 4, metrics };
	struct lc_status              *s =
		status_of(&r,
			  "5 Values id=17 keep=saved\n"
			  "1 done 0x0002710d advisory on 10000 10000 inlog,avail \"web1/cpu-0/cpu-idle\"\n"
			  "1 done 0x00027101 advisory on 10000 10000 - \"web1/cpu-1/cpu-idle\"\n"
			  "2 refused 0x00000002 mandatory off 0 10000 - \"web1/load/load\"\n"
			  "3 none 0x00000000 - - - - - \"db*/x/y\"\n"
			  "4 done 0x00027101 advisory on 10000 - unseen \"web1/new/gauge\"\n",
			  0);
	assert_int_equal(s->n_elements, 4);
	assert_true(s->id == 17 && s->saved == 1 && s->ends_s == -1);
	assert_string_equal(s->message, "Values id=17 keep=saved");
	const struct lc_row *row = s->elements[0].rows;
	assert_int_equal(s->elements[0].n_rows, 2);
	assert_string_equal(row->identifier, "web1/cpu-0/cpu-idle");
	assert_true(row->outcome == PMLC_DONE && row->control == PMLC_ADVISORY && row->state == PMLC_ON);
	assert_true(row->delta_ms == 10000 && row->source_interval_ms == 10000);
	assert_int_equal(row->flags, PMLC_FLAG_INLOG | PMLC_FLAG_AVAIL);
	assert_true(PMLC_GET_ON(row->word) && !PMLC_GET_MAND(row->word) && PMLC_GET_AVAIL(row->word) &&
		    PMLC_GET_INLOG(row->word) && PMLC_GET_DELTA(row->word) == 10000);
	assert_int_equal(row[1].flags, 0);
	row = s->elements[1].rows;
	assert_true(row->outcome == PMLC_REFUSED && row->control == PMLC_MANDATORY && row->state == PMLC_OFF);
	row = s->elements[2].rows;
	assert_int_equal(s->elements[2].n_rows, 1);
	assert_true(row->outcome == PMLC_NONE && row->control == 0 && row->state == 0 && row->delta_ms == -1);
	assert_string_equal(row->identifier, "db*/x/y");
	row = s->elements[3].rows;
	assert_true(row->source_interval_ms == -1 && row->flags == PMLC_FLAG_UNSEEN);
	lc_status_free(s);
}

static void status__instances_of_one_metric__share_its_element(void **state)
{
	(void)state;
	static const struct lc_instance cores[] = { { "0", "idle" }, { "7", "idle" } };
	static const struct lc_metric   metrics[] = {
		  { .plugin = "cpu", .type = "cpu", .n_instances = 2, .instances = cores },
		  { .plugin = "load", .type = "load" },
	};
	static const struct lc_request r = { 2, metrics };
	struct lc_status              *s =
		status_of(&r,
			  "3 Values id=- keep=temporary ends=900\n"
			  "1 held 0x00000001 advisory on 0 - once \"h/cpu-0/cpu-idle\"\n"
			  "2 held 0xfffffff1 advisory on 315360000000 1 timed,driven,new \"h/cpu-7/cpu-idle\"\n"
			  "3 would 0x00003e81 mandatory on 1000 1000 native \"h/load/load\"\n",
			  0);
	assert_int_equal(s->n_elements, 2);
	assert_int_equal(s->elements[0].n_rows, 2);
	assert_int_equal(s->elements[1].n_rows, 1);
	assert_int_equal(s->elements[0].rows[0].instance, 0);
	assert_int_equal(s->elements[0].rows[1].instance, 1);
	assert_int_equal(s->elements[1].rows[0].instance, 0);
	assert_true(s->elements[0].rows[1].delta_ms == INT64_C(315360000000));
	assert_int_equal(PMLC_GET_DELTA(s->elements[0].rows[1].word), PMLC_MAX_DELTA);
	assert_int_equal(s->elements[0].rows[0].flags, PMLC_FLAG_ONCE);
	assert_int_equal(s->elements[0].rows[1].flags, PMLC_FLAG_TIMED | PMLC_FLAG_DRIVEN);
	assert_int_equal(s->elements[1].rows[0].flags, PMLC_FLAG_NATIVE);
	assert_true(s->id == 0 && s->saved == 0 && s->ends_s == 900);
	lc_status_free(s);
}

static void status__element_without_rows__has_none(void **state)
{
	(void)state;
	struct lc_status *s = status_of(&load_request, "0 Values\n", 0);
	assert_int_equal(s->n_elements, 1);
	assert_int_equal(s->elements[0].n_rows, 0);
	lc_status_free(s);
}

static void status__error_of_the_daemon__has_its_message(void **state)
{
	(void)state;
	struct lc_status *s = status_of(&load_request, "-105 MaxRules (10000) is reached; forget some\n", -ENOBUFS);
	assert_int_equal(s->n_elements, 0);
	assert_string_equal(lc_message(s, -ENOBUFS), "MaxRules (10000) is reached; forget some");
	lc_status_free(s);
	s = status_of(&load_request, "-13\n", -EACCES);
	assert_string_equal(lc_message(s, -EACCES), "no permission");
	lc_status_free(s);
	assert_string_equal(lc_message(NULL, -ETIMEDOUT), "no answer within the time limit");
	assert_true(strlen(lc_message(NULL, -4000)) > 0);
}

/* Any bytes, any length: no buffer of ours has a size. */
static void status__identifier_of_six_times_128_bytes__survives(void **state)
{
	(void)state;
	char text[8192] = "1 Values id=1 keep=temporary\n1 done 0x00000001 advisory on 0 - - \"", want[1024];
	for (int i = 0; i < 6; i++) {
		strcat(text, i == 0 ? "" : "/");
		for (int k = 0; k < 64; k++)
			strcat(text, "\\xfe\\\"");
		memset(want + i * 129, 0, 130);
		for (int k = 0; k < 128; k += 2)
			memcpy(want + i * 129 + k, "\xfe\"", 2);
		want[i * 129 + 128] = i == 5 ? '\0' : '/';
	}
	strcat(text, "\"\n");
	struct lc_status *s = status_of(&load_request, text, 0);
	assert_string_equal(s->elements[0].rows[0].identifier, want);
	lc_status_free(s);
}

/* ---- garbled replies ---- */

#define ROW "1 done 0x00000001 advisory on 0 - - \"h/p/t\"\n"

static void status__garbled__is_eproto(void **state)
{
	(void)state;
	static const char *const rows[] = {
		"\n",
		"x\n",
		"-\n",
		"-0 x\n",
		"-x\n",
		"5x Values\n",
		"99999999999 Values\n",
		"-99999 x\n",
		" 1 Values\n" ROW,
		"0 Values id=x\n",
		"0 Values id=99999999999999999999\n",
		"0 Values ends=-1\n",
		"0 Values\nmore\n",
		"1 Values\n" ROW ROW,
		"1 Values\n\n",
		"1 Values\n0 done 0x00000001 advisory on 0 - - \"h/p/t\"\n",
		"1 Values\n2 done 0x00000001 advisory on 0 - - \"h/p/t\"\n",
		"1 Values\n-1 done 0x00000001 advisory on 0 - - \"h/p/t\"\n",
		"1 Values\n1 dome 0x00000001 advisory on 0 - - \"h/p/t\"\n",
		"1 Values\n1 done 0x0000001 advisory on 0 - - \"h/p/t\"\n",
		"1 Values\n1 done 0x0000000g advisory on 0 - - \"h/p/t\"\n",
		"1 Values\n1 done 0x00000001 advisery on 0 - - \"h/p/t\"\n",
		"1 Values\n1 done 0x00000001 - on 0 - - \"h/p/t\"\n",
		"1 Values\n1 done 0x00000001 advisory maybe 0 - - \"h/p/t\"\n",
		"1 Values\n1 none 0x00000000 advisory on - - - \"h/p/t\"\n",
		"1 Values\n1 done 0x00000001 advisory on -5 - - \"h/p/t\"\n",
		"1 Values\n1 done 0x00000001 advisory on 9223372036854775808 - - \"h/p/t\"\n",
		"1 Values\n1 done 0x00000001 advisory on 0 1e3 - \"h/p/t\"\n",
		"1 Values\n1 done 0x00000001 advisory on 0 - -\n",
		"1 Values\n1 done 0x00000001 advisory on 0 - - h/p/t\n",
		"1 Values\n1 done 0x00000001 advisory on 0 - - \"h/p/t\n",
		"1 Values\n1 done 0x00000001 advisory on 0 - - \"h/p/t\" \n",
		"1 Values\n1 done 0x00000001 advisory on 0 - - \"h/p/t\\q\"\n",
		"1 Values\n1 done 0x00000001 advisory on 0 - - \"h/p/t\\x00\"\n",
		"1 Values\n1 done  0x00000001 advisory on 0 - - \"h/p/t\"\n",
	};
	for (size_t i = 0; i < COUNT(rows); i++)
		assert_null(status_of(&load_request, rows[i], -EPROTO));
}

static void status__selector_numbers_that_fall__are_eproto(void **state)
{
	(void)state;
	const struct lc_metric  two[] = { load_metric, load_metric };
	const struct lc_request r = { 2, two };
	assert_null(status_of(&r, "2 Values\n2 done 0x00000001 advisory on 0 - - \"h/p/t\"\n" ROW, -EPROTO));
}

static void command__nul_in_a_reply__is_eproto(void **state)
{
	(void)state;
	struct pair      p = pair_new();
	struct lc_reply *reply = NULL;
	peer_says(&p, "1 Rule\na\0b\n", 11);
	assert_int_equal(lc_command(p.ours, "RULES", &reply), -EPROTO);
	assert_null(reply);
	pair_free(&p);
}

/* ---- bytes as they come ---- */

static const char *const forms[] = {
	"0 Values\n",
	"0\n",
	"-22 every=5ms is below MinInterval\n",
	"2 Values id=17 keep=saved ends=3\n" ROW ROW,
	"1 Rules\n17 socket uid=1000 note=\"\" \"LOG advisory on \\\"h/p/t\\\"\"\n",
	"3 Help\n\n\n\n",
};

static struct lc_reply *reply_in_pieces(const char *text, size_t split)
{
	struct intake in = INTAKE_INIT;
	size_t        len = strlen(text);
	assert_int_equal(intake_add(&in, text, split), 0);
	assert_int_equal(intake_is_whole(&in), split == len);
	assert_int_equal(intake_add(&in, text + split, len - split), 0);
	assert_true(intake_is_whole(&in));
	struct lc_reply *reply = intake_finish(&in);
	intake_fini(&in);
	return reply;
}

/* The reply written out again. */
static void assert_reply_is(const struct lc_reply *r, const char *text)
{
	struct buf b = BUF_INIT;
	buf_addf(&b, r->text[0] == '\0' ? "%d%s\n" : "%d %s\n", r->number, r->text);
	for (size_t i = 0; i < r->n_lines; i++)
		buf_addf(&b, "%s\n", r->lines[i]);
	assert_string_equal(buf_text(&b), text);
	buf_fini(&b);
}

static void reply__split_at_every_byte__reads_the_same(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(forms); i++) {
		for (size_t split = 0; split <= strlen(forms[i]); split++) {
			struct lc_reply *r = reply_in_pieces(forms[i], split);
			assert_reply_is(r, forms[i]);
			lc_reply_free(r);
		}
	}
}

static void *send_bytes(void *arg)
{
	struct pair *p = arg;
	for (size_t i = 0; i < COUNT(forms); i++) {
		char line[64];
		if (recv(p->theirs, line, sizeof(line), 0) <= 0)
			return NULL;
		for (const char *c = forms[i]; *c != '\0'; c++)
			send(p->theirs, c, 1, MSG_NOSIGNAL);
	}
	return NULL;
}

static void command__byte_by_byte_over_one_connection__reads_each_reply(void **state)
{
	(void)state;
	struct pair p = pair_new();
	pthread_t   peer;
	limit_ms(p.ours, 5000);
	assert_int_equal(pthread_create(&peer, NULL, send_bytes, &p), 0);
	for (size_t i = 0; i < COUNT(forms); i++) {
		struct lc_reply *reply = NULL;
		assert_int_equal(lc_command(p.ours, "STATUS", &reply), 0);
		assert_reply_is(reply, forms[i]);
		lc_reply_free(reply);
	}
	pthread_join(peer, NULL);
	pair_free(&p);
}

static void command__closed_at_every_byte__is_econnreset(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(forms); i++) {
		for (size_t cut = 0; cut < strlen(forms[i]); cut++) {
			struct pair      p = pair_new();
			struct lc_reply *reply = NULL;
			peer_says(&p, forms[i], cut);
			shutdown(p.theirs, SHUT_WR);
			assert_int_equal(lc_command(p.ours, "STATUS", &reply), -ECONNRESET);
			assert_null(reply);
			pair_free(&p);
		}
	}
}

static void reply__announces_two_billion_lines__costs_what_arrived(void **state)
{
	(void)state;
	struct intake in = INTAKE_INIT;
	assert_int_equal(intake_add(&in, "2147483647 Values\nx\n", 20), 0);
	assert_false(intake_is_whole(&in));
	assert_true(in.bytes.size < 1024);
	intake_fini(&in);
}

static void reply__endless_line__is_emsgsize(void **state)
{
	(void)state;
	struct intake in = INTAKE_INIT;
	static char   piece[1 << 20];
	int           err = 0, pieces = 0;
	memset(piece, 'x', sizeof(piece));
	assert_int_equal(intake_add(&in, "1 Rules\n", 8), 0);
	while (err == 0 && pieces++ < 100)
		err = intake_add(&in, piece, sizeof(piece));
	assert_int_equal(err, -EMSGSIZE);
	assert_int_equal(pieces, 9);
	intake_fini(&in);
}

/* ---- what is no command ---- */

static void command__that_would_get_no_reply__sends_nothing(void **state)
{
	(void)state;
	static const char *const rows[] = { "", " \t", "\r", "STATUS\n", "STATUS\nRULES" };
	struct pair              p = pair_new();
	struct lc_reply         *reply = NULL;
	for (size_t i = 0; i < COUNT(rows); i++)
		assert_int_equal(lc_command(p.ours, rows[i], &reply), -EINVAL);
	assert_int_equal(lc_command(p.ours, NULL, &reply), -EINVAL);
	assert_int_equal(lc_command(p.ours, "STATUS", NULL), -EINVAL);
	assert_string_equal(peer_heard(&p), "");
	pair_free(&p);
}

static void command__on_what_is_no_socket__says_so(void **state)
{
	(void)state;
	int              fds[2];
	struct lc_reply *reply = NULL;
	assert_int_equal(pipe(fds), 0);
	assert_int_equal(lc_command(fds[1], "STATUS", &reply), -ENOTSOCK);
	close(fds[0]);
	close(fds[1]);
	assert_int_equal(lc_command(fds[1], "STATUS", &reply), -EBADF);
}

/* ---- limits ---- */

static void command__silence__times_out_and_the_connection_is_spent(void **state)
{
	(void)state;
	struct pair      p = pair_new();
	struct lc_reply *reply = NULL;
	struct timespec  start;
	limit_ms(p.ours, 20);
	clock_gettime(CLOCK_MONOTONIC, &start);
	assert_int_equal(lc_command(p.ours, "STATUS", &reply), -ETIMEDOUT);
	assert_true(elapsed_ms(&start) >= 15);
	/* the late reply belongs to nobody */
	send(p.theirs, "0 Late\n", 7, MSG_NOSIGNAL);
	assert_int_equal(lc_command(p.ours, "RULES", &reply), -EPIPE);
	assert_null(reply);
	pair_free(&p);
}

static void *trickle(void *arg)
{
	struct pair    *p = arg;
	struct timespec pause = { 0, 2000000 };
	while (send(p->theirs, "1", 1, MSG_NOSIGNAL) == 1)
		nanosleep(&pause, NULL); /* the pace of a hostile peer: this is real time's own test */
	return NULL;
}

static void command__trickle__times_out(void **state)
{
	(void)state;
	struct pair      p = pair_new();
	struct lc_reply *reply = NULL;
	pthread_t        peer;
	struct timespec  start;
	limit_ms(p.ours, 30);
	clock_gettime(CLOCK_MONOTONIC, &start);
	assert_int_equal(pthread_create(&peer, NULL, trickle, &p), 0);
	assert_int_equal(lc_command(p.ours, "STATUS", &reply), -ETIMEDOUT);
	assert_true(elapsed_ms(&start) < 5000);
	pthread_join(peer, NULL);
	pair_free(&p);
}

static void command__peer_that_reads_nothing__times_out(void **state)
{
	(void)state;
	struct pair      p = pair_new();
	struct lc_reply *reply = NULL;
	static char      line[4 << 20];
	memset(line, 'x', sizeof(line) - 1);
	limit_ms(p.ours, 20);
	assert_int_equal(lc_command(p.ours, line, &reply), -ETIMEDOUT);
	pair_free(&p);
}

static void *read_all_then_answer(void *arg)
{
	struct pair *p = arg;
	static char  piece[999];
	ssize_t      n;
	do
		n = recv(p->theirs, piece, sizeof(piece), 0);
	while (n > 0 && piece[n - 1] != '\n');
	for (int i = 0; i < 20001; i++) {
		const char *text = i == 0 ? "20000 Values\n" : ROW;
		send(p->theirs, text, strlen(text), MSG_NOSIGNAL);
	}
	return NULL;
}

static void control_log__twenty_thousand_instances__go_out_in_pieces(void **state)
{
	(void)state;
	enum { N = 20000 };
	struct pair         p = pair_new();
	pthread_t           peer;
	struct lc_instance *instances = calloc(N, sizeof(*instances));
	for (int i = 0; i < N; i++)
		instances[i] = (struct lc_instance){ "quite-a-long-instance-name", "and-another" };
	struct lc_metric  metric = { .plugin = "p", .type = "t", .n_instances = N, .instances = instances };
	struct lc_request r = { 1, &metric };
	struct lc_status *status = NULL;
	limit_ms(p.ours, 10000);
	assert_int_equal(pthread_create(&peer, NULL, read_all_then_answer, &p), 0);
	assert_int_equal(lc_control_log(p.ours, &r, PMLC_MANDATORY, PMLC_ON, 60000, &status), 0);
	assert_int_equal(status->elements[0].n_rows, N);
	pthread_join(peer, NULL);
	lc_status_free(status);
	free(instances);
	pair_free(&p);
}

static void on_alarm(int signal)
{
	(void)signal;
}

static void command__signals_meanwhile__change_nothing(void **state)
{
	(void)state;
	struct sigaction action = { .sa_handler = on_alarm }, before; /* no SA_RESTART: every call is interrupted */
	struct itimerval often = { { 0, 500 }, { 0, 500 } }, never = { { 0, 0 }, { 0, 0 } };
	struct pair      p = pair_new();
	struct lc_reply *reply = NULL;
	limit_ms(p.ours, 50);
	sigaction(SIGALRM, &action, &before);
	setitimer(ITIMER_REAL, &often, NULL);
	int silent = lc_command(p.ours, "STATUS", &reply);
	setitimer(ITIMER_REAL, &never, NULL);
	sigaction(SIGALRM, &before, NULL);
	assert_int_equal(silent, -ETIMEDOUT);
	pair_free(&p);
}

/* One client too many: the listener speaks first and closes. */
static void command__busy_line_before_we_ask__is_the_reply(void **state)
{
	(void)state;
	struct pair      p = pair_new();
	struct lc_reply *reply = NULL;
	peer_says(&p, "-11 64 clients are connected\n", 29);
	close(p.theirs);
	p.theirs = -1;
	assert_int_equal(lc_command(p.ours, "STATUS", &reply), 0);
	assert_int_equal(reply->number, -EAGAIN);
	assert_string_equal(reply->text, "64 clients are connected");
	lc_reply_free(reply);
	pair_free(&p);
}

static void command__peer_gone__is_epipe_and_no_signal(void **state)
{
	(void)state;
	struct pair      p = pair_new();
	struct lc_reply *reply = NULL;
	close(p.theirs);
	p.theirs = -1;
	assert_int_equal(lc_command(p.ours, "STATUS", &reply), -EPIPE);
	pair_free(&p);
}

/* ---- connecting ---- */

struct place {
	char               folder[32];
	struct sockaddr_un address;
	int                listener;
};

static struct place place_new(int backlog)
{
	struct place p = { "/tmp/client_test.XXXXXX", { .sun_family = AF_UNIX }, -1 };
	assert_non_null(mkdtemp(p.folder));
	snprintf(p.address.sun_path, sizeof(p.address.sun_path), "%s/socket", p.folder);
	p.listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	assert_int_equal(bind(p.listener, (struct sockaddr *)&p.address, sizeof(p.address)), 0);
	assert_int_equal(listen(p.listener, backlog), 0);
	return p;
}

static void place_free(struct place *p)
{
	close(p->listener);
	unlink(p->address.sun_path);
	rmdir(p->folder);
}

static void connect__bad_arguments__are_einval(void **state)
{
	(void)state;
	char long_path[200];
	int  fd = -7;
	memset(long_path, 'x', sizeof(long_path) - 1);
	long_path[sizeof(long_path) - 1] = '\0';
	assert_int_equal(lc_connect(NULL, 1000, &fd), -EINVAL);
	assert_int_equal(lc_connect("", 1000, &fd), -EINVAL);
	assert_int_equal(lc_connect("/x", 0, &fd), -EINVAL);
	assert_int_equal(lc_connect("/x", 1000, NULL), -EINVAL);
	assert_int_equal(lc_connect(long_path, 1000, &fd), -ENAMETOOLONG);
	assert_int_equal(lc_connect("/nonexistent/socket", 1000, &fd), -ENOENT);
	assert_int_equal(fd, -7);
}

static void connect__limit__stays_on_the_descriptor(void **state)
{
	(void)state;
	struct place     p = place_new(5);
	int              fd = -1;
	struct lc_reply *reply = NULL;
	assert_int_equal(lc_connect(p.address.sun_path, 20, &fd), 0);
	assert_int_equal(lc_command(fd, "STATUS", &reply), -ETIMEDOUT);
	close(fd);
	place_free(&p);
}

static void connect__nobody_accepts__times_out(void **state)
{
	(void)state;
	struct place p = place_new(0);
	int          fds[8], n = 0, err = 0;
	while (n < 8 && (err = lc_connect(p.address.sun_path, 20, &fds[n])) == 0)
		n++;
	assert_int_equal(err, -ETIMEDOUT);
	assert_in_range(n, 1, 3);
	while (n > 0)
		close(fds[--n]);
	place_free(&p);
}

static void connect__dead_socket__is_econnrefused(void **state)
{
	(void)state;
	struct place p = place_new(5);
	int          fd = -1;
	close(p.listener);
	assert_int_equal(lc_connect(p.address.sun_path, PMLC_NO_LIMIT, &fd), -ECONNREFUSED);
	p.listener = -1;
	place_free(&p);
}

static void quote__any_text__is_one_word(void **state)
{
	(void)state;
	char *word = lc_quote("a \"b\"\\\x01\xff");
	assert_string_equal(word, "\"a \\\"b\\\"\\\\\\x01\\xff\"");
	free(word);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(control_log__each_ask__is_one_line),
		cmocka_unit_test(control_log__bad_ask__sends_nothing),
		cmocka_unit_test(control_log__bad_metric__sends_nothing),
		cmocka_unit_test(control_log__no_metric__sends_nothing),
		cmocka_unit_test(control_log__instances__are_named_in_order),
		cmocka_unit_test(control_log__twenty_thousand_instances__go_out_in_pieces),
		cmocka_unit_test(status__example_of_the_specification__stands_one_to_one),
		cmocka_unit_test(status__instances_of_one_metric__share_its_element),
		cmocka_unit_test(status__element_without_rows__has_none),
		cmocka_unit_test(status__error_of_the_daemon__has_its_message),
		cmocka_unit_test(status__identifier_of_six_times_128_bytes__survives),
		cmocka_unit_test(status__garbled__is_eproto),
		cmocka_unit_test(status__selector_numbers_that_fall__are_eproto),
		cmocka_unit_test(reply__split_at_every_byte__reads_the_same),
		cmocka_unit_test(reply__announces_two_billion_lines__costs_what_arrived),
		cmocka_unit_test(reply__endless_line__is_emsgsize),
		cmocka_unit_test(command__nul_in_a_reply__is_eproto),
		cmocka_unit_test(command__byte_by_byte_over_one_connection__reads_each_reply),
		cmocka_unit_test(command__closed_at_every_byte__is_econnreset),
		cmocka_unit_test(command__that_would_get_no_reply__sends_nothing),
		cmocka_unit_test(command__on_what_is_no_socket__says_so),
		cmocka_unit_test(command__silence__times_out_and_the_connection_is_spent),
		cmocka_unit_test(command__trickle__times_out),
		cmocka_unit_test(command__peer_that_reads_nothing__times_out),
		cmocka_unit_test(command__signals_meanwhile__change_nothing),
		cmocka_unit_test(command__busy_line_before_we_ask__is_the_reply),
		cmocka_unit_test(command__peer_gone__is_epipe_and_no_signal),
		cmocka_unit_test(connect__bad_arguments__are_einval),
		cmocka_unit_test(connect__limit__stays_on_the_descriptor),
		cmocka_unit_test(connect__nobody_accepts__times_out),
		cmocka_unit_test(connect__dead_socket__is_econnrefused),
		cmocka_unit_test(quote__any_text__is_one_word),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
