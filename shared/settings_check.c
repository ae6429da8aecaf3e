/* settings_check - what can only be judged after the last block; see settings.h. */
#include <stdlib.h>
#include <string.h>

#include "hints.h"
#include "settings_internal.h"

/* MinInterval may come after the blocks that it limits. */
static void check_deltas(struct settings *s, report_fn *report, void *ctx)
{
	size_t kept = 0;
	for (size_t i = 0; i < s->n_logs; i++) {
		struct why why, line;
		if (ask_check(&s->logs[i].ask, s->min_ms, &why) == OK) {
			s->logs[kept++] = s->logs[i];
			continue;
		}
		why_set(&line, ERR_INVAL, "log_control: <Log> block %u: Every: %s; the block is left out",
			s->logs[i].number, why.text);
		report(ctx, SEVERITY_ERROR, line.text);
		strings_free(s->logs[i].metrics, s->logs[i].n_metrics);
	}
	s->n_logs = kept;
}

static void check_default(struct settings *s, report_fn *report, void *ctx)
{
	struct ask ask = { .state = s->def.on ? STATE_ON : STATE_OFF, .delta = { s->def.kind, s->def.ms } };
	struct why why, line;
	if (ask_check(&ask, s->min_ms, &why) == OK)
		return;
	why_set(&line, ERR_INVAL, "log_control: <Plugin>: Default: %s; the default stays \"advisory on native\"",
		why.text);
	report(ctx, SEVERITY_ERROR, line.text);
	s->def = HELD_DEFAULT;
}

/* The same as hint=rrd_step of a reply to LOG. */
static void warn_rrd_step(const struct settings *s, report_fn *report, void *ctx)
{
	for (size_t i = 0; i < s->n_logs && s->rrd_writer != NULL; i++) {
		const struct ask *ask = &s->logs[i].ask;
		struct why        line;
		if (ask->state != STATE_ON || ask->delta.kind != DELTA_EVERY || ask->delta.ms >= HINT_RRD_STEP_MS)
			continue;
		why_set(&line, OK,
			"log_control: <Log> block %u: Every \"%s\": the plugin %s takes one value a second at most, "
			"and makes "
			"no file for an interval below 0.5 s; write 1 or more where it is to follow",
			s->logs[i].number, delta_format(ask->delta).text, s->rrd_writer);
		report(ctx, SEVERITY_WARNING, line.text);
	}
}

enum err settings_check(struct settings *s, report_fn *report, void *ctx)
{
	check_deltas(s, report, ctx);
	warn_rrd_step(s, report, ctx);
	check_default(s, report, ctx);
	if (s->n_bypass > 0 && s->placement != PLACE_POSTCACHE) {
		report(ctx, SEVERITY_ERROR,
		       "log_control: <Plugin>: Bypass works with Chain \"PostCache\" only and is ignored; set Chain "
		       "\"PostCache\" "
		       "or take Bypass out");
		strings_free(s->bypass, s->n_bypass);
		s->bypass = NULL;
		s->n_bypass = 0;
	}
	if (s->socket_file == NULL)
		s->socket_file = strdup(SETTINGS_SOCKET_FILE);
	return s->socket_file == NULL ? ERR_NOMEM : OK;
}
