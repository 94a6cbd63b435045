#!/usr/bin/env bash
# Builds all packages into dist/ (`make dist`).
#
# Usage: scripts/dist.sh [TARGET]...     (default: all targets)
#
# The targets are those of scripts/dist/common.sh. The musl targets also provide
# the static command, and with it libpayments-sandbox.
#
# Only package managers use the network. Every archive has its version, its
# licenses, a list of its contents, and a line in SHA256SUMS.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
# shellcheck source=scripts/dist/common.sh
. scripts/dist/common.sh

[[ $# -gt 0 ]] || set -- "${all_targets[@]}"
for name in "$@"; do
    zig_target_of "$name" >/dev/null
done

stage() {
    printf '\n######## dist: %s (at %d s)\n' "$1" "$SECONDS"
}

rm -rf dist
mkdir -p dist
stage "tools"
scripts/dist/tools.sh
stage "licenses and lists of dependencies"
scripts/dist/notices.sh
for name in "$@"; do
    stage "build for $name"
    scripts/dist/build.sh "$name"
done
stage "packages"
scripts/dist/pack.sh "$@"
if packs_sources; then
    stage "crates"
    scripts/dist/crates.sh
fi
(cd dist && sha256sum -- * >SHA256SUMS)
ls -l dist

if ! cargo xtask release-check; then
    printf '\n######## WARNING: these packages are for tests. Do not publish them. ########\n' >&2
fi
