/* input - see input.h. */
#include "input.h"

#include <errno.h>
#include <histedit.h>
#include <stdlib.h>
#include <string.h>

#include "script.h"

static void each_statement(void *ctx, const struct statement *s, unsigned line, const char *error)
{
	struct run *run = ctx;
	if (s == NULL)
		run_bad_statement(run, line, error);
	else if (!run->is_over)
		run_statement(run, s, line);
}

static size_t without_end(const char *line, size_t len)
{
	return len > 0 && line[len - 1] == '\n' ? len - 1 : len;
}

int input_file(struct run *run, FILE *file, bool dry_run)
{
	struct script script = SCRIPT_INIT;
	char         *line = NULL;
	size_t        size = 0;
	ssize_t       len = 0;
	script.dry_run = dry_run;
	errno = 0;
	while (!run->is_over && (len = getline(&line, &size, file)) >= 0)
		script_line(&script, line, without_end(line, (size_t)len), each_statement, run);
	int err = ferror(file) || (len < 0 && !feof(file)) ? errno : 0;
	if (!run->is_over)
		script_end(&script, each_statement, run);
	script_fini(&script);
	free(line);
	return err;
}

/* ---- terminal ---- */

struct terminal {
	EditLine     *edit;
	History      *history;
	struct script script;
};

static char *prompt(EditLine *edit)
{
	static char      first[] = "logctl> ", more[] = "   ...> "; /* constant; libedit's type has no const */
	struct terminal *t = NULL;
	el_get(edit, EL_CLIENTDATA, &t);
	return script_is_open(&t->script) ? more : first;
}

static bool terminal_open(struct terminal *t)
{
	HistEvent event;
	t->edit = el_init("collectd-logctl", stdin, stdout, stderr);
	t->history = history_init();
	if (t->edit == NULL || t->history == NULL)
		return false;
	history(t->history, &event, H_SETSIZE, 500);
	history(t->history, &event, H_SETUNIQUE, 1);
	el_set(t->edit, EL_CLIENTDATA, t);
	el_set(t->edit, EL_PROMPT, prompt);
	el_set(t->edit, EL_EDITOR, "emacs");
	el_set(t->edit, EL_HIST, history, t->history);
	el_source(t->edit, NULL);
	return true;
}

static void terminal_close(struct terminal *t)
{
	if (t->history != NULL)
		history_end(t->history);
	if (t->edit != NULL)
		el_end(t->edit);
	script_fini(&t->script);
}

int input_terminal(struct run *run, bool dry_run)
{
	struct terminal t = { NULL, NULL, SCRIPT_INIT };
	const char     *line;
	int             len;
	t.script.dry_run = dry_run;
	if (!terminal_open(&t)) {
		terminal_close(&t);
		return input_file(run, stdin, dry_run);
	}
	while (!run->is_over && (line = el_gets(t.edit, &len)) != NULL && len > 0) {
		HistEvent event;
		if (strspn(line, " \t\n") < (size_t)len)
			history(t.history, &event, H_ENTER, line);
		script_line(&t.script, line, without_end(line, (size_t)len), each_statement, run);
	}
	if (!run->is_over)
		putchar('\n');
	script_end(&t.script, each_statement, run);
	terminal_close(&t);
	return 0;
}
