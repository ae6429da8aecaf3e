/* client_io_test - the client library against scripted peers: bytes as they come, limits, connecting. */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <sys/un.h>
#include <time.h>

#include "../fake/pair.h"
#include "client_reply.h"
#include "log_control.h"

#define ROW "1 done 0x00000001 advisory on 0 - - \"h/p/t\"\n"

static double elapsed_ms(const struct timespec *since)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)(now.tv_sec - since->tv_sec) * 1e3 + (double)(now.tv_nsec - since->tv_nsec) / 1e6;
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
		cmocka_unit_test(reply__split_at_every_byte__reads_the_same),
		cmocka_unit_test(command__byte_by_byte_over_one_connection__reads_each_reply),
		cmocka_unit_test(command__closed_at_every_byte__is_econnreset),
		cmocka_unit_test(reply__announces_two_billion_lines__costs_what_arrived),
		cmocka_unit_test(reply__endless_line__is_emsgsize),
		cmocka_unit_test(command__that_would_get_no_reply__sends_nothing),
		cmocka_unit_test(command__on_what_is_no_socket__says_so),
		cmocka_unit_test(command__silence__times_out_and_the_connection_is_spent),
		cmocka_unit_test(command__trickle__times_out),
		cmocka_unit_test(command__peer_that_reads_nothing__times_out),
		cmocka_unit_test(control_log__twenty_thousand_instances__go_out_in_pieces),
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
