/* ctl_answers_test - answers of collectd-logctl: tables, JSON, exit statuses, the prompt; and the example program. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <yajl/yajl_tree.h>

#include "ctl_check.h"

#define NOBODY 65534

/* ---- the other commands ---- */

static void rules_explain_forget__tell_and_take_back(void **state)
{
	struct live *l = *state;
	check_ran(logctl(l, NULL, "log", "mandatory", "off", "own/load/*", "note=why not", NULL), 0, "rule 1", NULL);
	struct ran r = logctl(l, NULL, "rules", NULL);
	assert_has(r.out, "ID  ORIGIN  UID");
	assert_has(r.out, "\"why not\"  LOG mandatory off \"own/load/*\"\n");
	ran_free(&r);
	r = logctl(l, NULL, "explain", "own/load/load", NULL);
	assert_string_equal(r.out, "ID       DID   CONTROL    STATE  DELTA\n"
				   "default  -     advisory   on     native\n"
				   "1        took  mandatory  off    -\n");
	ran_free(&r);
	check_ran(logctl(l, NULL, "forget", "1", NULL), 0, "1 rules forgotten", NULL);
	check_held(l, "own/load/load", "advisory on");
	check_ran(logctl(l, NULL, "forget", "all", NULL), 0, "0 rules forgotten", NULL);
}

static void status_sources_help__are_tables(void **state)
{
	struct live *l = *state;
	check_ran(logctl(l, NULL, "status", NULL), 0, "\ninstances                  4\n", NULL);
	check_ran(logctl(l, NULL, "sources", NULL), 0, "live    10s         10s      false", NULL);
	check_ran(logctl(l, NULL, "help", NULL), 0, "forget ID...|all", NULL);
	check_ran(logctl(l, NULL, "help", "query", NULL), 0, "query [mandatory|advisory]", NULL);
	check_ran(logctl(l, NULL, "raw", "HELP", "LOG", NULL), 0, "2 Help\nLOG mandatory|advisory", NULL);
	check_ran(logctl(l, NULL, "query", "count", "*/*/*", NULL), 0, "4\n", NULL);
	check_ran(logctl(l, NULL, "--version", NULL), 0, "collectd-logctl ", NULL);
	check_ran(logctl(l, NULL, "--help", NULL), 0, "usage:", NULL);
}

/* Each command that help lists has its paragraph in the manual page. */
static void help__and_the_manual__name_the_same_commands(void **state)
{
	struct live *l = *state;
	struct ran   r = logctl(l, NULL, "help", NULL);
	const char  *folder = getenv("SRCDIR");
	char         path[512], page[65536] = "", *rest = r.out;
	snprintf(path, sizeof(path), "%s/contrib/man/collectd-logctl.pod", folder == NULL ? "." : folder);
	FILE *f = fopen(path, "r");
	assert_non_null(f);
	page[fread(page, 1, sizeof(page) - 1, f)] = '\0';
	fclose(f);
	int commands = 0;
	for (char *line = strtok_r(rest, "\n", &rest); line != NULL; line = strtok_r(NULL, "\n", &rest)) {
		char word[32], marked[40];
		if (sscanf(line, "%31[a-z]", word) != 1 && sscanf(line, "[%31[a-z]", word) != 1)
			continue;
		snprintf(marked, sizeof(marked), "B<%s>", word);
		assert_has(page, marked);
		commands++;
	}
	assert_int_equal(commands, 10);
	ran_free(&r);
}

/* ---- JSON ---- */

static yajl_val json_of(struct ran r, int status)
{
	char error[200] = "";
	if (r.status != status)
		fail_msg("exit status %d instead of %d\n%s%s", r.status, status, r.out, r.err);
	yajl_val v = yajl_tree_parse(r.out, error, sizeof(error));
	if (v == NULL)
		fail_msg("no JSON: %s\n%s", error, r.out);
	ran_free(&r);
	return v;
}

static yajl_val json_get(yajl_val v, const char *name)
{
	const char *path[] = { name, NULL };
	return yajl_tree_get(v, path, yajl_t_any);
}

static const char *json_text(yajl_val v, const char *name)
{
	const char *text = YAJL_GET_STRING(json_get(v, name));
	return text == NULL ? "(no text)" : text;
}

static yajl_val json_row(yajl_val v, size_t i)
{
	yajl_val rows = json_get(v, "rows");
	assert_true(YAJL_IS_ARRAY(rows) && i < rows->u.array.len);
	return rows->u.array.values[i];
}

static void json__log__has_members_for_all_that_a_table_shows(void **state)
{
	struct live *l = *state;
	yajl_val v = json_of(logctl(l, NULL, "--json", "log", "advisory", "on", "every", "10", "sec", "own/load/load",
				    "x*/y/z", "for", "1", "min", NULL),
			     1);
	assert_string_equal(json_text(v, "statement"), "log");
	assert_int_equal(YAJL_GET_INTEGER(json_get(v, "id")), 1);
	assert_string_equal(json_text(v, "keep"), "temporary");
	assert_int_equal(YAJL_GET_INTEGER(json_get(v, "ends_s")), 60);
	assert_int_equal(json_get(v, "selectors")->u.array.len, 2);
	yajl_val row = json_row(v, 0);
	assert_int_equal(YAJL_GET_INTEGER(json_get(row, "selector")), 1);
	assert_string_equal(json_text(row, "outcome"), "done");
	assert_string_equal(json_text(row, "identifier"), "own/load/load");
	assert_int_equal(YAJL_GET_INTEGER(json_get(row, "delta_ms")), 10000);
	assert_int_equal(YAJL_GET_INTEGER(json_get(row, "word")), 0x2710d);
	assert_int_equal(json_get(row, "flags")->u.array.len, 3);
	row = json_row(v, 1);
	assert_string_equal(json_text(row, "outcome"), "none");
	assert_true(YAJL_IS_NULL(json_get(row, "control")) && YAJL_IS_NULL(json_get(row, "delta_ms")));
	yajl_tree_free(v);
}

static void json__bytes_that_are_no_utf8__come_quoted_as_well(void **state)
{
	struct live *l = *state;
	live_value(l, "own/\xff\xc3\xa9/\xed\xa0\x80", 1000, 10);
	yajl_val v = json_of(logctl(l, NULL, "--json", "query", "own/\xff*/*", NULL), 0);
	yajl_val row = json_row(v, 0);
	assert_string_equal(json_text(row, "identifier"),
			    "own/\xef\xbf\xbd\xc3\xa9/\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd");
	assert_string_equal(json_text(row, "quoted"), "\"own/\\xff\\xc3\\xa9/\\xed\\xa0\\x80\"");
	yajl_tree_free(v);
}

static void json__errors__have_number_and_message(void **state)
{
	struct live *l = *state;
	yajl_val     v = json_of(logctl(l, NULL, "--json", "forget", "77", NULL), 1);
	assert_int_equal(YAJL_GET_INTEGER(json_get(v, "error")), -ENOENT);
	assert_has(json_text(v, "message"), "77");
	yajl_tree_free(v);
	v = json_of(logctl(l, NULL, "--json", "-s", "/nonexistent", "rules", NULL), 2);
	assert_int_equal(YAJL_GET_INTEGER(json_get(v, "error")), -ENOENT);
	yajl_tree_free(v);
}

static void json__other_commands__are_objects(void **state)
{
	struct live *l = *state;
	check_ran(logctl(l, NULL, "log", "mandatory", "on", "every", "1.5", "s", "own/load/load", "for", "1h", NULL), 0,
		  "", NULL);
	yajl_val v = json_of(logctl(l, NULL, "--json", "rules", NULL), 0), row = json_row(v, 0);
	assert_string_equal(json_text(row, "id"), "1");
	assert_true(YAJL_IS_INTEGER(json_get(row, "at_s")) && YAJL_IS_INTEGER(json_get(row, "ends_s")));
	assert_string_equal(json_text(row, "request"), "LOG mandatory on every=1500ms \"own/load/load\"");
	yajl_tree_free(v);
	v = json_of(logctl(l, NULL, "--json", "status", NULL), 0);
	assert_int_equal(YAJL_GET_INTEGER(json_get(json_get(v, "values"), "instances")), 4);
	yajl_tree_free(v);
	v = json_of(logctl(l, NULL, "--json", "sources", NULL), 0);
	assert_true(YAJL_IS_FALSE(json_get(json_row(v, 0), "driven")));
	yajl_tree_free(v);
	v = json_of(logctl(l, NULL, "--json", "explain", "own/load/load", NULL), 0);
	assert_string_equal(json_text(json_row(v, 0), "delta_ms"), "native");
	yajl_tree_free(v);
	v = json_of(logctl(l, NULL, "--json", "raw", "RULES", NULL), 0);
	assert_int_equal(json_get(v, "lines")->u.array.len, 1);
	yajl_tree_free(v);
	v = json_of(logctl(l, NULL, "--json", "forget", "all", NULL), 0);
	assert_int_equal(YAJL_GET_INTEGER(json_get(v, "entries")), 1);
	yajl_tree_free(v);
}

/* ---- no connection, no permission ---- */

static void connection__nobody_there__is_2_and_names_the_socket(void **state)
{
	struct live *l = *state;
	check_ran(logctl(l, NULL, "-s", "/nonexistent/sock", "query", "a/b/c", NULL), 2, NULL,
		  "cannot connect to /nonexistent/sock");
	check_ran(logctl(l, "query a/b/c\nquery a/b/c\n", "-s", "/nonexistent/sock", NULL), 2, NULL,
		  "standard input:1");
}

static void connection__daemon_that_says_nothing__is_2_within_the_limit(void **state)
{
	(void)state;
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	char               folder[] = "/tmp/ctl_test.XXXXXX";
	struct timespec    before, after;
	int                mute = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	assert_non_null(mkdtemp(folder));
	snprintf(address.sun_path, sizeof(address.sun_path), "%s/socket", folder);
	assert_int_equal(bind(mute, (struct sockaddr *)&address, sizeof(address)), 0);
	assert_int_equal(listen(mute, 5), 0);
	const char *const arguments[] = { "-s", address.sun_path, "-t", "0.05", "rules", NULL };
	clock_gettime(CLOCK_MONOTONIC, &before);
	check_ran(run_program("collectd-logctl", arguments, NULL, 0), 2, NULL, "within the time limit of 50 ms");
	clock_gettime(CLOCK_MONOTONIC, &after);
	assert_true(after.tv_sec - before.tv_sec < 4);
	close(mute);
	unlink(address.sun_path);
	rmdir(folder);
}

static void connection__one_client_too_many__is_2(void **state)
{
	(void)state;
	struct live        l;
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	struct ran         r;
	live_prepare(&l);
	l.settings.max_clients = 1;
	live_start(&l, 0600);
	strcpy(address.sun_path, l.socket);
	int holder = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	assert_int_equal(connect(holder, (struct sockaddr *)&address, sizeof(address)), 0);
	assert_int_equal(send(holder, "RULES\n", 6, 0), 6);
	char answer[64];
	assert_true(recv(holder, answer, sizeof(answer), 0) > 0);
	r = logctl(&l, NULL, "rules", NULL);
	check_ran(r, 2, NULL, "MaxClients (1)");
	close(holder);
	live_close(&l);
}

static void permission__by_the_socket_s_mode__is_4(void **state)
{
	(void)state;
	struct live       l;
	const char *const arguments[] = { "-s", l.socket, "rules", NULL };
	if (geteuid() != 0)
		skip();
	live_prepare(&l);
	live_start(&l, 0600);
	struct ran r = run_program("collectd-logctl", arguments, NULL, NOBODY);
	if (r.status == 127)
		ran_free(&r); /* nobody may not even reach the program: nothing to see here */
	else
		check_ran(r, 4, NULL, "SocketPerms");
	live_close(&l);
}

static void permission__by_access_lines__is_4_and_names_the_right(void **state)
{
	(void)state;
	static const char *const enquire[] = { "enquire" };
	struct live              l;
	const char *const        log[] = { "-s", l.socket, "log", "advisory", "off", "own/load/load", NULL };
	const char *const        query[] = { "-s", l.socket, "query", "own/load/load", NULL };
	if (geteuid() != 0)
		skip();
	live_prepare(&l);
	access_close(l.settings.access);
	assert_int_equal(access_add(l.settings.access, ACCESS_OTHER, NULL, enquire, 1, NULL), OK);
	live_start(&l, 0777);
	struct ran r = run_program("collectd-logctl", log, NULL, NOBODY);
	if (r.status == 127) {
		ran_free(&r);
	} else {
		check_ran(r, 4, NULL, "\"advisory\"");
		check_ran(run_program("collectd-logctl", query, NULL, NOBODY), 0, "unseen", NULL);
	}
	live_close(&l);
}

/* ---- the example program of the client library ---- */

static void example__raises_for_ten_minutes_and_prints_statuses(void **state)
{
	struct live      *l = *state;
	const char *const good[] = { l->socket, "own/load/load", "cpu-*/cpu-idle", NULL };
	const char *const bad[] = { l->socket, "own/load/load", "one", NULL };
	const char *const nobody[] = { "/nonexistent/socket", "own/load/load", NULL };
	struct ran        r = run_program("contrib/examples/raise", good, NULL, 0);
	assert_string_equal(r.err, "");
	assert_has(r.out, "own/load/load: done, advisory on, every 1000 ms, in log, available\n");
	assert_has(r.out, "rule 1 ends in 600 s");
	assert_has(r.out, "own/cpu-1/cpu-idle: holds, advisory on, every 1000 ms");
	assert_int_equal(r.status, 0);
	ran_free(&r);
	check_held(l, "own/cpu-0/cpu-idle", "advisory on 1000");
	check_ran(run_program("contrib/examples/raise", bad, NULL, 0), 2, NULL, "\"one\"");
	check_ran(run_program("contrib/examples/raise", nobody, NULL, 0), 2, NULL, "nothing of that name");
}

/* ---- at a terminal ---- */

/* Reads until `want` has come; fails after ten seconds. */
static void read_until(int fd, char *text, size_t size, const char *want)
{
	size_t len = strlen(text);
	while (strstr(text, want) == NULL) {
		struct pollfd p = { .fd = fd, .events = POLLIN };
		if (poll(&p, 1, 10000) <= 0)
			fail_msg("no \"%s\" in:\n%s", want, text);
		ssize_t n = read(fd, text + len, size - len - 1);
		if (n <= 0)
			fail_msg("the end instead of \"%s\" in:\n%s", want, text);
		len += (size_t)n;
		text[len] = '\0';
	}
}

static pid_t start_at_terminal(int master, const char *socket_path)
{
	const char *folder = getenv("BUILDDIR");
	char        path[512];
	snprintf(path, sizeof(path), "%s/collectd-logctl", folder == NULL ? "." : folder);
	pid_t child = fork();
	if (child != 0)
		return child;
	setsid();
	int slave = open(ptsname(master), O_RDWR);
	for (int i = 0; i < 3; i++)
		dup2(slave, i);
	setenv("TERM", "dumb", 1);
	execl(path, path, "-s", socket_path, (char *)NULL);
	_exit(127);
}

static void prompt__statements_over_lines__run_and_errors_do_not_end_it(void **state)
{
	struct live *l = *state;
	char         text[16384] = "";
	int          master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC), status = 0;
	if (master < 0 || grantpt(master) != 0 || unlockpt(master) != 0) {
		if (master >= 0)
			close(master);
		skip(); /* no pseudo terminals here, as in a chroot without devpts */
	}
	pid_t child = start_at_terminal(master, l->socket);
	read_until(master, text, sizeof(text), "logctl> ");
	assert_true(write(master, "log mandatory off {\r", 20) == 20);
	read_until(master, text, sizeof(text), "...> ");
	assert_true(write(master, "own/load/load }\r", 16) == 16);
	read_until(master, text, sizeof(text), "rule 1");
	assert_true(write(master, "nonsense\r", 9) == 9);
	read_until(master, text, sizeof(text), "no command");
	assert_true(write(master, "quit\r", 5) == 5);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 3);
	close(master);
	check_held(l, "own/load/load", "mandatory off");
}

static void log__hints_of_the_daemon__are_sentences_on_stderr(void **state)
{
	struct live l;
	(void)state;
	live_prepare(&l);
	l.settings.rrd_writer = "rrdtool";
	live_start(&l, 0777);
	live_value(&l, "own/load/load", 1000, 10);
	check_ran(logctl(&l, NULL, "log mandatory on every 10 sec own/load/load", NULL), 0, "rule 1", NULL);
	check_ran(logctl(&l, NULL, "log mandatory on every 1 min own/load/load", NULL), 0, "rule 2",
		  "rrdtool tune FILE --heartbeat DS:120\n");
	check_ran(logctl(&l, NULL, "log mandatory on every 500 msec own/new/gauge", NULL), 0, "rule 3",
		  "one value a second");
	check_ran(logctl(&l, NULL, "-n", "log mandatory on every 2 min own/load/load", NULL), 0,
		  "before=0.0166667 after=0.00833333\n", "DS:240\n");
	yajl_val v = json_of(logctl(&l, NULL, "--json", "log mandatory on every 1 min own/load/load", NULL), 0);
	assert_string_equal(json_text(v, "hint"), "rrd_heartbeat");
	yajl_tree_free(v);
	live_close(&l);
}

static void explain__of_a_name_that_was_never_seen__says_so(void **state)
{
	struct live *l = *state;
	check_ran(logctl(l, NULL, "explain own/load/load", NULL), 0, "default", NULL);
	check_ran(logctl(l, NULL, "explain load/load", NULL), 0, "default", NULL);
	check_ran(logctl(l, NULL, "explain own.example.com/load/load", NULL), 0, "default",
		  "no value of own.example.com/load/load was seen");
	check_ran(logctl(l, NULL, "--json", "explain", "lod/load", NULL), 0, "\"rows\"",
		  "no value of own/lod/load was seen");
}

static void log__delta_below_the_interval_of_the_source__tells_what_is_logged(void **state)
{
	struct live *l = *state;
	check_ran(logctl(l, NULL, "log mandatory on every 5 sec { own/load/load, web1/*/*, x/y/z }", NULL), 0,
		  "2 of them come more rarely, up to every 10s: each value is logged, none is invented\n", NULL);
	struct ran r = logctl(l, NULL, "log mandatory on every 10 sec own/load/load", NULL);
	assert_null(strstr(r.out, "more rarely"));
	ran_free(&r);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		LIVE_TEST(rules_explain_forget__tell_and_take_back),
		LIVE_TEST(status_sources_help__are_tables),
		LIVE_TEST(help__and_the_manual__name_the_same_commands),
		cmocka_unit_test(log__hints_of_the_daemon__are_sentences_on_stderr),
		LIVE_TEST(explain__of_a_name_that_was_never_seen__says_so),
		LIVE_TEST(log__delta_below_the_interval_of_the_source__tells_what_is_logged),
		LIVE_TEST(json__log__has_members_for_all_that_a_table_shows),
		LIVE_TEST(json__bytes_that_are_no_utf8__come_quoted_as_well),
		LIVE_TEST(json__errors__have_number_and_message),
		LIVE_TEST(json__other_commands__are_objects),
		LIVE_TEST(connection__nobody_there__is_2_and_names_the_socket),
		cmocka_unit_test(connection__daemon_that_says_nothing__is_2_within_the_limit),
		cmocka_unit_test(connection__one_client_too_many__is_2),
		cmocka_unit_test(permission__by_the_socket_s_mode__is_4),
		cmocka_unit_test(permission__by_access_lines__is_4_and_names_the_right),
		LIVE_TEST(example__raises_for_ten_minutes_and_prints_statuses),
		LIVE_TEST(prompt__statements_over_lines__run_and_errors_do_not_end_it),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
