/*
 * command_internal - what the files of the commands share; nobody else includes it.
 *
 * Role     command.c dispatches, tells of the plugin itself and has the common steps; command_log.c: LOG and ENQUIRE; command_rules.c:
 *          EXPLAIN, RULES and FORGET.
 */
#ifndef LC_COMMAND_INTERNAL_H
#define LC_COMMAND_INTERNAL_H

#include "command.h"
#include "reply.h"
#include "request.h"

/* What a handler works with.  It fills the reply, or says why not. */
struct call {
	const struct session *session;
	struct request        request;
	const struct now     *now;
	struct reply         *reply;
	struct why            why;
};

typedef enum err handler_fn(struct call *c);

#define COMMAND(verb, handler, min, max, needs, usage, summary) handler_fn run_##handler;
#include "command.def"
#undef COMMAND

/* ERR_NOMEM and its sentence. */
enum err call_no_memory(struct call *c);
/* ERR_DENIED, with the right that is missing and who lacks it; `what` is what needs it. */
enum err call_check_right(struct call *c, enum right right, const char *what);
/* Parses words[from..] as selectors, at least one.  On success *list and its references are the caller's, or the logger's that takes them over. */
enum err call_selectors(struct call *c, size_t from, struct selector ***list, size_t *n);
/* A boolean option; left alone when absent. */
enum err call_flag(struct call *c, const char *name, bool *out);
/* Keeps the text of an accepted change for the log: what was asked, at most 300 characters; `id` of the new entry, or 0. */
void     call_audit(struct call *c, uint64_t id);

#endif
