#!/bin/bash
# daemon_bench - the whole daemon: values in through unixsock, out through network, and what that costs without us, with us, and with what users
# would take instead.  SIZES: how many names; VALUES: how many values are measured each time; ROUNDS: all configurations in turns, so often.
# One line a figure: name value unit peer ratio; medians.
. "${SRCDIR:-.}/tests/integration/harness.sh"
FEED=$BUILDDIR/tests/bench/feed
if [ "${LC_BENCH:-}" = long ]; then sizes=${SIZES:-1000 10000 100000} values=${VALUES:-200000} rounds=${ROUNDS:-5}
else sizes=${SIZES:-10000} values=${VALUES:-100000} rounds=${ROUNDS:-2}; fi
kinds="plain ours thin_precache thin_postcache regex_1 regex_10 regex_100"

regex() {
	echo 'PreCacheChain "bench"
<Chain "bench">'
	seq "$1" | sed 's/.*/<Rule "r&">\n<Match "regex">\nHost "^db&[.]example[.]com$"\n<\/Match>\nTarget "stop"\n<\/Rule>/'
	echo "</Chain>"
}
# ours CHAIN RULES: log_control's block
ours() {
	printf 'LoadPlugin log_control\n<Plugin "log_control">\nSocketFile "@DIR@/lc.sock"\nReportStats false\nChain "%s"\n%s\n</Plugin>\n' "$1" "$2"
}
thin='<Log>
Every 100
Metric "*/*/*"
</Log>'
# extra KIND: what its configuration has more than the plain one
extra() {
	case $1 in
	plain) ;;
	ours) ours PreCache "" ;;
	thin_precache) ours PreCache "$thin" ;;
	thin_postcache) ours PostCache "$thin" ;;
	regex_*) echo "LoadPlugin match_regex"; regex "${1#regex_}" ;;
	esac
}
# cpu_ns: what all its threads have run so far
cpu_ns() { cat /proc/"$PID"/task/*/schedstat 2>/dev/null | awk '{ n += $1 } END { printf "%.0f", n }'; }
# quiet: waits until the daemon has worked off what it was given; when that was, by its own CPU time
quiet() {
	local before after
	before=$(cpu_ns)
	while sleep 0.1; after=$(cpu_ns); [ $((after - before)) -gt 1500000 ]; do before=$after; done
}
# once KIND NAMES: nanoseconds of CPU a value, and of the clock on the wall
once() {
	local names=$2 passes=$((values / $2)) before start
	place "$1"
	{
		extra "$1"
		printf 'LoadPlugin network\n<Plugin network>\nServer "127.0.0.1" "25899"\n</Plugin>\n'
	} | config
	sed -i -e '/^LoadPlugin csv/d' -e '/^<Plugin csv>/,/^<\/Plugin>/d' "$DIR/collectd.conf"
	start_daemon || exit 1
	"$FEED" "$DIR/us.sock" "$names" 1 1700000000 || { echo "# $1: not all values were taken"; exit 1; }
	quiet
	before=$(cpu_ns) start=$(date +%s%N)
	"$FEED" "$DIR/us.sock" "$names" "$passes" 1700001000 || exit 1
	local wall=$(($(date +%s%N) - start))
	quiet
	echo "$1 $names $((($(cpu_ns) - before) / (names * passes))) $((wall / (names * passes)))"
	stop_daemon
}

for names in $sizes; do
	for _ in $(seq "$rounds"); do for kind in $kinds; do once "$kind" "$names"; done; done
done >"$WORK/all"
awk -v kinds="$kinds" '
function median(text,   a, n, i, j, t) {
	n = split(text, a, " ")
	for (i = 2; i <= n; i++) for (j = i; j > 1 && a[j - 1] + 0 > a[j] + 0; j--) { t = a[j]; a[j] = a[j - 1]; a[j - 1] = t }
	least = a[1]; most = a[n]
	return n % 2 ? a[(n + 1) / 2] : (a[n / 2] + a[n / 2 + 1]) / 2
}
/^#/ { print; next }
{ if (!($2 in seen)) { seen[$2] = 1; size[++sizes] = $2 }; cpu[$1, $2] = cpu[$1, $2] " " $3; wall[$1, $2] = wall[$1, $2] " " $4
  if ($1 == "plain") plain = $3; ratio[$1, $2] = ratio[$1, $2] " " $3 / plain }
END {
	n = split(kinds, kind, " ")
	for (s = 1; s <= sizes; s++) for (k = 1; k <= n; k++) {
		m = median(cpu[kind[k], size[s]]); l = least; h = most
		printf "daemon_%s_%d_names %.2f s_cpu/million plain %.2f # %.2f to %.2f, %.0f values/s\n", kind[k], size[s], m / 1000,
			median(ratio[kind[k], size[s]]), l / 1000, h / 1000, 1e9 / median(wall[kind[k], size[s]])
	}
}' "$WORK/all"
