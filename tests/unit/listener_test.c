/*
 * The listener over real unix sockets: lines, replies, and clients of every kind (specification sections 11, 12, 17).  The socket file is
 * socket_test.c's.
 */
#include <grp.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "../fake/check.h"
#include "../fake/rig.h"

#define COUNT(list) (sizeof(list) / sizeof((list)[0]))

static int open_rig(void **state)
{
	struct rig *rig = malloc(sizeof(*rig));
	assert_non_null(rig);
	rig_open(rig);
	*state = rig;
	return 0;
}

static int close_rig(void **state)
{
	rig_close(*state);
	free(*state);
	return 0;
}

static double seconds(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* ---- lines ---- */

static void pipelined__replies_in_order(void **state)
{
	struct rig *rig = *state;
	struct peer p = peer_open(rig->path);
	struct buf  b = BUF_INIT;
	enum { N = 2000 };
	for (int i = 0; i < N; i++)
		buf_addf(&b, i % 3 == 2 ? "NONSENSE%d\r\n" : "ENQUIRE own/x%d/y\n\n", i);
	assert_true(peer_send(&p, b.data, b.len));
	for (int i = 0; i < N; i++) {
		char part[40];
		snprintf(part, sizeof(part), i % 3 == 2 ? "-22 unknown command \"NONSENSE%d\"" : "\"own/x%d/y\"\n", i);
		assert_has(peer_reply(&p), part);
	}
	buf_fini(&b);
	peer_close(&p);
}

static void fed_byte_by_byte__same_replies(void **state)
{
	static const char text[] = "HELP LOG\r\n\n  \r\nENQUIRE \"own/a \\x41/b\"\nSTATUS";
	struct rig       *rig = *state;
	struct peer       p = peer_open(rig->path);
	for (size_t i = 0; i < sizeof(text) - 1; i++) {
		assert_true(peer_send(&p, text + i, 1));
		if (i % 5 == 0)
			rig_poke(rig); /* a turn of the loop in between */
	}
	assert_has(peer_reply(&p), "2 Help\nLOG ");
	assert_has(peer_reply(&p), "\"own/a A/b\"\n");
	shutdown(p.fd, SHUT_WR);
	assert_string_equal(peer_reply(&p), ""); /* the unfinished STATUS is not run */
	peer_close(&p);
}

static void odd_bytes__one_error_and_the_connection_goes_on(void **state)
{
	static const struct {
		const char *line;
		size_t      len;
		const char *expected;
	} rows[] = {
#define LINE(text) (text), sizeof(text) - 1
		{ LINE("ENQUIRE a\0b/c\n"), "-22 the line holds a NUL" },
		{ LINE("\0\n"), "-22 the line holds a NUL" },
		{ LINE("\xff\xfe\x80\n"), "-22 unknown command \"\\xff\\xfe\\x80\"" },
		{ LINE("ENQUIRE own/\xc3\xa4/t\n"), "\"own/\\xc3\\xa4/t\"" },
		{ LINE("ENQUIRE \"a/b\n"), "-22 a quote is not closed" },
		{ LINE("\x1b[31m\n"), "-22 unknown command \"\\x1b[31m\"" },
		{ LINE("\rHELP LOG\n"), "-22 unknown command \"\\x0dHELP\"" },
		{ LINE("help log\r\n"), "2 Help" },
#undef LINE
	};
	struct rig *rig = *state;
	struct peer p = peer_open(rig->path);
	for (size_t i = 0; i < COUNT(rows); i++) {
		assert_true(peer_send(&p, rows[i].line, rows[i].len));
		assert_has(peer_reply(&p), rows[i].expected);
	}
	peer_close(&p);
}

/* A line of `len` bytes and its end. */
static void send_long(struct peer *p, size_t len, const char *end)
{
	char *line = malloc(len);
	assert_non_null(line);
	memset(line, ' ', len);
	memcpy(line, "HELP LOG", 8);
	assert_true(peer_send(p, line, len));
	peer_say(p, end);
	free(line);
}

static void line_limit__to_the_byte(void **state)
{
	struct rig  *rig = *state;
	struct peer  p = peer_open(rig->path);
	const size_t limit = 1 << 20;
	send_long(&p, limit, "\n");
	assert_has(peer_reply(&p), "2 Help\n");
	send_long(&p, limit, "\r\nHELP RULES\n");
	assert_has(peer_reply(&p), "2 Help\nLOG ");
	assert_has(peer_reply(&p), "2 Help\nRULES\n");
	send_long(&p, limit + 1, "\nHELP RULES\n");
	assert_has(peer_reply(&p), "-22 the line is longer than 1048576 bytes");
	assert_has(peer_reply(&p), "2 Help\nRULES\n");
	send_long(&p, limit + 1, "\r\nHELP RULES\n");
	assert_has(peer_reply(&p), "-22 the line is longer");
	assert_has(peer_reply(&p), "2 Help\nRULES\n");
	peer_close(&p);
}

static void endless_line__one_error_and_then_as_if_nothing_was(void **state)
{
	struct rig *rig = *state;
	struct peer p = peer_open(rig->path);
	for (int i = 0; i < 12; i++)
		send_long(&p, 1000003, "");
	peer_say(&p, "\nHELP RULES\n");
	assert_has(peer_reply(&p), "-22 the line is longer");
	assert_has(peer_reply(&p), "2 Help\nRULES\n");
	assert_has(peer_ask(&p, "STATUS"), "requests_failed=1\n");
	peer_close(&p);
}

static void input_closed__complete_lines_still_get_their_replies(void **state)
{
	struct rig *rig = *state;
	struct peer p = peer_open(rig->path);
	rig_fill(rig, 3000);
	for (int i = 0; i < 20; i++)
		peer_say(&p, "ENQUIRE \"*/*/*\"\n");
	peer_say(&p, "LOG mandatory off \"*/*/*\""); /* no newline: not run */
	shutdown(p.fd, SHUT_WR);
	for (int i = 0; i < 20; i++)
		assert_has(peer_reply(&p), "3000 Values\n");
	assert_string_equal(peer_reply(&p), "");
	peer_close(&p);
	p = peer_open(rig->path);
	assert_has(peer_ask(&p, "RULES"), "0 Rules\n");
	peer_close(&p);
}

/* ---- clients of every kind ---- */

static void clients_that_vanish__before_during_and_after(void **state)
{
	static const char *const said[] = { "", "ENQ", "HELP\n", "ENQUIRE \"*/*/*\"\n",
					    "ENQUIRE \"*/*/*\"\nENQUIRE \"*/*/*\"\nLO" };
	struct rig              *rig = *state;
	rig_fill(rig, 3000);
	rig_poke(rig);
	size_t descriptors = rig_descriptors();
	for (int i = 0; i < 300; i++) {
		struct peer p = peer_open(rig->path);
		peer_say(&p, said[i % COUNT(said)]);
		if (i % 5 >= 2 && i % 7 == 3)
			peer_reply(&p);
		if (i % 11 == 0)
			shutdown(p.fd, SHUT_RD);
		peer_close(&p);
	}
	struct listener_figures f;
	do {
		rig_poke(rig);
		listener_figures(rig->listener, &f);
	} while (f.clients > 1);
	while (rig_descriptors() > descriptors)
		rig_poke(rig);
	assert_int_equal(f.busy, 0);
}

static void a_thousand_connects_in_a_row__none_refused(void **state)
{
	struct rig *rig = *state;
	for (int i = 0; i < 1000; i++)
		rig_poke(rig);
	struct listener_figures f;
	listener_figures(rig->listener, &f);
	assert_int_equal(f.busy, 0);
	assert_int_equal(f.dropped, 0);
}

static void one_client_too_many__is_told_and_closed(void **state)
{
	struct rig *rig = *state;
	struct peer peers[65];
	for (size_t i = 0; i < COUNT(peers); i++)
		peers[i] = peer_open(rig->path);
	assert_has(peer_reply(&peers[64]), "-11 MaxClients (64) are connected");
	assert_int_equal(peer_until_gone(&peers[64]), 0);
	for (size_t i = 0; i < 64; i++)
		assert_has(peer_ask(&peers[i], "HELP LOG"), "2 Help\n");
	peer_close(&peers[7]);
	struct peer p = peer_open(rig->path); /* there may be a turn of the loop between */
	while (strncmp(peer_ask(&p, "HELP LOG"), "-11", 3) == 0) {
		peer_close(&p);
		p = peer_open(rig->path);
	}
	assert_has(p.reply, "2 Help\n");
	peer_close(&p);
	for (size_t i = 0; i < COUNT(peers); i++)
		peer_close(&peers[i]);
}

/* Asks for a million lines and reads none. */
static struct peer stuck_client(struct rig *rig)
{
	struct peer p = peer_open(rig->path);
	rig_fill(rig, 50000);
	peer_say(&p, "ENQUIRE");
	for (int i = 0; i < 20; i++)
		peer_say(&p, " \"*/*/*\"");
	peer_say(&p, "\n");
	return p;
}

static void client_that_reads_nothing__others_are_served_and_it_is_dropped_in_time(void **state)
{
	struct rig *rig = *state;
	rig_freeze();
	struct peer stuck = stuck_client(rig), other = peer_open(rig->path);
	for (int i = 0; i < 200; i++)
		assert_has(peer_ask(&other, "ENQUIRE h/p-0000000/t"), "1 Values\n");
	rig_advance(9.9);
	assert_has(peer_ask(&other, "HELP LOG"), "2 Help\n");
	char some[8192];
	assert_true(recv(stuck.fd, some, sizeof(some), MSG_WAITALL) == sizeof(some));
	struct listener_figures f;
	listener_figures(rig->listener, &f);
	assert_int_equal(f.dropped, 0);
	/* it takes all that the socket holds, so that the listener sends again; then it stops for good */
	for (size_t n = 0; n < 1 << 20;)
		n += (size_t)recv(stuck.fd, some, sizeof(some), 0);
	rig_advance(9);
	assert_has(peer_ask(&other, "HELP LOG"), "2 Help\n");
	listener_figures(rig->listener, &f);
	assert_int_equal(f.dropped, 0);
	rig_advance(10.1);
	while (f.dropped == 0) {
		assert_has(peer_ask(&other, "HELP LOG"), "2 Help\n");
		listener_figures(rig->listener, &f);
	}
	assert_true(peer_until_gone(&stuck) > 0);
	peer_close(&stuck);
	peer_close(&other);
}

static void slow_reader__gets_a_million_lines_while_others_are_served(void **state)
{
	struct rig *rig = *state;
	struct peer slow = stuck_client(rig), other = peer_open(rig->path);
	double      longest_s = 0;
	size_t      lines = 0, n = 1;
	char       *piece = malloc(1 << 20);
	assert_non_null(piece);
	while (lines < 1000001 && n > 0) {
		n = (size_t)recv(slow.fd, piece, 1 << 20, 0);
		for (const char *at = piece; (at = memchr(at, '\n', (size_t)(piece + n - at))) != NULL; at++)
			lines++;
		double start_s = seconds();
		if (random_below(&(uint64_t){ lines }, 16) == 0)
			assert_has(peer_ask(&other, "ENQUIRE h/p-0000000/t"), "1 Values\n");
		double took_s = seconds() - start_s;
		longest_s = took_s > longest_s ? took_s : longest_s;
	}
	print_message("a million lines beside: longest answer to another client %.1f ms\n", longest_s * 1e3);
	assert_int_equal(lines, 1000001);
	free(piece);
	peer_close(&slow);
	peer_close(&other);
}

static void stop__in_the_middle_of_a_million_lines__returns_promptly(void **state)
{
	struct rig *rig = *state;
	struct peer stuck = stuck_client(rig);
	char        some[100];
	assert_true(recv(stuck.fd, some, sizeof(some), 0) > 0);
	rig_stop(rig);
	assert_in_range(peer_until_gone(&stuck), 1,
			4 << 20); /* what was on its way, not the tens of megabytes to come */
	assert_int_equal(access(rig->path, F_OK), -1);
	peer_close(&stuck);
}

static void half_line__dropped_after_a_minute(void **state)
{
	struct rig *rig = *state;
	struct peer half = peer_open(rig->path), idle = peer_open(rig->path), endless = peer_open(rig->path);
	rig_freeze();
	peer_say(&half, "HELP\nLOG mandatory o");
	assert_has(peer_reply(&half), " Help\n");
	send_long(&endless, 3 << 20, "");
	assert_has(peer_reply(&endless), "-22 the line is longer");
	rig_advance(59);
	rig_poke(rig);
	peer_say(&half, "f");
	peer_say(&endless, "x");
	rig_poke(rig);
	struct listener_figures f;
	listener_figures(rig->listener, &f);
	assert_int_equal(f.dropped, 0);
	rig_advance(2);
	rig_poke(rig);
	assert_int_equal(peer_until_gone(&half), 0);
	assert_int_equal(peer_until_gone(&endless), 0);
	rig_advance(3600);
	assert_has(peer_ask(&idle, "HELP LOG"), "2 Help\n");
	peer_close(&half);
	peer_close(&endless);
	peer_close(&idle);
}

static void no_descriptor_left__told_once_and_served_later(void **state)
{
	struct rig   *rig = *state;
	struct peer   known = peer_open(rig->path), late = peer_new();
	struct rlimit before, none;
	assert_has(peer_ask(&known, "HELP LOG"), "2 Help\n");
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
	int free_fd = dup(known.fd); /* the lowest, so all below are taken */
	close(free_fd);
	none = (struct rlimit){ (rlim_t)free_fd, before.rlim_max };
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
	assert_true(peer_connect(&late, rig->path));
	peer_say(&late, "HELP LOG\n");
	for (int i = 0; i < 50; i++) {
		rig_advance(0.6); /* beyond the pause, so that it tries again and again */
		assert_has(peer_ask(&known, "HELP LOG"), "2 Help\n");
	}
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
	rig_advance(0.6);
	assert_has(peer_ask(&known, "HELP LOG"), "2 Help\n");
	assert_has(peer_reply(&late), "2 Help\n");
	assert_int_equal(rig_logged("accept"), 1);
	peer_close(&known);
	peer_close(&late);
}

static void poll_that_fails__stop_still_returns(void **state)
{
	struct rig   *rig = *state;
	struct peer   p = peer_open(rig->path);
	struct rlimit before, none;
	assert_has(peer_ask(&p, "HELP LOG"), "2 Help\n");
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
	none = (struct rlimit){ 0, before.rlim_max };
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
	peer_say(&p, "HELP LOG\n"); /* whatever it waits for ends, and the next poll() fails */
	double start_s = seconds();
	rig_stop(rig);
	assert_true(seconds() - start_s < 2);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
	peer_close(&p);
}

/* ---- who asks, what the log hears, and the clock ---- */

static void accepted_change__logged_with_id_uid_pid_and_text(void **state)
{
	struct rig *rig = *state;
	struct peer p = peer_open(rig->path);
	char        line[200];
	peer_ask(&p, "LOG mandatory off \"own/x\\x0ay/z\"");
	peer_ask(&p, "LOG advisory on own\ny/z"); /* two lines, both wrong */
	peer_reply(&p);
	peer_ask(&p, "ENQUIRE a/b");
	peer_ask(&p, "FORGET 1");
	snprintf(line, sizeof(line), "log_control: accepted from uid %lu, pid %ld: ", (unsigned long)getuid(),
		 (long)getpid());
	assert_int_equal(rig_logged(line), 2);
	assert_int_equal(rig_logged(": id=1 LOG mandatory off \"own/x\\x0ay/z\""), 1);
	assert_int_equal(rig_logged(": FORGET 1"), 1);
	peer_close(&p);
}

/* What a client with these ids gets for the line; only what is safe in the child of a threaded process. */
static int first_byte_as(const char *path, uid_t uid, gid_t gid, gid_t second, const char *line)
{
	pid_t pid = fork();
	if (pid == 0) {
		struct peer p = { .fd = -1 };
		char        byte = '?';
		if (setgroups(1, &second) == 0 && setgid(gid) == 0 && setuid(uid) == 0) {
			p.fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
			if (peer_connect(&p, path) && peer_send(&p, line, strlen(line)) && recv(p.fd, &byte, 1, 0) != 1)
				byte = '0';
		}
		_exit(byte);
	}
	int status = 0;
	assert_true(pid > 0 && waitpid(pid, &status, 0) == pid && WIFEXITED(status));
	return WEXITSTATUS(status);
}

static void rights__by_what_the_kernel_says(void **state)
{
	static const char *const all[] = { "all" }, *const enquire[] = { "enquire" },
				 *const advisory[] = { "advisory" };
	struct rig                     *rig = *state;
	struct access                  *a = rig->settings.access;
	if (getuid() != 0)
		skip();
	rig_stop(rig);
	access_add(a, ACCESS_USER, "4001", all, 1, NULL);
	access_add(a, ACCESS_GROUP, "4002", enquire, 1, NULL);
	access_add(a, ACCESS_GROUP, "4003", advisory, 1, NULL);
	rig->options.perms = 0777;
	assert_int_equal(rig_start(rig, NULL), OK);
	static const struct {
		uid_t       uid;
		gid_t       gid, second;
		const char *line;
		char        first;
	} rows[] = {
		{ 4001, 9, 9, "LOG mandatory on a/b\n", '1' },
		{ 4009, 4002, 9, "ENQUIRE a/b\n", '1' },
		{ 4009, 9, 4002, "ENQUIRE a/b\n", '1' },
		{ 4009, 4002, 9, "LOG advisory on a/b\n", '-' },
		{ 4009, 9, 4003, "LOG advisory on a/b\n", '1' },
		{ 4009, 9, 4003, "LOG mandatory on a/b\n", '-' },
		{ 4009, 9, 4003, "ENQUIRE a/b\n", '-' },
		{ 4009, 9, 9, "STATUS\n", '-' },
		{ 4009, 9, 9, "HELP\n", '0' + 7 },
		{ 0, 0, 0, "LOG mandatory off a/b\n", '1' },
	};
	for (size_t i = 0; i < COUNT(rows); i++) {
		int first = first_byte_as(rig->path, rows[i].uid, rows[i].gid, rows[i].second, rows[i].line);
		if (first != rows[i].first)
			fail_msg("row %zu: '%c'", i, first);
	}
}

static void timed_entry__ends_by_the_listeners_clock(void **state)
{
	struct rig *rig = *state;
	struct peer p = peer_open(rig->path);
	rig_freeze();
	assert_has(peer_ask(&p, "LOG mandatory off for=15min a/b"), "ends=900\n");
	rig_advance(899);
	assert_has(peer_ask(&p, "ENQUIRE a/b"), "mandatory off");
	rig_advance(1.1);
	for (int i = 0; i < 2; i++) /* the look at the clock comes with the turn after */
		peer_ask(&p, "HELP");
	assert_has(peer_ask(&p, "ENQUIRE a/b"), "advisory on");
	assert_int_equal(rig_logged("1 timed entries have ended"), 1);
	peer_close(&p);
}

int main(void)
{
#define RIG(name) cmocka_unit_test_setup_teardown(name, open_rig, close_rig)
	const struct CMUnitTest tests[] = {
		RIG(pipelined__replies_in_order),
		RIG(fed_byte_by_byte__same_replies),
		RIG(odd_bytes__one_error_and_the_connection_goes_on),
		RIG(line_limit__to_the_byte),
		RIG(endless_line__one_error_and_then_as_if_nothing_was),
		RIG(input_closed__complete_lines_still_get_their_replies),
		RIG(clients_that_vanish__before_during_and_after),
		RIG(a_thousand_connects_in_a_row__none_refused),
		RIG(one_client_too_many__is_told_and_closed),
		RIG(client_that_reads_nothing__others_are_served_and_it_is_dropped_in_time),
		RIG(slow_reader__gets_a_million_lines_while_others_are_served),
		RIG(stop__in_the_middle_of_a_million_lines__returns_promptly),
		RIG(half_line__dropped_after_a_minute),
		RIG(no_descriptor_left__told_once_and_served_later),
		RIG(poll_that_fails__stop_still_returns),
		RIG(accepted_change__logged_with_id_uid_pid_and_text),
		RIG(rights__by_what_the_kernel_says),
		RIG(timed_entry__ends_by_the_listeners_clock),
	};
	alarm(300); /* a listener that hangs is a failure */
	return cmocka_run_group_tests(tests, NULL, NULL);
}
