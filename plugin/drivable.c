/*
 * drivable - see drivable.h.
 *
 * The imports of a loaded plugin are read off its dynamic section, the way elf(5) and dl_iterate_phdr(3) describe it.
 */
#include "drivable.h"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "collectd.h"

#include "plugin.h"

/* Plugins of collectd 5.12 that register nothing but configuration, init, read and shutdown, and keep no thread. */
static const char *const tried[] = {
	"apcups",    "ascent",   "battery",   "bind",      "buddyinfo", "ceph",          "cgroups",    "chrony",
	"conntrack", "cpu",      "cpusleep",  "df",        "disk",      "contextswitch", "drbd",       "entropy",
	"ethstat",   "fhcount",  "filecount", "fscache",   "hugepages", "infiniband",    "interface",  "ipc",
	"iptables",  "ipvs",     "irq",       "load",      "md",        "memory",        "multimeter", "netlink",
	"nfs",       "nginx",    "ntpd",      "numa",      "olsrd",     "powerdns",      "processes",  "protocols",
	"sensors",   "serial",   "smart",     "swap",      "tcpconns",  "ted",           "uptime",     "users",
	"vmem",      "wireless", "zfs_arc",   "zookeeper",
};

static const char *const log_plugins[] = { "logfile", "syslog", "log_logstash" };

static const struct {
	const char *function, *objection;
} objections[] = {
	{ "plugin_register_complex_read", "it registers read functions with data of their own" },
	{ "plugin_register_write", "it registers a write function" },
	{ "plugin_register_flush", "it registers a flush function" },
	{ "plugin_register_missing", "it registers a function for missing values" },
	{ "plugin_register_cache_event", "it registers a function for the value cache" },
	{ "plugin_register_notification", "it registers a function for notifications" },
	{ "plugin_register_log", "it registers a log function" },
	{ "plugin_register_data_set", "it registers types" },
	{ "fc_register_match", "it registers a match for the filter chains" },
	{ "fc_register_target", "it registers a target for the filter chains" },
	{ "plugin_thread_create", "it keeps threads of its own" },
	{ "pthread_create", "it keeps threads of its own" },
	{ "fork", "it starts programs" },
};

const char *drivable_objection(const char *function)
{
	for (size_t i = 0; i < sizeof(objections) / sizeof(objections[0]); i++) {
		if (strcmp(objections[i].function, function) == 0)
			return objections[i].objection;
	}
	return NULL;
}

/* ---- the loaded module ---- */

struct search {
	const char *file; /* "cpu.so" */
	char       *path; /* allocated; NULL: not loaded, or no memory */
	bool        no_dynamic_section;
	const char *objection;
};

/* The tables of a dynamic section that name what is imported; addresses as they stand in memory. */
struct tables {
	const char *strings;
	const ElfW(Sym) * symbols;
	ElfW(Addr) relocations[2];
	size_t sizes[2], entry_sizes[2];
};

/* Most loaders put addresses in place of the offsets of the file, some leave them. */
static ElfW(Addr) address_of(const struct dl_phdr_info *info, ElfW(Addr) value)
{
	return value < info->dlpi_addr ? value + info->dlpi_addr : value;
}

static void take_entry(struct tables *t, const struct dl_phdr_info *info, const ElfW(Dyn) * d)
{
	switch (d->d_tag) {
	case DT_STRTAB:
		t->strings = (const char *)address_of(info, d->d_un.d_ptr);
		break;
	case DT_SYMTAB:
		t->symbols = (const ElfW(Sym) *)address_of(info, d->d_un.d_ptr);
		break;
	case DT_JMPREL:
		t->relocations[0] = address_of(info, d->d_un.d_ptr);
		break;
	case DT_PLTRELSZ:
		t->sizes[0] = d->d_un.d_val;
		break;
	case DT_PLTREL:
		t->entry_sizes[0] = d->d_un.d_val == DT_RELA ? sizeof(ElfW(Rela)) : sizeof(ElfW(Rel));
		break;
	case DT_RELA:
	case DT_REL:
		t->relocations[1] = address_of(info, d->d_un.d_ptr);
		t->entry_sizes[1] = d->d_tag == DT_RELA ? sizeof(ElfW(Rela)) : sizeof(ElfW(Rel));
		break;
	case DT_RELASZ:
	case DT_RELSZ:
		t->sizes[1] = d->d_un.d_val;
		break;
	default:
		break;
	}
}

static bool tables_read(struct tables *t, const struct dl_phdr_info *info)
{
	*t = (struct tables){ 0 };
	for (int i = 0; i < info->dlpi_phnum; i++) {
		if (info->dlpi_phdr[i].p_type != PT_DYNAMIC)
			continue;
		const ElfW(Dyn) *d = (const ElfW(Dyn) *)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr);
		for (; d->d_tag != DT_NULL; d++)
			take_entry(t, info, d);
	}
	return t->strings != NULL && t->symbols != NULL;
}

static size_t symbol_of(ElfW(Xword) info)
{
	return sizeof(ElfW(Addr)) == 8 ? (size_t)(info >> 32) : (size_t)(info >> 8);
}

/* r_info stands at the same place in entries with and without an addend. */
static void judge_imports(struct search *s, const struct tables *t, int which)
{
	size_t n = t->entry_sizes[which] == 0 ? 0 : t->sizes[which] / t->entry_sizes[which];
	for (size_t i = 0; i < n && t->relocations[which] != 0; i++) {
		const ElfW(Rel) *r = (const ElfW(Rel) *)(t->relocations[which] + i * t->entry_sizes[which]);
		const ElfW(Sym) *symbol = &t->symbols[symbol_of(r->r_info)];
		const char *name = t->strings + symbol->st_name;
		if (symbol->st_shndx == SHN_UNDEF && s->objection == NULL)
			s->objection = drivable_objection(name);
	}
}

static int look(struct dl_phdr_info *info, size_t size, void *arg)
{
	struct search *s = arg;
	const char    *slash = info->dlpi_name == NULL ? NULL : strrchr(info->dlpi_name, '/');
	(void)size;
	if (slash == NULL || strcasecmp(slash + 1, s->file) != 0)
		return 0;
	struct tables t;
	s->path = strdup(info->dlpi_name);
	s->no_dynamic_section = !tables_read(&t, info);
	for (int which = 0; which < 2 && !s->no_dynamic_section; which++)
		judge_imports(s, &t, which);
	return 1;
}

static void search_module(struct search *s, const char *name)
{
	char file[DRIVABLE_NAME_MAX + 4];
	snprintf(file, sizeof(file), "%s.so", name);
	*s = (struct search){ .file = file };
	dl_iterate_phdr(look, s);
	s->file = NULL;
}

bool drivable_log_is_written(void)
{
	bool written = false;
	for (size_t i = 0; i < sizeof(log_plugins) / sizeof(log_plugins[0]) && !written; i++) {
		struct search s;
		search_module(&s, log_plugins[i]);
		written = s.path != NULL;
		free(s.path);
	}
	return written;
}

/* ---- may it be driven? ---- */

static bool is_tried(const char *name)
{
	for (size_t i = 0; i < sizeof(tried) / sizeof(tried[0]); i++) {
		if (strcasecmp(tried[i], name) == 0)
			return true;
	}
	return false;
}

static enum err judge(const struct search *s, const char *name, bool known, bool unknown_too, struct why *why)
{
	if (s->path == NULL)
		return why_set(why, ERR_INVAL, "the plugin is not loaded: load it with LoadPlugin \"%s\"", name);
	if (s->no_dynamic_section)
		return why_set(why, ERR_INVAL, "what the plugin registers cannot be told from its file");
	if (s->objection != NULL)
		return why_set(why, ERR_INVAL, "%s, which cannot be taken back while the daemon runs", s->objection);
	if (!known && !unknown_too)
		return why_set(why, ERR_INVAL,
			       "the plugin is not known to bear it: if you have tried it, say AllowUnknown true");
	return OK;
}

/* The name by which it registers is that of its file, in the file's letters. */
static enum err take_module(struct drivable *out, const char *path, struct why *why)
{
	const char *slash = strrchr(path, '/');
	snprintf(out->name, sizeof(out->name), "%.*s", (int)(strlen(slash + 1) - 3), slash + 1);
	void *handle = dlopen(path, RTLD_LAZY | RTLD_NOLOAD); /* stays open: the function may be called until the end */
	if (handle != NULL)
		*(void **)&out->module_register = dlsym(handle, "module_register");
	if (out->module_register == NULL)
		return why_set(why, ERR_INVAL, "its function module_register is not found");
	return OK;
}

enum err drivable_find(struct drivable *out, const char *name, bool unknown_too, struct why *why)
{
	struct search s;
	*out = (struct drivable){ .tried = is_tried(name) };
	if (strlen(name) > DRIVABLE_NAME_MAX)
		return why_set(why, ERR_INVAL, "no plugin has a name of more than %d characters", DRIVABLE_NAME_MAX);
	search_module(&s, name);
	enum err err = judge(&s, name, out->tried, unknown_too, why);
	if (err == OK)
		err = take_module(out, s.path, why);
	free(s.path);
	return err;
}

bool drivable_register(const struct drivable *d, char *context, uint64_t interval)
{
	if (plugin_unregister_read(d->name) != 0)
		return false;
	/* what is registered twice makes the host warn, and options with blocks would be called twice */
	plugin_unregister_init(d->name);
	plugin_unregister_shutdown(d->name);
	plugin_unregister_config(d->name);
	plugin_unregister_complex_config(d->name);
	plugin_ctx_t before = plugin_set_ctx((plugin_ctx_t){ .name = context, .interval = interval });
	d->module_register();
	plugin_set_ctx(before);
	return true;
}
