#!/usr/bin/env bash
# Measures what Python costs beside Rust and beside other ways to the same
# request, with the wheel as it is shipped.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

target="$(realpath -m "${CARGO_TARGET_DIR:-target}")"
scripts/test-python.sh --only-install --release
cargo build --locked --release -p payments-python --example bench_peer_python
python="$target/python/venv/bin/python"
peer="$target/release/examples/bench_peer_python"
"$python" bindings-python/bench/ratios.py "$peer"
"$python" bindings-python/bench/saturation.py "$peer"
"$python" bindings-python/bench/start.py
