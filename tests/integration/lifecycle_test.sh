#!/bin/bash
# The daemon's life: started and ended at random moments under load, in every way that it can be started; and a long one with clients of every
# kind, after which it holds as many descriptors and as much memory as before.  By hand: LC_ROUNDS=200, LC_CLIENTS=20000, LC_SEED.
. "${SRCDIR:-.}/tests/integration/harness.sh"
ROUNDS=${LC_ROUNDS:-6}
CLIENTS=${LC_CLIENTS:-400}
RANDOM=${LC_SEED:-1}
CROWD=$BUILDDIR/tests/fake/crowd

lively() {
	place "$1"
	INTERVAL=0.2 config <<'X'
LoadPlugin cpu
LoadPlugin load
LoadPlugin interface
LoadPlugin log_control
<Plugin "log_control">
  SocketFile "@DIR@/lc.sock"
  StateFile "state"
  MaxClients 8
  <Source "cpu">
  </Source>
</Plugin>
X
}

# ---- ended at random moments, also while it starts ----
lively random
bad=0
for round in $(seq "$ROUNDS"); do
	"$COLLECTD" -f -C "$DIR/collectd.conf" >"$DIR/out" 2>&1 &
	PID=$!
	"$CROWD" "$SOCKET" 1000 "$round" >/dev/null 2>&1 &
	first=$!
	sleep "0.$((RANDOM % 10))"
	"$CROWD" "$SOCKET" 1000 "$((round + 1000))" >/dev/null 2>&1 &
	second=$!
	sleep "0.0$((RANDOM % 100))"
	kill "$PID"
	wait "$PID"; status=$?
	PID=
	kill $first $second 2>/dev/null
	wait $first $second 2>/dev/null
	# a signal that comes before the daemon has a handler for it ends it with 143
	if [ $status != 0 ] && { [ $status != 143 ] || grep -q "entering read-loop" "$DIR/log"; } || [ -S "$SOCKET" ] && [ $status = 0 ]; then
		bad=$((bad + 1))
		not_ok "ended at a random moment, round $round" "status $status; $(ls "$DIR")"
	fi
	rm -f "$DIR/us.sock" "$DIR/log"
done
check "ended at $ROUNDS random moments under load: status 0, and no socket is left" 0 "$bad"

# ---- every way to start it ----
lively ways
"$COLLECTD" -t -C "$DIR/collectd.conf" >/dev/null 2>&1
check "-t: the configuration is accepted, and nothing is touched" "0 no" "$? $([ -e "$DIR/state" ] || [ -e "$SOCKET" ] && echo yes || echo no)"
timeout 60 "$COLLECTD" -T -C "$DIR/collectd.conf" >/dev/null 2>&1
check "-T: everything is read once, and it ends" "0 no" "$? $([ -S "$SOCKET" ] && echo yes || echo no)"
rm -f "$DIR/us.sock"
"$COLLECTD" -C "$DIR/collectd.conf" -P "$DIR/pid" >/dev/null 2>&1
wait_for test -S "$SOCKET"
PID=$(cat "$DIR/pid")
check "in the background: it answers" yes "$(ask STATUS | grep -q '^version=' && echo yes)"
check "... and its thread lives in the child" yes "$(ls "/proc/$PID/task" | wc -l | awk '{ print ($1 > 8) ? "yes" : $1 }')"
kill "$PID"
wait_for sh -c "! kill -0 $PID"
check "... and it goes, socket and all" no "$([ -S "$SOCKET" ] && echo yes || echo no)"
PID=
rm -f "$DIR/us.sock"

# ---- a long life ----
lively long
start_daemon
descriptors() { ls "/proc/$PID/fd" | wc -l; }
# memory: private dirty pages in kB, which is what a leak would be
memory() { awk '/^Private_Dirty/ { n += $2 } END { print n }' "/proc/$PID/smaps_rollup"; }
alone() { [ "$(ask STATUS | sed -n 's/^clients=//p')" = 1 ]; }
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
values=$(ask STATUS | sed -n 's/^values_passed=//p')
check "values went on meanwhile, none without being judged" "yes 0" "$([ "$values" -gt 50 ] && echo yes) $(ask STATUS | sed -n 's/^values_failed_open=//p')"
stop_daemon
finish
