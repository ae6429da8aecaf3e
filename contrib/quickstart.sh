#!/bin/bash
# quickstart - on a fresh Debian 12, as root, from a fresh clone: installs what it needs, builds, and runs the main job.
#
# The real collectd with the plugin reads cpu, memory, load, df and interface once a second and writes csv files; rules come from the
# configuration, then two are changed over the socket.  At the end a table compares what was recorded with what was asked.
set -u
top=$(cd "$(dirname "$0")/.." && pwd)
. "$top/contrib/build/packages.sh"

# shellcheck disable=SC2086
install_packages $PACKAGES_BUILD || { echo "quickstart: packages could not be installed" >&2; exit 1; }
work=$(mktemp -d /tmp/log_control-quickstart-XXXXXX) || exit 1
daemon=
cleanup() {
	[ -z "$daemon" ] || { kill "$daemon"; wait "$daemon"; } 2>/dev/null
	rm -rf "$work"
}
trap cleanup EXIT

started=$(date +%s)
echo "building ..."
mkdir "$work/src" "$work/build" "$work/plugins"
(cd "$top" && tar cf - --exclude=.git --exclude=autom4te.cache .) | tar xf - -C "$work/src"
(cd "$work/src" && autoreconf -fi && cd "$work/build" && "$work/src/configure" && make -j"$(nproc)" log_control.la collectd-logctl) >"$work/build.log" 2>&1 ||
	{ tail -30 "$work/build.log"; echo "quickstart: the build failed" >&2; exit 1; }
ctl="$work/build/collectd-logctl"
plugins=$("$(command -v collectd || echo /usr/sbin/collectd)" -h | sed -n 's/^ *Plugin directory *//p')
cp "$plugins"/{cpu,memory,load,df,interface,csv,logfile}.so "$work/build/.libs/log_control.so" "$work/plugins/" || exit 1

cat >"$work/collectd.conf" <<EOF
Hostname "demo"
FQDNLookup false
BaseDir "$work"
PIDFile "$work/pid"
PluginDir "$work/plugins"
TypesDB "/usr/share/collectd/types.db"
Interval 1
LoadPlugin logfile
<Plugin logfile>
  LogLevel info
  File "$work/log"
</Plugin>
LoadPlugin cpu
LoadPlugin memory
LoadPlugin load
LoadPlugin df
<Plugin df>
  MountPoint "/"
</Plugin>
LoadPlugin interface
LoadPlugin csv
<Plugin csv>
  DataDir "$work/csv"
</Plugin>
LoadPlugin log_control
<Plugin "log_control">
  SocketFile "$work/log_control.sock"
  <Log>
    Control "mandatory"
    State on
    Every 5
    Metric "load/load"
  </Log>
  <Log>
    Control "advisory"
    State on
    Every 3
    Metric "memory/memory-*" "cpu-0/cpu-*"
  </Log>
  <Log>
    Control "mandatory"
    State off
    Metric "interface-*/if_packets"
  </Log>
  <Log>
    State on
    Every "once"
    Metric "memory/memory-cached"
  </Log>
</Plugin>
EOF

logctl() { "$ctl" -s "$work/log_control.sock" "$@" >"$work/ctl.out" || { cat "$work/ctl.out"; echo "quickstart: collectd-logctl $* failed" >&2; exit 1; }; }

echo "starting collectd with cpu, memory, load, df and interface at 1 s ..."
collectd -f -C "$work/collectd.conf" >"$work/out" 2>&1 &
daemon=$!
for _ in $(seq 100); do [ -S "$work/log_control.sock" ] && [ -n "$(ls "$work/csv/demo/memory" 2>/dev/null)" ] && break; sleep 0.1; done
[ -S "$work/log_control.sock" ] || { cat "$work/out" "$work/log"; echo "quickstart: collectd did not open the socket" >&2; exit 1; }
first=9 second=8
for i in $(seq $first); do printf '\r  rules of the file: %2d of %d s' "$i" $first; sleep 1; done
echo
# raise one, switch one off
logctl log mandatory on every 1 sec cpu-0/cpu-idle
logctl log advisory off memory/memory-free
changed=$(date +%s.%N)
for i in $(seq $second); do printf '\r  changed over the socket: %2d of %d s' "$i" $second; sleep 1; done
echo
kill "$daemon"; wait "$daemon"; daemon=

# Records are counted from the csv files; what is expected, from the stream of a metric under no rule: one record a second.
file() { echo "$work/csv/demo/$1"-20*; }
recorded() { cat $(file "$1") 2>/dev/null | grep -vc epoch; }
stamps() { cat $(file "$1") 2>/dev/null | grep -v epoch | cut -d, -f1; }
bad=0
row() { # identifier, asked, expected, recorded
	local ok=yes diff=$(($4 - $3))
	[ ${diff#-} -le 1 ] || { ok=NO; bad=1; }
	printf '%-28s %-34s %8s %9s  %s\n' "$1" "$2" "$3" "$4" "$ok"
}
# the reference: a stream under no rule
reference=interface-lo/if_octets
[ "$(recorded "$reference")" -gt 0 ] 2>/dev/null || { echo "quickstart: no value of the interface lo was recorded" >&2; cat "$work/log"; exit 1; }
span() { stamps "$reference" | awk -v c="$changed" -v n="$1" '$1 < c { a++ } $1 >= c { b++ } END { print n == "-" ? a + 0 : b + 0 }'; }
before=$(span -) after=$(span +) all=$(recorded "$reference")
every() { echo $((($1 + $2 - 1) / $2)); }
printf '\n%-28s %-34s %8s %9s  %s\n' identifier asked expected recorded ok
row "$reference" "native (1 s), no rule" $((before + after)) "$all"
row load/load "mandatory on, every 5 s" "$(every "$all" 5)" "$(recorded load/load)"
row memory/memory-used "advisory on, every 3 s" "$(every "$all" 3)" "$(recorded memory/memory-used)"
row memory/memory-cached "once, after every 3 s" 1 "$(recorded memory/memory-cached)"
row memory/memory-free "every 3 s, then off" "$(every "$before" 3)" "$(recorded memory/memory-free)"
row cpu-0/cpu-idle "every 3 s, then mandatory 1 s" $(($(every "$before" 3) + after)) "$(recorded cpu-0/cpu-idle)"
row interface-lo/if_packets "mandatory off" 0 "$(recorded interface-lo/if_packets)"
if [ -d "$work/csv/demo/df-root" ]; then
	row df-root/df_complex-free "native (1 s), no rule" "$all" "$(recorded df-root/df_complex-free)"
else
	echo "df-root: the df plugin sees no mounted / here (in a chroot without a mount table), so its row is left out"
fi
echo
if [ $bad -ne 0 ]; then
	cat "$work/log"
	echo "quickstart: NOT all records are as asked"
	exit 1
fi
echo "quickstart: all records are as asked, within one (built and run in $(($(date +%s) - started)) s)"
