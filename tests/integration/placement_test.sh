#!/bin/bash
# Placement in the filter chains of a real collectd (specification section 9).
. "${SRCDIR:-.}/tests/integration/harness.sh"

LOAD='LoadPlugin log_control'
plugin() { printf '<Plugin "log_control">\nSocketFile "@DIR@/lc.sock"\nReportStats false\n%s\n</Plugin>\n' "$1"; }
RULE='<Log>
Every 60
Metric "own/a/gauge"
</Log>'
THINNED='1700000000 1700000060 1700000120 1700000180 1700000240 '

# --- without rules: byte for byte what plain collectd writes
place plain
: | config
start_daemon
{ stream own/a/gauge 10 200; stream web1/b-x/gauge-y 60 50; stream own/c/if_octets 10 0; echo 'PUTVAL "own/c/if_octets" interval=10 1700000000:1:2'
  stream own/a/gauge 10 3; echo 'PUTVAL "own/d/gauge" interval=10 1700000000:U'; } >"$WORK/fixed"
put <"$WORK/fixed"; settle; stop_daemon
cp -r "$DIR/csv" "$WORK/plain.csv"; marker=1600000000
place norules
{ echo "$LOAD"; plugin ""; } | config
start_daemon
put <"$WORK/fixed"; settle; stop_daemon
check "without rules csv gets byte for byte the same" "" "$(diff -r "$WORK/plain.csv" "$DIR/csv" 2>&1)"

# --- PreCache, the default: thinned, and the cache sees the logged stream at its interval
place precache
{ echo "$LOAD"; plugin "$RULE"; echo 'LoadPlugin rrdtool
<Plugin rrdtool>
DataDir "@DIR@/rrd"
CacheTimeout 0
</Plugin>'; } | config
start_daemon
{ stream own/a/gauge 10 30; stream own/b/gauge 10 30; } | put; settle
check "PreCache thins what a rule names" "$THINNED" "$(times own/a/gauge)"
check "PreCache leaves the rest alone" 30 "$(count own/b/gauge)"
check "GETVAL sees the last logged value" "value=2.400000e+01" "$(echo 'GETVAL "own/a/gauge"' | "$TALK" "$DIR/us.sock" | tail -1)"
if [ -f "$PLUGINS/rrdtool.so" ] && command -v rrdtool >/dev/null; then
	wait_for test -s "$DIR/rrd/own/a/gauge.rrd"
	check "an RRD file has step delta and heartbeat twice delta" "step = 60 heartbeat = 120 " \
		"$(rrdtool info "$DIR/rrd/own/a/gauge.rrd" | grep -E '^step|minimal_heartbeat' | sed 's/.*minimal_//' | tr '\n' ' ')"
	check "where rrdtool writes, a longer interval gets a hint" "1 Values id=1 keep=temporary hint=rrd_heartbeat" \
		"$(ask 'LOG mandatory on every=2min a/gauge' | head -1)"
	check "... and one below a second" "1 Values id=2 keep=temporary hint=rrd_step" "$(ask 'LOG mandatory on every=500ms a/gauge' | head -1)"
fi
stop_daemon

# --- PostCache: the cache stays at source rate, writers are thinned
place postcache
{ echo "$LOAD"; plugin "Chain \"PostCache\"
$RULE"; } | config
start_daemon
stream own/a/gauge 10 30 | put; settle
check "PostCache thins what writers get" "$THINNED" "$(times own/a/gauge)"
check "PostCache: GETVAL sees every value" "value=2.900000e+01" "$(echo 'GETVAL "own/a/gauge"' | "$TALK" "$DIR/us.sock" | tail -1)"
stop_daemon

place bypass
{ echo "$LOAD"; plugin "Chain \"PostCache\"
Bypass \"csv\" \"nobody_home\"
$RULE"; } | config
start_daemon
stream own/a/gauge 10 30 | put; settle
check "Bypass: a suppressed value goes to the writer named" 30 "$(count own/a/gauge)"
check_log "Bypass: an unknown writer is reported" 'Bypass "nobody_home"'
check "Bypass: ... once" 1 "$(grep -c 'Bypass "nobody_home"' "$DIR/log")"
stop_daemon

# --- one writer of several thinned: the target stands between them
if [ -f "$PLUGINS/write_log.so" ]; then
	place onewriter
	{ echo "$LOAD"; plugin "Chain \"none\"
$RULE"; echo 'LoadPlugin write_log
<Chain "PostCache">
<Target "write">
Plugin "csv"
</Target>
Target "log_control"
<Target "write">
Plugin "write_log"
</Target>
</Chain>'; } | config
	start_daemon
	stream own/a/gauge 10 30 | put; settle
	wait_for sh -c "grep -q marker '$DIR/log'"
	check "a writer in front of the target gets every value" 30 "$(count own/a/gauge)"
	check "... and one behind it those that are logged" "$THINNED" "$(sed -n 's/.*own\.a\.gauge [^ ]* \([0-9]*\).*/\1/p' "$DIR/log" | tr '\n' ' ')"
	stop_daemon
fi

# --- loaded by its block alone
place auto
{ echo 'AutoLoadPlugin true'; plugin "$RULE"; } | config
start_daemon
stream own/a/gauge 10 30 | put; settle; stop_daemon
check "AutoLoadPlugin loads and gates" "$THINNED" "$(times own/a/gauge)"

# --- the user's own chains, before and after ours in the file
CHAIN='LoadPlugin match_regex
LoadPlugin target_set
<Chain "%s">
<Rule "drop">
<Match "regex">
Plugin "^drop$"
</Match>
Target "stop"
</Rule>
<Rule "rename">
<Match "regex">
Plugin "^old$"
</Match>
<Target "set">
Plugin "a"
</Target>
</Rule>
</Chain>'
mixed() { stream own/old/gauge 10 30; stream own/drop/gauge 10 3; stream own/b/gauge 10 3; }
for order in before after; do
	place "user-$order"
	# shellcheck disable=SC2059
	{ [ $order = before ] && printf "$CHAIN\n" PreCache; echo "$LOAD"; plugin "$RULE"; [ $order = after ] && printf "$CHAIN\n" PreCache; } | config
	start_daemon
	mixed | put; settle; stop_daemon
	check "user chain $order ours: gated by the name it left" "$THINNED" "$(times own/a/gauge)"
	check "user chain $order ours: its stop is honoured" 0 "$(count own/drop/gauge)"
	check "user chain $order ours: the rest passes" 3 "$(count own/b/gauge)"
done

place optionbefore
# shellcheck disable=SC2059
{ echo 'PreCacheChain "Mine"'; printf "$CHAIN\n" Mine; echo "$LOAD"; plugin "$RULE"; } | config
start_daemon
mixed | put; settle; stop_daemon
check "a chain named before LoadPlugin is wrapped" "${THINNED}0" "$(times own/a/gauge)$(count own/drop/gauge)"

place optionafter
# shellcheck disable=SC2059
{ printf "$CHAIN\n" Mine; echo "$LOAD"; plugin "$RULE"; echo 'PreCacheChain "Mine"'; } | config
start_daemon
mixed | put; settle; stop_daemon
check "a chain named after us gets our rule at its end" "${THINNED}0" "$(times own/a/gauge)$(count own/drop/gauge)"
check_log "... and the log says so" 'WARNING.*|warning.*PreCacheChain was set to "Mine"'

place missing
{ echo "$LOAD"; plugin "$RULE"; echo 'PreCacheChain "Nowhere"'; } | config
start_daemon
stream own/a/gauge 10 30 | put; settle; stop_daemon
check "a chain that is not there: every value passes" 30 "$(count own/a/gauge)"
check_log "... one ERROR says that nothing is gated" 'nothing is gated'
check "... and no socket is opened" no "$([ -e "$SOCKET" ] && echo yes || echo no)"

# --- write and stop in the user's post-cache chain
place writestop
{ cat <<'X'
<Chain "PostCache">
  <Rule "all">
    <Target "write">
      Plugin "csv"
    </Target>
    Target "stop"
  </Rule>
</Chain>
X
echo "$LOAD"; plugin "Chain \"PostCache\"
$RULE"; } | config
start_daemon
stream own/a/gauge 10 30 | put; settle; stop_daemon
check "PostCache: a write-and-stop chain runs for what passed, once" "$THINNED" "$(times own/a/gauge)"

# --- none
for n in 1 2; do
	place "none$n"
	{ echo "$LOAD"; plugin "Chain \"none\"
$RULE"; echo '<Chain "PreCache">'; for i in $(seq $n); do printf '<Rule "g%s">\nTarget "log_control"\n</Rule>\n' "$i"; done
	echo '</Chain>'; } | config
	start_daemon
	stream own/a/gauge 10 30 | put; settle; stop_daemon
	check "Chain none with $n of the user's targets judges once" "$THINNED" "$(times own/a/gauge)"
done

place idle
{ echo "$LOAD"; plugin "$RULE"; cat <<'X'
<Chain "PostCache">
  <Rule "x">
    <Target "log_control">
      Every 10
    </Target>
  </Rule>
  Target "write"
</Chain>
X
} | config
start_daemon
stream own/a/gauge 10 30 | put; settle; stop_daemon
check "a target beside PreCache does nothing" "$THINNED" "$(times own/a/gauge)"
check_log "... a WARNING says so" 'does nothing beside'
check_log "... an option inside is an ERROR and ignored" 'option Every is ignored'

finish
