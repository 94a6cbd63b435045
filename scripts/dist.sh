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
    describe "$name"
done

stage() {
    printf '\n######## dist: %s (at %d s)\n' "$1" "$SECONDS"
}

stage "tools"
stages=(dist)
[[ "$(uname -s)" != Linux ]] || stages+=(dist-linux)
scripts/setup.sh "${stages[@]}"
scripts/tool.sh dist cargo-auditable cargo-cyclonedx
stage "licenses and lists of dependencies"
python3 scripts/dist/notices.py "$tools/bin/cargo-cyclonedx" "$(zig_folder)" "$notices" "${all_targets[@]}" "${apple_targets[@]}"
for name in "$@"; do
    stage "build for $name"
    scripts/dist/build.sh "$name"
    scripts/dist/archives.sh "$name"
done
# One kind of machine packs the sources, since compressors differ.
if [[ "$(uname -s)" == Linux ]]; then
    stage "sources"
    scripts/dist/sources.sh
fi
stage "packages"
scripts/dist/pack.sh "$@"

if ! cargo xtask release-check; then
    printf '\n######## WARNING: these packages are for tests. Do not publish them. ########\n' >&2
fi
