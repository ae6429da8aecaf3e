#!/bin/bash
# The daemon's life: started and ended at random moments under load, in every way that it can be started; and a long one with clients of every
# kind, after which it holds as many descriptors and as much memory as before.  By hand: LC_ROUNDS=200, LC_CLIENTS=20000, LC_HELD=5000, LC_SEED.
. "${SRCDIR:-.}/tests/integration/harness.sh"
ROUNDS=${LC_ROUNDS:-10}
CLIENTS=${LC_CLIENTS:-400}
HELD=${LC_HELD:-300}
RANDOM=${LC_SEED:-1}
CROWD=$BUILDDIR/tests/fake/crowd

# lively NAME [MAX-CLIENTS]
lively() {
	place "$1"
	INTERVAL=0.2 config <<X
LoadPlugin cpu
LoadPlugin load
LoadPlugin interface
LoadPlugin log_control
<Plugin "log_control">
  SocketFile "@DIR@/lc.sock"
  StateFile "state"
  MaxClients ${2:-8}
  <Source "cpu">
  </Source>
</Plugin>
X
}

# ---- ended at random moments, also while it starts ----
# begin CONFIG in_foreground|in_background
begin() {
	WAY=$2
	rm -f "$DIR/us.sock" "$DIR/log" "$DIR/pid"
	if [ "$WAY" = in_foreground ]; then
		(ulimit -c unlimited; exec "$COLLECTD" -f -C "$1") >"$DIR/out" 2>&1 &
		PID=$!
	else
		(ulimit -c unlimited; exec "$COLLECTD" -C "$1" -P "$DIR/pid") >"$DIR/out" 2>&1
		wait_for test -s "$DIR/pid"
		PID=$(cat "$DIR/pid")
	fi
}

# is_running PID: and no zombie that nobody has asked for yet
is_running() { case $(cat "/proc/$1/stat" 2>/dev/null) in "" | *") Z "*) return 1 ;; esac; }

# end: SIGTERM.  STATUS: 0 when it ended in order, TOOK_MS
end() {
	local began; began=$(date +%s%N)
	kill "$PID"
	if [ "$WAY" = in_foreground ]; then
		wait "$PID"; STATUS=$?
	else
		while is_running "$PID"; do sleep 0.005; done
		STATUS=0
		[ ! -e "$DIR/pid" ] || STATUS=143 # its last act is to remove it
	fi
	TOOK_MS=$((($(date +%s%N) - began) / 1000000))
	PID=
	# a signal that comes before the daemon has a handler for it ends it with 143; nothing of ours was begun then
	[ $STATUS != 143 ] || grep -qsE 'saved entries|entering read-loop' "$DIR/log" || STATUS=0
}

lively random
bad=0 longest=0
for round in $(seq "$ROUNDS"); do
	begin "$DIR/collectd.conf" "$([ $((round % 3)) = 0 ] && echo in_background || echo in_foreground)"
	"$CROWD" "$SOCKET" 1000 "$round" >/dev/null 2>&1 &
	first=$!
	sleep "0.$((RANDOM % 10))"
	"$CROWD" "$SOCKET" 1000 "$((round + 1000))" >/dev/null 2>&1 &
	second=$!
	sleep "0.0$((RANDOM % 100))"
	end
	kill $first $second 2>/dev/null
	wait $first $second 2>/dev/null
	[ "$TOOK_MS" -le "$longest" ] || longest=$TOOK_MS
	left=$(cd "$DIR" && ls -d lc.sock core* 2>/dev/null | tr '\n' ' ')
	if [ "$STATUS" != 0 ] || [ -n "$left" ]; then
		bad=$((bad + 1))
		not_ok "ended at a random moment, round $round, $WAY" "status $STATUS; left: $left; $(tail -5 "$DIR/log")"
		rm -f "$SOCKET" "$DIR"/core*
	fi
done
check "ended at $ROUNDS random moments under load: in order, no socket is left, no core" 0 "$bad"
# collectd's own: the same without us
sed '/^LoadPlugin log_control/,$d' "$DIR/collectd.conf" >"$DIR/without.conf"
without=0
for round in $(seq $((ROUNDS / 10 + 2))); do
	begin "$DIR/without.conf" in_foreground
	sleep "0.$((RANDOM % 10))"
	end
	[ "$TOOK_MS" -le "$without" ] || without=$TOOK_MS
done
echo "# the longest took $longest ms to end, without the plugin $without ms"
[ -z "${LC_ROUNDS:-}" ] || check "... each within a second beyond collectd's own" yes "$([ $longest -lt $((without + 1000)) ] && echo yes)"

# ---- every way to start it ----
lively ways
"$COLLECTD" -t -C "$DIR/collectd.conf" >/dev/null 2>&1
check "-t: the configuration is accepted, and nothing is touched" "0 no" "$? $([ -e "$DIR/state" ] || [ -e "$SOCKET" ] && echo yes || echo no)"
timeout 60 "$COLLECTD" -T -C "$DIR/collectd.conf" >/dev/null 2>&1
check "-T: everything is read once, and it ends" "0 no" "$? $([ -S "$SOCKET" ] && echo yes || echo no)"
begin "$DIR/collectd.conf" in_background
wait_for test -S "$SOCKET"
check "in the background: it answers" yes "$(ask STATUS | grep -q '^version=' && echo yes)"
check "... and its thread lives in the child" yes "$(ls "/proc/$PID/task" | wc -l | awk '{ print ($1 > 8) ? "yes" : $1 }')"
end
check "... and it goes, socket and all" "0 no" "$STATUS $([ -S "$SOCKET" ] && echo yes || echo no)"
rm -f "$DIR/us.sock"

# ---- as a service manager does: ended and at once begun; collectd has no other reload ----
start_daemon
for round in 1 2 3; do
	ask "LOG mandatory off own/restart-$round/gauge" >/dev/null
	ask "LOG advisory off for=1h own/restart/gauge" >/dev/null
	stop_daemon
	start_daemon
done
check "restarted three times: the rules are there, and ids go on" "4 7" \
	"$(ask RULES | grep -c ' socket ') $(ask "LOG advisory on own/x/y" | sed -n 's/.* id=\([0-9]*\).*/\1/p')"
sed "s#$DIR/us.sock#$DIR/us2.sock#; s#$DIR/pid#$DIR/pid2#; s#$DIR/log\"#$DIR/log2\"#; s#$DIR/csv#$DIR/csv2#; s#\"state\"#\"state2\"#" \
	"$DIR/collectd.conf" >"$DIR/second.conf"
inode=$(stat -c %i "$SOCKET")
"$COLLECTD" -f -C "$DIR/second.conf" >/dev/null 2>&1 &
second=$!
wait_for grep -q "entering read-loop" "$DIR/log2"
check "a second daemon on the socket of the first is told so" 1 "$(grep -c 'belongs to a process that answers' "$DIR/log2")"
kill $second
wait $second
check "... and leaves it alone, also when it ends" "0 $inode yes" "$? $(stat -c %i "$SOCKET") $(ask STATUS | grep -q '^rules=' && echo yes)"
stop_daemon

# ---- many clients at once ----
ulimit -n "$(ulimit -Hn)"
lively held "$HELD"
start_daemon
figures=$("$BUILDDIR/tests/fake/held" "$SOCKET" $((HELD + HELD / 5)) $((HELD * 10)))
check "$HELD clients at once are served, those beyond are told ($figures)" "held $HELD busy $((HELD / 5)) enquiries" \
	"$(sed 's/ [0-9]* a second.*//' <<<"$figures")"
stop_daemon

# ---- a long life ----
lively long
start_daemon
descriptors() { ls "/proc/$PID/fd" | wc -l; }
# memory: private dirty pages in kB, which is what a leak would be
memory() { awk '/^Private_Dirty/ { n += $2 } END { print n }' "/proc/$PID/smaps_rollup"; }
alone() { [ "$(status_of clients)" = 1 ]; }
# live N SEED: so many clients, and then rest
live() { "$CROWD" "$SOCKET" "$1" "$2"; ask "FORGET all" >/dev/null; wait_for alone; }
for i in 4 5 6; do live "$CLIENTS" $i >/dev/null; done
before=$(descriptors) before_kb=$(memory)
served=$(live "$CLIENTS" 2)
live "$CLIENTS" 3 >/dev/null
after=$(descriptors) after_kb=$(memory)
check "clients of every kind: as many descriptors as before ($served)" "$before" "$after"
grown=$((after_kb - before_kb))
check "... and as much memory, give or take 3 MiB of the allocator's ($before_kb kB, then $after_kb kB)" yes "$([ $grown -lt 3072 ] && echo yes)"
check "no page may be written and executed" 0 "$(grep -c ' rwx' "/proc/$PID/maps")"
# the listening socket of unixsock is not ours; all others of these kinds are
open=0
for fd in /proc/"$PID"/fd/*; do
	case $(readlink "$fd") in
	socket:* | anon_inode:* | *"/state"*) grep -q '^flags:.*02[0-9]\{6\}$' "/proc/$PID/fdinfo/${fd##*/}" || open=$((open + 1)) ;;
	esac
done
check "our descriptors are closed in programs that the daemon starts" 1 "$open"
# the life is as long as the machine is slow: however short it was, the sources go on after it
live "$CLIENTS" 7 >/dev/null
values=$(status_of values_passed)
more_values() { [ "$(status_of values_passed)" -gt $((values + 50)) ]; }
check "values go on afterwards, and none was ever passed without being judged" "yes 0" \
	"$(wait_for more_values && echo yes) $(status_of values_failed_open)"
stop_daemon
finish
