#!/usr/bin/env bash
# Every debug build that tests use: all crates at once and with the same
# features, so that none is built twice.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

cargo build --locked --workspace --features payments-ffi/test-hooks,payments-python/test-hooks
