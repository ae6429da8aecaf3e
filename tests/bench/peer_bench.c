/*
 * peer_bench SOCKET ROUNDS - the same requests to pmlogger of Performance Co-Pilot, over its control connection, and to us, in turns: one metric, a
 * list of a thousand, a thousand instances of one.  Only where libpcp is (peer_bench.sh builds it).
 */
#include <pcp/pmapi.h>

#include "libpcp.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "dial.h"
#include "figures.h"

#define LIST 1000

static pmID    metrics[LIST];
static int     n_metrics;
static pmID    many;
static pmInDom many_indom;

static void fatal(const char *what, int status)
{
	fprintf(stderr, "peer_bench: %s: %s\n", what, pmErrStr(status));
	exit(1);
}

/* Those without instances first: a list of metrics with many instances each would be a longer list. */
static bool with_instances;

static void found(const char *name)
{
	pmID   id;
	pmDesc desc;
	if (n_metrics < LIST && pmLookupName(1, &name, &id) == 1 && pmLookupDesc(id, &desc) == 0 &&
	    (desc.indom != PM_INDOM_NULL) == with_instances)
		metrics[n_metrics++] = id;
}

static pmID lookup(const char *name)
{
	pmID id;
	int  status = pmLookupName(1, &name, &id);
	if (status < 0)
		fatal(name, status);
	return id;
}

/* The thousand instances. */
static void many_prepare(void)
{
	pmID      count = lookup("sampledso.many.count");
	pmResult *r;
	int       status = pmFetch(1, &count, &r);
	if (status < 0)
		fatal("many.count", status);
	r->vset[0]->vlist[0].value.lval = LIST;
	if ((status = pmStore(r)) < 0)
		fatal("store many.count", status);
	pmFreeResult(r);
	pmDesc desc;
	many = lookup("sampledso.many.int");
	if ((status = pmLookupDesc(many, &desc)) < 0)
		fatal("many.int", status);
	many_indom = desc.indom;
}

static pmValueSet *set_new(pmID id, int n)
{
	pmValueSet *s = calloc(1, sizeof(*s) + (size_t)n * sizeof(pmValue));
	s->pmid = id;
	s->numval = n;
	s->valfmt = PM_VAL_INSITU;
	return s;
}

static __pmResult *list_of(int n)
{
	__pmResult *r = __pmAllocResult(n);
	r->numpmid = n;
	for (int i = 0; i < n; i++)
		r->vset[i] = set_new(metrics[i], 0);
	return r;
}

static __pmResult *instances_of_many(void)
{
	int        *ids;
	char      **names;
	int         n = pmGetInDom(many_indom, &ids, &names);
	__pmResult *r = __pmAllocResult(1);
	if (n < 0)
		fatal("instances", n);
	r->numpmid = 1;
	r->vset[0] = set_new(many, n < LIST ? n : LIST);
	for (int i = 0; i < r->vset[0]->numval; i++)
		r->vset[0]->vlist[i].inst = ids[i];
	if (n < LIST)
		printf("# pmlogger: only %d instances\n", n);
	free(ids);
	free(names);
	return r;
}

/* Milliseconds of one request to pmlogger. */
static double peer_ask(int fd, const __pmResult *request, int round)
{
	__pmResult *answer;
	double      start = wall_s();
	int    status = __pmControlLog(fd, request, PM_LOG_MANDATORY, PM_LOG_ON, 10000 + 1000 * (round % 2), &answer);
	double took = wall_s() - start;
	if (status < 0)
		fatal("__pmControlLog", status);
	__pmFreeResult(answer);
	return took * 1000;
}

/* Milliseconds of one request to us, with `n` names, until the last line of the reply. */
static double our_ask(int fd, int n, int round, const char *form)
{
	static char text[1 << 18];
	size_t      len = (size_t)sprintf(text, "LOG mandatory on every=%ds", 10 + round % 2), sent = 0;
	int         lines = n + 1;
	for (int i = 0; i < n; i++)
		len += (size_t)sprintf(text + len, " peer/%s%d/%s", form, i, "gauge");
	text[len++] = '\n';
	double start = wall_s();
	while (sent < len)
		sent += (size_t)write(fd, text + sent, len - sent);
	while (lines > 0) {
		ssize_t got = read(fd, text, sizeof(text));
		if (got <= 0)
			exit(1);
		for (ssize_t i = 0; i < got; i++)
			lines -= text[i] == '\n';
	}
	return (wall_s() - start) * 1000;
}

int main(int argc, char **argv)
{
	int rounds = argc == 3 ? atoi(argv[2]) : 0, pid = atoi(getenv("LC_PMLOGGER")), port = PM_LOG_NO_PORT, status;
	if ((status = pmNewContext(PM_CONTEXT_HOST, "local:")) < 0)
		fatal("pmcd", status);
	many_prepare();
	for (int pass = 0; pass < 2; pass++) {
		with_instances = pass == 1;
		if ((status = pmTraversePMNS("", found)) < 0)
			fatal("names", status);
		printf("# pmlogger's list: %d metrics%s\n", n_metrics, pass == 0 ? " without instances" : "");
	}
	int peer = __pmConnectLogger("local:", &pid, &port), ours = dial(argv[1]);
	if (peer < 0)
		fatal("pmlogger", peer);
	__pmResult   *requests[] = { list_of(1), list_of(n_metrics), instances_of_many() };
	const char   *names[] = { "request_one_metric", "request_1000_metrics", "request_1000_instances" };
	const char   *forms[] = { "metric-", "metric-", "many-" };
	struct series mine[3] = { 0 }, theirs[3] = { 0 };
	for (int r = 0; r < rounds; r++) {
		for (int k = 0; k < 3; k++) {
			/* a short one many times in a row: the first after a pause waits for the processor more than for anything else */
			int    times = k == 0 ? 50 : 1;
			double they_took = 0, we_took = 0;
			for (int t = 0; t < times; t++)
				they_took += peer_ask(peer, requests[k], r + t);
			for (int t = 0; t < times; t++)
				we_took += our_ask(ours, k == 0 ? 1 : LIST, r + t, forms[k]);
			series_add(&theirs[k], they_took / times);
			series_add(&mine[k], we_took / times);
		}
	}
	for (int k = 0; k < 3; k++)
		figure(names[k], &mine[k], "ms", "pmlogger", &theirs[k]);
	return 0;
}
