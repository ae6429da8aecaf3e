/* driven - see driven.h. */
#include "driven.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "hosttime.h"

#define NAME "log_control"

static int64_t ns_of_ms(uint64_t ms)
{
	return (int64_t)ms * 1000000;
}

void driven_refuse(const struct host *host, const struct source_block *block, const char *cause)
{
	char text[640];
	snprintf(text, sizeof(text), NAME ": <Source \"%s\">: not driven, only gated: %s", block->name, cause);
	host->log(SEVERITY_ERROR, text);
}

bool driven_init(struct driven *s, const struct host *host, const struct source_block *block)
{
	struct why why = { "" };
	char       text[256];
	*s = (struct driven){ .min_ns = ns_of_ms(block->min_ms),
			      .max_ns = ns_of_ms(block->max_ms),
			      .idle_ns = ns_of_ms(block->idle_ms) };
	if (drivable_find(&s->module, block->name, block->force, &why) != OK) {
		driven_refuse(host, block, why.text);
		return false;
	}
	s->name = strdup(block->name);
	if (s->name == NULL) {
		driven_refuse(host, block, "no memory");
		return false;
	}
	if (!s->module.tried) {
		snprintf(text, sizeof(text), NAME ": <Source \"%s\">: driven on your word: AllowUnknown is true",
			 s->name);
		host->log(SEVERITY_WARNING, text);
	}
	return true;
}

/* The source that the block names, in any letter case, once a value has told how it was configured. */
static struct source *find(const struct driven *s, struct logger *lg)
{
	struct sources *all = logger_sources(lg);
	for (size_t i = 0; i < sources_count(all); i++) {
		struct source *source = sources_at(all, i);
		if (atomic_load(&source->configured_ns) > 0 && strcasecmp(source->name, s->name) == 0)
			return source;
	}
	return NULL;
}

static bool adopt(struct driven *s, struct logger *lg)
{
	struct source *source = s->lost ? NULL : find(s, lg);
	if (source == NULL || (s->context = strdup(source->name)) == NULL)
		return false;
	int64_t configured_ns = atomic_load(&source->configured_ns);
	plan_init(&s->plan, configured_ns);
	atomic_store(&source->present_ns, configured_ns);
	atomic_store(&source->driven, true);
	s->source = source;
	return true;
}

struct survey {
	struct needs needs;
	int64_t      configured_ns;
};

static void add_need(void *ctx, struct held held, bool once_to_come)
{
	struct survey *s = ctx;
	planner_add_need(&s->needs, held, once_to_come, s->configured_ns);
}

bool driven_plan(struct driven *s, struct logger *lg, bool never_slower, int64_t now_ns)
{
	if (s->source == NULL && !adopt(s, lg))
		return true;
	struct survey survey = { .configured_ns = atomic_load(&s->source->configured_ns) };
	if (!logger_each_need(lg, s->source, add_need, &survey))
		return false;
	struct limits limits = { survey.configured_ns, s->min_ns, s->max_ns, s->idle_ns, never_slower };
	plan_follow(&s->plan, planner_interval(&survey.needs, &limits), now_ns);
	return true;
}

bool driven_is_due(const struct driven *s)
{
	return s->source != NULL && s->plan.interval_ns != atomic_load(&s->source->present_ns);
}

int64_t driven_plan_due_ns(const struct driven *s)
{
	return s->source == NULL ? INT64_MAX : plan_due_ns(&s->plan);
}

/* Back at its configured interval a source keeps its pace until every native instance has had a value: the one that comes with the
 * change itself is off their grid. */
void driven_rest(struct driven *s, int64_t now_ns)
{
	if (s->source == NULL || atomic_load(&s->source->pace_ns) == 0)
		return;
	int64_t configured_ns = atomic_load(&s->source->configured_ns);
	if (atomic_load(&s->source->present_ns) >= configured_ns &&
	    now_ns - s->changed_ns > configured_ns + configured_ns / 2)
		source_set_pace(s->source, 0);
}

static void lose(struct driven *s)
{
	source_set_pace(s->source, 0);
	atomic_store(&s->source->driven, false);
	s->source = NULL;
	s->lost = true;
}

/* The pace is set before the first value that needs it can come. */
void driven_change(struct driven *s, int64_t now_ns)
{
	int64_t configured_ns = atomic_load(&s->source->configured_ns);
	s->before_ns = atomic_load(&s->source->present_ns);
	s->changed_ns = now_ns;
	if (s->plan.interval_ns < configured_ns || s->before_ns < configured_ns)
		source_set_pace(s->source, configured_ns);
	if (drivable_register(&s->module, s->context, host_of_ns(s->plan.interval_ns))) {
		atomic_store(&s->source->present_ns, s->plan.interval_ns);
		atomic_fetch_add(&s->source->changes, 1);
	} else {
		lose(s);
	}
}
