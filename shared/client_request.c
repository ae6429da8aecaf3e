/* client_request - a request of the client library -> one line of the protocol; see log_control.h. */
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "client_reply.h"

/* ---- checks: nothing is sent when one fails ---- */

static bool ask_is_valid(int control, int state, int64_t delta_ms)
{
	if (control == PMLC_ENQUIRE)
		return true;
	if (control != PMLC_MANDATORY && control != PMLC_ADVISORY)
		return false;
	if (state != PMLC_ON && state != PMLC_OFF && (state != PMLC_MAYBE || control == PMLC_ADVISORY))
		return false;
	return delta_ms >= 0;
}

static bool is_name(const char *field)
{
	return field != NULL && field[0] != '\0' && strchr(field, '/') == NULL;
}

static bool is_name_or_nothing(const char *field)
{
	return field == NULL || strchr(field, '/') == NULL;
}

static bool metric_is_valid(const struct lc_metric *m)
{
	if (m->selector != NULL)
		return m->host == NULL && m->plugin == NULL && m->type == NULL && m->n_instances == 0;
	if ((m->host != NULL && !is_name(m->host)) || !is_name(m->plugin) || !is_name(m->type))
		return false;
	if (m->n_instances > 0 && m->instances == NULL)
		return false;
	for (size_t i = 0; i < m->n_instances; i++) {
		if (!is_name_or_nothing(m->instances[i].plugin_instance) ||
		    !is_name_or_nothing(m->instances[i].type_instance))
			return false;
	}
	return true;
}

static bool request_is_valid(const struct lc_request *r)
{
	if (r == NULL || r->n_metrics == 0 || r->metrics == NULL)
		return false;
	for (size_t i = 0; i < r->n_metrics; i++) {
		if (!metric_is_valid(&r->metrics[i]))
			return false;
	}
	return true;
}

/* ---- the line ---- */

static void add_part(struct buf *b, const char *name, const char *instance)
{
	buf_adds(b, name);
	if (instance == NULL || instance[0] == '\0')
		return;
	buf_addc(b, '-');
	buf_adds(b, instance);
}

static void add_instance(struct buf *line, struct buf *word, const struct lc_metric *m, struct lc_instance i)
{
	word->len = 0;
	if (m->host != NULL) {
		buf_adds(word, m->host);
		buf_addc(word, '/');
	}
	add_part(word, m->plugin, i.plugin_instance);
	buf_addc(word, '/');
	add_part(word, m->type, i.type_instance);
	buf_addc(line, ' ');
	buf_add_quoted(line, word->data, word->len);
	line->failed |= word->failed;
}

/* No instance named means all of them: the peer's numval of zero, and the selector H/P-* / T-* of specification
 * section 3. */
static void add_metric(struct buf *line, struct buf *word, const struct lc_metric *m)
{
	if (m->selector != NULL) {
		buf_addc(line, ' ');
		buf_add_quoted(line, m->selector, strlen(m->selector));
	} else if (m->n_instances == 0) {
		add_instance(line, word, m, (struct lc_instance){ "*", "*" });
	}
	for (size_t i = 0; i < m->n_instances; i++)
		add_instance(line, word, m, m->instances[i]);
}

static void add_ask(struct buf *line, int control, int state, int64_t delta_ms)
{
	if (control == PMLC_ENQUIRE) {
		buf_adds(line, "ENQUIRE");
		return;
	}
	buf_adds(line, control == PMLC_MANDATORY ? "LOG mandatory" : "LOG advisory");
	buf_adds(line, state == PMLC_ON ? " on every=" : state == PMLC_OFF ? " off" : " maybe");
	if (state != PMLC_ON)
		return;
	if (delta_ms == PMLC_DELTA_NATIVE)
		buf_adds(line, "native");
	else if (delta_ms == PMLC_DELTA_ONCE)
		buf_adds(line, "once");
	else
		buf_addf(line, "%" PRId64 "ms", delta_ms);
}

/* The line, and how many selectors each metric gave; both allocated. */
static int line_make(const struct lc_request *r, int control, int state, int64_t delta_ms, char **line, size_t **counts)
{
	struct buf text = BUF_INIT, word = BUF_INIT;
	size_t    *n = calloc(r->n_metrics, sizeof(*n));
	add_ask(&text, control, state, delta_ms);
	for (size_t i = 0; i < r->n_metrics && n != NULL; i++) {
		add_metric(&text, &word, &r->metrics[i]);
		n[i] = r->metrics[i].n_instances == 0 ? 1 : r->metrics[i].n_instances;
	}
	buf_text(&text);
	buf_fini(&word);
	if (n == NULL || text.failed) {
		buf_fini(&text);
		free(n);
		return -ENOMEM;
	}
	*line = text.data;
	*counts = n;
	return 0;
}

int lc_control_log(int fd, const struct lc_request *request, int control, int state, int64_t delta_ms,
		   struct lc_status **status)
{
	if (status == NULL)
		return -EINVAL;
	*status = NULL;
	if (!ask_is_valid(control, state, delta_ms) || !request_is_valid(request))
		return -EINVAL;
	char            *line = NULL;
	size_t          *counts = NULL;
	struct lc_reply *reply = NULL;
	int              err = line_make(request, control, state, delta_ms, &line, &counts);
	if (err == 0)
		err = lc_command(fd, line, &reply);
	if (err == 0)
		err = reply_to_status(reply, counts, request->n_metrics, status);
	free(line);
	free(counts);
	return err;
}
