#!/bin/bash
# value_bench - what a value costs where it is judged, inside the real daemon: ours against the floor, the host's cache and what users would
# take instead (inside.c).  SIZES: how many names, a daemon each.
. "${SRCDIR:-.}/tests/integration/harness.sh"
INSIDE=${INSIDE:-$BUILDDIR/tests/bench/.libs/inside.so}

# regex N: a chain of N rules, none of which matches
regex() {
	echo "<Chain \"bench_regex_$1\">"
	seq "$1" | sed 's/.*/<Rule "r&">\n<Match "regex">\nHost "^db&[.]example[.]com$"\n<\/Match>\nTarget "stop"\n<\/Rule>/'
	echo "</Chain>"
}

if [ "${LC_BENCH:-}" = long ]; then sizes=${SIZES:-100 10000 1000000}; else sizes=${SIZES:-100 10000}; fi
for names in $sizes; do
	place "names-$names"
	ln -f "$INSIDE" "$DIR/plugins/" 2>/dev/null || cp "$INSIDE" "$DIR/plugins/"
	config <<-Y
	LoadPlugin match_regex
	LoadPlugin target_set
	LoadPlugin log_control
	LoadPlugin inside
	<Plugin "log_control">
	  SocketFile "@DIR@/lc.sock"
	  MaxInstances 2000000
	  MaxRules 1000000
	  ReportStats false
	</Plugin>
	<Chain "bench_nothing">
	  Target "bench_nothing"
	</Chain>
	<Chain "bench_floor">
	  Target "bench_floor"
	</Chain>
	<Chain "bench_set">
	  <Target "set">
	    PluginInstance "p"
	  </Target>
	</Chain>
	$(regex 1; regex 10; regex 100; regex 1000)
	Y
	export LC_NAMES=$names LC_SOCKET=$SOCKET LC_FIGURES=$DIR/figures
	: >"$DIR/log"
	"$COLLECTD" -f -C "$DIR/collectd.conf" >"$DIR/out" 2>&1 &
	PID=$!
	wait "$PID"
	PID=
	[ -s "$DIR/figures" ] || { tail -5 "$DIR/log" "$DIR/out"; exit 1; }
	cat "$DIR/figures"
done
