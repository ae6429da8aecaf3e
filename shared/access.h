/*
 * access - who may do what on the socket (specification section 12).
 *
 * Role     the lines of <Access>, and the rights that they give to a caller.  Fail-closed: once an <Access> block was seen,
 *          however broken, only lines that are right in full give rights.
 * Threads  built by one thread at configuration, then constant.  access_add() asks the directory service for names (at
 *          start only); access_rights() asks nobody.
 */
#ifndef LC_ACCESS_H
#define LC_ACCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "buf.h"
#include "err.h"

enum right { RIGHT_ENQUIRE = 1, RIGHT_ADVISORY = 2, RIGHT_MANDATORY = 4, RIGHT_ALL = 7 };

struct access;

struct access *access_new(void); /* NULL: no memory */
void           access_free(struct access *a);
/* An <Access> block was seen: the socket's mode alone no longer gives rights. */
void           access_close(struct access *a);
enum access_kind { ACCESS_USER, ACCESS_GROUP, ACCESS_OTHER };
/* Adds a line; `name` is a user or group by name or number (NULL for ACCESS_OTHER), `words` are "enquire", "advisory",
 * "mandatory", "all", "none".  Any unknown word, user or group: ERR_INVAL, and the line gives no right at all; nor does it
 * after ERR_NOMEM. */
enum err access_add(struct access *a, enum access_kind kind, const char *name, const char *const *words, size_t n,
		    struct why *why);

/* Who asks, as the kernel told at accept. */
struct caller {
	uid_t        uid;
	gid_t        gid;
	pid_t        pid;
	const gid_t *groups; /* supplementary; borrowed */
	size_t       n_groups;
};
/* The union of all lines that match; all rights when no <Access> block was seen, for root and for `daemon_uid`. */
unsigned    access_rights(const struct access *a, const struct caller *caller, uid_t daemon_uid);
/* One line for the start-up log that says who may do what. */
void        access_describe(const struct access *a, struct buf *out);
/* "enquire", "advisory", "mandatory". */
const char *right_name(enum right r);

#endif
