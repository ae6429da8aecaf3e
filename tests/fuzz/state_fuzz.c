/*
 * state_fuzz - a whole state file.  A line that ends in the word SUM gets its right checksum there, so that what lies behind it is
 * reached; a vertical tab is a line end that was damaged later.  A file that is opened keeps what it held: opened again it has the same entries, also after one more was written and
 * after compaction; one that is refused is as it was.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ident.h"
#include "savefile.h"

#define WALL_NS INT64_C(1700000000000000000)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool claim, const char *what)
{
	if (claim)
		return;
	fprintf(stderr, "state_fuzz: %s\n", what);
	abort();
}

static const char *file_path(void)
{
	static char path[64];
	snprintf(path, sizeof(path), "%s/lc-state-fuzz-%d", access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp",
		 (int)getpid());
	return path;
}

/* The input with its checksums filled in. */
static void fill_in(struct buf *out, const char *text, size_t len)
{
	while (len > 0) {
		size_t line = 0;
		while (line < len && text[line] != '\n' && text[line] != '\v')
			line++;
		if (line > 4 && memcmp(text + line - 4, " SUM", 4) == 0) {
			buf_add(out, text, line - 3);
			buf_addf(out, "%016" PRIx64, ident_hash(text, line - 3));
		} else {
			buf_add(out, text, line);
		}
		if (line < len)
			buf_addc(out, text[line++]);
		len -= line;
		text += line;
	}
}

static void file_write(const struct buf *b)
{
	FILE *f = fopen(file_path(), "w");
	must(f != NULL && (b->len == 0 || fwrite(b->data, b->len, 1, f) == 1) && fclose(f) == 0, "cannot write");
}

static void file_is_still(const struct buf *b)
{
	FILE  *f = fopen(file_path(), "r");
	char  *text = malloc(b->len + 2);
	size_t len = f == NULL || text == NULL ? 0 : fread(text, 1, b->len + 2, f);
	must(f != NULL && len == b->len && (len == 0 || memcmp(text, b->data, len) == 0), "a refused file was changed");
	fclose(f);
	free(text);
}

static enum err take(void *ctx, struct entry *e)
{
	struct ledger **l = ctx, *new;
	must(ledger_add(*l, e, SIZE_MAX, &new, NULL) == OK, "an entry that the ledger refuses");
	ledger_free(*l);
	*l = new;
	return OK;
}

/* Opens the file; NULL: it was refused. */
static struct savefile *open_file(struct ledger **l, struct recovered *got)
{
	struct savefile *f = NULL;
	struct why       why;
	*l = ledger_new(HELD_DEFAULT);
	if (savefile_open(&f, file_path(), "own", 0, WALL_NS, take, l, got, &why) == OK)
		return f;
	ledger_free(*l);
	return NULL;
}

static void add_one(struct savefile *f, struct ledger **l, uint64_t id)
{
	struct ask       ask = { CONTROL_ADVISORY, STATE_OFF, { DELTA_NATIVE, 0 }, VALUE_LAST };
	struct selector *s;
	must(selector_parse(&s, "own/state/fuzz", 14, "own", NULL) == OK, "cannot parse");
	struct entry *e = entry_new(ORIGIN_SOCKET, id, &ask, &s, 1, NULL);
	must(savefile_log(f, e, 0, WALL_NS, NULL) == OK, "cannot log");
	take(l, e);
	entry_unref(e);
}

static void same_entries(const struct ledger *a, const struct ledger *b)
{
	must(ledger_count(a) == ledger_count(b), "other entries after the next start");
	for (size_t i = 0; i < ledger_count(a); i++)
		must(ledger_get(a, i)->id == ledger_get(b, i)->id, "another order after the next start");
}

static void use(struct savefile *f, struct ledger *l, const struct recovered *got)
{
	struct recovered again;
	struct ledger   *next, *last;
	add_one(f, &l, got->newest_id + 1);
	savefile_close(f);
	f = open_file(&next, &again);
	must(f != NULL, "not opened again");
	same_entries(l, next);
	must(again.newest_id > got->newest_id, "an id would be given twice");
	must(savefile_compact(f, next, 0, WALL_NS, NULL) == OK, "cannot compact");
	savefile_close(f);
	f = open_file(&last, &again);
	must(f != NULL, "not opened after compaction");
	must(again.dropped == 0, "compaction wrote a damaged record");
	same_entries(next, last);
	savefile_close(f);
	ledger_free(l);
	ledger_free(next);
	ledger_free(last);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct buf       text = BUF_INIT;
	struct recovered got;
	struct ledger   *l;
	fill_in(&text, (const char *)data, size);
	file_write(&text);
	struct savefile *f = open_file(&l, &got);
	if (f != NULL)
		use(f, l, &got);
	else
		file_is_still(&text);
	unlink(file_path());
	buf_fini(&text);
	return 0;
}
