/* program - see program.h. */
#include "program.h"

#include <grp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

static void fatal(const char *what)
{
	fprintf(stderr, "program: %s\n", what);
	exit(1);
}

static int text_file(const char *text)
{
	int    fd = memfd_create("text", 0);
	size_t len = text == NULL ? 0 : strlen(text);
	if (fd < 0 || write(fd, text == NULL ? "" : text, len) != (ssize_t)len || lseek(fd, 0, SEEK_SET) != 0)
		fatal("no memory file");
	return fd;
}

static char *file_text(int fd)
{
	off_t size = lseek(fd, 0, SEEK_END);
	char *text = malloc((size_t)size + 1);
	if (text == NULL || pread(fd, text, (size_t)size, 0) != size)
		fatal("no memory");
	text[size] = '\0';
	close(fd);
	return text;
}

/* The child: becomes the program. */
static void become(const char *path, const char *const *arguments, const int fds[3], uid_t uid)
{
	const char *argv[64] = { path };
	for (size_t i = 0; arguments[i] != NULL && i < 62; i++)
		argv[i + 1] = arguments[i];
	for (int i = 0; i < 3; i++)
		dup2(fds[i], i);
	if (uid != 0 && (setgroups(0, NULL) != 0 || setgid((gid_t)uid) != 0 || setuid(uid) != 0))
		_exit(127);
	execv(path, (char *const *)argv);
	_exit(127);
}

struct ran run_program(const char *program, const char *const *arguments, const char *input, uid_t uid)
{
	const char *folder = getenv("BUILDDIR");
	char        path[512];
	int         fds[3] = { text_file(input), text_file(NULL), text_file(NULL) }, status = 0;
	snprintf(path, sizeof(path), "%s/%s", folder == NULL ? "." : folder, program);
	pid_t child = fork();
	if (child == 0)
		become(path, arguments, fds, uid);
	if (child < 0 || waitpid(child, &status, 0) != child)
		fatal("cannot run a program");
	close(fds[0]);
	return (struct ran){ WIFEXITED(status) ? WEXITSTATUS(status) : -1, file_text(fds[1]), file_text(fds[2]) };
}

void ran_free(struct ran *r)
{
	free(r->out);
	free(r->err);
}
