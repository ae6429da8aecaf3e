/* writers - which writers of files with a fixed step are loaded; see parts.h. */
#include <link.h>
#include <string.h>

#include "parts.h"

static const char *const rrd_writers[] = { "rrdtool", "rrdcached" };

/* ".../rrdtool.so" */
static bool is_file_of(const char *path, const char *plugin)
{
	const char *slash = path == NULL ? NULL : strrchr(path, '/');
	size_t      len = strlen(plugin);
	return slash != NULL && strncmp(slash + 1, plugin, len) == 0 && strcmp(slash + 1 + len, ".so") == 0;
}

static int look(struct dl_phdr_info *info, size_t size, void *arg)
{
	const char **found = arg;
	(void)size;
	for (size_t i = 0; i < sizeof(rrd_writers) / sizeof(rrd_writers[0]); i++) {
		if (is_file_of(info->dlpi_name, rrd_writers[i]))
			*found = rrd_writers[i];
	}
	return *found != NULL;
}

const char *rrd_writer_loaded(void)
{
	const char *found = NULL;
	dl_iterate_phdr(look, &found);
	return found;
}
