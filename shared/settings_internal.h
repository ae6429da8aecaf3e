/*
 * settings_internal - what the files of settings share; nobody else includes it.
 */
#ifndef LC_SETTINGS_INTERNAL_H
#define LC_SETTINGS_INTERNAL_H

#include "buf.h"
#include "settings.h"

/* Where one item stands, and where its complaints go. */
struct place {
	struct settings        *settings;
	const struct conf_item *item;
	const char             *block; /* "<Plugin>", "<Log> block 2", ... */
	report_fn              *report;
	void                   *ctx;
};

/* "log_control: BLOCK: OPTION VALUE: " and the sentence, as an ERROR. */
void  complain(const struct place *p, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* All values of an item as one text, blanks between: `advisory on native`, `1.5 h`, whatever types the host's parser made of
 * them.  Booleans read "on" and "off".  The caller frees it; NULL: no memory. */
char *values_text(const struct conf_item *item);
/* The one string of an item, a copy; complains and gives NULL when there is not exactly one value. */
char *value_string(const struct place *p);
bool  key_is(const struct conf_item *item, const char *key);

enum err log_block_add(struct place *p);
enum err source_block_add(struct place *p);
enum err access_block_add(struct place *p);

#endif
