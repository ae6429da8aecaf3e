/* cpu PID - the CPU time of a process so far, in nanoseconds: that of threads that have ended too. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

int main(int argc, char **argv)
{
	clockid_t       clock;
	struct timespec t;
	if (argc != 2 || clock_getcpuclockid(atoi(argv[1]), &clock) != 0 || clock_gettime(clock, &t) != 0)
		return 1;
	printf("%lld\n", (long long)t.tv_sec * 1000000000 + t.tv_nsec);
	return 0;
}
