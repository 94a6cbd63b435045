#!/usr/bin/env bash
# Measures what Python costs beside Rust and beside other ways to the same
# request, with the wheel as it is shipped.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

target="$(realpath -m "${CARGO_TARGET_DIR:-target}")"
scripts/test-python.sh --only-install --release
cargo build --locked --release -p payments-python --example bench_peer_python
"$target/python/venv/bin/python" bindings-python/bench/ratios.py "$target/release/examples/bench_peer_python"
