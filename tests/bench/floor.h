/*
 * floor - the least that any gate has to do for a value list: which metric instance is this?
 *
 * Role     the five strings hashed in place, a word at a time; open addressing, at most half full, slots of {hash, entry}; the
 *          whole key compared; inside a read section of liburcu.  Nothing is decided, counted or remembered.
 * Threads  floor_add() one, before any floor_find(); that one any.
 */
#ifndef LC_FLOOR_H
#define LC_FLOOR_H

#include <stdbool.h>
#include <stddef.h>

#include "collectd.h"

#include "plugin.h"

struct floor;

struct floor *floor_new(size_t names);
void          floor_add(struct floor *f, const value_list_t *vl);
bool          floor_find(const struct floor *f, const value_list_t *vl);

#endif
