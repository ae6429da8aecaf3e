#!/bin/bash
# Values when some are left out, through the real daemon: every kind of data source (specification section 7).
. "${SRCDIR:-.}/tests/integration/harness.sh"

place values
config <<'X'
LoadPlugin log_control
<Plugin "log_control">
  SocketFile "@DIR@/lc.sock"
  ReportStats false
  <Log>
    Every 30
    Metric "own/a/*"
  </Log>
  <Log>
    Every 30
    Value "max"
    Metric "own/max/*"
  </Log>
  <Log>
    Every 30
    Value "average"
    Metric "own/avg/*"
  </Log>
</Plugin>
X
start_daemon
T=1700000000
# series NAME VALUE...: one value list every 10 s; a value may have several parts
series() { local name=$1 i=0 v; shift; for v in "$@"; do echo "PUTVAL \"$name\" interval=10 $((T + i * 10)):$v"; i=$((i + 1)); done; }
# records NAME: all that csv recorded, times from T on
records() { cat "$DIR/csv/$1"-20* 2>/dev/null | grep -v epoch | awk -F, -v t=$T '{ printf "%d", $1 - t; for (i = 2; i <= NF; i++) if ($i ~ /nan|inf/) printf ",%s", $i; else printf ",%g", $i; printf " " }'; }
{
	series own/a/if_octets 100:1 200:2 300:3 400:4 500:5 600:6 700:7
	series own/a/derive 10 20 30 40 5 6 7
	series own/a/counter 10 20 30 40 50 60 70
	series own/a/absolute 1 2 3 4 5 6 7
	series own/a/gauge 1 2 3 4 5 6 7
	series own/max/load 1:9:U 5:2:U 3:3:U 1:1:U 2:2:1 3:3:U 4:4:2
	series own/avg/gauge 1 2 3 4 U 6 8
	series own/max/gauge 1 U U U inf 6 8
	series own/free/absolute 1 2 3
	series own/a/no_such_type 1 2 3
} | put >/dev/null
settle
check "if_octets: the raw counters of the logged sample, both sources" "0,100,1 30,400,4 60,700,7 " "$(records own/a/if_octets)"
check "derive: a reset of the counter passes as it is" "0,10 30,40 60,7 " "$(records own/a/derive)"
check "counter: raw" "0,10 30,40 60,70 " "$(records own/a/counter)"
check "absolute: the sum of what was left out and the logged one" "0,1 30,9 60,18 " "$(records own/a/absolute)"
check "absolute under no rule: as it comes" "0,1 10,2 20,3 " "$(records own/free/absolute)"
check "gauge: the value of the logged sample" "0,1 30,4 60,7 " "$(records own/a/gauge)"
check "max: each source of a type by itself, NaN left out, all NaN is NaN" "0,1,9,nan 30,5,3,nan 60,4,4,2 " "$(records own/max/load | sed 's/-nan/nan/g')"
check "average: over the window, NaN left out" "0,1 30,3 60,7 " "$(records own/avg/gauge)"
check "infinity is a number like any other" "0,1 30,nan 60,inf " "$(records own/max/gauge | sed 's/-nan/nan/g')"
check "a type unknown to types.db is collectd's to refuse" 0 "$(count own/a/no_such_type)"

# --- off and on again: nothing is added while off, what was gathered before is kept
ask 'LOG mandatory off own/off/absolute' >/dev/null
{ series own/off/absolute 1 2 3; } | put; settle
ask 'LOG mandatory on every=30s own/off/absolute' >/dev/null
T=$((T + 30)); { series own/off/absolute 4 5; } | put; settle
ask 'LOG mandatory off own/off/absolute' >/dev/null
T=$((T + 20)); { series own/off/absolute 6 7; } | put; settle
ask 'LOG mandatory on every=30s own/off/absolute' >/dev/null
T=$((T + 20)); { series own/off/absolute 8; } | put; settle
T=1700000000
check "absolute: kept over off, nothing added meanwhile" "30,4 70,13 " "$(records own/off/absolute)"

# --- a change of delta while values flow: rates downstream stay right, since raw counters are logged
ask 'LOG mandatory on every=20s own/c/derive' >/dev/null
series own/c/derive 0 10 20 30 40 | put; settle
ask 'LOG mandatory on every=10s own/c/derive' >/dev/null
T=$((T + 50)); series own/c/derive 50 60 | put; settle
T=1700000000
check "a new delta logs the next value and starts its grid there" "0,0 20,20 40,40 50,50 60,60 " "$(records own/c/derive)"
finish
