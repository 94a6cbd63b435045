#!/usr/bin/env bash
# Packages the crates payments-base, payments-transport, payments-core,
# payments-host, payments-sandbox and payments-cli into dist/, and builds each from its package.
#
# Usage: scripts/dist/crates.sh [OPTION OF CARGO PACKAGE]...
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
# shellcheck source=scripts/dist/common.sh
. scripts/dist/common.sh

# The tree without untracked files, and with absolute links in the READMEs.
copy="$target/dist/crates"
rm -rf "$copy"
mkdir -p "$copy"
git ls-files -z | xargs -0 cp --parents -t "$copy"
node scripts/dist/readme.mjs . "$copy/README.md"
node scripts/dist/readme.mjs docs/getting-started "$copy/docs/getting-started/command.md"
node scripts/dist/readme.mjs sandbox "$copy/sandbox/README.md"
out="$PWD/dist"
cd "$copy"

# cargo takes a crate of the temporary registry for unchanged as long as its
# version is the same.
export CARGO_TARGET_DIR="$target/crates"
rm -rf "$cargo_home"/registry/src/-*/payments-* "$CARGO_TARGET_DIR"/debug/.fingerprint/payments-*
cargo package --locked --allow-dirty "$@" \
    -p payments-base -p payments-transport -p payments-core -p payments-host \
    -p payments-sandbox -p payments-cli
cp "$CARGO_TARGET_DIR/package"/payments-{base,transport,core,host,sandbox,cli}-"$version".crate "$out"
# The crates are built by now. This makes the checks of the registry.
cargo publish --workspace --dry-run --no-verify --locked --allow-dirty
