/* floor - see floor.h. */
#include "floor.h"

#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "rcu.h"

#define FIELDS 5
#define ONES   UINT64_C(0x0101010101010101)

struct key {
	uint64_t    hash;
	const char *field[FIELDS];
	uint8_t     len[FIELDS];
};

struct entry {
	uint8_t len[FIELDS];
	char    text[];
};

struct slot {
	_Atomic(struct entry *) entry;
	uint64_t                hash;
};

struct floor {
	size_t      mask;
	struct slot slots[];
};

static uint64_t mix(uint64_t hash, uint64_t word)
{
	hash = (hash ^ word) * UINT64_C(0x9E3779B97F4A7C15);
	return hash ^ hash >> 32;
}

/* Eight bytes at a time; fields of the host are 128 bytes long, so that no read leaves them. */
static uint8_t hash_field(uint64_t *hash, const char *field)
{
	for (unsigned at = 0;; at += 8) {
		uint64_t word;
		memcpy(&word, field + at, sizeof(word));
		uint64_t zeros = (word - ONES) & ~word & (ONES << 7);
		if (zeros != 0) {
			unsigned tail = (unsigned)__builtin_ctzll(zeros) / 8;
			*hash = mix(*hash, (word & ((UINT64_C(1) << 8 * tail) - 1)) + tail);
			return (uint8_t)(at + tail);
		}
		*hash = mix(*hash, word);
	}
}

static struct key key_of(const value_list_t *vl)
{
	struct key k = { 0, { vl->host, vl->plugin, vl->plugin_instance, vl->type, vl->type_instance }, { 0 } };
	for (int i = 0; i < FIELDS; i++)
		k.len[i] = hash_field(&k.hash, k.field[i]);
	return k;
}

static bool is_it(const struct entry *e, const struct key *k)
{
	const char *at = e->text;
	if (memcmp(e->len, k->len, FIELDS) != 0)
		return false;
	for (int i = 0; i < FIELDS; at += k->len[i++]) {
		if (memcmp(at, k->field[i], k->len[i]) != 0)
			return false;
	}
	return true;
}

struct floor *floor_new(size_t names)
{
	size_t mask = 15;
	while (mask + 1 < 2 * names)
		mask = 2 * mask + 1;
	struct floor *f = calloc(1, sizeof(*f) + (mask + 1) * sizeof(struct slot));
	if (f == NULL)
		abort();
	f->mask = mask;
	return f;
}

void floor_add(struct floor *f, const value_list_t *vl)
{
	struct key    k = key_of(vl);
	size_t        at = k.hash & f->mask;
	struct entry *e = malloc(sizeof(*e) + FIELDS * DATA_MAX_NAME_LEN);
	char         *end = e == NULL ? NULL : e->text;
	if (e == NULL)
		abort();
	memcpy(e->len, k.len, FIELDS);
	for (int i = 0; i < FIELDS; end += k.len[i++])
		memcpy(end, k.field[i], k.len[i]);
	e = realloc(e, (size_t)(end - (char *)e));
	while (atomic_load(&f->slots[at].entry) != NULL)
		at = (at + 1) & f->mask;
	f->slots[at].hash = k.hash;
	atomic_store(&f->slots[at].entry, e);
}

bool floor_find(const struct floor *f, const value_list_t *vl)
{
	struct key k = key_of(vl);
	bool       found = false;
	rcu_enter();
	for (size_t at = k.hash & f->mask;; at = (at + 1) & f->mask) {
		const struct entry *e = atomic_load_explicit(&f->slots[at].entry, memory_order_acquire);
		if (e == NULL)
			break;
		if (f->slots[at].hash == k.hash && is_it(e, &k)) {
			found = true;
			break;
		}
	}
	rcu_leave();
	return found;
}
