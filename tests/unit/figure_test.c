/* figure - the timeline in the manual is what happens (contrib/man/collectd-log_control.pod, VALUES). */
#include <stdlib.h>

#include "../fake/check.h"
#include "../fake/lab.h"

#define SAMPLES 8
#define NAME    "own/figure/value"

static char *manual(void)
{
	static char page[262144];
	const char *folder = getenv("SRCDIR");
	char        path[512];
	snprintf(path, sizeof(path), "%s/contrib/man/collectd-log_control.pod", folder == NULL ? "." : folder);
	FILE *f = fopen(path, "r");
	assert_non_null(f);
	page[fread(page, 1, sizeof(page) - 1, f)] = '\0';
	fclose(f);
	return page;
}

/* Feeds the eight samples from 12:00:07 on; `cells` gets what each became, "" for one that is left out. */
static void play(enum align align, const char *value, uint8_t kind, char cells[SAMPLES][8])
{
	struct lab lab = { .value = { 0 } };
	assert_int_equal(settings_init(&lab.settings), OK);
	lab.settings.align = align;
	lab_start(&lab);
	assert_has(lab_ask(&lab, "LOG mandatory on every=30s value=%s " NAME, value), "done");
	for (int i = 0; i < SAMPLES; i++) {
		int64_t      time_ns = (INT64_C(1700000047) + 10 * i) * 1000000000; /* 1700000040 is a full minute */
		union number n = { .gauge = i + 1 };
		if (kind == KIND_ABSOLUTE)
			n.absolute = (uint64_t)i + 1;
		cells[i][0] = '\0';
		if (lab_value(&lab, NAME, time_ns, 10, n, kind))
			snprintf(cells[i], sizeof(cells[i]), "%d",
				 kind == KIND_ABSOLUTE ? (int)lab.value.absolute : (int)lab.value.gauge);
		lab_advance(&lab, 10);
	}
	lab_close(&lab);
}

/* The manual has the line: the label, then a column of five a sample, without blanks at its end. */
static void check_line(const char *label, char cells[SAMPLES][8])
{
	char   line[128];
	size_t used = (size_t)snprintf(line, sizeof(line), "\n  %-17s", label);
	for (int i = 0; i < SAMPLES; i++)
		used += (size_t)snprintf(line + used, sizeof(line) - used, " %-4s", cells[i]);
	while (line[used - 1] == ' ')
		used--;
	snprintf(line + used, sizeof(line) - used, "\n");
	assert_has(manual(), line);
}

static void check_marks(const char *label, enum align align)
{
	char cells[SAMPLES][8];
	play(align, "last", KIND_GAUGE, cells);
	for (int i = 0; i < SAMPLES; i++)
		strcpy(cells[i], cells[i][0] == '\0' ? "." : "|");
	check_line(label, cells);
}

static void figure__of_instants__is_what_is_logged(void **state)
{
	(void)state;
	check_marks("Align \"start\"", ALIGN_START);
	check_marks("Align \"clock\"", ALIGN_CLOCK);
}

static void figure__of_values__is_what_is_logged(void **state)
{
	static const char *const kinds[] = { "last", "average", "min", "max" };
	char                     cells[SAMPLES][8], label[32];
	(void)state;
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		play(ALIGN_START, kinds[i], KIND_GAUGE, cells);
		snprintf(label, sizeof(label), "value=%s", kinds[i]);
		check_line(label, cells);
	}
	play(ALIGN_START, "last", KIND_ABSOLUTE, cells);
	check_line("ABSOLUTE", cells);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(figure__of_instants__is_what_is_logged),
		cmocka_unit_test(figure__of_values__is_what_is_logged),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
