#!/bin/bash
# test - on a fresh Debian 12, as root, from a clean clone: installs what it needs, builds with warnings as errors, runs the suite.
# The last line is the sum: N passed, N failed, N skipped.
set -u
top=$(cd "$(dirname "$0")/.." && pwd)
. "$top/contrib/build/packages.sh"
# shellcheck disable=SC2086
install_packages $PACKAGES_BUILD $PACKAGES_TEST || { echo "test: packages could not be installed"; echo "0 passed, 1 failed"; exit 1; }

work=$(mktemp -d /tmp/log_control-test-XXXXXX) || exit 1
trap 'rm -rf "$work"' EXIT
passed=0 failed=0 skipped=0
jobs=$(nproc)
say() { echo "== $(date +%T) $*"; }
good() { passed=$((passed + 1)); echo "ok - $1"; }
bad() { failed=$((failed + 1)); echo "not ok - $1"; }
# step NAME COMMAND...: one pass or failure; output only when it fails
step() {
	local name=$1; shift
	if "$@" >"$work/step.log" 2>&1; then good "$name"; else bad "$name"; tail -40 "$work/step.log"; fi
}

say "a copy of the tree"
mkdir "$work/src"
(cd "$top" && tar cf - --exclude=.git --exclude=autom4te.cache .) | tar xf - -C "$work/src"
cd "$work/src" || exit 1
step "autoreconf" autoreconf -fi

# build NAME CONFIGURE-ARGUMENTS...: out of tree; then its tests are run by suite
build() {
	local name=$1; shift
	say "build: $name"
	mkdir "$work/$name"
	step "$name: configure, make" sh -c "cd '$work/$name' && '$work/src/configure' --enable-werror $* && make -j$jobs && make -j$jobs check TESTS="
}
# suite NAME [TESTS]: runs make check and adds up what automake counted
suite() {
	local name=$1 log=$work/$1.check; shift
	say "tests: $name"
	(cd "$work/$name" && make check "$@") >"$log" 2>&1
	local p f s e
	p=$(sed -n 's/^# PASS: *//p' "$log"); f=$(sed -n 's/^# FAIL: *//p' "$log"); s=$(sed -n 's/^# SKIP: *//p' "$log")
	e=$(sed -n 's/^# ERROR: *//p' "$log")
	if [ -z "$p" ]; then bad "$name: make check"; tail -40 "$log"; return; fi
	passed=$((passed + p)); failed=$((failed + f + e)); skipped=$((skipped + s))
	grep -E '^(FAIL|ERROR|SKIP):' "$log"
	[ $((f + e)) -eq 0 ] || cat "$work/$name"/test-suite.log
	echo "$name: $p passed, $((f + e)) failed, $s skipped"
	grep -hE '^[a-z_]+\.tsv\b.*rows' "$work/$name"/tests/*/*.log 2>/dev/null
}
units=$(sed -n '/^unit_tests/,/[^\\]$/p' "$work/src/tests/tests.am" | tr -d '\\' | tr '\t\n' '  ' | sed 's/unit_tests =//')

build gcc
suite gcc
step "only module_register is exported" sh -c "[ \"\$(nm -D --defined-only '$work/gcc/.libs/log_control.so' | awk '{print \$3}')\" = module_register ]"
step "the client library exports lc_* only" sh -c "! nm -D --defined-only '$work/gcc/.libs/liblogcontrol.so' | awk '{print \$3}' | grep -v '^lc_'"
step "no executable stack, full relro" sh -c "readelf -lW '$work/gcc/.libs/log_control.so' | grep -q 'GNU_STACK.* RW ' && readelf -dW '$work/gcc/.libs/log_control.so' | grep -q BIND_NOW"
step "dependencies point one way" "$work/src/tests/arrows.sh" "$work/src"
step "every static variable is listed with a reason" "$work/src/tests/statics.sh" "$work/gcc" "$work/src/tests/statics.txt"
step "the public header compiles alone, C11 and C++" sh -c "echo '#include \"log_control.h\"' >'$work/h.c' && cp '$work/h.c' '$work/h.cc' &&
	gcc -std=c11 -Wall -Wextra -Werror -pedantic -I'$work/src/shared' -c -o /dev/null '$work/h.c' && g++ -Wall -Wextra -Werror -I'$work/src/shared' -c -o /dev/null '$work/h.cc'"
step "the manual names every command and every option" "$work/src/tests/manual.sh" "$work/src"

step "formatted by .clang-format" sh -c "cd '$work/src' && find shared plugin contrib tests -name '*.[ch]' | xargs clang-format --dry-run -Werror"

build clang "CC=clang"
suite clang TESTS="$units"
build asan "--enable-debug --enable-sanitizer=address,undefined CFLAGS='-O1 -g'"
LC_SEQUENCES=20000 LC_EVENTS=200000 suite asan TESTS="$units"
build tsan "--enable-sanitizer=thread CFLAGS='-O1 -g'"
LC_SEQUENCES=2000 LC_EVENTS=50000 LC_MATCHES=20000 LC_VALUES=2000 LC_ROUNDS=3 LC_BIRTHS=2000 suite tsan TESTS="$units"
say "valgrind"
for t in $units; do
	case $t in *births* | *crash* | *meeting* | *property* | *model* | *threads* | *transitions* | *selector* | *listener* | *socket* | *ctl_*test*) continue ;; esac
	step "valgrind $t" env SRCDIR="$work/src" BUILDDIR="$work/gcc" sh -c "cd '$work/gcc' && ./libtool --mode=execute valgrind -q --error-exitcode=9 --leak-check=full --errors-for-leak-kinds=definite ./$t"
done
say "cppcheck"
step "cppcheck" cppcheck -q --std=c11 --enable=warning,portability --inline-suppr --error-exitcode=1 -D__x86_64__ -I"$work/src/shared" -I"$work/src/plugin" \
	--suppress=missingIncludeSystem --suppress=nullPointerRedundantCheck "$work/src/shared" "$work/src/contrib/ctl"
say "distcheck"
step "make distcheck" sh -c "cd '$work/gcc' && make -j$jobs distcheck TESTS='tests/unit/word_test' DISTCHECK_CONFIGURE_FLAGS='--with-plugindir=$work/gcc/inst'"

echo
[ "$failed" -eq 0 ]
status=$?
echo "$passed passed, $failed failed, $skipped skipped"
exit $status
