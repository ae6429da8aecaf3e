#!/bin/bash
# The state file of the real daemon on a disk that is full, in a directory that may not be written, empty, and of another version
# (section 13): each has a clear outcome, and values go on.
. "${SRCDIR:-.}/tests/integration/harness.sh"
REAL_COLLECTD=$COLLECTD

# ruled NAME STATE-FILE: with a rule of the configuration
ruled() {
	place "$1"
	config <<X
LoadPlugin log_control
<Plugin "log_control">
  SocketFile "@DIR@/lc.sock"
  StateFile "$2"
  ReportStats false
  <Log>
    State off
    Metric "own/off/*"
  </Log>
</Plugin>
X
}
# values: how many are recorded of three that a rule leaves out and of three that none does
values() {
	{ stream own/off/gauge 10 3; stream own/on/gauge 10 3; } | put
	settle
	echo "$(count own/off/gauge) $(count own/on/gauge)"
}
there() { [ -e "$1" ] && echo yes || echo no; }
# as WORDS...: the daemon is started by these from now on
as() {
	printf '#!/bin/sh\nexec %s %s "$@"\n' "$*" "$REAL_COLLECTD" >"$WORK/as"
	chmod 755 "$WORK/as"
	COLLECTD=$WORK/as
}

# ---- a directory that may not be written, for a user who minds ----
ruled read_only "$WORK/read_only/ro/state"
mkdir "$DIR/ro"
if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null; then
	cp --remove-destination "$BUILDDIR/.libs/log_control.so" "$DIR/plugins/" # of its own: the owner changes
	chmod 755 "$WORK" "$DIR" "$DIR/plugins" "$DIR/plugins/log_control.so" "$DIR/ro"
	: >"$DIR/log"
	chown 65534 "$DIR" "$DIR/log"
	as setpriv --reuid=65534 --regid=65534 --clear-groups
else
	chmod 555 "$DIR/ro"
fi
start_daemon
check_log "a directory that may not be written: one ERROR with the way out" \
	'StateFile "[^"]*/ro/state": cannot be opened: Permission denied; name a file in a directory that the daemon may write to; the rules of the configuration are in force, no socket is opened'
check "... the rules of the configuration are in force, and there is neither socket nor file" "0 3 no no" "$(values) $(there "$SOCKET") $(there "$DIR/ro/state")"
stop_daemon
chmod 755 "$DIR/ro"
COLLECTD=$REAL_COLLECTD

# ---- what stands there already ----
ruled empty state
: >"$DIR/state"
start_daemon
check "a file of zero bytes is as new" "1 Values id=1 keep=saved" "$(ask 'LOG mandatory off own/x/y' | head -1)"
stop_daemon
printf 'log_control-state 2\nwhat comes next\n' >"$DIR/state"
before=$(cksum <"$DIR/state")
start_daemon
check_log "a file of a newer version: one ERROR" 'StateFile "state": was written by a newer version and is left alone: use that version, or name another file; the rules of the configuration are in force, no socket is opened'
check "... the rules of the configuration are in force, and the file is left alone" "0 3 no $before" "$(values) $(there "$SOCKET") $(cksum <"$DIR/state")"
stop_daemon

# ---- a small disk, of its own, that is gone with the daemon ----
ruled full "$WORK/full/disk/state"
mkdir "$DIR/disk"
as "unshare -m sh -c 'mount -t tmpfs -o size=64k none $DIR/disk && exec \"\$@\"' sh"
if ! COLLECTD=$WORK/as "$WORK/as" -h >/dev/null 2>&1; then
	echo "# no file system can be mounted here: a full disk is not tried (unit/savefile_faults_test plays one)"
	finish
fi
start_daemon
disk=/proc/$PID/root$DIR/disk
note=$(printf '%0200d' 0)
ask 'LOG mandatory off own/early/gauge' 'LOG mandatory off own/early-2/gauge' >"$DIR/early"
head -c 65536 /dev/zero >"$disk/fill" 2>/dev/null
for i in $(seq 60); do echo "LOG mandatory off note=\"$note\" own/p-$i/gauge"; done | "$TALK" "$SOCKET" >"$DIR/replies"
refused=$(grep -c '^-28 ' "$DIR/replies") saved=$(grep -c 'keep=saved' "$DIR/replies")
check "a full disk: each request is saved or refused with -28, and some are refused" "60 yes" "$((refused + saved)) $([ "$refused" -gt 0 ] && echo yes)"
check "... and says what to do" "$refused" "$(grep -c '^-28 .*nothing was changed: make room or mend the disk, then try again' "$DIR/replies")"
check "... what was refused is not in force" $((2 + saved)) "$(ask RULES | grep -c ' socket ')"
check "... and values go on" "0 3" "$(values)"
rm "$disk/fill"
check "with room again it is saved" "1 Values keep=saved" "$(ask 'LOG mandatory off own/late/gauge' | sed -n '1s/ id=[0-9]*//p')"
ask RULES | grep ' socket ' >"$DIR/rules"
cp "$disk/state" "$DIR/state" # what a restart would find
stop_daemon
COLLECTD=$REAL_COLLECTD
sed -i "s#$DIR/disk/state#$DIR/state#" "$DIR/collectd.conf"
start_daemon
check "... and the next daemon has the same rules, $((3 + saved)) of them" "" "$(ask RULES | grep ' socket ' | diff "$DIR/rules" -)"
check_log "... of undamaged records" "$((3 + saved)) saved entries are in force"
stop_daemon
finish
