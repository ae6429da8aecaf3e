/*
 * ctl_check - what the tests of collectd-logctl share: a daemon that has seen four metric instances, and one run checked.
 *
 * Threads  one.
 */
#ifndef LC_CTL_CHECK_H
#define LC_CTL_CHECK_H

#include "../fake/check.h"
#include "../fake/live.h"

static inline int open_live(void **state)
{
	struct live *l = calloc(1, sizeof(*l));
	live_prepare(l);
	live_start(l, 0777);
	static const char *const names[] = { "own/cpu-0/cpu-idle", "own/cpu-1/cpu-idle", "own/load/load",
					     "web1/df-root/df_complex-free" };
	for (size_t i = 0; i < 4; i++)
		live_value(l, names[i], 1000, 10);
	*state = l;
	return 0;
}

static inline int close_live(void **state)
{
	struct live *l = *state;
	live_close(l);
	free(l);
	return 0;
}

/* `want` NULL: nothing at all; "": anything. */
static inline void check_text(const char *got, const char *want)
{
	if (want == NULL)
		assert_string_equal(got, "");
	else if (want[0] != '\0')
		assert_has(got, want);
}

/* What a run must have given: the exit status, and what both outputs hold. */
static inline void check_ran(struct ran r, int status, const char *out, const char *err)
{
	if (r.status != status)
		fail_msg("exit status %d instead of %d\n%s%s", r.status, status, r.out, r.err);
	check_text(r.out, out);
	check_text(r.err, err);
	ran_free(&r);
}

/* What is held, as the daemon says it. */
static inline void check_held(struct live *l, const char *identifier, const char *held)
{
	char line[256];
	snprintf(line, sizeof(line), "ENQUIRE \"%s\"", identifier);
	check_ran(logctl(l, NULL, "raw", line, NULL), 0, held, NULL);
}

/* A test with such a daemon. */
#define LIVE_TEST(f) cmocka_unit_test_setup_teardown(f, open_live, close_live)

#endif
