/* settings_text - values as text, and the messages about them; see settings_internal.h. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "settings_internal.h"

bool key_is(const struct conf_item *item, const char *key)
{
	return strcasecmp(item->key, key) == 0;
}

static void add_value(struct buf *b, const struct conf_value *v)
{
	switch (v->type) {
	case CONF_STRING:
		buf_adds(b, v->string);
		break;
	case CONF_NUMBER:
		if (floor(v->number) == v->number && fabs(v->number) < 1e15)
			buf_addf(b, "%.0f", v->number);
		else
			buf_addf(b, "%.15g", v->number);
		break;
	case CONF_BOOLEAN:
		buf_adds(b, v->boolean ? "on" : "off");
		break;
	}
}

char *values_text(const struct conf_item *item)
{
	struct buf b = BUF_INIT;
	for (size_t i = 0; i < item->n_values; i++) {
		if (i > 0)
			buf_addc(&b, ' ');
		add_value(&b, &item->values[i]);
	}
	const char *text = buf_text(&b);
	char       *copy = b.failed ? NULL : strdup(text);
	buf_fini(&b);
	return copy;
}

/* `option`: NULL for a block as a whole. */
static void say(const struct place *p, const char *option, const struct conf_item *values, const char *fmt,
		va_list args)
{
	struct why why, line;
	char      *text = values_text(values);
	vsnprintf(why.text, sizeof(why.text), fmt, args);
	struct excerpt shown = excerpt_of(text == NULL ? "" : text, text == NULL ? 0 : strlen(text));
	if (option != NULL)
		why_set(&line, ERR_INVAL, "log_control: %s: %s %s: %s", p->block, option, shown.text, why.text);
	else if (values->n_values > 0)
		why_set(&line, ERR_INVAL, "log_control: %s: %s: %s", p->block, shown.text, why.text);
	else
		why_set(&line, ERR_INVAL, "log_control: %s: %s", p->block, why.text);
	free(text);
	p->report(p->ctx, SEVERITY_ERROR, line.text);
}

void complain(const struct place *p, const char *fmt, ...)
{
	va_list args;
	va_start(args, fmt);
	say(p, p->item->key, p->item, fmt, args);
	va_end(args);
}

void complain_of(const struct place *p, const struct conf_value *v, const char *fmt, ...)
{
	const struct conf_item one = { p->item->key, 1, 0, v, NULL };
	va_list                args;
	va_start(args, fmt);
	say(p, p->item->key, &one, fmt, args);
	va_end(args);
}

void complain_block(const struct place *p, const char *fmt, ...)
{
	va_list args;
	va_start(args, fmt);
	say(p, NULL, p->item, fmt, args);
	va_end(args);
}

struct block_name block_name(const char *kind, unsigned number)
{
	struct block_name n;
	snprintf(n.text, sizeof(n.text), "<%s> block %u", kind, number);
	return n;
}

bool boolean_parse(const char *text, bool *out)
{
	bool yes = strcasecmp(text, "on") == 0 || strcasecmp(text, "true") == 0 || strcasecmp(text, "yes") == 0;
	bool no = strcasecmp(text, "off") == 0 || strcasecmp(text, "false") == 0 || strcasecmp(text, "no") == 0;
	if (yes || no)
		*out = yes;
	return yes || no;
}
