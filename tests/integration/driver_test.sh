#!/bin/bash
# Read intervals that follow the rules, in the real daemon with real plugins (specification section 10).  By hand: LC_CHANGES=2000
# changes in each of two daemons, LC_KILLS=100 daemons that are ended in the middle of changes, LC_SEED.
. "${SRCDIR:-.}/tests/integration/harness.sh"
CHANGES=${LC_CHANGES:-60}
KILLS=${LC_KILLS:-3}
RANDOM=${LC_SEED:-1}
SOURCES=$(loadable cpu memory load df interface swap users uptime processes irq vmem contextswitch entropy protocols tcpconns disk)
UNKNOWN=$(loadable cpufreq thermal) # of the kind that could be driven, but not known to bear it
UNKNOWN=${UNKNOWN%%$'\n'*}

# driven_place NAME READ-THREADS [INTERVAL]: with a plugin that hangs each INTERVAL; a daemon whose plugins are watched, all of them to be driven but for three that cannot be
driven_place() {
	place "$1"
	local p
	cp "$BUILDDIR/tests/fake/.libs/hang.so" "$DIR/plugins/"
	for p in $SOURCES; do sed -i 's/plugin_register_read/detect_register_read/' "$DIR/plugins/$p.so"; done
	export OVERLAP_FILE=$DIR/overlap
	PRELOAD=$BUILDDIR/tests/fake/.libs/overlap.so
	INTERVAL=2 config <<X
ReadThreads $2
$(for p in $SOURCES $UNKNOWN; do echo "LoadPlugin $p"; done)
$([ -z "${3:-}" ] || printf '<LoadPlugin hang>\nInterval %s\n</LoadPlugin>\n' "$3")
<Plugin tcpconns>
  AllPortsSummary true
</Plugin>
LoadPlugin log_control
<Plugin "log_control">
  SocketFile "@DIR@/lc.sock"
  $(for p in $SOURCES; do echo "<Source \"$p\">"; echo "</Source>"; done)
  <Source "CsV">
  </Source>
  <Source "nothing">
  </Source>
  <Source "$UNKNOWN">
  </Source>
</Plugin>
X
}

changes() { ask STATUS | awk -F= '/^source\..*\.changes=/ { n += $2 } END { print n + 0 }'; }
# at_least N COMMAND...: its number is
at_least() { local n=$1; shift; [ "$("$@")" -ge "$n" ]; }
all_seen() { [ "$(ask STATUS | grep -c 'driven=true')" -ge 10 ]; }
# faster MS: every driven source is needed more often than before, each a little differently
faster() { local p; for p in $SOURCES; do echo "LOG advisory on every=$(($1 + RANDOM % 20))ms \"*/$p*/*\""; done | "$TALK" "$SOCKET" >/dev/null; }
all_slow() { ask STATUS | awk -F= '/configured_ms/ { c[substr($1, 1, length($1) - 14)] = $2 } /present_ms/ { if (c[substr($1, 1, length($1) - 11)] != $2) bad = 1 } END { exit bad }'; }
# rounds: until enough changes were made, sources are sped up step by step, and let go for more than ten seconds
rounds() {
	local ms tries=0
	until at_least "$CHANGES" changes; do
		[ $((tries++)) -lt $((CHANGES / 30 + 3)) ] || return 1
		for ms in 1400 1200 1000 850 700 600 500 400 300; do faster $ms; sleep 0.4; done
		ask "FORGET all" >/dev/null
		wait_for all_slow || return 1
	done
}
overlap() { awk '{ r += $2; o += $4; if ($6 > p) p = $6 } END { print (r > 9), o, (p >= 10) }' "$DIR/overlap"; }

# ---- five read threads, one of them often away for three seconds ----
driven_place five 5 6
start_daemon
check_log "a plugin that writes is not driven, and it is said why" '<Source "CsV">: not driven, only gated: it registers a write function'
check_log "... nor one that is not loaded" '<Source "nothing">: not driven, only gated: the plugin is not loaded: load it with LoadPlugin "nothing"'
check_log "... nor one that nobody has tried, with the way out" "<Source \"$UNKNOWN\">: not driven.*AllowUnknown true"
wait_for all_seen
check "a rule for instances that nobody has seen changes nothing" "0" \
	"$(ask 'LOG advisory on every=100ms "*/*/nothing-like-this"' >/dev/null; sleep 1; changes)"
ask "FORGET all" >/dev/null
rounds
check "$CHANGES changes under five read threads, a hanging plugin among them, and all are back at their intervals" yes "$(all_slow && echo yes)"
check "meetings that the hanging plugin missed are counted, and were held later" yes \
	"$([ "$(status_of driver_meetings_missed)" -gt 0 ] && [ "$(status_of driver_meetings)" -gt 1 ] && echo yes)"
check_log "each change is in the log" 'source "cpu": read every 0\.[0-9]+ s, [0-9.]+ s before; 2\.000 s are configured'
figures="$(changes) changes, $(status_of driver_meetings) meetings, $(status_of driver_meetings_missed) missed"
stop_daemon
check "no read function ran twice at a time ($figures)" "1 0 1" "$(overlap)"
check "nothing was registered twice" "" "$(grep -E 'already (exists|registered)|No such read' "$DIR/log")"

# ---- one read thread: the meeting is one ----
driven_place one 1
start_daemon
wait_for all_seen
wait_for test -s "$DIR"/csv/own/cpu-0/cpu-user-*
[ -z "${LC_CHANGES:-}" ] || { rounds; check "$(changes) changes under one read thread" yes "$(all_slow && echo yes)"; }
rounds_done=$(changes)
ask 'LOG advisory on every=500ms for=6s "*/cpu-0/cpu-user"' >/dev/null
wait_for at_least $((rounds_done + 1)) changes
check "a raised instance has it that its source is driven" yes "$(ask 'ENQUIRE "*/cpu-0/cpu-user"' | grep -q driven && echo yes)"
wait_for at_least $((rounds_done + 2)) changes
check "a timed request is over: its source is back" yes "$(wait_for all_slow && echo yes)"
sleep 4
stop_daemon
check "no read function ran twice at a time, one read thread" "1 0 1" "$(overlap)"
# gaps NAME LIMIT: how many records came less than LIMIT after the one before
gaps() { cat "$DIR/csv/own/$1"-20* | awk -F, -v limit="$2" '/^[0-9]/ { n += (before > 0 && $1 - before < limit); before = $1 } END { print n + 0 }'; }
if [ -z "${LC_CHANGES:-}" ]; then # else there were many records before
	check "raised: at least nine of twelve records in six seconds" yes "$([ "$(gaps cpu-0/cpu-user 1.2)" -ge 9 ] && echo yes)"
	check "its sibling, native, as without it: none came early" 0 "$(gaps cpu-0/cpu-system 1.2)"
	missing=$(cat "$DIR"/csv/own/cpu-0/cpu-system-20* | awk -F, '/^[0-9]/ { n++; if (!first) first = $1; last = $1 } END { d = (last - first) / 2 + 1 - n; print (d > -1.5 && d < 1.5) ? 0 : d }')
	check "... and none is missing" 0 "$missing"
fi

# ---- ended in the middle ----
slow=0 bad=0
for round in $(seq "$KILLS"); do
	driven_place "end-$round" 5
	start_daemon
	wait_for all_seen
	for ms in 900 700 500 300; do faster $ms; sleep 0.1; done &
	sleep "0.$((RANDOM % 6))$((RANDOM % 10))"
	kill "$PID"
	began=$(date +%s%N)
	wait "$PID"; status=$?
	PID=
	took=$((($(date +%s%N) - began) / 1000000))
	[ "$took" -gt "$slow" ] && slow=$took
	wait
	if [ "$status" != 0 ] || [ "$(overlap)" != "1 0 1" ] || grep -qE 'already (exists|registered)' "$DIR/log"; then
		bad=$((bad + 1))
		not_ok "ended in the middle of changes, round $round" "status $status, overlap $(overlap)"
	fi
	rm -rf "$DIR"
done
check "ended in the middle of changes, $KILLS times (the longest took $slow ms)" 0 "$bad"
finish
