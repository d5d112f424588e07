#!/usr/bin/env bash
# Installs nginx and HAProxy for test/browser/bare-proxies.test.ts, as root on Debian or Ubuntu, without starting them.
# Without both programs these tests are skipped. Needs no input. Steps that use the network are limited in time.
set -uo pipefail
exec </dev/null
export DEBIAN_FRONTEND=noninteractive LC_ALL=C

type -P nginx haproxy >/dev/null && exit 0
if [ "$(id -u)" -ne 0 ] || ! type -P apt-get >/dev/null; then
  echo 'install-proxies: nginx and HAProxy are not installed, and only root can install them, with apt-get' >&2
  exit 1
fi
readonly apt_options=(
  -o Acquire::Retries=3 -o Acquire::http::Timeout=30 -o Acquire::https::Timeout=30
  -o DPkg::Lock::Timeout=120 -o Dpkg::Use-Pty=0 -o APT::Get::Assume-Yes=true
)
# The packages would otherwise start servers, nginx on port 80.
readonly policy=/usr/sbin/policy-rc.d
if [ ! -e "$policy" ]; then
  trap 'rm -f "$policy"' EXIT
  printf '#!/bin/sh\nexit 101\n' >"$policy" && chmod +x "$policy"
fi
timeout -k 10 120 apt-get "${apt_options[@]}" -q update || echo 'install-proxies: apt-get update failed'
timeout -k 10 300 apt-get "${apt_options[@]}" -q install --no-install-recommends nginx-light haproxy
type -P nginx haproxy >/dev/null
