/*
 * talk SOCKET [SECONDS] - sends standard input to a unix socket, closes that side, and prints what comes back until the end.
 * Exit status: 0 the other side closed, 1 no connection, 2 time is up.
 */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

struct flow {
	char   data[65536];
	size_t len, sent;
	int    eof;
};

static int connect_to(const char *path)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int                fd = socket(AF_UNIX, SOCK_STREAM, 0);
	if (fd < 0 || strlen(path) >= sizeof(address.sun_path))
		return -1;
	strcpy(address.sun_path, path);
	return connect(fd, (struct sockaddr *)&address, sizeof(address)) == 0 ? fd : -1;
}

/* Sends what there is, reads more of standard input when that is done. */
static void push(struct flow *f, int fd)
{
	if (f->sent == f->len && !f->eof) {
		ssize_t n = read(0, f->data, sizeof(f->data));
		f->len = n > 0 ? (size_t)n : 0;
		f->sent = 0;
		if (n <= 0) {
			f->eof = 1;
			shutdown(fd, SHUT_WR);
		}
	}
	if (f->sent < f->len) {
		ssize_t n = send(fd, f->data + f->sent, f->len - f->sent, MSG_DONTWAIT | MSG_NOSIGNAL);
		if (n > 0)
			f->sent += (size_t)n;
		else if (errno != EAGAIN)
			f->eof = 1;
	}
}

int main(int argc, char **argv)
{
	static struct flow flow;
	static char        in[65536];
	int                fd = argc < 2 ? -1 : connect_to(argv[1]);
	int                timeout_ms = argc < 3 ? 30000 : atoi(argv[2]) * 1000;
	if (fd < 0)
		return 1;
	for (;;) {
		struct pollfd p = { fd, (short)(POLLIN | (flow.eof && flow.sent == flow.len ? 0 : POLLOUT)), 0 };
		if (poll(&p, 1, timeout_ms) <= 0)
			return 2;
		if ((p.revents & POLLOUT) != 0)
			push(&flow, fd);
		if ((p.revents & (POLLIN | POLLHUP | POLLERR)) != 0) {
			ssize_t n = recv(fd, in, sizeof(in), MSG_DONTWAIT);
			if (n == 0 || (n < 0 && errno != EAGAIN))
				return 0;
			if (n > 0)
				fwrite(in, 1, (size_t)n, stdout);
		}
	}
}
