#!/bin/bash
# statics BUILD LIST - every writable variable with static storage in the plugin's objects stands in LIST, with a reason behind it.
build=$1 list=$2
found=$(find "$build/shared" "$build/plugin" -path '*.libs*' -prune -o -name '*.o' -print | grep -E '/(liblc|log_control)?_?la?-?[a-z_]+\.o$|/[a-z_]+\.o$' |
	xargs nm 2>/dev/null | awk '$2 ~ /^[bBdDC]$/ { print $3 }' | sed 's/\.[0-9]*$//' | sort -u)
new=$(comm -23 <(echo "$found") <(grep -v '^#' "$list" | awk '{ print $1 }' | sort -u))
[ -z "$new" ] || { echo "static variables without an entry in tests/statics.txt: $new"; exit 1; }
