# harness - sourced by the integration tests: the real collectd, real plugins, real sockets, in a private folder.
#
# Values come as PUTVAL lines with time stamps of their own, so nothing depends on how fast the machine is; where something has to
# happen first, it is waited for, with a generous limit.
set -u
COLLECTD=${COLLECTD:-/usr/sbin/collectd}
PLUGINS=${PLUGINS:-/usr/lib/collectd}
TYPES=${TYPES:-/usr/share/collectd/types.db}
BUILDDIR=${BUILDDIR:-.}
TALK=$BUILDDIR/tests/fake/talk
[ -x "$COLLECTD" ] && [ -f "$BUILDDIR/.libs/log_control.so" ] || { echo "collectd or the plugin is not there: skipped"; exit 77; }

WORK=$(mktemp -d /tmp/lc-int-XXXXXX)
PID=
passed=0
failed=0
trap 'stop_daemon; rm -rf "$WORK"' EXIT

ok() { passed=$((passed + 1)); echo "ok - $1"; }
not_ok() { failed=$((failed + 1)); echo "not ok - $1"; [ $# -gt 1 ] && printf '%s\n' "$2" | head -20 | sed 's/^/    /'; return 0; }
# check NAME EXPECTED ACTUAL
check() { if [ "$2" = "$3" ]; then ok "$1"; else not_ok "$1" "expected: $2
actual:   $3"; fi; }
# check_log NAME PATTERN
check_log() { if grep -qE -- "$2" "$DIR/log"; then ok "$1"; else not_ok "$1" "$(tail -15 "$DIR/log")"; fi; }
finish() { echo "$passed passed, $failed failed"; [ "$failed" -eq 0 ]; exit; }

# wait_for COMMAND...: until it succeeds, at most 30 s
wait_for() {
	local i
	for i in $(seq 300); do "$@" >/dev/null 2>&1 && return 0; sleep 0.1; done
	return 1
}

# place NAME: a new private folder for one daemon
place() {
	DIR=$WORK/$1
	mkdir -p "$DIR/plugins"
	ln -f "$BUILDDIR/.libs/log_control.so" "$DIR/plugins/" 2>/dev/null || cp "$BUILDDIR/.libs/log_control.so" "$DIR/plugins/"
	local p
	for p in "$PLUGINS"/*.so; do [ "$(basename "$p")" = log_control.so ] || cp "$p" "$DIR/plugins/" 2>/dev/null; done
	SOCKET=$DIR/lc.sock
}

# loadable NAME...: those of them that this machine has, with all the libraries they need: one that cannot be loaded ends the daemon
loadable() {
	local p
	for p in "$@"; do [ -f "$PLUGINS/$p.so" ] && ! ldd "$PLUGINS/$p.so" | grep -q 'not found' && echo "$p"; done
}

# config: the common head; the rest of the configuration comes on standard input
config() {
	{
		cat <<EOF
Hostname "own"
FQDNLookup false
BaseDir "$DIR"
PIDFile "$DIR/pid"
PluginDir "$DIR/plugins"
TypesDB "$TYPES"
Interval ${INTERVAL:-3600}
WriteThreads 1
Timeout 1000000
LoadPlugin logfile
<Plugin logfile>
  LogLevel info
  File "$DIR/log"
  Timestamp false
  PrintSeverity true
</Plugin>
LoadPlugin unixsock
<Plugin unixsock>
  SocketFile "$DIR/us.sock"
  SocketGroup "root"
</Plugin>
LoadPlugin csv
<Plugin csv>
  DataDir "$DIR/csv"
  StoreRates false
</Plugin>
EOF
		sed "s#@DIR@#$DIR#g"
	} >"$DIR/collectd.conf"
}

start_daemon() {
	: >"$DIR/log"
	${PRELOAD:+env LD_PRELOAD="$PRELOAD"} "$COLLECTD" -f -C "$DIR/collectd.conf" >"$DIR/out" 2>&1 &
	PID=$!
	wait_for test -S "$DIR/us.sock" || { not_ok "the daemon starts" "$(cat "$DIR/log" "$DIR/out")"; return 1; }
	wait_for grep -q "entering read-loop" "$DIR/log"
}

stop_daemon() {
	[ -n "$PID" ] || return 0
	kill "$PID" 2>/dev/null
	wait "$PID" 2>/dev/null
	PID=
}

put() { "$TALK" "$DIR/us.sock" >"$DIR/put.out"; grep -v '^0 ' "$DIR/put.out" | head -3; }
ask() { printf '%s\n' "$@" | "$TALK" "$SOCKET"; }
# status_of NAME: that value of STATUS
status_of() { ask STATUS | sed -n "s/^$1=//p"; }

# stream NAME INTERVAL COUNT [START]: PUTVAL lines of a gauge that counts from 0
stream() {
	local i start=${4:-1700000000}
	for ((i = 0; i < $3; i++)); do
		echo "PUTVAL \"$1\" interval=$2 $((start + i * $2)):$i"
	done
}

# settle: everything put so far has been written
settle() {
	marker=$((${marker:-1600000000} + 100))
	echo "PUTVAL \"own/marker-$marker/gauge\" interval=10 1700000000:1" | put
	wait_for test -d "$DIR/csv/own/marker-$marker"
}

# times NAME: the time stamps that csv recorded, in one line
times() { cat "$DIR/csv/$1"-20* 2>/dev/null | grep -v epoch | cut -d. -f1 | sort -n | tr '\n' ' '; }
count() { cat "$DIR/csv/$1"-20* 2>/dev/null | grep -vc epoch; }
