#!/bin/bash
# The real daemon, killed at random moments while it takes requests: what it answered is there when it starts again, once; what had no
# answer yet is there as a whole or not at all; what was forgotten stays away (section 13).  LC_KILLS: how often.
. "${SRCDIR:-.}/tests/integration/harness.sh"
KILLS=${LC_KILLS:-20}
RANDOM=${LC_SEED:-1}

place kill
config <<'X'
LoadPlugin log_control
<Plugin "log_control">
  SocketFile "@DIR@/lc.sock"
  StateFile "state"
  MaxRules 100000
  ReportStats false
</Plugin>
X

# requests ROUND: new rules, two selectors each; of the rules that were there every second is forgotten in between
requests() {
	awk -v round="$1" '
		function log_new() { i++; name = "own/k-" round "-" i; print "LOG mandatory off note=\"k-" round "-" i "\" " name "/gauge " name "/derive" }
		NR % 2 { log_new(); print "FORGET " $1 }
		END { while (i < 300) log_new() }' "$DIR/there"
}

# answered REQUESTS REPLIES: "L note id" or "F id" for each request that was granted, "- reply" for one that was refused; then "? request"
# for the first that was not answered
answered() {
	awk -v replies="$2" '
		{ n = -1
		  if ((getline reply < replies) > 0 && split(reply, word, " ") > 1) {
			if (word[1] < 0) { print "-", reply; next }
			n = word[1]
			for (i = 0; i < word[1]; i++) if ((getline ignored < replies) <= 0) n = -1 }
		  if (n < 0) { print "?", $0; exit }
		  if ($1 == "FORGET") { print "F", $2; next }
		  match($0, /note="[^"]*"/)
		  print "L", substr($0, RSTART + 6, RLENGTH - 7), substr(word[3], 4) }' "$1"
}

# rules: id, note, number of selectors
rules() { ask RULES | sed -n 's/^\([0-9]*\) socket .* note="\([^"]*\)" "LOG \(.*\)"$/\1 \2 \3/p' | awk '{ print $1, $2, gsub(/own\//, "") }'; }

# judge: from what was there, what was answered and what is there now, the numbers of: lost, back again, twice, half, unexpected
judge() {
	awk '
		FILENAME == ARGV[1] { was[$1] = $2; next }
		FILENAME == ARGV[2] && $1 == "L" { was[$3] = $2; next }
		FILENAME == ARGV[2] && $1 == "F" { delete was[$2]; forgotten[$2] = 1; next }
		FILENAME == ARGV[2] { open = $0; next }
		{ twice += seen[$1]++ > 0
		  back += $1 in forgotten
		  half += $3 != 2
		  expected = ($1 in was) ? was[$1] == $2 : ($1 in forgotten) || index(open, "\"" $2 "\"") > 0
		  unexpected += !expected }
		END { for (id in was) lost += !(id in seen) && open != "? FORGET " id
		      print lost + 0, back + 0, twice + 0, half + 0, unexpected + 0 }' "$DIR/there" "$DIR/answered" "$DIR/now"
}

start_daemon
: >"$DIR/there"
total=0 bad=0 lost=0 dropped=0
for round in $(seq "$KILLS"); do
	requests "$round" >"$DIR/requests"
	"$TALK" "$SOCKET" <"$DIR/requests" >"$DIR/replies" &
	TALKER=$!
	sleep "0.$((RANDOM % 2))$((RANDOM % 10))"
	kill -9 "$PID"; wait "$PID" 2>/dev/null; wait $TALKER
	rm -f "$DIR/us.sock"
	start_daemon || break
	dropped=$((dropped + $(grep -c 'damaged records' "$DIR/log")))
	answered "$DIR/requests" "$DIR/replies" >"$DIR/answered"
	rules >"$DIR/now"
	total=$((total + $(grep -c '^[LF]' "$DIR/answered")))
	verdict=$(judge)
	lost=$((lost + ${verdict%% *})) bad=$((bad + $(grep -c '^-' "$DIR/answered")))
	if [ "$verdict" != "0 0 0 0 0" ]; then
		bad=$((bad + 1))
		not_ok "kill -9, round $round: lost, back again, twice, half, unexpected" "$verdict; $(tail -1 "$DIR/answered")"
	fi
	mv "$DIR/now" "$DIR/there"
done
check "kill -9, $KILLS times, $total requests answered: $lost lost, and none refused, back again, twice, half there, unexpected" "0 0" "$lost $bad"
check "... with rules in force at the end" yes "$([ -s "$DIR/there" ] && [ "$total" -gt "$KILLS" ] && echo yes)"
check "... and no record damaged" 0 "$dropped"
stop_daemon
finish
