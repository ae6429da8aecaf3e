/* client_test - the client library against scripted peers: requests, statuses, garbled replies. */
#include <errno.h>

#include "../fake/pair.h"
#include "log_control.h"

/* ---- requests: what is sent, and what is not ---- */

static const struct lc_metric  load_metric = { .host = "web1", .plugin = "load", .type = "load" };
static const struct lc_request load_request = { 1, &load_metric };

static const char *line_of(const struct lc_request *r, int control, int state, int64_t delta_ms)
{
	static char       line[65536];
	struct pair       p = pair_new();
	struct lc_status *status = NULL;
	peer_says(&p, "-22 no\n", 7);
	int err = lc_control_log(p.ours, r, control, state, delta_ms, &status);
	snprintf(line, sizeof(line), "%s", peer_heard(&p));
	/* the peer answers every line with an error, so both are -EINVAL; only an answered one has its message */
	assert_int_equal(err, -EINVAL);
	assert_int_equal(status != NULL, line[0] != '\0');
	lc_status_free(status);
	pair_free(&p);
	return line;
}

static void control_log__each_ask__is_one_line(void **state)
{
	(void)state;
	static const struct {
		int         control, state;
		int64_t     delta_ms;
		const char *line;
	} rows[] = {
		{ PMLC_MANDATORY, PMLC_ON, 10000, "LOG mandatory on every=10000ms \"web1/load-*/load-*\"\n" },
		{ PMLC_MANDATORY, PMLC_ON, 268435456, "LOG mandatory on every=268435456ms \"web1/load-*/load-*\"\n" },
		{ PMLC_ADVISORY, PMLC_ON, PMLC_DELTA_ONCE, "LOG advisory on every=once \"web1/load-*/load-*\"\n" },
		{ PMLC_ADVISORY, PMLC_ON, PMLC_DELTA_NATIVE, "LOG advisory on every=native \"web1/load-*/load-*\"\n" },
		{ PMLC_MANDATORY, PMLC_OFF, 5000, "LOG mandatory off \"web1/load-*/load-*\"\n" },
		{ PMLC_ADVISORY, PMLC_OFF, 0, "LOG advisory off \"web1/load-*/load-*\"\n" },
		{ PMLC_MANDATORY, PMLC_MAYBE, 0, "LOG mandatory maybe \"web1/load-*/load-*\"\n" },
		{ PMLC_ENQUIRE, PMLC_ON, 5000, "ENQUIRE \"web1/load-*/load-*\"\n" },
		{ PMLC_ENQUIRE, 0, -1, "ENQUIRE \"web1/load-*/load-*\"\n" },
		{ PMLC_ENQUIRE, 99, INT64_MIN, "ENQUIRE \"web1/load-*/load-*\"\n" },
	};
	for (size_t i = 0; i < COUNT(rows); i++)
		assert_string_equal(line_of(&load_request, rows[i].control, rows[i].state, rows[i].delta_ms),
				    rows[i].line);
}

static void control_log__bad_ask__sends_nothing(void **state)
{
	(void)state;
	static const struct {
		int     control, state;
		int64_t delta_ms;
	} rows[] = {
		{ PMLC_ADVISORY, PMLC_MAYBE, 0 },
		{ PMLC_MANDATORY, PMLC_ON, -1 },
		{ PMLC_MANDATORY, PMLC_OFF, -1 },
		{ PMLC_ADVISORY, PMLC_ON, -1 },
		{ PMLC_ADVISORY, PMLC_OFF, INT64_MIN },
		{ PMLC_MANDATORY, PMLC_MAYBE, -1 },
		{ 0, PMLC_ON, 0 },
		{ 99, PMLC_ON, 0 },
		{ PMLC_MANDATORY, 0, 0 },
		{ PMLC_MANDATORY, 7, 0 },
		{ PMLC_ADVISORY, 7, 0 },
	};
	for (size_t i = 0; i < COUNT(rows); i++)
		assert_string_equal(line_of(&load_request, rows[i].control, rows[i].state, rows[i].delta_ms), "");
}

static void control_log__bad_metric__sends_nothing(void **state)
{
	(void)state;
	static const struct lc_instance slash = { "a/b", NULL };
	static const struct lc_metric   rows[] = {
		  { .host = "h" },
		  { .host = "h", .plugin = "p" },
		  { .plugin = "p", .type = "" },
		  { .host = "", .plugin = "p", .type = "t" },
		  { .host = "h/x", .plugin = "p", .type = "t" },
		  { .plugin = "p/x", .type = "t" },
		  { .plugin = "p", .type = "t/x" },
		  { .plugin = "p", .type = "t", .n_instances = 1 },
		  { .plugin = "p", .type = "t", .n_instances = 1, .instances = &slash },
		  { .selector = "h/p/t", .plugin = "p" },
		  { .selector = "h/p/t", .n_instances = 1, .instances = &slash },
	};
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct lc_metric  both[] = { load_metric, rows[i] };
		struct lc_request r = { 2, both };
		assert_string_equal(line_of(&r, PMLC_MANDATORY, PMLC_ON, 0), "");
		assert_string_equal(line_of(&r, PMLC_ENQUIRE, 0, 0), "");
	}
}

static void control_log__no_metric__sends_nothing(void **state)
{
	(void)state;
	static const struct lc_request none = { 0, &load_metric }, nowhere = { 3, NULL };
	assert_string_equal(line_of(&none, PMLC_MANDATORY, PMLC_ON, 0), "");
	assert_string_equal(line_of(&none, PMLC_ENQUIRE, 0, 0), "");
	assert_string_equal(line_of(&nowhere, PMLC_ENQUIRE, 0, 0), "");
	assert_string_equal(line_of(NULL, PMLC_ENQUIRE, 0, 0), "");
}

static void control_log__instances__are_named_in_order(void **state)
{
	(void)state;
	static const struct lc_instance cores[] = { { "0", "idle" }, { NULL, "user" }, { "1", NULL }, { "", "" } };
	static const struct lc_metric   metrics[] = {
		  { .plugin = "cpu", .type = "cpu", .n_instances = 4, .instances = cores },
		  { .selector = "*/\"odd\"\xff x/y" },
		  { .plugin = "df", .type = "free" },
	};
	static const struct lc_request r = { 3, metrics };
	assert_string_equal(line_of(&r, PMLC_ENQUIRE, 0, 0),
			    "ENQUIRE \"cpu-0/cpu-idle\" \"cpu/cpu-user\" \"cpu-1/cpu\" \"cpu/cpu\" "
			    "\"*/\\\"odd\\\"\\xff x/y\" \"df-*/free-*\"\n");
}

/* ---- status ---- */

static struct lc_status *status_of(const struct lc_request *r, const char *text, int want)
{
	struct pair       p = pair_new();
	struct lc_status *status = NULL;
	limit_ms(p.ours, 2000);
	peer_says(&p, text, strlen(text));
	int err = lc_control_log(p.ours, r, PMLC_ADVISORY, PMLC_ON, 10000, &status);
	if (err != want)
		fail_msg("%d instead of %d for the reply:\n%s", err, want, text);
	pair_free(&p);
	return status;
}

static void status__example_of_the_specification__stands_one_to_one(void **state)
{
	(void)state;
	static const struct lc_metric  metrics[] = { { .selector = "*/cpu-*/cpu-idle" },
						     { .selector = "web1/load/load" },
						     { .selector = "db*/x/y" },
						     { .selector = "web1/new/gauge" } };
	static const struct lc_request r = { 4, metrics };
	struct lc_status              *s =
		status_of(&r,
			  "5 Values id=17 keep=saved\n"
			  "1 done 0x0002710d advisory on 10000 10000 inlog,avail \"web1/cpu-0/cpu-idle\"\n"
			  "1 done 0x00027101 advisory on 10000 10000 - \"web1/cpu-1/cpu-idle\"\n"
			  "2 refused 0x00000002 mandatory off 0 10000 - \"web1/load/load\"\n"
			  "3 none 0x00000000 - - - - - \"db*/x/y\"\n"
			  "4 done 0x00027101 advisory on 10000 - unseen \"web1/new/gauge\"\n",
			  0);
	assert_int_equal(s->n_elements, 4);
	assert_true(s->id == 17 && s->saved == 1 && s->ends_s == -1);
	assert_string_equal(s->message, "Values id=17 keep=saved");
	const struct lc_row *row = s->elements[0].rows;
	assert_int_equal(s->elements[0].n_rows, 2);
	assert_string_equal(row->identifier, "web1/cpu-0/cpu-idle");
	assert_true(row->outcome == PMLC_DONE && row->control == PMLC_ADVISORY && row->state == PMLC_ON);
	assert_true(row->delta_ms == 10000 && row->source_interval_ms == 10000);
	assert_int_equal(row->flags, PMLC_FLAG_INLOG | PMLC_FLAG_AVAIL);
	assert_true(PMLC_GET_ON(row->word) && !PMLC_GET_MAND(row->word) && PMLC_GET_AVAIL(row->word) &&
		    PMLC_GET_INLOG(row->word) && PMLC_GET_DELTA(row->word) == 10000);
	assert_int_equal(row[1].flags, 0);
	row = s->elements[1].rows;
	assert_true(row->outcome == PMLC_REFUSED && row->control == PMLC_MANDATORY && row->state == PMLC_OFF);
	row = s->elements[2].rows;
	assert_int_equal(s->elements[2].n_rows, 1);
	assert_true(row->outcome == PMLC_NONE && row->control == 0 && row->state == 0 && row->delta_ms == -1);
	assert_string_equal(row->identifier, "db*/x/y");
	row = s->elements[3].rows;
	assert_true(row->source_interval_ms == -1 && row->flags == PMLC_FLAG_UNSEEN);
	lc_status_free(s);
}

static void status__instances_of_one_metric__share_its_element(void **state)
{
	(void)state;
	static const struct lc_instance cores[] = { { "0", "idle" }, { "7", "idle" } };
	static const struct lc_metric   metrics[] = {
		  { .plugin = "cpu", .type = "cpu", .n_instances = 2, .instances = cores },
		  { .plugin = "load", .type = "load" },
	};
	static const struct lc_request r = { 2, metrics };
	struct lc_status              *s =
		status_of(&r,
			  "3 Values id=- keep=temporary ends=900\n"
			  "1 held 0x00000001 advisory on 0 - once \"h/cpu-0/cpu-idle\"\n"
			  "2 held 0xfffffff1 advisory on 315360000000 1 timed,driven,new \"h/cpu-7/cpu-idle\"\n"
			  "3 would 0x00003e81 mandatory on 1000 1000 native \"h/load/load\"\n",
			  0);
	assert_int_equal(s->n_elements, 2);
	assert_int_equal(s->elements[0].n_rows, 2);
	assert_int_equal(s->elements[1].n_rows, 1);
	assert_int_equal(s->elements[0].rows[0].instance, 0);
	assert_int_equal(s->elements[0].rows[1].instance, 1);
	assert_int_equal(s->elements[1].rows[0].instance, 0);
	assert_true(s->elements[0].rows[1].delta_ms == INT64_C(315360000000));
	assert_int_equal(PMLC_GET_DELTA(s->elements[0].rows[1].word), PMLC_MAX_DELTA);
	assert_int_equal(s->elements[0].rows[0].flags, PMLC_FLAG_ONCE);
	assert_int_equal(s->elements[0].rows[1].flags, PMLC_FLAG_TIMED | PMLC_FLAG_DRIVEN);
	assert_int_equal(s->elements[1].rows[0].flags, PMLC_FLAG_NATIVE);
	assert_true(s->id == 0 && s->saved == 0 && s->ends_s == 900);
	lc_status_free(s);
}

static void status__element_without_rows__has_none(void **state)
{
	(void)state;
	struct lc_status *s = status_of(&load_request, "0 Values\n", 0);
	assert_int_equal(s->n_elements, 1);
	assert_int_equal(s->elements[0].n_rows, 0);
	lc_status_free(s);
}

static void status__error_of_the_daemon__has_its_message(void **state)
{
	(void)state;
	struct lc_status *s = status_of(&load_request, "-105 MaxRules (10000) is reached; forget some\n", -ENOBUFS);
	assert_int_equal(s->n_elements, 0);
	assert_string_equal(lc_message(s, -ENOBUFS), "MaxRules (10000) is reached; forget some");
	lc_status_free(s);
	s = status_of(&load_request, "-13\n", -EACCES);
	assert_string_equal(lc_message(s, -EACCES), "no permission");
	lc_status_free(s);
	assert_string_equal(lc_message(NULL, -ETIMEDOUT), "no answer within the time limit");
	assert_true(strlen(lc_message(NULL, -4000)) > 0);
}

/* Any bytes, any length: no buffer of ours has a size. */
static void status__identifier_of_six_times_128_bytes__survives(void **state)
{
	(void)state;
	char text[8192] = "1 Values id=1 keep=temporary\n1 done 0x00000001 advisory on 0 - - \"", want[1024];
	for (int i = 0; i < 6; i++) {
		strcat(text, i == 0 ? "" : "/");
		for (int k = 0; k < 64; k++)
			strcat(text, "\\xfe\\\"");
		memset(want + i * 129, 0, 130);
		for (int k = 0; k < 128; k += 2)
			memcpy(want + i * 129 + k, "\xfe\"", 2);
		want[i * 129 + 128] = i == 5 ? '\0' : '/';
	}
	strcat(text, "\"\n");
	struct lc_status *s = status_of(&load_request, text, 0);
	assert_string_equal(s->elements[0].rows[0].identifier, want);
	lc_status_free(s);
}

/* ---- garbled replies ---- */

#define ROW "1 done 0x00000001 advisory on 0 - - \"h/p/t\"\n"

static void status__garbled__is_eproto(void **state)
{
	(void)state;
	static const char *const rows[] = {
		"\n",
		"x\n",
		"-\n",
		"-0 x\n",
		"-x\n",
		"5x Values\n",
		"99999999999 Values\n",
		"-99999 x\n",
		" 1 Values\n" ROW,
		"0 Values id=x\n",
		"0 Values id=99999999999999999999\n",
		"0 Values ends=-1\n",
		"0 Values\nmore\n",
		"1 Values\n" ROW ROW,
		"1 Values\n\n",
		"1 Values\n0 done 0x00000001 advisory on 0 - - \"h/p/t\"\n",
		"1 Values\n2 done 0x00000001 advisory on 0 - - \"h/p/t\"\n",
		"1 Values\n-1 done 0x00000001 advisory on 0 - - \"h/p/t\"\n",
		"1 Values\n1 dome 0x00000001 advisory on 0 - - \"h/p/t\"\n",
		"1 Values\n1 done 0x0000001 advisory on 0 - - \"h/p/t\"\n",
		"1 Values\n1 done 0x0000000g advisory on 0 - - \"h/p/t\"\n",
		"1 Values\n1 done 0x00000001 advisery on 0 - - \"h/p/t\"\n",
		"1 Values\n1 done 0x00000001 - on 0 - - \"h/p/t\"\n",
		"1 Values\n1 done 0x00000001 advisory maybe 0 - - \"h/p/t\"\n",
		"1 Values\n1 none 0x00000000 advisory on - - - \"h/p/t\"\n",
		"1 Values\n1 done 0x00000001 advisory on -5 - - \"h/p/t\"\n",
		"1 Values\n1 done 0x00000001 advisory on 9223372036854775808 - - \"h/p/t\"\n",
		"1 Values\n1 done 0x00000001 advisory on 0 1e3 - \"h/p/t\"\n",
		"1 Values\n1 done 0x00000001 advisory on 0 - -\n",
		"1 Values\n1 done 0x00000001 advisory on 0 - - h/p/t\n",
		"1 Values\n1 done 0x00000001 advisory on 0 - - \"h/p/t\n",
		"1 Values\n1 done 0x00000001 advisory on 0 - - \"h/p/t\" \n",
		"1 Values\n1 done 0x00000001 advisory on 0 - - \"h/p/t\\q\"\n",
		"1 Values\n1 done 0x00000001 advisory on 0 - - \"h/p/t\\x00\"\n",
		"1 Values\n1 done  0x00000001 advisory on 0 - - \"h/p/t\"\n",
	};
	for (size_t i = 0; i < COUNT(rows); i++)
		assert_null(status_of(&load_request, rows[i], -EPROTO));
}

static void status__selector_numbers_that_fall__are_eproto(void **state)
{
	(void)state;
	const struct lc_metric  two[] = { load_metric, load_metric };
	const struct lc_request r = { 2, two };
	assert_null(status_of(&r, "2 Values\n2 done 0x00000001 advisory on 0 - - \"h/p/t\"\n" ROW, -EPROTO));
}

static void command__nul_in_a_reply__is_eproto(void **state)
{
	(void)state;
	struct pair      p = pair_new();
	struct lc_reply *reply = NULL;
	peer_says(&p, "1 Rule\na\0b\n", 11);
	assert_int_equal(lc_command(p.ours, "RULES", &reply), -EPROTO);
	assert_null(reply);
	pair_free(&p);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(control_log__each_ask__is_one_line),
		cmocka_unit_test(control_log__bad_ask__sends_nothing),
		cmocka_unit_test(control_log__bad_metric__sends_nothing),
		cmocka_unit_test(control_log__no_metric__sends_nothing),
		cmocka_unit_test(control_log__instances__are_named_in_order),
		cmocka_unit_test(status__example_of_the_specification__stands_one_to_one),
		cmocka_unit_test(status__instances_of_one_metric__share_its_element),
		cmocka_unit_test(status__element_without_rows__has_none),
		cmocka_unit_test(status__error_of_the_daemon__has_its_message),
		cmocka_unit_test(status__identifier_of_six_times_128_bytes__survives),
		cmocka_unit_test(status__garbled__is_eproto),
		cmocka_unit_test(status__selector_numbers_that_fall__are_eproto),
		cmocka_unit_test(command__nul_in_a_reply__is_eproto),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
