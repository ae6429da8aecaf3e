/*
 * one_value pass|suppress - judges 1000 values of 1000 known metric instances, all native or all off, in judge_all(): under callgrind, what one
 * value costs in instructions (instructions_test.sh).
 */
#include <stdio.h>
#include <string.h>

#include "../fake/lab.h"

#define N 1000

size_t judge_all(struct lab *lab, int64_t time_ns);

__attribute__((noinline)) size_t judge_all(struct lab *lab, int64_t time_ns)
{
	const uint8_t kind = KIND_GAUGE;
	size_t        logged = 0;
	for (unsigned i = 0; i < N; i++) {
		char text[IDENT_MAX + 1],
			number[] = { (char)('0' + i / 100), (char)('0' + i / 10 % 10), (char)('0' + i % 10), '\0' };
		union number  value = { .gauge = 1 };
		struct sample sample = { .ident = ident_format(text, "host0017.example", "interface", number,
							       "if_octets", "rx"),
					 .time_ns = time_ns,
					 .interval_ns = INT64_C(10000000000),
					 .arrival_ns = time_ns,
					 .source = "interface",
					 .source_interval_ns = INT64_C(10000000000),
					 .values = &value,
					 .kinds = &kind,
					 .n = 1 };
		logged += logger_value(lab->logger, &sample).logged;
	}
	return logged;
}

int main(int argc, char **argv)
{
	struct lab lab;
	bool       suppress = argc > 1 && strcmp(argv[1], "suppress") == 0;
	lab_open(&lab, HELD_DEFAULT);
	if (suppress)
		lab_ask(&lab, "LOG mandatory off */*/*");
	size_t logged = 0;
	/* first values are dearer: the other runs differ by one that costs nothing new */
	int    runs = argc > 2 && strcmp(argv[2], "one_more") == 0 ? 4 : 3;
	for (int i = 0; i < runs; i++)
		logged += judge_all(&lab, (1700000000 + i * 10) * INT64_C(1000000000));
	lab_close(&lab);
	return logged == (suppress ? 0 : (size_t)runs * N) ? 0 : 1;
}
