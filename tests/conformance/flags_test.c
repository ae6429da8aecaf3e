/*
 * Every row of flags.tsv, measured on the peer: the in-log and available flags over time.
 *
 * The mapping: a due fetch of the peer is a value of ours that is logged; a source without a value, or gone, is one that sends none; a domain that
 * an instance leaves is an instance that sends no more.  The peer learns at the next due time that something is gone; we allow one source interval
 * (at least a second) more, since values arrive by themselves.  Stories: `>` a request, `=A 0.5` a value of A with that interval, `+3` seconds pass.
 * A is h/m-A/gauge, S the single value h/m/gauge; the metric is h/m-*.  The default is advisory off, as the peer's.
 */
#include <ctype.h>

#include "../fake/check.h"
#include "../fake/lab.h"

#define ALL    "\"h/m-*/gauge\""
#define ONE(x) "\"h/m-" x "/gauge\""
#define SINGLE "\"h/m/gauge\""

struct story {
	const char *id, *text,
		*asked;      /* whose word is compared at the end; NULL: the row has no counterpart, `why` says so */
	const char *differs; /* our word where it differs by design; NULL: the peer's */
	const char *why;
};

static const struct story stories[] = {
	{ "F01", "", "S", NULL, NULL },
	{ "F02", "", "A", NULL, NULL },
	{ "F03", ">LOG mandatory off " SINGLE, "S", NULL, NULL },
	{ "F04", ">LOG mandatory on every=1s " SINGLE, "reply", NULL, NULL },
	{ "F05", ">LOG mandatory on every=268435455ms " SINGLE, "reply", NULL, NULL },
	{ "F06", ">LOG advisory on every=1s " SINGLE ";>LOG advisory off " SINGLE, "S", NULL, NULL },
	{ "F10", ">LOG mandatory on every=500ms " SINGLE ";=S 0.5", "S", NULL, NULL },
	{ "F11", ">LOG advisory on every=5s " SINGLE ";=S 0.5", "S", NULL, NULL },
	{ "F12", ">LOG mandatory on every=500ms " ALL ";=A 0.5;=B 0.5;=C 0.5", "C", NULL, NULL },
	{ "F13", ">LOG mandatory on every=500ms " ONE("B") ";=A 0.5;=B 0.5", "B", NULL, NULL },
	{ "F14", ">LOG mandatory on every=500ms " ONE("B") ";=A 0.5;=B 0.5", "A", NULL, NULL },
	{ "F20", ">LOG mandatory on every=once " SINGLE ";=S 0.5;+2;=S 0.5", "S", NULL, NULL },
	{ "F21", ">LOG advisory on every=once " SINGLE ";=S 0.5;+2", "S", NULL, NULL },
	{ "F22", ">LOG mandatory on every=once " SINGLE ";=S 0.5;+1;>LOG mandatory on every=once " SINGLE ";=S 0.5",
	  "S", NULL, NULL },
	{ "F23", ">LOG mandatory on every=once " SINGLE ";=S 0.5;+1;>LOG advisory on every=once " SINGLE ";=S 0.5", "S",
	  NULL, NULL },
	{ "F24", ">LOG mandatory on every=once " ALL ";=A 0.5;=B 0.5;+9;=A 0.5;=C 0.5", "A", NULL, NULL },
	{ "F25", ">LOG mandatory on every=once " ALL ";=A 0.5;=B 0.5;+9;=A 0.5;=C 0.5", "C", "0x0000000f",
	  "once also holds for newcomers: C is logged once" },
	{ "F26", ">LOG mandatory on every=once " ALL ";=A 0.5;=B 0.5;+9;=A 0.5;=C 0.5", "B", NULL, NULL },
	{ "F27", ">LOG mandatory on every=once " SINGLE ";+9", "S", NULL, NULL },
	{ "F28", ">LOG mandatory on every=once " ALL ";+9", "A", NULL, NULL },
	{ "F29", ">LOG mandatory on every=once " ALL ";=A 0.5;>LOG mandatory on every=once " ONE("A") ";+1;=A 0.5", "A",
	  NULL, NULL },
	{ "F30", ">LOG mandatory on every=500ms " ALL ";=A 0.5;=B 0.5;+0.4;=A 0.5", "B", NULL, NULL },
	{ "F31", ">LOG mandatory on every=500ms " ALL ";=A 0.5;=B 0.5;+0.4;=A 0.5", "C", NULL, NULL },
	{ "F32", ">LOG mandatory on every=500ms " ALL ";=A 0.5;=B 0.5;+2;=A 0.5;=C 0.5", "B", NULL, NULL },
	{ "F33", ">LOG mandatory on every=500ms " ALL ";=A 0.5;=B 0.5;+2;=A 0.5;=C 0.5", "C", NULL, NULL },
	{ "F34", ">LOG mandatory on every=500ms " ALL ";=A 0.5;=B 0.5;+2;=A 0.5;+0.2", "B", NULL, NULL },
	{ "F35", ">LOG mandatory on every=500ms " ALL ";=A 0.5;=B 0.5;+2;=A 0.5;+0.5;=B 0.5", "B", NULL, NULL },
	{ "F36", ">LOG mandatory on every=500ms " ONE("B") ";=B 0.5;+2", "B", NULL, NULL },
	{ "F37", ">LOG mandatory on every=500ms " ONE("B") ";=B 0.5;+2;=B 0.5", "B", NULL, NULL },
	{ "F38", ">LOG mandatory on every=500ms " SINGLE ";=S 0.5;+0.4", "S", NULL, NULL },
	{ "F39", ">LOG mandatory on every=500ms " SINGLE ";=S 0.5;+2", "S", NULL, NULL },
	{ "F40", NULL, NULL, NULL,
	  "a value set with an error code: our replies have a line for each instance, or none at all" },
	{ "F41", ">LOG mandatory on every=1s " SINGLE ";=S 1;+3", "S", NULL, NULL },
	{ "F42", ">LOG mandatory on every=1s " SINGLE ";=S 1;+3;=S 1", "S", NULL, NULL },
	{ "F43", ">LOG mandatory on every=500ms " SINGLE ";=S 0.5;+2", "S", NULL, NULL },
	{ "F44", NULL, NULL, NULL, "as F40; there is no collector daemon beside collectd itself" },
	{ "F45", ">LOG mandatory on every=500ms " SINGLE ";=S 0.5;+4;=S 0.5", "S", NULL, NULL },
	{ "F46", ">LOG mandatory on every=500ms " SINGLE ";+9", "S", NULL, NULL },
	{ "F47", ">LOG mandatory on every=500ms " ALL ";>ENQUIRE " ALL, "none", "none", NULL },
	{ "F48", ">LOG mandatory on every=500ms " ALL ";+9;=A 0.5", "A", NULL, NULL },
	{ "F50", ">LOG mandatory on every=500ms " ALL ";=A 0.5;>LOG mandatory off " ALL ";+9", "A", NULL, NULL },
	{ "F51", ">LOG mandatory on every=500ms " ALL ";=B 0.5;+2;>LOG mandatory off " ALL ";+9", "B", NULL, NULL },
	{ "F52", ">LOG mandatory on every=500ms " ALL ";=B 0.5;+2;>LOG mandatory off " ALL ";+9;=B 0.5", "B", NULL,
	  NULL },
	{ "F53", ">LOG advisory on every=500ms " SINGLE ";=S 0.5;>LOG advisory off " SINGLE, "S", NULL, NULL },
	{ "F54", ">LOG mandatory on every=500ms " SINGLE ";=S 0.5;>LOG mandatory maybe " SINGLE, "S", NULL, NULL },
	{ "F55", ">LOG mandatory on every=1s " SINGLE ";=S 1;>LOG mandatory on every=5s " SINGLE, "reply", NULL, NULL },
	{ "F56", ">LOG mandatory on every=500ms " ALL ";=A 0.5;=B 0.5;+2;=A 0.5;>LOG mandatory on every=1s " ALL,
	  "lines", "2", "replies to LOG list whatever was seen within HistoryTimeout, the departed B too" },
	{ "F57", "", "A", NULL, NULL },
	{ "F58", ">LOG mandatory on every=1s " ALL, "A", NULL, NULL },
	{ "F60", NULL, NULL, NULL, "there are no archive volumes" },
	{ "F61", "", "S", NULL, NULL },
	{ "F62", NULL, NULL, NULL,
	  "the meaning of printed marks; avail without inlog cannot occur here either (model_test)" },
	{ "F63", NULL, NULL, NULL, "the order inside one fetch; values come one by one here" },
	{ "F70", ">LOG mandatory on every=1s " ALL ";=A 1;=B 1;=C 1;=D 1;=E 1", "E", "0x00003e8f",
	  "every instance is marked with its own first value" },
	{ "F71", ">LOG mandatory on every=once " ALL ";=A 1;=B 1;=C 1;=D 1;=E 1", "E", "0x0000000f", "as F70" },
};

#define N_STORIES (sizeof(stories) / sizeof(stories[0]))

static void name_of(char letter, char out[32])
{
	if (letter == 'S')
		strcpy(out, "h/m/gauge");
	else
		snprintf(out, 32, "h/m-%c/gauge", letter);
}

static void tell(struct lab *lab, const char *text)
{
	char copy[1024], name[32], *save = NULL;
	snprintf(copy, sizeof(copy), "%s", text);
	for (char *step = strtok_r(copy, ";", &save); step != NULL; step = strtok_r(NULL, ";", &save)) {
		if (step[0] == '>') {
			lab_ask(lab, "%s", step + 1);
		} else if (step[0] == '+') {
			lab_advance(lab, atof(step + 1));
		} else {
			name_of(step[1], name);
			lab_gauge(lab, name, atof(step + 3), 1);
		}
	}
}

/* The word, or what else the story is about. */
static void outcome(struct lab *lab, const char *asked, char out[32])
{
	char name[32];
	if (strcmp(asked, "reply") == 0) {
		snprintf(out, 32, "%s", lab_word(lab, 1, 2));
	} else if (strcmp(asked, "none") == 0) {
		snprintf(out, 32, "%s", lab_word(lab, 1, 1));
	} else if (strcmp(asked, "lines") == 0) {
		snprintf(out, 32, "%s", lab_word(lab, 0, 0));
	} else {
		name_of(asked[0], name);
		lab_ask(lab, "ENQUIRE \"%s\"", name);
		snprintf(out, 32, "%s", lab_word(lab, 1, 2));
	}
}

static bool passes(const struct story *s, const char *peer_word)
{
	struct lab lab;
	char       got[32];
	lab_open(&lab, (struct held){ 0 });
	tell(&lab, s->text);
	outcome(&lab, s->asked, got);
	lab_close(&lab);
	const char *expected = s->differs != NULL ? s->differs : peer_word;
	if (strcmp(got, expected) != 0)
		print_message("%s: %s, expected %s\n", s->id, got, expected);
	return strcmp(got, expected) == 0;
}

static void flags__every_row__is_as_the_peers_or_differs_by_design(void **state)
{
	char   line[1024];
	size_t rows = 0, passed = 0, differing = 0, without = 0;
	FILE  *f = fopen(SRCDIR "/tests/conformance/flags.tsv", "r");
	(void)state;
	assert_non_null(f);
	assert_non_null(fgets(line, sizeof(line), f));
	for (; fgets(line, sizeof(line), f) != NULL; rows++) {
		char *rest = line, *cell[8];
		for (int i = 0; i < 8; i++)
			cell[i] = strsep(&rest, "\t");
		assert_true(rows < N_STORIES);
		const struct story *s = &stories[rows];
		assert_string_equal(cell[0], s->id);
		if (s->asked == NULL) {
			without++;
			print_message("%s has no counterpart: %s\n", s->id, s->why);
			continue;
		}
		if (s->why != NULL) {
			differing++;
			print_message("%s differs by design: %s\n", s->id, s->why);
		}
		passed += passes(s, cell[7]);
	}
	fclose(f);
	print_message("flags.tsv: %zu rows, %zu passed, %zu of them differing by design, %zu without counterpart\n",
		      rows, passed, differing, without);
	assert_int_equal(rows, N_STORIES);
	assert_int_equal(passed + without, rows);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(flags__every_row__is_as_the_peers_or_differs_by_design),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
