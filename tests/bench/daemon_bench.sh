#!/bin/bash
# daemon_bench - the whole daemon: values in through unixsock, out through network, and what that costs without us, with us, and with what users
# would take instead.  All daemons run at once and get some ten thousand values in turns, so that what else the machine does meets all of them;
# each is measured only while it works.  The turns are drawn anew each round: the one that had the last turn finds its caches warm.  Plain runs
# twice: what the second differs by is what this measurement cannot tell.  SIZES: how many names; KINDS: which; ROUNDS: how many turns.
# One line a figure: name value unit peer ratio; medians.
. "${SRCDIR:-.}/tests/integration/harness.sh"
FEED=$BUILDDIR/tests/bench/feed
if [ "${LC_BENCH:-}" = long ]; then sizes=${SIZES:-1000 10000 100000} rounds=${ROUNDS:-61}
else sizes=${SIZES:-10000} rounds=${ROUNDS:-7}; fi
kinds=${KINDS:-"plain plain_again ours thin_precache thin_postcache regex_1 regex_10 regex_100"}
declare -A dirs pids
trap 'for k in $kinds; do PID=${pids[$k]:-}; stop_daemon; done; rm -rf "$WORK"' EXIT

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
	plain | plain_again) ;;
	ours) ours PreCache "" ;;
	thin_precache) ours PreCache "$thin" ;;
	thin_postcache) ours PostCache "$thin" ;;
	regex_*) echo "LoadPlugin match_regex"; regex "${1#regex_}" ;;
	esac
}
cpu_ns() { "$BUILDDIR/tests/bench/cpu" "$1"; }
# quiet PID: waits until the daemon has worked off what it was given, by its own CPU time; prints that
quiet() {
	local before after
	before=$(cpu_ns "$1")
	while sleep 0.03; after=$(cpu_ns "$1"); [ $((after - before)) -gt 1000000 ]; do before=$after; done
	echo "$after"
}
# start KIND NAMES: a daemon that knows all names
start() {
	place "$1-$2"
	{
		extra "$1"
		printf 'LoadPlugin network\n<Plugin network>\nServer "127.0.0.1" "25899"\n</Plugin>\n'
	} | config
	sed -i -e '/^LoadPlugin csv/d' -e '/^<Plugin csv>/,/^<\/Plugin>/d' "$DIR/collectd.conf"
	start_daemon || exit 1
	dirs[$1]=$DIR pids[$1]=$PID
	"$FEED" "$DIR/us.sock" "$2" 1 1700000000 || { echo "# $1: not all values were taken"; exit 1; }
	quiet "$PID" >/dev/null
}
# once KIND NAMES PASSES ROUND: nanoseconds of CPU a value, and of the clock on the wall
once() {
	local before start wall
	before=$(cpu_ns "${pids[$1]}") start=$(date +%s%N)
	"$FEED" "${dirs[$1]}/us.sock" "$2" "$3" $((1700001000 + $4 * $3 * 10)) || exit 1
	wall=$(($(date +%s%N) - start))
	echo "$1 $2 $((($(quiet "${pids[$1]}") - before) / ($2 * $3))) $((wall / ($2 * $3)))"
}

for names in $sizes; do
	for kind in $kinds; do start "$kind" "$names"; done
	passes=$((names < 10000 ? 10000 / names : 1))
	for round in $(seq $((names < 100000 ? rounds : (rounds + 1) / 2))); do
		for kind in $(shuf -e $kinds); do once "$kind" "$names" "$passes" "$round"; done >"$WORK/round"
		grep '^plain ' "$WORK/round"
		grep -v '^plain ' "$WORK/round"
	done
	for kind in $kinds; do PID=${pids[$kind]}; stop_daemon; pids[$kind]=; done
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
