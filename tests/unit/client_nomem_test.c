/*
 * Every allocation of the client library fails once, by number: -ENOMEM, no status with elements, nothing leaked, and the connection is not used
 * again once something was sent.  (Leaks are what the address sanitizer and valgrind see in this program.)
 */
#include <errno.h>

#include "../fake/nomem.h"
#include "../fake/pair.h"
#include "log_control.h"

static const struct lc_instance cores[] = { { "0", "idle" }, { "1", "user" } };
static const struct lc_metric   metrics[] = {
	  { .host = "web1", .plugin = "cpu", .type = "cpu", .n_instances = 2, .instances = cores },
	  { .selector = "*/\"odd\"/y" },
};
static const struct lc_request request = { 2, metrics };

static const char good[] = "3 Values id=7 keep=saved\n"
			   "1 done 0x00007d0d mandatory on 2000 1000 inlog,avail \"web1/cpu-0/cpu-idle\"\n"
			   "2 refused 0x00007d0d advisory on 2000 - unseen \"web1/cpu-1/cpu-user\"\n"
			   "3 none 0x00000000 - - - - - \"*/\\\"odd\\\"/y\"\n";
static const char denied[] = "-13 you need the right mandatory\n";

/* Is the connection shut down, so that a late reply finds nobody? */
static bool is_shut(struct pair *p)
{
	char byte;
	return recv(p->ours, &byte, 1, MSG_DONTWAIT) == 0;
}

/* One request whose reply is there; each allocation fails in turn. */
static unsigned long each_allocation(const char *reply, int err_when_fine, size_t elements)
{
	bool          happened = true;
	unsigned long n = 0;
	while (happened) {
		struct pair       p = pair_new();
		struct lc_status *status = (struct lc_status *)&p;
		peer_says(&p, reply, strlen(reply));
		nomem_at(++n);
		int err = lc_control_log(p.ours, &request, PMLC_MANDATORY, PMLC_ON, 2000, &status);
		happened = nomem_off();
		const char *heard = peer_heard(&p);
		if (happened) {
			assert_int_equal(err, -ENOMEM);
			assert_null(status);
			assert_string_equal(lc_message(NULL, err), "out of memory");
		} else {
			assert_int_equal(err, err_when_fine);
			assert_int_equal(status->n_elements, elements);
			assert_has(heard, "LOG mandatory on every=2000ms \"web1/cpu-0/cpu-idle\" ");
		}
		lc_status_free(status);
		pair_free(&p);
	}
	return n - 1;
}

static void control_log__each_allocation_fails__says_so(void **state)
{
	(void)state;
	assert_true(each_allocation(good, 0, 2) >= 7);
	assert_true(each_allocation(denied, -EACCES, 0) >= 5);
}

static void command__each_allocation_fails__connection_is_not_used_again(void **state)
{
	(void)state;
	bool happened = true;
	for (unsigned long n = 1; happened; n++) {
		struct pair      p = pair_new();
		struct lc_reply *reply = NULL;
		peer_says(&p, good, strlen(good));
		nomem_at(n);
		int err = lc_command(p.ours, "STATUS", &reply);
		happened = nomem_off();
		assert_int_equal(err, happened ? -ENOMEM : 0);
		assert_int_equal(reply == NULL, happened);
		if (happened)
			assert_true(is_shut(&p));
		lc_reply_free(reply);
		pair_free(&p);
	}
}

/* A reply that does not fit into the first buffer, so that it grows while it arrives. */
static void command__large_reply_each_allocation_fails__says_so(void **state)
{
	static char text[40000] = "2 Rules\n";
	(void)state;
	memset(text + 8, 'x', sizeof(text) - 9);
	text[20000] = text[sizeof(text) - 2] = '\n';
	bool          happened = true;
	unsigned long n;
	for (n = 1; happened; n++) {
		struct pair      p = pair_new();
		struct lc_reply *reply = NULL;
		peer_says(&p, text, strlen(text));
		nomem_at(n);
		int err = lc_command(p.ours, "RULES", &reply);
		happened = nomem_off();
		assert_int_equal(err, happened ? -ENOMEM : 0);
		assert_int_equal(reply == NULL, happened);
		lc_reply_free(reply);
		pair_free(&p);
	}
	assert_true(n > 3);
}

static void status__each_allocation_fails__reply_is_taken_over_all_the_same(void **state)
{
	(void)state;
	bool happened = true;
	for (unsigned long n = 1; happened; n++) {
		struct pair       p = pair_new();
		struct lc_reply  *reply = NULL;
		struct lc_status *status = NULL;
		peer_says(&p, good, strlen(good));
		assert_int_equal(lc_command(p.ours, "LOG", &reply), 0);
		nomem_at(n);
		int err = lc_reply_status(reply, 3, &status);
		happened = nomem_off();
		assert_int_equal(err, happened ? -ENOMEM : 0);
		assert_int_equal(status == NULL, happened);
		lc_status_free(status);
		pair_free(&p);
	}
}

static void quote__each_allocation_fails__gives_nothing(void **state)
{
	static char text[1000];
	(void)state;
	memset(text, '"', sizeof(text) - 1);
	bool happened = true;
	for (unsigned long n = 1; happened; n++) {
		nomem_at(n);
		char *word = lc_quote(text);
		happened = nomem_off();
		assert_int_equal(word == NULL, happened);
		free(word);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(control_log__each_allocation_fails__says_so),
		cmocka_unit_test(command__each_allocation_fails__connection_is_not_used_again),
		cmocka_unit_test(command__large_reply_each_allocation_fails__says_so),
		cmocka_unit_test(status__each_allocation_fails__reply_is_taken_over_all_the_same),
		cmocka_unit_test(quote__each_allocation_fails__gives_nothing),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
