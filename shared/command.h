/*
 * command - the commands of the socket: one table dispatches, answers HELP, feeds the manual and the tests of rights.
 *
 * Role     line -> words -> typed request -> logger -> reply.  Rows: command.def.
 * Threads  one at a time for each reply; the logger takes its own locks.
 * Owns     a reply owns what it still has to say: 16 bytes a metric instance, not its text.
 * Errors   every failure is a reply: one line, minus errno and a sentence.
 */
#ifndef LC_COMMAND_H
#define LC_COMMAND_H

#include <stdbool.h>
#include <stddef.h>

#include "access.h"
#include "logger.h"

/* What a command needs beside its words. */
struct session {
	struct logger            *logger;
	const struct caller      *caller;
	unsigned                  rights; /* RIGHT_* */
	const struct stat_source *extra;  /* more lines for STATUS; NULL: none */
};

/* Lines for STATUS from parts that shared/ does not know (clients, uptime, version, driver); `fn` adds name=value lines. */
struct stat_source {
	void (*fn)(void *ctx, struct buf *out);
	void *ctx;
};

struct reply;

/* Runs one line (no LF; it is rewritten).  Never NULL: without memory it is a static reply that says so.  An empty line gives
 * a reply of no bytes. */
struct reply *command_run(const struct session *session, char *line, size_t len, const struct now *now);

/* Writes the next piece of the reply, at most `size` bytes, and returns their number; 0: it is over.  A piece is a bounded
 * amount of work, so it may be short.  `now` is for flags. */
size_t        reply_read(struct reply *r, char *out, size_t size, const struct now *now);
/* All was said, or it is cut. */
bool          reply_is_over(const struct reply *r);
/* Memory ran out after the first line had promised more: the rest cannot be said, so the connection has to end. */
bool          reply_is_cut(const struct reply *r);
/* By the thread that made it, where it may be the static one; NULL is fine. */
void          reply_free(struct reply *r);
/* For the log, when a change was accepted: what was asked, escaped, at most 300 characters; NULL: nothing to log. */
const char   *reply_audit(const struct reply *r);
/* A reply of one line, for errors the listener finds itself (line too long, too many clients). */
struct reply *reply_error(enum err e, const char *text);

/* The table, for HELP, the manual and tests. */
enum arity { ARITY_ANY = -1 };
enum needs { NEEDS_NOTHING, NEEDS_ENQUIRE, NEEDS_BY_CONTROL, NEEDS_BY_ENTRY };
struct command {
	const char *verb;
	int         min_words, max_words; /* beside the verb; ARITY_ANY: no limit */
	enum needs  needs;
	const char *usage;   /* the line that HELP and the manual print */
	const char *summary; /* one sentence */
};
size_t                command_count(void);
const struct command *command_at(size_t i);

#endif
