#!/usr/bin/env bash
# Reads the files of examples/deploy with the programs that they configure, and runs
# their commands. Needs root, because these run as other users.
#
# Usage: scripts/test-deploy.sh [PYTEST_ARG]...
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

scripts/setup.sh deploy
scripts/build.sh

target="$(realpath -m "${CARGO_TARGET_DIR:-target}")"
scripts/tool.sh deploy
export PYTHONDONTWRITEBYTECODE=1 PAYMENTS_COMMAND="$target/debug/payments"
PATH="$target/tools/deploy/bin:/usr/sbin:$PATH" pytest -p no:cacheprovider examples/tests/deploy "$@"
