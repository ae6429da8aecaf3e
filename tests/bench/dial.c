/* dial - see dial.h. */
#include "dial.h"

#include <stdio.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

int dial(const char *path)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int                fd = socket(AF_UNIX, SOCK_STREAM, 0);
	snprintf(address.sun_path, sizeof(address.sun_path), "%s", path);
	for (int tries = 0; fd >= 0 && tries < 100; tries++) {
		if (connect(fd, (struct sockaddr *)&address, sizeof(address)) == 0)
			return fd;
		usleep(100000);
	}
	return -1;
}
