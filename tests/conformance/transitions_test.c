/*
 * Every row of transitions.tsv, measured on the peer, against the real logger.  Expected are the manual_* cells: the rule of
 * __pmControlLog(3) for each instance by itself.  Where the peer itself does otherwise (quirk=yes, Q1 to Q7 of README.md here),
 * the row is counted as differing by design, and the manual says so.
 *
 * The peer's metric with instances A, B, C is here the metric h/m of plugin instances A, B, C; all instances is `h/m-*` and type
 * `gauge`; a single value is h/m/gauge.  The peer's default is advisory off.
 */
#include "../fake/check.h"
#include "../fake/lab.h"

#define COLUMNS 19
enum {
	START_SHAPE,
	SHAPE,
	START_STATE,
	REQUEST,
	BEFORE_A,
	BEFORE_B,
	BEFORE_C,
	RESULT_CONTROL,
	RESULT_STATE,
	RESULT_DELTA,
	AFTER_A,
	AFTER_B,
	AFTER_C,
	MANUAL_A,
	MANUAL_B,
	MANUAL_C,
	WARNED,
	QUIRK,
	REASON
};

static const char *const with_instances[] = { "h/m-A/gauge", "h/m-B/gauge", "h/m-C/gauge" };
static const char *const singular[] = { "h/m/gauge" };

struct tsv_row {
	char *cell[COLUMNS];
};

static bool row_split(char *line, struct tsv_row *row)
{
	line[strcspn(line, "\n")] = '\0';
	for (size_t i = 0; i < COLUMNS; i++) {
		row->cell[i] = strsep(&line, "\t");
		if (row->cell[i] == NULL)
			return false;
	}
	return true;
}

/* "mand/on/1000" -> words of a request; "once" for 0. */
static void cell_read(const char *cell, char control[16], char state[8], char every[32])
{
	char delta[24];
	assert_int_equal(sscanf(cell, "%15[^/]/%7[^/]/%23s", control, state, delta), 3);
	strcpy(control, strcmp(control, "mand") == 0 ? "mandatory" : "advisory");
	every[0] = '\0';
	if (strcmp(state, "on") == 0)
		snprintf(every, 32, strcmp(delta, "0") == 0 ? "every=once" : "every=%sms", delta);
}

/* Brings one instance to what the peer reported before the request. */
static void hold_before(struct lab *lab, const char *name, const char *cell)
{
	char control[16], state[8], every[32];
	if (strcmp(cell, "-") == 0 || strcmp(cell, "adv/off/0") == 0)
		return;
	cell_read(cell, control, state, every);
	assert_has(lab_ask(lab, "LOG %s %s %s \"%s\"", control, state, every, name), " done ");
}

/* "mandatory on 1000ms" -> a line over the selector of the shape. */
static void send_request(struct lab *lab, const char *request, const char *selector)
{
	char control[16] = "", state[8] = "", delta[24] = "";
	assert_true(sscanf(request, "%15s %7s %23s", control, state, delta) >= 2);
	const char *reply = lab_ask(lab, "LOG %s %s %s%s \"%s\"", control, state,
				    delta[0] == '\0' ? "" : "every=", delta, selector);
	assert_true(reply[0] >= '0' && reply[0] <= '9');
}

static bool holds(struct lab *lab, const char *name, const char *cell)
{
	char control[16], state[8], every[32], delta[24];
	if (strcmp(cell, "-") == 0)
		return true;
	cell_read(cell, control, state, every);
	assert_int_equal(sscanf(cell, "%*[^/]/%*[^/]/%23s", delta), 1);
	lab_ask(lab, "ENQUIRE \"%s\"", name);
	return strcmp(lab_word(lab, 1, 3), control) == 0 && strcmp(lab_word(lab, 1, 4), state) == 0 &&
	       strcmp(lab_word(lab, 1, 5), delta) == 0;
}

static bool row_passes(const struct tsv_row *row, bool *like_peer)
{
	struct lab         lab;
	bool               single = strcmp(row->cell[SHAPE], "singular") == 0;
	const char *const *names = single ? singular : with_instances;
	size_t             n = single ? 1 : 3;
	bool               good = true;
	lab_open(&lab, (struct held){ 0 });
	for (size_t i = 0; i < n; i++) {
		lab_gauge(&lab, names[i], 1, 0);
		hold_before(&lab, names[i], row->cell[BEFORE_A + i]);
		good = good && holds(&lab, names[i], row->cell[BEFORE_A + i]);
	}
	const char *selector = strcmp(row->cell[SHAPE], "all-instances") == 0 ? "h/m-*/gauge" : names[0];
	send_request(&lab, row->cell[REQUEST], selector);
	*like_peer = true;
	for (size_t i = 0; i < n; i++) {
		good = good && holds(&lab, names[i], row->cell[MANUAL_A + i]);
		*like_peer = *like_peer && holds(&lab, names[i], row->cell[AFTER_A + i]);
	}
	lab_close(&lab);
	return good;
}

static void transitions__every_row__follows_the_manuals_rule(void **state)
{
	char   line[4096];
	size_t rows = 0, passed = 0, differing = 0, unexplained = 0;
	FILE  *f = fopen(SRCDIR "/tests/conformance/transitions.tsv", "r");
	(void)state;
	assert_non_null(f);
	assert_non_null(fgets(line, sizeof(line), f));
	while (fgets(line, sizeof(line), f) != NULL) {
		struct tsv_row row;
		bool           like_peer;
		assert_true(row_split(line, &row));
		rows++;
		if (!row_passes(&row, &like_peer)) {
			print_message("row %zu fails: %s %s, %s, then %s\n", rows + 1, row.cell[START_SHAPE],
				      row.cell[SHAPE], row.cell[START_STATE], row.cell[REQUEST]);
			continue;
		}
		passed++;
		differing += !like_peer;
		if (!like_peer && strcmp(row.cell[QUIRK], "yes") != 0) {
			unexplained++;
			print_message("row %zu differs from the peer without a quirk\n", rows + 1);
		}
	}
	fclose(f);
	print_message("transitions.tsv: %zu rows, %zu passed, %zu differing from the peer by design, %zu unexplained\n",
		      rows, passed, differing, unexplained);
	assert_int_equal(rows, 1342);
	assert_int_equal(passed, rows);
	assert_int_equal(unexplained, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(transitions__every_row__follows_the_manuals_rule),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
