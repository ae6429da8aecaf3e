/*
 * The socket file: its permissions at every moment, files that stand there already, files that go, and descriptors that others close
 * (specification section 12).
 */
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <stdatomic.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "../fake/check.h"
#include "../fake/rig.h"

static int open_rig(void **state)
{
	struct rig *rig = malloc(sizeof(*rig));
	assert_non_null(rig);
	rig_prepare(rig);
	*state = rig;
	return 0;
}

static int close_rig(void **state)
{
	rig_close(*state);
	free(*state);
	return 0;
}

static void start(struct rig *rig)
{
	struct why why = { "" };
	if (rig_start(rig, &why) != OK)
		fail_msg("%s", why.text);
}

/* It does not start, says why, and leaves nothing behind: no descriptor, no thread, no file but those of `before`. */
static void refuse(struct rig *rig, enum err expected, const char *part)
{
	struct why  why = { "" };
	struct stat before, after;
	bool        there = lstat(rig->options.path, &before) == 0;
	assert_int_equal(rig_start(rig, &why), expected);
	assert_null(rig->listener);
	assert_has(why.text, part);
	assert_has(why.text, "no socket is opened");
	assert_int_equal(lstat(rig->options.path, &after) == 0, there);
	if (there)
		assert_true(before.st_ino == after.st_ino && before.st_mode == after.st_mode);
	assert_int_equal(rig_descriptors(), rig->descriptors);
}

/* A socket at the rig's path that nobody of ours made; its descriptor. */
static int other_socket(struct rig *rig)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int                fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	strcpy(address.sun_path, rig->path);
	assert_true(fd >= 0);
	assert_int_equal(bind(fd, (const struct sockaddr *)&address, sizeof(address)), 0);
	assert_int_equal(listen(fd, 5), 0);
	return fd;
}

/* ---- permissions ---- */

struct watch {
	const char *path;
	atomic_bool over;
	atomic_uint seen; /* every permission bit ever seen */
};

static void *watch(void *arg)
{
	struct watch *w = arg;
	struct stat   st;
	while (!atomic_load(&w->over)) {
		if (lstat(w->path, &st) == 0)
			atomic_fetch_or(&w->seen, st.st_mode & 07777);
	}
	return NULL;
}

static void permissions__never_wider_for_a_moment__under_any_umask(void **state)
{
	static const unsigned perms[] = { 0770, 0600, 0666, 0 }, masks[] = { 0, 022, 0777 };
	struct rig           *rig = *state;
	const mode_t          before = umask(022);
	for (size_t i = 0; i < 4; i++) {
		struct watch w = { .path = rig->path };
		pthread_t    thread;
		rig->options.perms = perms[i];
		assert_int_equal(pthread_create(&thread, NULL, watch, &w), 0);
		for (size_t k = 0; k < 30; k++) {
			struct stat st;
			umask(masks[k % 3]);
			start(rig);
			assert_int_equal(umask(masks[k % 3]), masks[k % 3]); /* left alone */
			assert_int_equal(lstat(rig->path, &st), 0);
			assert_true(S_ISSOCK(st.st_mode));
			assert_int_equal(st.st_mode & 07777, perms[i]);
			rig_stop(rig);
		}
		atomic_store(&w.over, true);
		pthread_join(thread, NULL);
		assert_int_equal(atomic_load(&w.seen) & ~perms[i], 0);
	}
	umask(before);
}

static void group__set_before_anybody_may_connect(void **state)
{
	struct rig         *rig = *state;
	const struct group *daemons = getgrnam("daemon");
	struct stat         st;
	if (getuid() != 0 || daemons == NULL)
		skip();
	const gid_t gid = daemons->gr_gid;
	rig->options.group = "daemon";
	start(rig);
	assert_int_equal(lstat(rig->path, &st), 0);
	assert_int_equal(st.st_gid, gid);
	assert_int_equal(st.st_mode & 07777, 0770);
	rig_stop(rig);
	rig->options.group = "4242";
	start(rig);
	assert_int_equal(lstat(rig->path, &st), 0);
	assert_int_equal(st.st_gid, 4242);
}

static void unknown_group__no_socket(void **state)
{
	struct rig *rig = *state;
	rig->options.group = "no_such_group_here";
	refuse(rig, ERR_INVAL, "SocketGroup \"no_such_group_here\" is not known here");
	rig->options.group = "";
	refuse(rig, ERR_INVAL, "SocketGroup \"\" is not known here");
	rig->options.group = "12x";
	refuse(rig, ERR_INVAL, "SocketGroup \"12x\" is not known here");
}

/* ---- paths ---- */

static void path__at_the_limit_and_over(void **state)
{
	struct rig *rig = *state;
	char        path[sizeof(((struct sockaddr_un *)0)->sun_path) + 1];
	memset(path, 'x', sizeof(path));
	memcpy(path, rig->folder, strlen(rig->folder));
	path[strlen(rig->folder)] = '/';
	path[sizeof(path) - 1] = '\0'; /* one byte more than fits with its terminator */
	rig->options.path = path;
	refuse(rig, ERR_INVAL, "SocketFile has 108 bytes, the system's limit is 107");
	path[sizeof(path) - 2] = '\0';
	start(rig);
	assert_int_equal(access(path, F_OK), 0);
	rig_stop(rig);
	assert_int_equal(access(path, F_OK), -1);
	rig->options.path = "";
	refuse(rig, ERR_INVAL, "SocketFile is empty");
	rig->options.path = "/nonexistent/folder/socket";
	refuse(rig, ERR_IO, "No such file or directory; name a path in a directory that the daemon may write to");
	rig->options.path = rig->path;
}

static void no_path__only_the_clock_runs(void **state)
{
	struct rig *rig = *state;
	rig->options.path = NULL;
	start(rig);
	assert_int_equal(rig_logged(""), 0);
	rig_stop(rig);
}

/* ---- what stands there already ---- */

static void dead_socket__is_replaced(void **state)
{
	struct rig *rig = *state;
	close(other_socket(rig));
	start(rig);
	rig_poke(rig);
}

static void live_owner__is_left_alone(void **state)
{
	struct rig *rig = *state;
	int         fd = other_socket(rig);
	rig->descriptors++;
	refuse(rig, ERR_BUSY, "belongs to a process that answers");
	for (int i = 0; i < 8; i++) { /* until its backlog is full: alive all the same */
		struct peer p = peer_new();
		fcntl(p.fd, F_SETFL, O_NONBLOCK);
		peer_connect(&p, rig->path);
		rig->descriptors++;
		refuse(rig, ERR_BUSY, "belongs to a process that answers");
		close(p.fd);
		rig->descriptors--;
	}
	close(fd);
	rig->descriptors--;
	unlink(rig->path);
}

static void file_that_is_no_socket__is_left_alone(void **state)
{
	struct rig *rig = *state;
	char        target[80];
	int         fd = open(rig->path, O_CREAT | O_WRONLY | O_CLOEXEC, 0644);
	close(fd);
	refuse(rig, ERR_INVAL, "is no socket");
	unlink(rig->path);
	snprintf(target, sizeof(target), "%s/elsewhere", rig->folder);
	assert_int_equal(symlink(target, rig->path), 0);
	refuse(rig, ERR_INVAL, "is no socket");
	assert_int_equal(access(target, F_OK), -1);
	unlink(rig->path);
	assert_int_equal(mkdir(rig->path, 0700), 0);
	refuse(rig, ERR_INVAL, "is no socket");
	rmdir(rig->path);
}

/* ---- while it runs ---- */

static void file_removed__made_again_and_said_once(void **state)
{
	struct rig *rig = *state;
	start(rig);
	struct peer p = peer_open(rig->path);
	assert_has(peer_ask(&p, "HELP LOG"), "2 Help\n");
	assert_int_equal(unlink(rig->path), 0);
	rig_advance(2.1);
	for (int i = 0; i < 3; i++)
		assert_has(peer_ask(&p, "HELP LOG"), "2 Help\n"); /* the connection does not notice */
	rig_poke(rig);
	assert_int_equal(rig_logged("was gone and has been made again"), 1);
	peer_close(&p);
}

static void file_that_cannot_be_made_again__said_once_and_tried_on(void **state)
{
	struct rig *rig = *state;
	char        moved[48];
	start(rig);
	struct peer p = peer_open(rig->path);
	assert_has(peer_ask(&p, "HELP LOG"), "2 Help\n");
	snprintf(moved, sizeof(moved), "%s.moved", rig->folder);
	assert_int_equal(rename(rig->folder, moved), 0);
	for (int i = 0; i < 10; i++) {
		rig_advance(2.1);
		assert_has(peer_ask(&p, "HELP LOG"), "2 Help\n");
	}
	assert_has(peer_ask(&p, "HELP LOG"), "2 Help\n");
	assert_int_equal(rig_logged("it is tried again"), 1);
	assert_int_equal(rename(moved, rig->folder), 0); /* with a dead socket in it */
	rig_advance(2.1);
	assert_has(peer_ask(&p, "HELP LOG"), "2 Help\n");
	assert_has(peer_ask(&p, "HELP LOG"), "2 Help\n");
	rig_poke(rig);
	peer_close(&p);
}

static void somebody_elses_file__left_alone_then_and_at_the_end(void **state)
{
	struct rig *rig = *state;
	start(rig);
	struct peer p = peer_open(rig->path);
	assert_int_equal(unlink(rig->path), 0);
	int fd = other_socket(rig);
	for (int i = 0; i < 5; i++) {
		rig_advance(2.1);
		assert_has(peer_ask(&p, "HELP LOG"), "2 Help\n");
	}
	assert_has(peer_ask(&p, "HELP LOG"), "2 Help\n");
	assert_int_equal(rig_logged("somebody else's file"), 1);
	rig_stop(rig);
	assert_int_equal(access(rig->path, F_OK), 0);
	close(fd);
	unlink(rig->path);
	peer_close(&p);
}

/* The descriptor that listens, found as a stranger in the process might hit it. */
static int listening_fd(void)
{
	for (int fd = 3; fd < 100; fd++) {
		int       is_listening = 0;
		socklen_t size = sizeof(is_listening);
		if (getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &is_listening, &size) == 0 && is_listening)
			return fd;
	}
	return -1;
}

static void descriptor_closed_or_shut_down_by_a_stranger__socket_made_again(void **state)
{
	struct rig *rig = *state;
	start(rig);
	struct peer p = peer_open(rig->path);
	assert_has(peer_ask(&p, "HELP LOG"), "2 Help\n");
	for (int i = 0; i < 3; i++) {
		int fd = listening_fd();
		assert_true(fd >= 0);
		if (i == 0)
			close(fd);
		else if (i == 1)
			shutdown(fd, SHUT_RDWR);
		else
			assert_int_equal(dup2(STDERR_FILENO, fd), fd); /* it is something else now */
		rig_advance(2.1);
		for (int k = 0; k < 4; k++)
			assert_has(peer_ask(&p, "HELP LOG"), "2 Help\n");
		rig_poke(rig);
		if (i == 2) { /* the stranger's is left alone */
			assert_int_equal(fcntl(fd, F_GETFD), 0);
			close(fd);
		}
	}
	peer_close(&p);
}

static void every_descriptor__closed_on_exec(void **state)
{
	struct rig *rig = *state;
	int         before[100], n = 0;
	for (int fd = 0; fd < 100; fd++)
		before[fd] = fcntl(fd, F_GETFD);
	start(rig);
	struct peer p = peer_open(rig->path);
	assert_has(peer_ask(&p, "HELP LOG"), "2 Help\n");
	for (int fd = 0; fd < 100; fd++) {
		int flags = fcntl(fd, F_GETFD);
		if (before[fd] >= 0 || flags < 0)
			continue;
		assert_int_equal(flags & FD_CLOEXEC, FD_CLOEXEC);
		n++;
	}
	assert_int_equal(n, 4); /* the loop's waker, the socket, both ends of the connection */
	peer_close(&p);
}

int main(void)
{
#define RIG(name) cmocka_unit_test_setup_teardown(name, open_rig, close_rig)
	const struct CMUnitTest tests[] = {
		RIG(permissions__never_wider_for_a_moment__under_any_umask),
		RIG(group__set_before_anybody_may_connect),
		RIG(unknown_group__no_socket),
		RIG(path__at_the_limit_and_over),
		RIG(no_path__only_the_clock_runs),
		RIG(dead_socket__is_replaced),
		RIG(live_owner__is_left_alone),
		RIG(file_that_is_no_socket__is_left_alone),
		RIG(file_removed__made_again_and_said_once),
		RIG(file_that_cannot_be_made_again__said_once_and_tried_on),
		RIG(somebody_elses_file__left_alone_then_and_at_the_end),
		RIG(descriptor_closed_or_shut_down_by_a_stranger__socket_made_again),
		RIG(every_descriptor__closed_on_exec),
	};
	alarm(120); /* a listener that hangs is a failure */
	return cmocka_run_group_tests(tests, NULL, NULL);
}
