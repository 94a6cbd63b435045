#!/usr/bin/env bash
# Measures what Python costs beside Rust and beside other ways to the same
# request, with the wheel as it is shipped.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

export PYTHONDONTWRITEBYTECODE=1
target="$(realpath -m "${CARGO_TARGET_DIR:-target}")"
scripts/test-python.sh --only-install --release
cargo build --locked --release -p payments-core --example bench_peer
python="$target/python/venv/bin/python"
peer="$target/release/examples/bench_peer"
for part in ratios saturation start; do
    "$python" "bindings-python/bench/$part.py" "$peer"
done
