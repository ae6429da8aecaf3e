/*
 * Every allocation of listener and connection fails once, by number: no socket is opened and it says why, or the connection ends between two
 * replies or within one that was cut; what was answered is true, and the next client finds the rules that the answers tell.  (Leaks are what the
 * address sanitizer and valgrind see in this program.)
 */
#include "../fake/check.h"
#include "../fake/nomem.h"
#include "../fake/pair.h"
#include "../fake/rig.h"
#include "conn.h"

/* ---- the listener ---- */

static void start__each_allocation_fails__no_socket_and_a_reason(void **state)
{
	(void)state;
	bool          happened = true;
	unsigned long n;
	for (n = 1; happened; n++) {
		struct rig rig;
		struct why why = { "" };
		rig_prepare(&rig);
		rig.options.group = "root";
		assert_int_equal(rig_start(&rig, &why), OK); /* makes the logger, too */
		rig_stop(&rig);
		nomem_at(n);
		enum err err = rig_start(&rig, &why);
		happened = nomem_off();
		assert_int_equal(err, happened ? ERR_NOMEM : OK);
		if (happened) {
			assert_has(why.text, "out of memory");
			assert_int_not_equal(access(rig.path, F_OK), 0);
		}
		rig_close(&rig);
	}
	assert_true(n > 5);
}

/* ---- a connection ---- */

static void host_log(int severity, const char *text)
{
	(void)severity;
	assert_has(text, "log_control: accepted");
}

static int64_t clock_ns;

static void host_now(struct now *now)
{
	*now = (struct now){ clock_ns, clock_ns, INT64_C(1700000000) * 1000000000 + clock_ns };
}

static const struct host host = { host_log, NULL, host_now };

static const char request_lines[] = "LOG advisory on every=20s note=\"text\" \"h/p-*/t\" h/new/t\n"
				    "LOG mandatory off h/p-0000003/t\n"
				    "ENQUIRE h/p-0000003/t\n"
				    "NONSENSE\n"
				    "RULES\n"
				    "FORGET 1\n"
				    "\n"
				    "ENQUIRE \"h/*/t\"\n";

/* What a client hears until the connection ends or has nothing to do. */
struct heard {
	char   text[200000];
	size_t len;
};

static bool talk(const struct conn_context *context, struct pair *p, struct heard *h, unsigned long nth)
{
	struct now now;
	host_now(&now);
	nomem_at(nth);
	struct conn *c = conn_new(context, p->ours, &now);
	bool         goes_on = c != NULL;
	for (int turn = 0; goes_on && turn < 50; turn++) {
		goes_on = conn_work(c, &now);
		ssize_t got = recv(p->theirs, h->text + h->len, sizeof(h->text) - 1 - h->len, MSG_DONTWAIT);
		h->len += got > 0 ? (size_t)got : 0;
	}
	bool happened = nomem_off();
	conn_free(c);
	close(p->theirs);
	h->text[h->len] = '\0';
	return happened;
}

static void converse(struct rig *rig, struct heard *h, unsigned long nth, bool *happened)
{
	const struct conn_context context = { &host, rig->logger, &rig->options, NULL, 12345 };
	struct pair               p = pair_new();
	peer_says(&p, request_lines, strlen(request_lines));
	h->len = 0;
	*happened = talk(&context, &p, h, nth);
}

/* The whole replies in it, and how many of them said that memory ran out; false: what follows a cut reply is no reply. */
static size_t count_replies(const char *text, size_t *without_memory)
{
	size_t n = 0;
	*without_memory = 0;
	while (*text != '\0') {
		long lines = strtol(text, NULL, 10);
		*without_memory += strncmp(text, "-12 ", 4) == 0;
		for (lines = lines < 0 ? 0 : lines; lines >= 0 && text != NULL; lines--)
			text = strchr(text, '\n') == NULL ? NULL : strchr(text, '\n') + 1;
		if (text == NULL)
			return n;
		n++;
	}
	return n;
}

#define REPLIES 7 /* to eight lines, one of them empty */

static size_t count_of(const char *text, const char *part)
{
	size_t n = 0;
	for (; (text = strstr(text, part)) != NULL; text++)
		n++;
	return n;
}

/* How many rules there are by what the client heard. */
static size_t told_rules(const char *text)
{
	return count_of(text, "Values id=") - count_of(text, " Forgotten entries=1\n");
}

static size_t count_rules(struct rig *rig)
{
	struct figures f;
	logger_figures(rig->logger, &f);
	return f.entries;
}

static void connection__each_allocation_fails__ends_or_tells_the_truth(void **state)
{
	static struct heard h;
	(void)state;
	bool          happened = true;
	unsigned long n;
	for (n = 1; happened; n++) {
		struct rig rig;
		struct why why = { "" };
		size_t     without_memory;
		rig_prepare(&rig);
		assert_int_equal(rig_start(&rig, &why), OK);
		rig_stop(&rig);
		rig_fill(&rig, 20);
		converse(&rig, &h, n, &happened);
		size_t replies = count_replies(h.text, &without_memory);
		assert_true(without_memory <= 1);
		if (!happened)
			assert_int_equal(replies, REPLIES);
		if (replies == REPLIES)
			assert_int_equal(count_rules(&rig), told_rules(h.text));
		else /* of the command at which it ended the client knows nothing */
			assert_in_range(count_rules(&rig) + 1 - told_rules(h.text), 0, 2);
		bool again; /* another client is served */
		converse(&rig, &h, 0, &again);
		assert_int_equal(count_replies(h.text, &without_memory), REPLIES);
		assert_int_equal(without_memory, 0);
		rig_close(&rig);
	}
	assert_true(n > 60);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(start__each_allocation_fails__no_socket_and_a_reason),
		cmocka_unit_test(connection__each_allocation_fails__ends_or_tells_the_truth),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
