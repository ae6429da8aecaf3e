# packages - every Debian package that the two scripts need, by name; sourced by both.
PACKAGES_BUILD="gcc libc6-dev make autoconf automake libtool pkg-config git ca-certificates
	collectd-core collectd-dev libcollectdclient-dev liburcu-dev libxxhash-dev libyajl-dev libedit-dev perl"
# rrdtool: librrd8 for the plugin of that name, and the program to look at its files; procps: pkill
PACKAGES_TEST="libcmocka-dev clang clang-format libclang-rt-14-dev valgrind cppcheck rrdtool librrd8 procps xz-utils
	g++ binutils file"

# install_packages NAME...: what is missing of them
install_packages() {
	local missing="" p
	for p in "$@"; do
		[ "$(dpkg-query -W -f '${db:Status-Abbrev}' "$p" 2>/dev/null | cut -c1-2)" = ii ] || missing="$missing $p"
	done
	[ -n "$missing" ] || return 0
	echo "installing:$missing"
	# no daemon is to start because its package was installed
	local policy=/usr/sbin/policy-rc.d mine=no
	if [ ! -e $policy ]; then
		printf '#!/bin/sh\nexit 101\n' >$policy && chmod 755 $policy && mine=yes
	fi
	apt-get -qq update </dev/null &&
		DEBIAN_FRONTEND=noninteractive apt-get -qq -y --no-install-recommends install $missing </dev/null >/tmp/lc-apt.$$ 2>&1
	local status=$?
	[ $status -eq 0 ] || tail -20 /tmp/lc-apt.$$
	rm -f /tmp/lc-apt.$$
	[ $mine = no ] || rm -f $policy
	return $status
}
