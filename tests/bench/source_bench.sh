#!/bin/bash
# source_bench - what reading less often saves: CPU time of the real daemon with five sources that are configured for 0.1 s and logged
# every 2 s, read at their interval and read as their rules need; and what the driver itself costs with nothing to do.
# One line a figure: name value unit peer ratio.  SECONDS_EACH: how long each daemon is watched.
. "${SRCDIR:-.}/tests/integration/harness.sh"
each=${SECONDS_EACH:-8}
sources=$(loadable processes cpu df interface tcpconns)

# daemon NAME INTERVAL SOURCE-BLOCKS: configuration
daemon() {
	place "$1"
	INTERVAL=$2 config <<X
$(for p in $sources; do echo "LoadPlugin $p"; done)
<Plugin tcpconns>
  AllPortsSummary true
</Plugin>
LoadPlugin log_control
<Plugin "log_control">
  SocketFile "@DIR@/lc.sock"
  ReportStats false
  $3
  <Log>
    Every 2
    Metric "*/*/*"
  </Log>
</Plugin>
X
}
# cpu_ns: what all its threads have run so far; no thread ends while we look
cpu_ns() { cat /proc/"$PID"/task/*/schedstat | awk '{ n += $1 } END { printf "%.0f", n }'; }
# watch: nanoseconds of CPU of the daemon in `each` seconds, once its sources are read as they will be
watch() {
	start_daemon
	sleep 13
	local before
	before=$(cpu_ns)
	sleep "$each"
	echo $(($(cpu_ns) - before))
	stop_daemon
}
blocks() { local p; for p in $sources; do printf '<Source "%s">\n%s\n</Source>\n' "$p" "$1"; done; }
# figure NAME VALUE PEER
figure() { awk -v n="$1" -v v="$2" -v p="$3" -v e="$each" 'BEGIN { printf "%s %.2f ms_cpu/s %.2f %.2f\n", n, v / e / 1e6, p / e / 1e6, v / p }'; }

daemon full 0.1 "" && full=$(watch)
daemon slowed 0.1 "$(blocks "MaxInterval 60")" && slowed=$(watch)
daemon rare 10 "" && rare=$(watch)
daemon idle 10 "$(blocks "")" && idle=$(watch)
figure "source_slowed_by_rule" "$slowed" "$full"
figure "driver_with_nothing_to_do" "$idle" "$rare"
