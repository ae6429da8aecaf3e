#!/bin/bash
# manual SRC - the manual page names every command with its usage line from command.def, and every option of the configuration.
src=$1 man=$1/contrib/man/collectd-log_control.pod
bad=0
plain=$(tr -s ' \n' '  ' <"$man" | sed 's/[BCI]<\([^>]*\)>/\1/g')
for verb in $(sed -n 's/^COMMAND(\([A-Z]*\),.*/\1/p' "$src/shared/command.def"); do
	grep -q "^=item .*$verb" "$man" || { echo "the manual has no =item for $verb"; bad=1; }
done
for option in $(sed -n 's/.*key_is([a-z.]*->\?item, "\([A-Za-z]*\)").*/\1/p; s/.*{ "\([A-Z][A-Za-z]*\)", set_.*/\1/p' "$src"/shared/settings*.c | sort -u); do
	grep -q "$option" <<<"$plain" || { echo "the manual does not name the option $option"; bad=1; }
done
exit $bad
