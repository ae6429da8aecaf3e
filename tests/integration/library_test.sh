#!/bin/sh
# library_test - what programs see of the client library: a header that stands alone in C11 and C++, and lc_* only.
set -u
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
failed=0

fail() {
	echo "library_test: $1" >&2
	failed=1
}

cat >"$folder/alone.c" <<'END'
#include <log_control.h>
int main(void)
{
	return PMLC_GET_DELTA(0xfffffff1u) == PMLC_MAX_DELTA && PMLC_GET_ON(1) && PMLC_DELTA_NATIVE > 0 ? 0 : 1;
}
END
strict="-pedantic-errors -Wall -Wextra -Werror -I$SRCDIR/shared -fsyntax-only"
${CC:-cc} -std=c11 $strict "$folder/alone.c" || fail "the header does not stand alone in C11"
if c++ --version >/dev/null 2>&1; then
	c++ -std=c++11 -x c++ $strict "$folder/alone.c" || fail "the header does not stand alone in C++"
else
	echo "library_test: no C++ compiler here; C++ is not looked at"
fi

library=$BUILDDIR/.libs/liblogcontrol.so
seen=$(nm -D --defined-only "$library" | awk '{ print $3 }' | sort | tr '\n' ' ')
wanted=$(grep -o '\blc_[a-z_]*(' "$SRCDIR/shared/log_control.h" | tr -d '(' | sort -u | tr '\n' ' ')
[ -n "$seen" ] || fail "$library exports nothing"
for name in $seen; do
	case " $wanted" in *" $name "*) ;; *) fail "$name is exported and not in the header" ;; esac
done
for name in $wanted; do
	case " $seen" in *" $name "*) ;; *) fail "$name is in the header and not exported" ;; esac
done
exit $failed
