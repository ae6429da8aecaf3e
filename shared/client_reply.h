/*
 * client_reply - the client library's side of a reply: bytes as they arrive -> lines -> status.
 *
 * Role     pure; what the fuzzer feeds.  Trusts nothing that the bytes say: memory grows with what has arrived,
 *          not with a number that was announced.
 * Threads  one at a time.
 * Owns     a struct intake its bytes, until intake_finish() turns them into a reply.
 * Errors   0 or minus an errno value, as in log_control.h.
 */
#ifndef LC_CLIENT_REPLY_H
#define LC_CLIENT_REPLY_H

#include <stdbool.h>
#include <stddef.h>

#include "buf.h"
#include "log_control.h"

#define REPLY_MAX_BYTES ((size_t)1 << 30)
#define REPLY_MAX_LINE  ((size_t)8 << 20) /* RULES shows a request of 1 MiB, escaped twice */

/* A reply as it arrives. */
struct intake {
	struct buf bytes;
	size_t     checked;    /* of `bytes`: no line end behind the last of `n_ends` and before this */
	size_t     line_start; /* of the line that is not complete yet */
	size_t     n_ends;     /* complete lines, the first one included */
	int        number;     /* of the first line, once n_ends > 0 */
};

#define INTAKE_INIT ((struct intake){ BUF_INIT, 0, 0, 0, 0 })

/* Adds bytes.  -EPROTO: no reply, or more than the reply; -EMSGSIZE: over a limit; -ENOMEM. */
int              intake_add(struct intake *in, const char *bytes, size_t len);
bool             intake_is_whole(const struct intake *in);
void             intake_fini(struct intake *in);
/* A whole reply, which takes over the bytes; NULL: no memory (`in` stays as it is). */
struct lc_reply *intake_finish(struct intake *in);

/* As lc_reply_status(), with elements of several selectors each: `n_selectors` has one number for each element, or is
 * NULL (one selector for each).  Takes `reply` over. */
int reply_to_status(struct lc_reply *reply, const size_t *n_selectors, size_t n_elements, struct lc_status **status);

#endif
