/* config - the host's configuration tree -> the neutral one of shared/settings.h; see parts.h. */
#include <stdlib.h>
#include <string.h>

#include "parts.h"

void config_report(void *ctx, enum severity severity, const char *text)
{
	(void)ctx;
	plugin_log((int)severity, "%s", text);
}

static void item_free(struct conf_item *item)
{
	for (size_t i = 0; i < item->n_children; i++)
		item_free((struct conf_item *)&item->children[i]);
	free((void *)item->children);
	free((void *)item->values);
}

static struct conf_value value_of(const oconfig_value_t *v)
{
	switch (v->type) {
	case OCONFIG_TYPE_NUMBER:
		return (struct conf_value){ .type = CONF_NUMBER, .number = v->value.number };
	case OCONFIG_TYPE_BOOLEAN:
		return (struct conf_value){ .type = CONF_BOOLEAN, .boolean = v->value.boolean != 0 };
	default:
		return (struct conf_value){ .type = CONF_STRING, .string = v->value.string };
	}
}

/* Borrows the host's strings.  false: no memory; what was made is still item_free()'s. */
static bool item_make(struct conf_item *item, const oconfig_item_t *ci)
{
	size_t             n_values = (size_t)ci->values_num, n_children = (size_t)ci->children_num;
	struct conf_value *values = calloc(n_values + 1, sizeof(*values));
	struct conf_item  *children = calloc(n_children + 1, sizeof(*children));
	*item = (struct conf_item){ ci->key, 0, 0, values, children };
	if (values == NULL || children == NULL)
		return false;
	for (; item->n_values < n_values; item->n_values++)
		values[item->n_values] = value_of(&ci->values[item->n_values]);
	while (item->n_children < n_children) {
		size_t i = item->n_children++;
		if (!item_make(&children[i], &ci->children[i]))
			return false;
	}
	return true;
}

int config_block(oconfig_item_t *block)
{
	struct conf_item item;
	enum err         err = ERR_NOMEM;
	if (module.configured && item_make(&item, block))
		err = settings_add(&module.settings, &item, config_report, NULL);
	if (module.configured)
		item_free(&item);
	if (err != OK)
		config_report(NULL, SEVERITY_ERROR, "log_control: out of memory while the configuration is read");
	chain_install(&module);
	return err == OK ? 0 : -1;
}
