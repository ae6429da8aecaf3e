/*
 * reply_fuzz - what a daemon, or something else that listens there, sends to the client library.  The first byte says how many
 * selectors were asked about, the second in pieces of which length the rest arrives.  However it is cut up, the outcome is the
 * same, and a status has one element for each selector.
 */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "client_reply.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool claim, const char *what)
{
	if (claim)
		return;
	fprintf(stderr, "reply_fuzz: %s\n", what);
	abort();
}

static int feed(struct intake *in, const char *bytes, size_t len, size_t piece)
{
	int error = 0;
	for (size_t at = 0; at < len && error == 0; at += piece)
		error = intake_add(in, bytes + at, len - at < piece ? len - at : piece);
	return error;
}

static void check_reply(const struct lc_reply *r)
{
	must(r->text != NULL && strchr(r->text, '\n') == NULL, "a first line that is none");
	must(r->n_lines == (r->number > 0 ? (size_t)r->number : 0), "other lines than were announced");
	for (size_t i = 0; i < r->n_lines; i++)
		must(strchr(r->lines[i], '\n') == NULL, "a line that is none");
}

static void check_status(const struct lc_status *s, int error, size_t n_selectors)
{
	must(s != NULL || error != 0, "no status, and no error");
	if (s == NULL)
		return;
	must(s->message != NULL && lc_message(s, error) != NULL, "no words");
	must(s->n_elements == (error == 0 ? n_selectors : 0), "elements are not one to one");
	for (size_t i = 0; i < s->n_elements; i++) {
		for (size_t k = 0; k < s->elements[i].n_rows; k++) {
			const struct lc_row *row = &s->elements[i].rows[k];
			must(row->identifier != NULL && row->outcome >= PMLC_DONE && row->outcome <= PMLC_WOULD,
			     "a row");
			must(row->delta_ms >= -1 && row->source_interval_ms >= -1 && row->instance == 0,
			     "a row's figures");
		}
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size < 2)
		return 0;
	const char   *bytes = (const char *)data + 2;
	size_t        len = size - 2, n_selectors = data[0] % 8u + 1, piece = data[1] == 0 ? len + 1 : data[1];
	struct intake cut = INTAKE_INIT, whole = INTAKE_INIT;
	int           error = feed(&cut, bytes, len, piece), at_once = intake_add(&whole, bytes, len);
	must((error == 0) == (at_once == 0), "another outcome in pieces");
	if (at_once == 0)
		must(intake_is_whole(&cut) == intake_is_whole(&whole), "whole in one way only");
	intake_fini(&cut);
	if (at_once != 0 || !intake_is_whole(&whole)) {
		intake_fini(&whole);
		return 0;
	}
	struct lc_reply  *reply = intake_finish(&whole);
	struct lc_status *status = NULL;
	must(reply != NULL, "no memory");
	check_reply(reply);
	error = lc_reply_status(reply, n_selectors, &status);
	check_status(status, error, n_selectors);
	lc_status_free(status);
	return 0;
}
