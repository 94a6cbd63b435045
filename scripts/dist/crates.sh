#!/usr/bin/env bash
# Packages the crates payments-core, payments-sandbox and payments-cli into
# dist/, and builds each from its package.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
# shellcheck source=scripts/dist/common.sh
. scripts/dist/common.sh

# cargo takes a crate of the temporary registry for unchanged as long as its
# version is the same.
export CARGO_TARGET_DIR="$target/crates"
rm -rf "$cargo_home"/registry/src/-*/payments-* "$CARGO_TARGET_DIR"/debug/.fingerprint/payments-*
# Includes uncommitted changes; scripts/dist.sh warns about them.
cargo package --locked --allow-dirty \
    -p payments-core -p payments-sandbox -p payments-cli
cp "$CARGO_TARGET_DIR/package"/payments-{core,sandbox,cli}-"$version".crate dist
# They are built by now. This asks what the registry would ask.
cargo publish --workspace --dry-run --no-verify --locked --allow-dirty
