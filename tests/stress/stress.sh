#!/bin/bash
# stress - the long forms, one after another, in one build directory: one line each with its figures, and a sum.  STRESS_SECONDS: about how long
# in all (default 900), LC_SEED: where chance begins.  Exit status 0 if nothing failed.
set -u
seconds=${STRESS_SECONDS:-900}
export LC_SEED=${LC_SEED:-1}
top=${SRCDIR:-.} build=${BUILDDIR:-.}
failed=0
log=$(mktemp /tmp/lc-stress-XXXXXX) || exit 1
trap 'rm -f "$log"' EXIT

# form NAME PATTERN COMMAND...: runs it; of its output, the lines that have its figures
form() {
	local name=$1 pattern=$2 status began=$SECONDS
	shift 2
	env "$@" >"$log" 2>&1
	status=$?
	[ $status -eq 0 ] || { failed=$((failed + 1)); tail -30 "$log"; }
	echo "stress $name seed=$LC_SEED status=$status seconds=$((SECONDS - began)) $(grep -E -- "$pattern" "$log" | sed 's/^ok - //' | tr '\n' ';')"
}
unit() { echo "$build/tests/$1"; }
integration() { echo "$top/tests/integration/$1"; }
share() { echo $((seconds * $1 / 100)); } # per cent of the time

export SRCDIR=$top BUILDDIR=$build
form faults "passed|PASSED" sh -c "for t in logger command settings savefile client conn; do '$build'/tests/unit/\${t}_nomem_test || exit 1; done; '$build'/tests/unit/savefile_faults_test"
form births "births|PASSED" LC_BIRTHS=$(($(share 10) * 5000)) "$(unit unit/births_test)"
form threads "PASSED" LC_VALUES=$(($(share 5) * 1000)) "$(unit unit/threads_test)"
form one_step "PASSED" LC_ROUNDS=$(share 5) "$(unit unit/logger_threads_test)"
form property "PASSED" LC_SEQUENCES=$(($(share 10) * 3000)) "$(unit unit/property_test)"
form model "PASSED|differences" LC_EVENTS=$(($(share 10) * 50000)) "$(unit unit/model_test)"
form killed_processes "killed" LC_KILLS=$(($(share 5) * 20)) "$(unit integration/crash_test)"
form killed_daemons "kill -9" LC_KILLS=$(($(share 15) * 3)) "$(integration kill_test.sh)"
form lives "ended|descriptors|memory" LC_ROUNDS=$(share 15) LC_CLIENTS=$((seconds * 20)) "$(integration lifecycle_test.sh)"
form driven "changes|ended" LC_CHANGES=$(($(share 25) * 3)) LC_KILLS=$(share 3) "$(integration driver_test.sh)"
echo "stress: $failed failed"
[ $failed -eq 0 ]
