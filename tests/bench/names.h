/* names - names like real ones, of hosts with a thousand metric instances each. */
#ifndef LC_NAMES_H
#define LC_NAMES_H

#include <stddef.h>

#include "collectd.h"

#include "plugin.h"

struct name {
	char host[24], plugin[16], plugin_instance[8], type[16], type_instance[8];
};

/* `n` names, host by host, for free(3).  What the type instance begins with says what rules are for: `n` native, 70 %; `e` every, 20 %;
 * `f` off, 5 %; `o` once, 5 %. */
struct name *names_new(size_t n);
/* In random order, always the same. */
void         names_shuffle(struct name *names, size_t n);
void         name_set(value_list_t *vl, const struct name *n);

#endif
