#!/bin/bash
# peer_bench - the same requests to pmlogger and to the real daemon with log_control, in turns.  Needs the packages pcp and libpcp3-dev; pmcd and
# pmlogger run from a folder of their own, with ports and sockets of their own.
for need in /usr/lib/pcp/bin/pmcd /usr/bin/pmlogger /var/lib/pcp/pmdas/sample/libpcp.h /usr/include/pcp/pmapi.h; do
	[ -e "$need" ] || { echo "# peer pmlogger: $need is not there (packages pcp, libpcp3-dev): skipped"; exit 0; }
done
. "${SRCDIR:-.}/tests/integration/harness.sh"
P=$WORK/pcp
mkdir -p "$P/run" "$P/tmp/pmlogger" "$P/log"
chmod -R 777 "$P"
export PCP_RUN_DIR=$P/run PCP_TMP_DIR=$P/tmp PCP_LOG_DIR=$P/log PMCD_PORT=44399 PMCD_SOCKET=$P/run/pmcd.socket
skip() { echo "# peer pmlogger: $1: skipped"; tail -3 "$P"/*.log "$P/log"/* 2>/dev/null | sed 's/^/#   /'; exit 0; }
trap 'for p in $LOGGER $PMCD; do kill "$p" 2>/dev/null; done; stop_daemon; rm -rf "$WORK"' EXIT
PMCD='' LOGGER=''

"${CC:-gcc}" -O2 -D_GNU_SOURCE -I"$SRCDIR/tests/bench" -I/var/lib/pcp/pmdas/sample -o "$P/peer_bench" "$SRCDIR/tests/bench/peer_bench.c" \
	"$SRCDIR/tests/bench/figures.c" "$SRCDIR/tests/bench/dial.c" -lpcp >"$P/cc.log" 2>&1 || skip "does not build"
# the namespace: what a host has, and the sample metrics
mkdir "$P/names"
cp /var/lib/pcp/pmns/root_linux /var/lib/pcp/pmdas/sample/pmns "$P/names/"
cp /var/lib/pcp/pmdas/sample/root "$P/names/root_sample"
awk 'NF == 2 && !/^#/ { print "#define " $1 " " $2 }' /var/lib/pcp/pmns/stdpmid.pcp /var/lib/pcp/pmns/stdpmid.local >"$P/names/stdpmid"
(cd "$P/names" && /usr/lib/pcp/bin/pmnsmerge -a root_linux root_sample "$P/root") >"$P/pmns.log" 2>&1 || skip "no namespace: $(cat "$P/pmns.log")"
cat >"$P/pmcd.conf" <<X
linux 60 dso linux_init /var/lib/pcp/pmdas/linux/pmda_linux.so
sampledso 30 dso sample_init /var/lib/pcp/pmdas/sample/pmda_sample.so
X
/usr/lib/pcp/bin/pmcd -f -U root -c "$P/pmcd.conf" -n "$P/root" -p 44399 -s "$PMCD_SOCKET" -l "$P/log/pmcd.log" >"$P/pmcd.out" 2>&1 &
PMCD=$!
wait_for test -S "$PMCD_SOCKET" || skip "pmcd does not start"
echo 'log advisory on once { sampledso.long.one }' >"$P/config"
pmlogger -U root -h local: -c "$P/config" -l "$P/log/pmlogger.log" "$P/archive" >"$P/pmlogger.out" 2>&1 &
LOGGER=$!
wait_for test -S "$P/run/pmlogger.$LOGGER.socket" || skip "pmlogger does not start"

place peer
config <<'Y'
LoadPlugin log_control
<Plugin "log_control">
  SocketFile "@DIR@/lc.sock"
  ReportStats false
</Plugin>
Y
start_daemon
for i in $(seq 0 999); do
	echo "PUTVAL \"peer/metric-$i/gauge\" interval=10 1700000000:1"
	echo "PUTVAL \"peer/many-$i/gauge\" interval=10 1700000000:1"
done | put
settle
LC_PMLOGGER=$LOGGER timeout 120 "$P/peer_bench" "$SOCKET" "${ROUNDS:-7}" 2>"$P/bench.log" || skip "$(tail -1 "$P/bench.log")"
