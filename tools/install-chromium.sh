#!/usr/bin/env bash
# Makes sure that the browser tests find a Chromium, and prints CHROMIUM_PATH=… as its last line. Without one it exits
# with 1 and a message.
#   1. The Chromium of CHROMIUM_PATH, of the system, or of an earlier run of this script, if it loads a page.
#   2. As root on Debian or Ubuntu: apt-get install, which also installs the shared libraries and a font.
#   3. Otherwise, or if apt-get install fails: the same packages, unpacked into a cache folder without changing the
#      system (${XDG_CACHE_HOME:-~/.cache}/vouchgraph/chromium).
# Root gets the shell of Chromium too, where there is one: tests of pages run in it with less processor time, and without it in
# Chromium.
# Needs no input. Each step that uses the network is limited in time and tried twice.
set -uo pipefail
exec </dev/null
export DEBIAN_FRONTEND=noninteractive LC_ALL=C

readonly cache="${VOUCHGRAPH_CHROMIUM_CACHE:-${XDG_CACHE_HOME:-${HOME:-/tmp}/.cache}/vouchgraph/chromium}"
readonly apt_options=(
  -o Acquire::Retries=3 -o Acquire::http::Timeout=30 -o Acquire::https::Timeout=30
  -o DPkg::Lock::Timeout=120 -o Dpkg::Use-Pty=0 -o APT::Get::Assume-Yes=true
  -o Dpkg::Options::=--force-confdef -o Dpkg::Options::=--force-confold
)
readonly hint='Install Chromium (Debian, Ubuntu: apt-get install -y chromium; Fedora: dnf install chromium; macOS: brew install --cask chromium), or set CHROMIUM_PATH to its executable.'

say() { echo "install-chromium: $*"; }

# Loads a page, because a missing shared library or font only shows when Chromium starts.
works() {
  local folder status
  folder=$(mktemp -d)
  timeout -k 5 60 "$1" --headless --no-sandbox --disable-gpu --disable-dev-shm-usage --no-first-run \
    --user-data-dir="$folder/profile" --dump-dom 'data:text/html,<p>loaded</p>' >"$folder/page" 2>"$folder/errors"
  grep -qs '<p>loaded</p>' "$folder/page"
  status=$?
  [ $status -eq 0 ] || tail -n 5 "$folder/errors" | sed 's/^/  /'
  rm -rf "$folder"
  return $status
}

found() {
  add_shell
  say "$("$1" --version 2>/dev/null | head -n 1), ready after ${SECONDS} s"
  echo "CHROMIUM_PATH=$1"
  exit 0
}

# The package of the version that is installed: another would replace Chromium.
add_shell() {
  local shell=chromium-headless-shell version
  type -P $shell >/dev/null && return
  [ "$(id -u)" -eq 0 ] && [ -z "${VOUCHGRAPH_CHROMIUM_CACHE:-}" ] && type -P apt-get dpkg-query >/dev/null || return 0
  version=$(dpkg-query -W -f '${Version}' chromium 2>/dev/null) || return 0
  local -a install=(timeout -k 10 120 apt-get "${apt_options[@]}" -q install --no-install-recommends "$shell=$version")
  "${install[@]}" || { update_lists && "${install[@]}"; } || say "no $shell $version: all tests run in Chromium"
}

use_installed() {
  local name place
  for name in chromium chromium-browser google-chrome google-chrome-stable; do
    place=$(type -P "$name") || continue
    works "$place" && found "$place"
    say "$place does not load a page"
  done
  place="$cache/chromium"
  if [ -x "$place" ]; then
    works "$place" && found "$place"
    say "$place does not load a page"
  fi
}

# Seconds after which the script gives up, whatever is left to try: CI has a time limit of its own.
readonly deadline=900

# Runs a command with a time limit (s), a second time if the first one fails.
twice() {
  local limit=$1 attempt left
  shift
  for attempt in 1 2; do
    left=$((deadline - SECONDS))
    [ $left -gt 0 ] || return
    timeout -k 10 $((left < limit ? left : limit)) "$@" && return
    say "failed ($?, attempt $attempt): $*"
    sleep 3
  done
  return 1
}

# An outdated list names versions that the mirror no longer has, so the lists are always updated. Without an update
# the existing ones may still do: one unreachable source is no reason to give up.
update_lists() { twice 120 apt-get "${apt_options[@]}" "$@" -q update; }

install_packages() {
  update_lists || say 'apt-get update failed; the package lists of this machine are used as they are'
  # An interrupted earlier installation blocks every later one.
  timeout -k 10 120 dpkg --configure -a || true
  twice 300 apt-get "${apt_options[@]}" -q install --no-install-recommends chromium
}

# Every package that the installation would add, unpacked side by side; the libraries are found by their path.
unpack_packages() {
  local state work library_path
  local -a own packages
  state=$(mktemp -d) && work=$(mktemp -d) || return
  trap 'rm -rf "$state" "$work"' RETURN
  mkdir -p "$state/lists/partial" "$state/cache/archives/partial"
  # Lists and downloads of its own, so that it needs neither rights nor locks of the system.
  own=(-o "Dir::State::lists=$state/lists" -o "Dir::Cache=$state/cache" -o Debug::NoLocking=1
    -o APT::Sandbox::User=root)
  update_lists "${own[@]}" || say 'apt-get update failed'
  mapfile -t packages < <(apt-get "${apt_options[@]}" "${own[@]}" -qq install --print-uris --no-install-recommends chromium |
    sed -n "s/^'[^']*' \([^_ ]*\)_.*/\1/p")
  if [ ${#packages[@]} -eq 0 ]; then
    say 'the package lists name no Chromium'
    return 1
  fi
  say "unpacking ${#packages[@]} packages into $cache"
  (cd "$work" && twice 300 apt-get "${apt_options[@]}" "${own[@]}" -q download "${packages[@]}") || return
  rm -rf "$cache/root" "$cache/chromium"
  mkdir -p "$cache/root"
  local package
  for package in "$work"/*.deb; do dpkg -x "$package" "$cache/root" || return; done
  library_path=$(find "$cache/root" -name '*.so*' -printf '%h\n' | sort -u | paste -sd:)
  cat >"$cache/chromium" <<WRAPPER
#!/bin/sh
export LD_LIBRARY_PATH='$library_path'
[ -e /etc/fonts/fonts.conf ] || export FONTCONFIG_SYSROOT='$cache/root'
exec '$cache/root/usr/lib/chromium/chromium' "\$@"
WRAPPER
  chmod +x "$cache/chromium"
}

if [ -n "${CHROMIUM_PATH:-}" ]; then
  [ -x "$CHROMIUM_PATH" ] && works "$CHROMIUM_PATH" && found "$CHROMIUM_PATH"
  say "CHROMIUM_PATH names no Chromium that loads a page: $CHROMIUM_PATH"
  exit 1
fi

use_installed
if type -P apt-get dpkg >/dev/null; then
  if [ "$(id -u)" -eq 0 ] && [ -z "${VOUCHGRAPH_CHROMIUM_CACHE:-}" ]; then
    install_packages && use_installed
    say 'apt-get install made no Chromium that works'
  fi
  unpack_packages && use_installed
fi
say "no Chromium after ${SECONDS} s. $hint" >&2
exit 1
