/*
 * held SOCKET CLIENTS REQUESTS - so many clients at once, all of which stay; then they send REQUESTS enquiries, one after another and each by
 * the next of them, every reply awaited, and a tenth as many requests that change something.
 * Prints: held N busy N enquiries N a second N changes N a second N.  Exit status 0, or 1 when one of them got no reply.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#define NO_REPLY (-1000)
#define BUSY     (-11)

static int reach(const char *path)
{
	struct sockaddr_un   address = { .sun_family = AF_UNIX };
	const struct timeval limit = { .tv_sec = 60 };
	int                  fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd < 0 || strlen(path) >= sizeof(address.sun_path))
		return -1;
	strcpy(address.sun_path, path);
	if (setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit)) == 0 &&
	    connect(fd, (struct sockaddr *)&address, sizeof(address)) == 0)
		return fd;
	close(fd);
	return -1;
}

/* Sends the line and reads its reply, and no more; gives the number that it begins with. */
static int ask(int fd, const char *line)
{
	char data[4096];
	int  number = NO_REPLY, lines = 0;
	send(fd, line, strlen(line),
	     MSG_NOSIGNAL); /* one who is told to go may be gone already, with the reply on its way */
	for (size_t len = 0; len < sizeof(data) - 1;) {
		ssize_t n = recv(fd, data + len, sizeof(data) - 1 - len, 0);
		if (n <= 0)
			return NO_REPLY;
		for (ssize_t i = 0; i < n; i++)
			lines += data[len + (size_t)i] == '\n';
		len += (size_t)n;
		data[len] = '\0';
		number = lines > 0 ? atoi(data) : NO_REPLY;
		if (lines > 0 && (number < 0 || lines > number))
			return number;
	}
	return NO_REPLY;
}

static double seconds(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* Gives how many a second; 0 when one had no good reply. */
static double rate(const int *clients, long n_clients, long n, const char *format)
{
	double start_s = seconds();
	for (long i = 0; i < n; i++) {
		char line[80];
		snprintf(line, sizeof(line), format, 1 + i % 1000);
		if (ask(clients[i % n_clients], line) < 0)
			return 0;
	}
	return (double)n / (seconds() - start_s + 1e-9);
}

int main(int argc, char **argv)
{
	long n = argc > 3 ? atol(argv[2]) : 0, requests = argc > 3 ? atol(argv[3]) : 0, held = 0, busy = 0;
	int *clients = calloc((size_t)n + 1, sizeof(*clients));
	bool all = clients != NULL && n > 0;
	for (long i = 0; i < n && all; i++) {
		int fd = reach(argv[1]), number = fd < 0 ? NO_REPLY : ask(fd, "HELP LOG\n");
		if (number == 2)
			clients[held++] = fd;
		else if (number == BUSY)
			close(fd);
		busy += number == BUSY;
		all = number == 2 || number == BUSY;
	}
	double enquiries = all && held > 0 ? rate(clients, held, requests, "ENQUIRE own/x-%ld/y\n") : 0;
	double changes = enquiries > 0 ? rate(clients, held, requests / 10, "LOG advisory on every=%lds own/x/y\n") : 0;
	printf("held %ld busy %ld enquiries %ld a second %.0f changes %ld a second %.0f\n", held, busy, requests,
	       enquiries, requests / 10, changes);
	free(clients);
	return all && changes > 0 ? 0 : 1;
}
