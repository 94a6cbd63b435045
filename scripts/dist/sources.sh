#!/usr/bin/env bash
# Packs the source distribution of the Python package and the crates that are
# published into target/dist/sources/packages, and builds each crate from its package.
#
# Usage: scripts/dist/sources.sh
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
# shellcheck source=scripts/dist/common.sh
. scripts/dist/common.sh

out="$target/dist/sources/packages"
work="$target/pack/sources"
rm -rf "$out" "$work"
mkdir -p "$out" "$work"

"$venv/bin/maturin" sdist -m bindings-python/Cargo.toml -o "$work"
tar -xzf "$work/libpayments-$version.tar.gz" -C "$work"
node scripts/dist/readme.mjs bindings-python "$work/libpayments-$version/PKG-INFO"
pack_tar "$out" "$work/libpayments-$version"

scripts/dist/crates.sh
cp "$target/crates/package"/payments-*-"$version".crate "$out"
