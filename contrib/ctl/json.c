/* json - see json.h. */
#include "json.h"

#include <string.h>
#include <yajl/yajl_gen.h>

static void print(void *ctx, const char *text, size_t len)
{
	fwrite(text, 1, len, ctx);
}

/* NULL: no memory, and then there is nothing to say it with. */
static yajl_gen begin(FILE *out, const struct statement *s)
{
	yajl_gen g = yajl_gen_alloc(NULL);
	if (g == NULL)
		return NULL;
	yajl_gen_config(g, yajl_gen_print_callback, print, out);
	yajl_gen_map_open(g);
	if (s != NULL) {
		yajl_gen_string(g, (const unsigned char *)"statement", 9);
		yajl_gen_string(g, (const unsigned char *)verb_name(s->verb), strlen(verb_name(s->verb)));
	}
	return g;
}

static void end(yajl_gen g, FILE *out)
{
	yajl_gen_map_close(g);
	yajl_gen_free(g);
	fputc('\n', out);
}

/* ---- text ---- */

/* How many bytes one well-formed character takes; 0: these bytes are none (overlong, surrogate, too large, cut). */
static size_t utf8_len(const unsigned char *c)
{
	static const struct {
		unsigned char first, last, low, high; /* first bytes, and the limits of the second */
		size_t        len;
	} forms[] = {
		{ 0xc2, 0xdf, 0x80, 0xbf, 2 }, { 0xe0, 0xe0, 0xa0, 0xbf, 3 }, { 0xe1, 0xec, 0x80, 0xbf, 3 },
		{ 0xed, 0xed, 0x80, 0x9f, 3 }, { 0xee, 0xef, 0x80, 0xbf, 3 }, { 0xf0, 0xf0, 0x90, 0xbf, 4 },
		{ 0xf1, 0xf3, 0x80, 0xbf, 4 }, { 0xf4, 0xf4, 0x80, 0x8f, 4 },
	};
	if (c[0] < 0x80)
		return 1;
	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		if (c[0] < forms[i].first || c[0] > forms[i].last || c[1] < forms[i].low || c[1] > forms[i].high)
			continue;
		size_t n = 2;
		while (n < forms[i].len && (c[n] & 0xc0) == 0x80)
			n++;
		return n == forms[i].len ? n : 0;
	}
	return 0;
}

static void string_len(yajl_gen g, const char *text, size_t len)
{
	yajl_gen_string(g, (const unsigned char *)text, len);
}

/* Returns whether every byte could be shown. */
static bool string(yajl_gen g, const char *text)
{
	struct buf b = BUF_INIT;
	bool       is_whole = true;
	for (const char *c = text; *c != '\0';) {
		size_t n = utf8_len((const unsigned char *)c);
		is_whole = is_whole && n > 0;
		buf_add(&b, n > 0 ? c : "\xef\xbf\xbd", n > 0 ? n : 3);
		c += n > 0 ? n : 1;
	}
	string_len(g, buf_text(&b), b.len);
	buf_fini(&b);
	return is_whole;
}

/* JSON's own grammar of numbers, without exponents of our own making: "1", "-1", "0.25", "1e+06". */
static bool is_number(const char *text)
{
	const char *c = text + (*text == '-');
	size_t      n = strspn(c, "0123456789");
	if (n == 0 || (n > 1 && *c == '0'))
		return false;
	c += n;
	if (*c == '.') {
		n = strspn(c + 1, "0123456789");
		if (n == 0)
			return false;
		c += n + 1;
	}
	if (*c == 'e' || *c == 'E') {
		c++;
		c += *c == '+' || *c == '-';
		n = strspn(c, "0123456789");
		if (n == 0)
			return false;
		c += n;
	}
	return *c == '\0';
}

static void number_or_text(yajl_gen g, const char *text)
{
	if (is_number(text))
		yajl_gen_number(g, text, strlen(text));
	else
		string(g, text);
}

static void any(yajl_gen g, const char *text)
{
	if (strcmp(text, "true") == 0 || strcmp(text, "false") == 0)
		yajl_gen_bool(g, text[0] == 't');
	else
		number_or_text(g, text);
}

static void flags(yajl_gen g, const char *text)
{
	yajl_gen_array_open(g);
	while (*text != '\0' && strcmp(text, "-") != 0) {
		size_t n = strcspn(text, ",");
		string_len(g, text, n);
		text += n + (text[n] == ',');
	}
	yajl_gen_array_close(g);
}

static void identifier(yajl_gen g, const char *text)
{
	struct buf b = BUF_INIT;
	if (string(g, text))
		return;
	buf_add_quoted(&b, text, strlen(text));
	string(g, "quoted");
	string(g, buf_text(&b));
	buf_fini(&b);
}

/* ---- cells ---- */

static void cell(yajl_gen g, enum column_kind kind, const char *text)
{
	if (kind == COLUMN_FREE)
		string(g, text);
	else if (kind == COLUMN_IDENTIFIER)
		identifier(g, text);
	else if (kind == COLUMN_FLAGS)
		flags(g, text);
	else if (strcmp(text, "-") == 0)
		yajl_gen_null(g);
	else if (kind == COLUMN_TEXT)
		string(g, text);
	else if (kind == COLUMN_ANY)
		any(g, text);
	else
		number_or_text(g, text);
}

static void rows(yajl_gen g, const struct grid *grid)
{
	const char *text = grid->cells.data;
	string(g, "rows");
	yajl_gen_array_open(g);
	for (size_t i = 0; i < grid->n_cells; i++) {
		const struct column *c = &grid->columns[i % grid->n_columns];
		if (i % grid->n_columns == 0)
			yajl_gen_map_open(g);
		string(g, c->name);
		cell(g, c->kind, text);
		text += strlen(text) + 1;
		if ((i + 1) % grid->n_columns == 0)
			yajl_gen_map_close(g);
	}
	yajl_gen_array_close(g);
}

static void selectors(yajl_gen g, const struct statement *s)
{
	const char *text = s->selectors.data;
	if (s->n_selectors == 0)
		return;
	string(g, "selectors");
	yajl_gen_array_open(g);
	for (size_t i = 0; i < s->n_selectors; i++) {
		string(g, text);
		text += strlen(text) + 1;
	}
	yajl_gen_array_close(g);
}

/* name=value behind the first word of a reply. */
static void title_members(yajl_gen g, const char *title)
{
	for (const char *at = strchr(title, ' '); at != NULL; at = strchr(at, ' ')) {
		struct buf  value = BUF_INIT;
		const char *name = ++at;
		size_t      len = strcspn(at, " ="), value_len;
		if (at[len] != '=')
			continue;
		bool is_ends = len == 4 && strncmp(name, "ends", 4) == 0;
		string_len(g, is_ends ? "ends_s" : name, is_ends ? 6 : len);
		value_len = strcspn(name + len + 1, " ");
		buf_add(&value, name + len + 1, value_len);
		cell(g, COLUMN_ANY, buf_text(&value));
		buf_fini(&value);
	}
}

/* ---- what others may call ---- */

void json_grid(FILE *out, const struct statement *s, const char *title, const struct grid *grid)
{
	yajl_gen g = begin(out, s);
	if (g == NULL)
		return;
	title_members(g, title);
	selectors(g, s);
	rows(g, grid);
	end(g, out);
}

void json_names(FILE *out, const struct statement *s, const struct grid *grid)
{
	yajl_gen    g = begin(out, s);
	const char *text = grid->cells.data;
	if (g == NULL)
		return;
	string(g, "values");
	yajl_gen_map_open(g);
	for (size_t i = 0; i < grid->n_cells; i++) {
		if (i % 2 == 0)
			string(g, text);
		else
			cell(g, COLUMN_ANY, text);
		text += strlen(text) + 1;
	}
	yajl_gen_map_close(g);
	end(g, out);
}

void json_raw(FILE *out, const struct statement *s, const struct lc_reply *reply)
{
	yajl_gen g = begin(out, s);
	if (g == NULL)
		return;
	string(g, "number");
	yajl_gen_integer(g, reply->number);
	string(g, "text");
	string(g, reply->text);
	string(g, "lines");
	yajl_gen_array_open(g);
	for (size_t i = 0; i < reply->n_lines; i++)
		string(g, reply->lines[i]);
	yajl_gen_array_close(g);
	end(g, out);
}

void json_error(FILE *out, const struct statement *s, int error, const char *message)
{
	yajl_gen g = begin(out, s);
	if (g == NULL)
		return;
	string(g, "error");
	yajl_gen_integer(g, error);
	string(g, "message");
	string(g, message);
	end(g, out);
}
