#!/bin/bash
# The plugin inside the real daemon: requests while values flow, own metrics, faults at the socket, restarts (sections 11, 13, 16, 17).
. "${SRCDIR:-.}/tests/integration/harness.sh"

place main
config <<'X'
LoadPlugin log_control
<Plugin "log_control">
  SocketFile "@DIR@/lc.sock"
  StateFile "state"
  SocketPerms 0700
  MaxClients 4
  ReportStats false
  Speed "fast"
  <Log>
    Control "mandatory"
    State off
    Metric "*/secret-*/*"
  </Log>
  <Log>
    Control "sometimes"
    Metric "*/x/*"
  </Log>
</Plugin>
X
start_daemon
check_log "an unknown option is one ERROR, the rest stays in force" '<Plugin> block 1: Speed "fast": unknown option'
check_log "a bad block is named by number and left out" '<Log> block 2: Control "sometimes"'
check_log "the start-up log says who may do what" 'whoever may connect to the socket may do all'
check "the socket has the mode that was asked for" 700 "$(stat -c %a "$SOCKET")"

# --- 1000 requests while values flow
stream own/flow/gauge 10 3000 >"$WORK/flow"
put <"$WORK/flow" &
PUTTER=$!
for i in $(seq 500); do echo "LOG advisory on every=$((i % 7 + 1))s \"own/p-$i/gauge\" \"*/q-*/gauge-$i\""; echo "ENQUIRE \"*/flow/*\""; done >"$WORK/requests"
replies=$("$TALK" "$SOCKET" <"$WORK/requests")
wait $PUTTER
settle
check "1000 requests while values flow: each has its reply" "1000 0" "$(grep -c ' Values' <<<"$replies") $(grep -c '^-' <<<"$replies")"
check "... and no value is lost" 3000 "$(count own/flow/gauge)"
check "a rule of the file holds" "1 held 0x00000002 mandatory off 0 - unseen \"own/secret-1/gauge\"" "$(ask 'ENQUIRE secret-1/gauge' | tail -1)"

# --- the line protocol at its edges
check "CRLF, blank lines, an unfinished line at the end" "0 Rules -> 0" "$(printf 'HELP HELP\r\n\n\nFORGET all\nRUL' | "$TALK" "$SOCKET" | grep -c RUL | sed 's/^/0 Rules -> /')"
check "a NUL is refused and the connection goes on" "-22 2" "$(printf 'RULES\0\nHELP HELP\n' | "$TALK" "$SOCKET" | cut -d' ' -f1 | head -2 | tr '\n' ' ' | sed 's/ $//')"
check "a line over the limit gets one error, the next is served" "-22 2" \
	"$({ head -c 1100000 /dev/zero | tr '\0' a; printf '\nHELP HELP\n'; } | "$TALK" "$SOCKET" | cut -d' ' -f1 | head -2 | tr '\n' ' ' | sed 's/ $//')"

# --- a client that asks for much and reads nothing
(for i in $(seq 20000); do echo 'ENQUIRE "*/*/*" RULES/x'; done | "$TALK" "$SOCKET" 60 | sleep 30) &
STUCK=$!
wait_for sh -c "echo STATUS | '$TALK' '$SOCKET' 5 | grep -q '^clients=2'"
check "a stuck client blocks no other client" 3 "$(printf 'HELP HELP\nRULES\nHELP HELP\n' | "$TALK" "$SOCKET" 5 | grep -cE '^[0-9]+ (Help|Rules)$')"
stream own/beside/gauge 10 50 | put; settle
check "... nor a value" 50 "$(count own/beside/gauge)"
pkill -P $STUCK 2>/dev/null
kill $STUCK 2>/dev/null
wait $STUCK 2>/dev/null

# --- clients over MaxClients, clients that say nothing
holders=""
for i in 1 2 3 4; do sleep 60 | "$TALK" "$SOCKET" 60 & holders="$holders $!"; done
wait_for sh -c "echo HELP | '$TALK' '$SOCKET' 5 | grep -q '^-11 '"
check "one client too many gets a busy line" "-11" "$(echo HELP | "$TALK" "$SOCKET" 5 | cut -d' ' -f1)"
pkill -P $$ -x sleep
wait_for sh -c "echo HELP | '$TALK' '$SOCKET' 5 | grep -q Help"
check "... and is served when they have gone" 7 "$(echo HELP | "$TALK" "$SOCKET" 5 | head -1 | cut -d' ' -f1)"

# --- the socket file removed under us
rm "$SOCKET"
wait_for test -S "$SOCKET"
check "a removed socket file is made again" 700 "$(stat -c %a "$SOCKET" 2>/dev/null)"

# --- a second daemon on the same files
cp "$DIR/collectd.conf" "$DIR/second.conf"
sed -i "s#$DIR/us.sock#$DIR/us2.sock#; s#$DIR/pid#$DIR/pid2#; s#$DIR/log#$DIR/log2#; s#$DIR/csv#$DIR/csv2#" "$DIR/second.conf"
before=$(cksum <"$DIR/state")
"$COLLECTD" -T -C "$DIR/second.conf" >"$DIR/out2" 2>&1
check "a second daemon (-T) is told that the state file is taken" 1 "$(cat "$DIR/log2" "$DIR/out2" | grep -c 'belongs to another daemon' | sed 's/[2-9]/1/')"
check "... and changes neither file nor socket" "$before yes" "$(cksum <"$DIR/state") $(ask 'HELP HELP' | grep -q HELP && echo yes)"

# --- kill -9 at random moments: every acknowledged entry is there
ask 'FORGET all' >/dev/null
for round in 1 2 3 4 5; do
	{ for i in $(seq 400); do echo "LOG mandatory off own/k-$round/gauge-$i"; done; } | "$TALK" "$SOCKET" >"$DIR/acks" &
	TALKER=$!
	wait_for test -s "$DIR/acks"
	kill -9 "$PID"; wait "$PID" 2>/dev/null; wait $TALKER
	rm -f "$DIR/us.sock"
	start_daemon
	acked=$(grep -c 'keep=saved' "$DIR/acks")
	there=$(ask RULES | grep -c "own/k-$round/")
	lost=0
	for id in $(sed -n 's/.* id=\([0-9]*\) keep=saved/\1/p' "$DIR/acks"); do ask RULES | grep -q "^$id socket" || lost=$((lost + 1)); [ "$lost" -gt 0 ] && break; done
	check "kill -9, round $round: none of $acked acknowledged entries is lost ($there there)" 0 "$lost"
	ask 'FORGET all' >/dev/null
done

# --- ends quickly, even with clients in the middle of something
( sleep 60 | "$TALK" "$SOCKET" 60 ) &
HOLDER=$!
t0=$(date +%s)
stop_daemon
pkill -P $HOLDER sleep 2>/dev/null
check "shutdown ends with a client connected" yes "$([ $(($(date +%s) - t0)) -le 10 ] && echo yes || echo no)"
check "... and removes the socket file" no "$([ -e "$SOCKET" ] && echo yes || echo no)"

# --- own metrics
place stats
INTERVAL=1 config <<'X'
LoadPlugin log_control
<Plugin "log_control">
  SocketFile "@DIR@/lc.sock"
</Plugin>
X
start_daemon
wait_for sh -c "ls '$DIR'/csv/own/log_control/total_values-passed-*"
wait_for sh -c "ls '$DIR'/csv/own/log_control/count-clients-*"
check "own metrics have the names of the manual" \
	"count-clients count-instances count-rules total_requests-accepted total_requests-failed total_requests-refused total_values-duplicate total_values-failed_open total_values-late total_values-passed total_values-suppressed " \
	"$(cd "$DIR/csv/own/log_control" && ls | sed 's/-20..-..-..$//' | sort | tr '\n' ' ')"
stop_daemon

# --- rights, by the kernel's word
if command -v setpriv >/dev/null && [ "$(id -u)" -eq 0 ]; then
	place rights
	chmod 755 "$WORK" "$DIR"
	cp "$TALK" "$WORK/talk" 2>/dev/null && chmod 755 "$WORK/talk"
	[ -x "$BUILDDIR/tests/fake/.libs/talk" ] && cp "$BUILDDIR/tests/fake/.libs/talk" "$WORK/talk"
	config <<'X'
LoadPlugin log_control
<Plugin "log_control">
  SocketFile "@DIR@/lc.sock"
  SocketPerms "0777"
  <Access>
    User "nobody" "advisory"
    User www-data "all"
    Group "4242" "mandatory"
    Other "enquire"
  </Access>
</Plugin>
X
	start_daemon
	as() { local user=$1 groups=$2; shift 2; printf '%s\n' "$@" | setpriv --reuid="$user" --regid="$user" "$groups" "$WORK/talk" "$SOCKET" 5 | cut -d' ' -f1 | tr '\n' ' '; }
	check_log "an unquoted name with a hyphen is told to be quoted" 'quote a name with a hyphen'
	check_log "the start-up log says in one line who may do what" "root and the daemon's user: all; user nobody: advisory; group 4242: mandatory; others: enquire"
	check "rights are those of the lines that match" "1 1 -13 0 " "$(as 65534 --clear-groups 'LOG advisory on a/b/c' 'LOG mandatory on a/b/c' 'FORGET 1')"
	check "a supplementary group counts" "1 1 " "$(as 4711 --groups=4242 'LOG mandatory on d/e/f')"
	check "others may only enquire" "-13 -13 -13 " "$(as 4711 --clear-groups 'LOG advisory on a/b/c' 'LOG mandatory on a/b/c' 'FORGET all')"
	check "... and that they may" yes "$(as 4711 --clear-groups 'ENQUIRE a/b/c' | grep -q '^1 1 ' && echo yes)"
	check_log "each accepted change is in the log, with who asked" 'accepted from uid 65534, pid [0-9]+: id=1 LOG advisory on "a/b/c"'
	stop_daemon
fi

place badgroup
config <<'X'
LoadPlugin log_control
<Plugin "log_control">
  SocketFile "@DIR@/lc.sock"
  SocketGroup "no_such_group_here"
  ReportStats false
  <Log>
    State off
    Metric "own/a/*"
  </Log>
</Plugin>
X
start_daemon
{ stream own/a/gauge 10 5; stream own/b/gauge 10 5; } | put; settle
check_log "an unknown group is an ERROR and means no socket" 'SocketGroup "no_such_group_here" is not known here: no socket is opened'
check "... while the rules of the file are in force" "no 0 5" "$([ -e "$SOCKET" ] && echo yes || echo no) $(count own/a/gauge) $(count own/b/gauge)"
stop_daemon

# --- random SIGTERM soon after the start
place term
config <<'X'
LoadPlugin log_control
<Plugin "log_control">
  SocketFile "@DIR@/lc.sock"
</Plugin>
X
crashed=0
for i in $(seq 15); do
	"$COLLECTD" -f -C "$DIR/collectd.conf" >"$DIR/out" 2>&1 &
	P=$!
	sleep 0.0$((RANDOM % 90 + 10))
	kill "$P" 2>/dev/null
	wait "$P"
	status=$?
	# 143: the signal came before the daemon had a handler for it
	[ $status -gt 128 ] && [ $status -ne 143 ] && crashed=$((crashed + 1))
done
check "SIGTERM at random moments after the start: no crash" 0 "$crashed"
finish
