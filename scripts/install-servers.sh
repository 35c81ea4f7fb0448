#!/bin/sh
# Installs what tests start beside the program, as Debian packages: only what is absent, and without complaint where that
# cannot be done: those tests say that they skip, or fail under PORTCULLIS_REQUIRE_ALL=1. Nothing is left running: tests start servers themselves, on ports of
# their own. `--without-browser` leaves out Chromium, which is most of the time and of the bytes.
set -u

wanted=''
want() { # package, programs any of which is enough
  package=$1
  shift
  for program in "$@"; do
    if command -v "$program" >/dev/null 2>&1 || [ -x "/usr/sbin/$program" ]; then return; fi
  done
  wanted="$wanted $package"
}

want curl curl                                 # the lines that a start prints
want bsdutils script                           # an import in a terminal
want brotli brotli                             # decoders of compressed answers that nobody here wrote
want zstd zstd
want xz-utils xz                               # conformance data is packed with it
want redis-server valkey-server redis-server   # keys, limits and the cache that processes share
want haproxy haproxy                           # rolling restarts
want nginx-light nginx                         # the same, and what bench proxy compares with
want prometheus promtool                       # checks the metrics' format
if [ "${1:-}" != --without-browser ]; then
  want chromium chromium chromium-browser google-chrome # the status page
fi
[ -n "$wanted" ] || exit 0

# What a package's service would do at its installation is not wanted: policy-rc.d says so, where there is none yet.
policy=/usr/sbin/policy-rc.d
if [ ! -e "$policy" ] && (printf '#!/bin/sh\nexit 101\n' >"$policy" && chmod +x "$policy") 2>/dev/null; then
  trap 'rm -f "$policy"' EXIT
fi
export DEBIAN_FRONTEND=noninteractive
apt-get update >/dev/null 2>&1
# One after the other where they cannot be had together: a package that does not exist stops all of them.
# shellcheck disable=SC2086
if ! apt-get install -y --no-install-recommends $wanted >/dev/null 2>&1; then
  for package in $wanted; do apt-get install -y --no-install-recommends "$package" >/dev/null 2>&1; done
fi
exit 0
