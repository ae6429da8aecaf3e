/*
 * crowd SOCKET CLIENTS SEED - clients of every kind, one after another, some of them left open: those that ask and read, that vanish in the
 * middle of a line, before the reply or in it, that send rubbish or a line without end, and that never read.
 * Prints: clients N replies N rubbish N vanished N busy N.  Exit status 0, or 1 when nobody listens.
 */
#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#define HELD 16 /* clients that are left open, at most */

enum kind { ASKS, HALF_LINE, VANISHES_BEFORE, VANISHES_IN, RUBBISH, ENDLESS, NEVER_READS, N_KINDS };

static struct {
	long clients, replies, rubbish, vanished, busy;
} sum;

static const char *const requests[] = {
	"STATUS\n",
	"LOG advisory on every=1s \"*/*/*\"\nENQUIRE \"*/*/*\"\n",
	"LOG mandatory on for=1s note=\"crowd\" \"*/cpu-*/*\"\n",
	"RULES\nEXPLAIN load/load\nHELP\n",
	"FORGET all\n",
	"log advisory off every=5 nonsense\nLOG advisory on every=1ms */*/*\n",
};

static uint64_t seed;

static unsigned dice(unsigned n)
{
	uint64_t z = (seed += UINT64_C(0x9e3779b97f4a7c15));
	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	return (unsigned)((z ^ (z >> 27)) % n);
}

static int reach(const char *path)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int                fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd < 0 || strlen(path) >= sizeof(address.sun_path))
		return -1;
	strcpy(address.sun_path, path);
	if (connect(fd, (struct sockaddr *)&address, sizeof(address)) == 0)
		return fd;
	close(fd);
	return -1;
}

static void say(int fd, const char *data, size_t len)
{
	while (len > 0) {
		struct pollfd p = { fd, POLLOUT, 0 };
		if (poll(&p, 1, 1000) != 1)
			return;
		ssize_t n = send(fd, data, len, MSG_NOSIGNAL | MSG_DONTWAIT);
		if (n <= 0)
			return;
		data += n;
		len -= (size_t)n;
	}
}

/* All that comes until the other side closes; at most 10 s of silence. */
static void listen_to(int fd)
{
	char          data[65536];
	struct pollfd p = { fd, POLLIN, 0 };
	bool          first = true;
	shutdown(fd, SHUT_WR);
	while (poll(&p, 1, 10000) == 1) {
		ssize_t n = read(fd, data, sizeof(data));
		if (n <= 0)
			break;
		if (first && n > 4 && memcmp(data, "-11 ", 4) == 0)
			sum.busy++;
		else
			sum.replies += first;
		first = false;
	}
}

static void say_rubbish(int fd)
{
	char   data[4096];
	size_t len = 1 + dice(sizeof(data));
	for (size_t i = 0; i < len; i++)
		data[i] = (char)(dice(8) == 0 ? '\n' : dice(256));
	say(fd, data, len);
	sum.rubbish++;
}

static void say_without_end(int fd)
{
	static char data[65536];
	memset(data, 'x', sizeof(data));
	for (unsigned i = dice(40); i > 0; i--)
		say(fd, data, sizeof(data));
	sum.rubbish++;
}

/* true: the client is to be left open. */
static bool behave(int fd, enum kind kind)
{
	const char *request = requests[dice(sizeof(requests) / sizeof(requests[0]))];
	switch (kind) {
	case ASKS:
		say(fd, request, strlen(request));
		listen_to(fd);
		return false;
	case HALF_LINE:
		say(fd, request, dice((unsigned)strlen(request)));
		return dice(2) == 0;
	case VANISHES_IN:
	case VANISHES_BEFORE:
		say(fd, request, strlen(request));
		if (kind == VANISHES_IN && read(fd, (char[8]){ 0 }, 8) < 0)
			return false;
		sum.vanished++;
		return false;
	case RUBBISH:
		say_rubbish(fd);
		return false;
	case ENDLESS:
		say_without_end(fd);
		return false;
	case NEVER_READS:
		for (int i = 0; i < 20; i++)
			say(fd, "ENQUIRE \"*/*/*\"\n", 16);
		return true;
	case N_KINDS:
		break;
	}
	return false;
}

int main(int argc, char **argv)
{
	int  held[HELD], n = argc > 2 ? atoi(argv[2]) : 0;
	bool reached = false;
	memset(held, -1, sizeof(held));
	seed = argc > 3 ? strtoull(argv[3], NULL, 10) : 1;
	for (int i = 0; i < n; i++) {
		int fd = reach(argv[1]);
		if (fd < 0)
			continue;
		reached = true;
		sum.clients++;
		if (behave(fd, (enum kind)dice(N_KINDS))) {
			int *place = &held[dice(HELD)];
			if (*place >= 0)
				close(*place);
			*place = fd;
		} else {
			close(fd);
		}
	}
	printf("clients %ld replies %ld rubbish %ld vanished %ld busy %ld\n", sum.clients, sum.replies, sum.rubbish,
	       sum.vanished, sum.busy);
	return reached ? 0 : 1;
}
