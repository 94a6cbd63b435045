#!/usr/bin/env bash
# Packages the crates that are published into target/crates/package, and builds
# each from its package.
#
# Usage: scripts/dist/crates.sh [OPTION OF CARGO PACKAGE]...
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
# shellcheck source=scripts/dist/common.sh
. scripts/dist/common.sh

# The tree without untracked files, and with absolute links in the READMEs.
copy="$target/pack/crates"
rm -rf "$copy"
mkdir -p "$copy"
git ls-files -z | xargs -0 cp --parents -t "$copy"
node scripts/dist/readme.mjs . "$copy/README.md"
node scripts/dist/readme.mjs docs/getting-started "$copy/docs/getting-started/command.md"
node scripts/dist/readme.mjs sandbox "$copy/sandbox/README.md"
cd "$copy"

# cargo takes a crate of the temporary registry for unchanged as long as its
# version is the same.
export CARGO_TARGET_DIR="$target/crates"
rm -rf "$cargo_home"/registry/src/-*/payments-* "$CARGO_TARGET_DIR"/debug/.fingerprint/payments-*
mapfile -t crates < <(printf -- '-p\npayments-%s\n' "${published_crates[@]}")
cargo package --locked --allow-dirty "$@" "${crates[@]}"
# The crates are built by now. This makes the checks of the registry.
cargo publish --workspace --dry-run --no-verify --locked --allow-dirty
