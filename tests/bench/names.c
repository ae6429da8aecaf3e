/* names - see names.h. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "names.h"

static struct name name_make(size_t i)
{
	static const char *const plugins[] = { "cpu", "interface", "disk" };
	static const char *const types[] = { "if_octets", "derive" };
	struct name              n = { 0 };
	size_t                   of_host = i % 1000, share = i % 20;
	snprintf(n.host, sizeof(n.host), "host%04zu.example.net", i / 1000 % 10000);
	snprintf(n.plugin, sizeof(n.plugin), "%s", plugins[i % 3]);
	snprintf(n.plugin_instance, sizeof(n.plugin_instance), "%zu", of_host / 20);
	snprintf(n.type, sizeof(n.type), "%s", types[i % 2]);
	snprintf(n.type_instance, sizeof(n.type_instance), "%c%02zu",
		 share < 14   ? 'n'
		 : share < 18 ? 'e'
		 : share < 19 ? 'f'
			      : 'o',
		 share);
	return n;
}

struct name *names_new(size_t n)
{
	struct name *names = calloc(n, sizeof(*names));
	for (size_t i = 0; i < n; i++)
		names[i] = name_make(i);
	return names;
}

void names_shuffle(struct name *names, size_t n)
{
	uint64_t seed = 7;
	for (size_t i = n - 1; i > 0; i--) {
		seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407;
		size_t      k = (seed >> 33) % (i + 1);
		struct name t = names[i];
		names[i] = names[k];
		names[k] = t;
	}
}

void name_set(value_list_t *vl, const struct name *n)
{
	memcpy(vl->host, n->host, sizeof(n->host));
	memcpy(vl->plugin, n->plugin, sizeof(n->plugin));
	memcpy(vl->plugin_instance, n->plugin_instance, sizeof(n->plugin_instance));
	memcpy(vl->type, n->type, sizeof(n->type));
	memcpy(vl->type_instance, n->type_instance, sizeof(n->type_instance));
}
