#!/bin/bash
# replay - every seed and every past finding of tests/fuzz/corpus once more, in this build.
status=0
for target in config line record reply selector state; do
	"${BUILDDIR:-.}/tests/fuzz/${target}_replay" "${SRCDIR:-.}/tests/fuzz/corpus/$target"/* || status=1
done
exit $status
