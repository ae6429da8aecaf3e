/* record_fuzz - lines of a state file, with a right checksum put behind them, so that what lies behind it is reached; what is read as an
 * entry is written and read again, and is the same. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ident.h"
#include "record.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void write_and_read_again(const struct entry *e)
{
	struct buf    once = BUF_INIT, again = BUF_INIT;
	struct record r;
	record_entry(&once, e, 0, 0);
	struct buf copy = BUF_INIT;
	buf_add(&copy, once.data, once.len - 1);
	if (record_read(&r, copy.data, copy.len, "own", 0, 0) != OK || r.kind != RECORD_ENTRY)
		abort();
	record_entry(&again, r.entry, 0, 0);
	if (once.len != again.len || memcmp(once.data, again.data, once.len) != 0)
		abort();
	record_fini(&r);
	buf_fini(&once);
	buf_fini(&again);
	buf_fini(&copy);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct buf    line = BUF_INIT;
	struct record r;
	buf_add(&line, data, size);
	buf_addc(&line, ' ');
	buf_addf(&line, "%016" PRIx64, ident_hash(line.data, line.len));
	if (record_read(&r, line.data, line.len, "own", 0, 0) == OK) {
		if (r.kind == RECORD_ENTRY)
			write_and_read_again(r.entry);
		record_fini(&r);
	}
	buf_fini(&line);
	return 0;
}
