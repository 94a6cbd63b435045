#!/usr/bin/env bash
# Benchmarks the Node package against the same calls in Rust, and against fetch
# with signatures by node:crypto and jose. Prints rows for the README.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

scripts/setup.sh node
repository="$PWD"
target="$(realpath -m "${CARGO_TARGET_DIR:-target}")"

cargo build --locked --release -p payments-node --lib
cargo build --locked --release -p payments-core --example bench_peer
rm -rf "$target/node/bench"
node bindings-node/scripts/pack.mjs "$target/node/bench/packages" - \
    "$target/release/libpayments_node.so" "$(node bindings-node/scripts/platform.mjs)"

cd "$target/node/bench"
cp "$repository"/bindings-node/tools/{package.json,package-lock.json,.npmrc} .
npm ci --loglevel=error
npm install --offline --no-save --loglevel=error ./packages/*.tgz
cp "$repository"/bindings-node/bench/*.mjs .
for part in compare tls saturation cancel start; do
    node "$part.mjs" "$target/release/examples/bench_peer"
done
