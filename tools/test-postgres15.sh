#!/usr/bin/env bash
# Runs the tests on the PostgreSQL 15 of Debian 12 with the settings of a new cluster, in a server of its own that ends with the
# script, and those of connection poolers with its PgBouncer. The arguments are those of vitest: files and folders, or none for the
# whole suite. It also fails if PostgreSQL compiled a statement (jit): with plans that avoid a method, that takes longer than any
# statement may.
#   1. PostgreSQL 15 of /usr/lib/postgresql/15/bin, or of POSTGRES15_BIN.
#   2. As root on Debian 12: apt-get install, without the cluster that the package would start.
#   3. Otherwise it exits with 1 and a message.
# Needs no input. Steps that use the network are limited in time.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit
exec </dev/null
export DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8

readonly bin="${POSTGRES15_BIN:-/usr/lib/postgresql/15/bin}"
readonly apt_options=(
  -o Acquire::Retries=3 -o Acquire::http::Timeout=30 -o Acquire::https::Timeout=30
  -o DPkg::Lock::Timeout=120 -o Dpkg::Use-Pty=0 -o APT::Get::Assume-Yes=true
)
readonly hint='Install PostgreSQL 15 (Debian 12: apt-get install -y postgresql-15), or set POSTGRES15_BIN to the folder of its programs.'

say() { echo "test-postgres15: $*"; }

fail() {
  say "$1" >&2
  exit 1
}

is_installed() { [[ -x "$bin/initdb" && "$("$bin/postgres" --version 2>/dev/null)" == 'postgres (PostgreSQL) 15.'* ]]; }

install_packages() {
  # The package would otherwise start a server on port 5432.
  local settings=/etc/postgresql-common/createcluster.conf
  if [ ! -e "$settings" ]; then
    mkdir -p "${settings%/*}"
    echo 'create_main_cluster = false' >"$settings"
  fi
  timeout -k 10 120 apt-get "${apt_options[@]}" -q update || say 'apt-get update failed; the package lists of this machine are used as they are'
  timeout -k 10 300 apt-get "${apt_options[@]}" -q install --no-install-recommends postgresql-15 pgbouncer
}

if ! is_installed || { [ "$(id -u)" -eq 0 ] && type -P apt-get >/dev/null && ! type -P pgbouncer >/dev/null; }; then
  [ -z "${POSTGRES15_BIN:-}" ] || fail "POSTGRES15_BIN does not contain PostgreSQL 15. $hint"
  [ "$(id -u)" -eq 0 ] && type -P apt-get >/dev/null || fail "PostgreSQL 15 is not installed. $hint"
  install_packages && is_installed || fail "apt-get did not install PostgreSQL 15. $hint"
fi

folder=$(mktemp -d)
# PostgreSQL refuses to run as root: nobody owns the cluster then.
account=()
if [ "$(id -u)" -eq 0 ]; then
  chown 65534:65534 "$folder"
  account=(setpriv --reuid=65534 --regid=65534 --clear-groups)
fi
as_account() { (cd / && exec ${account[@]+"${account[@]}"} "$@"); }

cleanup() {
  [ ! -e "$folder/data/postmaster.pid" ] || as_account "$bin/pg_ctl" -D "$folder/data" -m immediate -w stop >/dev/null
  rm -rf "$folder"
}
trap cleanup EXIT
trap 'exit 1' HUP INT TERM

# Trust is safe: the folder of the socket and the port of loopback exist during the run only, and the data are of tests.
as_account "$bin/initdb" -D "$folder/data" -U postgres --auth=trust --no-sync >"$folder/initdb.log" 2>&1 ||
  fail "initdb failed: $(tail -n 3 "$folder/initdb.log")"
port=$(node -e "const s = require('node:net').createServer().listen(0, '127.0.0.1', () => { console.log(s.address().port); s.close(); })")
# Settings that differ from those of a new cluster, none of which changes a plan: nothing outlives the run, so nothing needs
# to reach the disk; several gateways run at the same time; and the server counts compiled statements.
as_account "$bin/pg_ctl" -D "$folder/data" -l "$folder/server.log" -w -t 60 start \
  -o "-p $port -k $folder -c listen_addresses=127.0.0.1 -c fsync=off -c max_connections=300 \
    -c shared_preload_libraries=pg_stat_statements -c pg_stat_statements.max=100000" >/dev/null ||
  fail "PostgreSQL did not start: $(tail -n 3 "$folder/server.log")"
sql() { as_account "$bin/psql" -h "$folder" -p "$port" -U postgres -XAtq -c "$1" postgres; }
# Without the compiler, the tests would not show what it costs.
[ "$(sql 'select pg_jit_available()')" = t ] || fail 'this PostgreSQL 15 has no just-in-time compiler, which is part of its default settings'
sql 'create extension pg_stat_statements' && sql 'create role vouchgraph_tests login createdb createrole in role pg_signal_backend' && sql 'grant set on parameter deadlock_timeout to vouchgraph_tests' || exit
export TEST_DATABASE_URL="postgres://vouchgraph_tests@127.0.0.1:$port/postgres"
say "$(sql 'select version()')"
npm test -- "$@"
status=$?
compiled=$(sql "select calls || ' calls: ' || left(regexp_replace(query, '\s+', ' ', 'g'), 300)
  from pg_stat_statements where jit_functions > 0 and query not ilike 'explain%' order by jit_functions desc limit 20") || exit
if [ -n "$compiled" ]; then
  say 'PostgreSQL compiled these statements:'
  echo "$compiled"
  exit 1
fi
exit $status
