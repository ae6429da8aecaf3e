/* hang - a read plugin whose read function takes three seconds. */
#include <unistd.h>

#include "collectd.h"

#include "plugin.h"

static int hang_read(void)
{
	value_t      value = { .gauge = 1 };
	value_list_t vl = VALUE_LIST_INIT;
	sleep(3);
	vl.values = &value;
	vl.values_len = 1;
	strcpy(vl.plugin, "hang");
	strcpy(vl.type, "gauge");
	return plugin_dispatch_values(&vl);
}

void module_register(void);
void module_register(void)
{
	plugin_register_read("hang", hang_read);
}
