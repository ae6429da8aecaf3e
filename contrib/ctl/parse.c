/* parse - see parse.h. */
#include "parse.h"

#include <string.h>
#include <strings.h>

#include "control.h"

static const struct word *next_word(const struct parse *p)
{
	return p->next < p->words->n ? &p->words->list[p->next] : NULL;
}

/* ---- selectors ---- */

static enum err not_a_selector(struct parse *p, const struct word *word)
{
	return why_set(p->why, ERR_INVAL,
		       "%s is no selector; one has the form HOST/PLUGIN/TYPE or PLUGIN/TYPE, as web1/load/load or "
		       "cpu-*/cpu-idle",
		       excerpt_of(word->text, word->len).text);
}

/* Two or three parts, none of them empty: what only a slip of the pen breaks.  The daemon checks the rest. */
static bool has_selector_form(const struct word *word)
{
	size_t parts = 1, part_len = 0;
	for (size_t i = 0; i < word->len; i++) {
		bool is_slash = word->text[i] == '/';
		if (is_slash && part_len == 0)
			return false;
		parts += is_slash;
		part_len = is_slash ? 0 : part_len + 1;
	}
	return part_len > 0 && (parts == 2 || parts == 3);
}

static enum err add_selector(struct parse *p, const struct word *word)
{
	struct statement *s = p->statement;
	if ((word->kind != WORD_PLAIN && word->kind != WORD_QUOTED) || !has_selector_form(word))
		return not_a_selector(p, word);
	buf_addc(&s->command, ' ');
	buf_add_quoted(&s->command, word->text, word->len);
	buf_add(&s->selectors, word->text, word->len + 1);
	s->n_selectors++;
	return OK;
}

/* A list in braces, its { just read. */
static enum err list_read(struct parse *p)
{
	size_t before = p->statement->n_selectors;
	for (const struct word *w = next_word(p); w != NULL; w = next_word(p)) {
		p->next++;
		if (w->kind == WORD_CLOSE && p->statement->n_selectors > before)
			return OK;
		if (w->kind == WORD_CLOSE)
			return why_set(p->why, ERR_INVAL, "the list { } is empty; name at least one selector in it");
		enum err err = add_selector(p, w);
		if (err != OK)
			return err;
	}
	p->is_open = true;
	return OK;
}

static bool is_selector_like(const struct word *word)
{
	return word->kind == WORD_OPEN || word->kind == WORD_QUOTED ||
	       (word->kind == WORD_PLAIN && strchr(word->text, '/') != NULL);
}

static enum err selectors_read(struct parse *p)
{
	const struct word *w = next_word(p);
	p->next++;
	return w->kind == WORD_OPEN ? list_read(p) : add_selector(p, w);
}

/* NAME=VALUE goes to the daemon as it is. */
static enum err option_read(struct parse *p)
{
	const struct word *w = next_word(p);
	p->next++;
	buf_addc(&p->statement->command, ' ');
	buf_add(&p->statement->command, w->text, w->name_len + 1);
	buf_add_quoted(&p->statement->command, w->text + w->name_len + 1, w->len - w->name_len - 1);
	return OK;
}

/* ---- log ---- */

static bool option_is(const struct word *w, const char *name)
{
	return w->name_len == strlen(name) && strncasecmp(w->text, name, w->name_len) == 0;
}

static enum err for_read(struct parse *p)
{
	if (p->has_for)
		return why_set(p->why, ERR_INVAL, "the time limit (for) is given twice; give it once");
	p->has_for = true;
	return parse_duration(p, "for");
}

/* every=D and for=D count as `every D` and `for D`. */
static enum err log_option_read(struct parse *p)
{
	const struct word *w = next_word(p);
	bool               every = option_is(w, "every"), until = option_is(w, "for");
	if ((every && p->has_every) || (until && p->has_for))
		return why_set(p->why, ERR_INVAL, "%.*s is given twice; give it once", (int)w->name_len, w->text);
	p->has_every |= every;
	p->has_for |= until;
	return option_read(p);
}

static enum err log_word_read(struct parse *p, enum state state)
{
	const struct word *w = next_word(p);
	if (w->kind == WORD_OPTION)
		return log_option_read(p);
	if (is_selector_like(w))
		return selectors_read(p);
	if (word_is(w, "for")) {
		p->next++;
		return for_read(p);
	}
	bool every = word_is(w, "every");
	if (!every && !word_is(w, "default") && !parse_is_interval(w))
		return not_a_selector(p, w);
	if (state != STATE_ON)
		return why_set(p->why, ERR_INVAL, "%s stands behind %s; only `on` has an interval",
			       excerpt_of(w->text, w->len).text, state_name(state));
	p->next += every;
	return parse_every(p);
}

/* Control and state, the two words that every log statement begins with. */
static enum err ask_read(struct parse *p, enum control *control, enum state *state)
{
	const struct word *w = next_word(p);
	if (w != NULL && !(w->kind == WORD_PLAIN && control_parse(w->text, w->len, control)))
		return why_set(p->why, ERR_INVAL, "%s is no control; write mandatory or advisory",
			       excerpt_of(w->text, w->len).text);
	p->next += w != NULL;
	w = next_word(p);
	if (w != NULL && !(w->kind == WORD_PLAIN && state_parse(w->text, w->len, state)))
		return why_set(p->why, ERR_INVAL, "%s is no state; write on, off or maybe",
			       excerpt_of(w->text, w->len).text);
	p->next += w != NULL;
	p->is_open = w == NULL;
	return OK;
}

enum err parse_log(struct parse *p)
{
	enum control control = CONTROL_ADVISORY;
	enum state   state = STATE_ON;
	enum err     err = ask_read(p, &control, &state);
	if (err != OK || p->is_open)
		return err;
	if (control == CONTROL_ADVISORY && state == STATE_MAYBE)
		return why_set(p->why, ERR_INVAL,
			       "there is no advisory maybe; maybe takes back a mandatory: write mandatory maybe");
	buf_addf(&p->statement->command, "LOG %s %s%s", control_name(control), state_name(state),
		 p->dry_run ? " dryrun=true" : "");
	while (err == OK && !p->is_open && next_word(p) != NULL)
		err = log_word_read(p, state);
	p->is_open |= p->statement->n_selectors == 0;
	return err;
}

/* ---- query ---- */

static enum err query_word_read(struct parse *p)
{
	static const char *const filters[] = { "mandatory", "advisory", "on", "off", "unavailable" };
	const struct word       *w = next_word(p);
	if (w->kind == WORD_OPTION)
		return option_read(p);
	if (is_selector_like(w))
		return selectors_read(p);
	p->next++;
	if (word_is(w, "count")) {
		buf_adds(&p->statement->command, " count=true");
		return OK;
	}
	for (size_t i = 0; i < sizeof(filters) / sizeof(filters[0]) && p->statement->n_selectors == 0; i++) {
		if (word_is(w, filters[i])) {
			buf_addf(&p->statement->command, " %s", filters[i]);
			return OK;
		}
	}
	return not_a_selector(p, w);
}

enum err parse_query(struct parse *p)
{
	enum err err = OK;
	buf_adds(&p->statement->command, "ENQUIRE");
	while (err == OK && !p->is_open && next_word(p) != NULL)
		err = query_word_read(p);
	p->is_open |= p->statement->n_selectors == 0;
	return err;
}

/* ---- the others ---- */

enum err parse_nothing(struct parse *p)
{
	const struct word *w = next_word(p);
	if (w == NULL)
		return OK;
	return why_set(p->why, ERR_INVAL, "%s stands behind %s, which takes nothing more",
		       excerpt_of(w->text, w->len).text, verb_name(p->statement->verb));
}

enum err parse_explain(struct parse *p)
{
	buf_adds(&p->statement->command, "EXPLAIN");
	p->is_open = next_word(p) == NULL;
	if (p->is_open)
		return OK;
	enum err err = add_selector(p, next_word(p));
	p->next++;
	return err == OK ? parse_nothing(p) : err;
}

enum err parse_forget(struct parse *p)
{
	buf_adds(&p->statement->command, "FORGET");
	p->is_open = next_word(p) == NULL;
	for (const struct word *w = next_word(p); w != NULL; w = next_word(p)) {
		if (w->kind != WORD_PLAIN)
			return why_set(p->why, ERR_INVAL, "%s is no id of a rule; rules lists them in its first column",
				       excerpt_of(w->text, w->len).text);
		buf_addc(&p->statement->command, ' ');
		buf_add_quoted(&p->statement->command, w->text, w->len);
		p->next++;
	}
	return OK;
}

enum err parse_help(struct parse *p)
{
	const struct word *w = next_word(p);
	if (w == NULL)
		return OK;
	enum verb v = verb_find(w);
	if (v == N_VERBS)
		return why_set(p->why, ERR_INVAL, "%s is no command; help lists them",
			       excerpt_of(w->text, w->len).text);
	buf_adds(&p->statement->selectors, verb_name(v));
	p->next++;
	return parse_nothing(p);
}
