#!/usr/bin/env bash
# Builds and runs every test.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

stage() {
    printf '\n== test: %s\n' "$1"
}

stage "tools"
scripts/setup.sh test

if cargo nextest --version >/dev/null 2>&1; then
    stage "unit and integration tests (cargo nextest)"
    cargo nextest run --locked --workspace
else
    stage "unit and integration tests (cargo test)"
    cargo test --locked --workspace --lib --bins --tests --examples
fi

stage "documentation tests"
cargo test --locked --workspace --doc

stage "the C ABI"
scripts/test-c.sh

stage "PHP"
scripts/test-php.sh

# The only thing here that is tested as it is shipped: the first command of the
# README, which pays, refunds and pays out against a sandbox of its own.
stage "the demonstration, in release"
cargo run --locked --release --bin payments -- demo

stage "the Python package"
scripts/test-python.sh

stage "the Node package"
scripts/test-node.sh

stage "a fleet in all languages"
scripts/test-fleet.sh

stage "passed"
