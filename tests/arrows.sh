#!/bin/bash
# arrows SRC - dependencies point one way: plugin -> shared, contrib/ctl -> shared, tests -> both.  Fails on a wrong include.
src=$1
wrong=$(
	grep -nE '#include "(collectd|plugin|filter_chain|configfile|parts|host|hosttime|listener|conn|socket|driver|driven|drivable|meeting)\.h"|#include .*(plugin|contrib|tests)/' "$src"/shared/*.[ch]
	grep -nE '#include "(collectd|plugin|filter_chain|configfile|parts|host|hosttime|listener|conn|socket|driver|driven|drivable|meeting)\.h"|#include .*(plugin|tests)/' "$src"/contrib/ctl/*.[ch]
	grep -nE '#include "(collectd|filter_chain|configfile|parts)\.h"' "$src"/plugin/{conn,listener,socket,driven,meeting}.c "$src"/plugin/{conn,listener,socket,host,drivable,driven,driver,hosttime,meeting}.h
	grep -lE 'clock_gettime|pthread_create|getenv|[^_]time\(NULL' "$src"/shared/*.c | grep -v client
)
[ -z "$wrong" ] || { echo "$wrong"; exit 1; }
