/* source - see source.h. */
#include "source.h"

#include <stdlib.h>
#include <string.h>

#include "lock.h"

/* A daemon has some dozens of sources, and each is looked up once a newcomer: a list will do. */
struct sources {
	pthread_mutex_t lock; /* guards the list, not the records */
	size_t          n, size;
	struct source **list;
	_Atomic size_t  n_paced; /* sources whose pace is not 0 */
};

struct sources *sources_new(void)
{
	struct sources *s = calloc(1, sizeof(*s));
	if (s != NULL)
		pthread_mutex_init(&s->lock, NULL);
	return s;
}

void sources_free(struct sources *s)
{
	if (s == NULL)
		return;
	for (size_t i = 0; i < s->n; i++) {
		free(s->list[i]->name);
		free(s->list[i]);
	}
	free(s->list);
	pthread_mutex_destroy(&s->lock);
	free(s);
}

static struct source *find_locked(struct sources *s, const char *name)
{
	for (size_t i = 0; i < s->n; i++) {
		if (strcmp(s->list[i]->name, name) == 0)
			return s->list[i];
	}
	return NULL;
}

static struct source *add_locked(struct sources *s, const char *name)
{
	if (s->n == s->size) {
		size_t          size = s->size == 0 ? 16 : 2 * s->size;
		struct source **list = realloc(s->list, size * sizeof(*list));
		if (list == NULL)
			return NULL;
		s->list = list;
		s->size = size;
	}
	struct source *new = calloc(1, sizeof(*new));
	if (new == NULL)
		return NULL;
	new->name = strdup(name);
	if (new->name == NULL) {
		free(new);
		return NULL;
	}
	new->all = s;
	new->index = s->n;
	s->list[s->n++] = new;
	return new;
}

struct source *source_get(struct sources *s, const char *name)
{
	if (name == NULL || name[0] == '\0')
		name = "-";
	lock_take(&s->lock, RANK_SOURCES);
	struct source *found = find_locked(s, name);
	if (found == NULL)
		found = add_locked(s, name);
	lock_give(&s->lock, RANK_SOURCES);
	return found;
}

struct source *source_find(struct sources *s, const char *name)
{
	lock_take(&s->lock, RANK_SOURCES);
	struct source *found = find_locked(s, name);
	lock_give(&s->lock, RANK_SOURCES);
	return found;
}

void source_set_pace(struct source *s, int64_t pace_ns)
{
	int64_t before_ns = atomic_exchange(&s->pace_ns, pace_ns);
	if (before_ns == 0 && pace_ns != 0)
		atomic_fetch_add(&s->all->n_paced, 1);
	else if (before_ns != 0 && pace_ns == 0)
		atomic_fetch_sub(&s->all->n_paced, 1);
}

bool sources_are_paced(const struct sources *s)
{
	return atomic_load_explicit(&((struct sources *)s)->n_paced, memory_order_relaxed) != 0;
}

size_t sources_count(struct sources *s)
{
	lock_take(&s->lock, RANK_SOURCES);
	size_t n = s->n;
	lock_give(&s->lock, RANK_SOURCES);
	return n;
}

struct source *sources_at(struct sources *s, size_t i)
{
	lock_take(&s->lock, RANK_SOURCES);
	struct source *found = s->list[i];
	lock_give(&s->lock, RANK_SOURCES);
	return found;
}
