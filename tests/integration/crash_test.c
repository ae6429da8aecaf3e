/*
 * A process that is killed at a random moment while it takes requests: its successor holds what was answered, in order, once; the one
 * request that had no answer yet is there as a whole or not at all (specification section 13).  LC_KILLS: how often, LC_SEED.
 */
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../fake/check.h"
#include "../fake/saved.h"

#define NAMES 40

/* The `n`th request of all, as text; FORGET of the oldest rule is told by an empty one. */
static void request_text(uint64_t seed, unsigned long n, char out[256])
{
	static const char *const asks[] = {
		"mandatory on every=%us", "advisory on every=%us", "mandatory off",
		"advisory off",           "mandatory maybe",       "mandatory on every=once"
	};
	uint64_t state = seed * 1000003 + n;
	char     ask[64];
	unsigned kind = random_below(&state, 100);
	out[0] = '\0';
	if (kind < 25)
		return;
	if (kind == 25) {
		strcpy(out, "FORGET all");
		return;
	}
	snprintf(ask, sizeof(ask), asks[random_below(&state, 6)], 1 + random_below(&state, 3));
	snprintf(out, 256, "LOG %s %s note=\"number %lu\" \"h/p-*/t-%u\" h/p-%u/t h/p-%u/t", ask,
		 random_below(&state, 4) == 0 ? "for=1h" : "", n, random_below(&state, NAMES),
		 random_below(&state, NAMES), random_below(&state, NAMES));
}

/* Runs it; gives the id of a new entry, 0 for none. */
static unsigned long run_request(struct lab *lab, uint64_t seed, unsigned long n)
{
	char text[256];
	request_text(seed, n, text);
	if (text[0] == '\0') {
		lab_ask(lab, "RULES");
		const char *first = lab_word(lab, 1, 0);
		snprintf(text, sizeof(text), "FORGET %.20s", first[0] == '\0' ? "all" : first);
	}
	const char *reply = lab_ask(lab, "%s", text), *id = strstr(reply, " id=");
	if (reply[0] == '-')
		abort();
	if (n % 7 == 0)
		lab_advance(lab, 0); /* compaction, when it is time */
	return id == NULL ? 0 : strtoul(id + 4, NULL, 10);
}

/* RULES without ids, and what tells saved from temporary. */
static char *rules_of(struct lab *lab)
{
	char *out = strdup(lab_ask(lab, "RULES")), *to = out;
	bool  at_start = false;
	for (const char *from = out; *from != '\0'; from++) {
		if (at_start)
			from += strcspn(from, " ");
		at_start = *from == '\n' && from[1] != '\0';
		*to++ = *from;
		if (strncmp(from, "keep=", 5) == 0)
			from += strcspn(from, " ") - 1;
	}
	*to = '\0';
	return out;
}

struct answer {
	unsigned long n, id;
};

/* The process to be killed: an answer is given when it stands in the pipe. */
static void serve(uint64_t seed, unsigned long n, int out)
{
	struct lab lab;
	saved_lab(&lab);
	for (;; n++) {
		struct answer a = { n, run_request(&lab, seed, n) };
		if (write(out, &a, sizeof(a)) != sizeof(a))
			_exit(1);
	}
}

/* Kills one; gives how many requests it had answered. */
static unsigned long kill_one(uint64_t seed, unsigned long n, unsigned after_us, unsigned long *newest)
{
	int           pipes[2];
	struct answer a = { 0 };
	unsigned long answered = 0;
	assert_int_equal(pipe(pipes), 0);
	pid_t pid = fork();
	if (pid == 0) {
		close(pipes[0]);
		serve(seed, n, pipes[1]);
	}
	close(pipes[1]);
	if (read(pipes[0], &a, sizeof(a)) == sizeof(a)) { /* it is at work: now the clock runs */
		answered++;
		*newest = a.id > 0 ? a.id : *newest;
		usleep(after_us);
	}
	kill(pid, SIGKILL);
	for (; read(pipes[0], &a, sizeof(a)) == sizeof(a); answered++) {
		assert_true(a.id == 0 || a.id > *newest);
		*newest = a.id > 0 ? a.id : *newest;
	}
	close(pipes[0]);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	return answered;
}

/* Every id once, in order.  Which rules there may be is told by the model; ids of those that left none are used up. */
static void check_ids(struct lab *lab)
{
	unsigned long before = 0, id;
	lab_ask(lab, "RULES");
	for (size_t line = 1; (id = strtoul(lab_word(lab, line, 0), NULL, 10)) > 0; line++) {
		assert_true(id > before);
		before = id;
	}
}

/* Does the successor hold what the one that was never killed holds after `*n` requests, or one more? */
static void check_successor(struct lab *model, uint64_t seed, unsigned long *n)
{
	struct lab next;
	saved_lab(&next);
	char *found = rules_of(&next), *expected = rules_of(model);
	if (strcmp(found, expected) != 0) {
		run_request(model, seed, (*n)++);
		free(expected);
		expected = rules_of(model);
	}
	assert_string_equal(found, expected);
	check_ids(&next);
	free(found);
	free(expected);
	lab_close(&next);
}

static void killed__at_random_moments__what_was_answered_is_there(void **state)
{
	uint64_t      seed = (uint64_t)times_from("LC_SEED", 1), dice = seed;
	unsigned long n = 0, newest = 0, answered = 0;
	long          kills = times_from("LC_KILLS", 60);
	struct lab    model;
	(void)state;
	lab_open(&model, HELD_DEFAULT);
	for (long k = 0; k < kills; k++) {
		unsigned long got = kill_one(seed, n, random_below(&dice, k % 8 == 0 ? 20000 : 3000), &newest);
		for (unsigned long i = 0; i < got; i++)
			run_request(&model, seed, n++);
		answered += got;
		check_successor(&model, seed, &n);
	}
	printf("seed %lu: killed %ld times, %lu requests answered, 0 lost\n", (unsigned long)seed, kills, answered);
	lab_close(&model);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(killed__at_random_moments__what_was_answered_is_there, saved_setup,
						saved_teardown),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
