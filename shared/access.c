/* access - see access.h; specification section 12. */
#include "access.h"

#include <errno.h>
#include <grp.h>
#include <pwd.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

struct line {
	enum access_kind kind;
	char            *name; /* as written; NULL for Other */
	uint32_t         id;   /* uid or gid */
	unsigned         rights;
};

struct access {
	bool         closed; /* a block was seen */
	size_t       n;
	struct line *lines;
};

static const struct {
	const char *name;
	unsigned    rights;
} words_known[] = {
	{ "enquire", RIGHT_ENQUIRE },
	{ "advisory", RIGHT_ADVISORY },
	{ "mandatory", RIGHT_MANDATORY },
	{ "all", RIGHT_ALL },
	{ "none", 0 },
};

#define N_WORDS (sizeof(words_known) / sizeof(words_known[0]))

const char *right_name(enum right r)
{
	for (size_t i = 0; i < N_WORDS; i++) {
		if (words_known[i].rights == (unsigned)r)
			return words_known[i].name;
	}
	return "several";
}

struct access *access_new(void)
{
	return calloc(1, sizeof(struct access));
}

void access_free(struct access *a)
{
	if (a == NULL)
		return;
	for (size_t i = 0; i < a->n; i++)
		free(a->lines[i].name);
	free(a->lines);
	free(a);
}

void access_close(struct access *a)
{
	a->closed = true;
}

static enum err rights_read(const char *const *words, size_t n, unsigned *rights, struct why *why)
{
	if (n == 0)
		return why_set(why, ERR_INVAL, "no right is named; write enquire, advisory, mandatory, all or none");
	for (size_t w = 0; w < n; w++) {
		size_t i = 0;
		while (i < N_WORDS && strcasecmp(words_known[i].name, words[w]) != 0)
			i++;
		if (i == N_WORDS)
			return why_set(why, ERR_INVAL,
				       "%s is no right; write enquire, advisory, mandatory, all or none; quote a name "
				       "with a hyphen (this "
				       "line gives no right)",
				       excerpt_of(words[w], strlen(words[w])).text);
		*rights |= words_known[i].rights;
	}
	return OK;
}

static bool number_read(const char *name, uint32_t *id)
{
	char *end;
	if (name[0] < '0' || name[0] > '9')
		return false;
	errno = 0;
	unsigned long long n = strtoull(name, &end, 10);
	if (errno != 0 || *end != '\0' || n >= UINT32_MAX)
		return false;
	*id = (uint32_t)n;
	return true;
}

/* Looks a name up in the directory; `kind` says which one.  The buffer grows until the entry fits. */
static enum err name_read(enum access_kind kind, const char *name, uint32_t *id)
{
	bool found = false;
	for (size_t size = 1024; size <= (size_t)1 << 20; size *= 2) {
		char         *space = malloc(size);
		struct passwd user, *u = NULL;
		struct group  group, *g = NULL;
		if (space == NULL)
			return ERR_NOMEM;
		int status = kind == ACCESS_USER ? getpwnam_r(name, &user, space, size, &u)
						 : getgrnam_r(name, &group, space, size, &g);
		found = u != NULL || g != NULL;
		if (found)
			*id = u != NULL ? u->pw_uid : g->gr_gid;
		free(space);
		if (status != ERANGE)
			break;
	}
	return found ? OK : ERR_INVAL;
}

static enum err no_memory(struct why *why)
{
	return why_set(why, ERR_NOMEM, "out of memory (this line gives no right)");
}

static enum err id_read(enum access_kind kind, const char *name, uint32_t *id, struct why *why)
{
	enum err err = kind == ACCESS_OTHER || number_read(name, id) ? OK : name_read(kind, name, id);
	if (err == OK)
		return OK;
	if (err == ERR_NOMEM)
		return no_memory(why);
	return why_set(why, ERR_INVAL,
		       "%s %s is not known here; write its name as the system knows it, or its number; quote a name "
		       "with a hyphen "
		       "(this line gives no right)",
		       kind == ACCESS_USER ? "user" : "group", excerpt_of(name, strlen(name)).text);
}

enum err access_add(struct access *a, enum access_kind kind, const char *name, const char *const *words, size_t n,
		    struct why *why)
{
	struct line line = { .kind = kind };
	access_close(a); /* a broken line of a block is still a block */
	enum err err = rights_read(words, n, &line.rights, why);
	if (err == OK)
		err = id_read(kind, name, &line.id, why);
	if (err != OK)
		return err;
	line.name = name == NULL ? NULL : strdup(name);
	struct line *lines = realloc(a->lines, (a->n + 1) * sizeof(*lines));
	if (lines != NULL)
		a->lines = lines;
	if (lines == NULL || (name != NULL && line.name == NULL)) {
		free(line.name);
		return no_memory(why);
	}
	a->lines[a->n++] = line;
	return OK;
}

static bool is_member(const struct caller *c, gid_t gid)
{
	if (c->gid == gid)
		return true;
	for (size_t i = 0; i < c->n_groups; i++) {
		if (c->groups[i] == gid)
			return true;
	}
	return false;
}

static bool matches(const struct line *l, const struct caller *c)
{
	switch (l->kind) {
	case ACCESS_USER:
		return l->id == c->uid;
	case ACCESS_GROUP:
		return is_member(c, l->id);
	case ACCESS_OTHER:
		return true;
	}
	return false;
}

unsigned access_rights(const struct access *a, const struct caller *caller, uid_t daemon_uid)
{
	unsigned rights = 0;
	if (!a->closed || caller->uid == 0 || caller->uid == daemon_uid)
		return RIGHT_ALL;
	for (size_t i = 0; i < a->n; i++) {
		if (matches(&a->lines[i], caller))
			rights |= a->lines[i].rights;
	}
	return rights;
}

static void describe_line(const struct line *l, struct buf *out)
{
	static const char *const kinds[] = {
		[ACCESS_USER] = "user ", [ACCESS_GROUP] = "group ", [ACCESS_OTHER] = "others"
	};
	buf_addf(out, "; %s%s:", kinds[l->kind], l->name == NULL ? "" : l->name);
	if (l->rights == 0)
		buf_adds(out, " nothing");
	for (unsigned r = RIGHT_ENQUIRE; r <= RIGHT_MANDATORY; r <<= 1) {
		if ((l->rights & r) != 0)
			buf_addf(out, " %s", right_name((enum right)r));
	}
}

void access_describe(const struct access *a, struct buf *out)
{
	if (!a->closed) {
		buf_adds(out, "whoever may connect to the socket may do all (no <Access> block)");
		return;
	}
	buf_adds(out, "root and the daemon's user: all");
	for (size_t i = 0; i < a->n; i++)
		describe_line(&a->lines[i], out);
}
