#!/usr/bin/env bash
# The debug build that all tests share: every crate in one build with the same
# features, so that none is built twice.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

cargo build --locked --workspace --features payments-ffi/test-hooks,payments-python/test-hooks
