#!/usr/bin/env bash
# Builds all crates for tests, unless `make test` did so before its stages.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

[[ -n "${PAYMENTS_IS_BUILT:-}" ]] || cargo xtask build
