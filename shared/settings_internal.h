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
	const char             *block; /* "<Log> block 2" */
	report_fn              *report;
	void                   *ctx;
};

/* "log_control: BLOCK: OPTION "VALUE": " and the sentence, as an ERROR. */
void complain(const struct place *p, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* The same about one value of several. */
void complain_of(const struct place *p, const struct conf_value *v, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* The same about a block as a whole, `p->item`: its name, if it has one, stands in place of option and value. */
void  complain_block(const struct place *p, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* All values of an item as one text, blanks between: `advisory on native`, `1.5 h`, whatever types the host's parser made of
 * them.  Booleans read "on" and "off".  The caller frees it; NULL: no memory. */
char *values_text(const struct conf_item *item);
/* The one string of an item, a copy; complains and gives NULL when there is not exactly one value. */
char *value_string(const struct place *p);
bool  key_is(const struct conf_item *item, const char *key);
/* As the host's parser and people write booleans; false: it is none. */
bool  boolean_parse(const char *text, bool *out);

struct block_name {
	char text[64];
};
/* "<Log> block 2" */
struct block_name block_name(const char *kind, unsigned number);

void strings_free(char **list, size_t n);

enum err log_block_add(struct place *p);
enum err source_block_add(struct place *p);
enum err access_block_add(struct place *p);

#endif
