#!/usr/bin/env bash
# Benchmarks the wheel as shipped, against Rust and against other ways to make
# the same request.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

export PYTHONDONTWRITEBYTECODE=1
target="$(realpath -m "${CARGO_TARGET_DIR:-target}")"
scripts/test-python.sh --only-install --release
cargo build --locked --release -p payments-core --example bench_peer
python="$target/python/venv/bin/python"
peer="$target/release/examples/bench_peer"
for part in ratios saturation cancel start; do
    "$python" "bindings-python/bench/$part.py" "$peer"
done
