#!/usr/bin/env bash
# Measures the Node package: against the same calls in Rust, and against fetch
# with signatures by node:crypto and by jose. Prints rows for the README.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

scripts/setup.sh node
repository="$PWD"
target="${CARGO_TARGET_DIR:-$repository/target}"
mkdir -p "$target/node"
target="$(cd "$target" && pwd)"

cargo build --locked --release -p payments-node --lib --example bench_peer_node
rm -rf "$target/node/bench"
node bindings-node/scripts/pack.mjs "$target/release/libpayments_node.so" \
    "$(node bindings-node/scripts/platform.mjs)" "$target/node/bench/packages"

cd "$target/node/bench"
cp "$repository"/bindings-node/tools/{package.json,package-lock.json,.npmrc} .
npm ci --loglevel=error
npm install --offline --no-save --loglevel=error ./packages/*.tgz
cp "$repository"/bindings-node/bench/*.mjs .
peer="$target/release/examples/bench_peer_node"
key="$repository/tests/vectors/keys/test_rsa_4096_pkcs8.pem"
node compare.mjs "$peer" "$key"
node saturation.mjs "$peer" "$key"
node start.mjs "$key"
