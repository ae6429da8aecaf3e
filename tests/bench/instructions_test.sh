#!/bin/bash
# What judging one value costs in instructions, from the host's call on: no more than 15 % above what is written in
# tests/bench/instructions.txt, and the same under no rule and under thousands.  Counted by callgrind,
# which is the same on any machine however busy; the difference of two runs leaves out what the first value of a name costs.
here=${SRCDIR:-.}/tests/bench program=${BUILDDIR:-.}/tests/bench/one_value
command -v valgrind >/dev/null || { echo "valgrind is not there: skipped"; exit 77; }
work=$(mktemp -d /tmp/lc-instr-XXXXXX) || exit 1
trap 'rm -rf "$work"' EXIT
failed=0 pass=0
# count ARGUMENT...: instructions in judge_all()
count() { valgrind --tool=callgrind --callgrind-out-file="$work/out" --toggle-collect='judge_all*' "$program" "$@" 2>&1 | sed -n 's/.*Collected : *//p'; }
while read -r what limit; do
	case $what in '#'* | '') continue ;; esac
	a=$(count "$what") b=$(count "$what" one_more)
	[ -n "$a" ] && [ -n "$b" ] || { echo "not ok - $what: callgrind counted nothing"; failed=1; continue; }
	each=$(((b - a) / 1000))
	echo "instructions: $what $each a value, $limit on record"
	[ "$each" -gt 20 ] && [ "$each" -le $((limit * 115 / 100)) ] || { echo "not ok - $what: $each instructions a value"; failed=1; }
	case $what in
	pass) pass=$each ;;
	ruled) [ $((each * 100)) -le $((pass * 102)) ] || { echo "not ok - $each instructions under 9100 rules, $pass under none"; failed=1; } ;;
	esac
done <"$here/instructions.txt"
exit $failed
