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
venv="$target/deploy"
requirements=examples/tests/deploy/requirements.txt
export PIP_DISABLE_PIP_VERSION_CHECK=1 PYTHONDONTWRITEBYTECODE=1
if ! cmp -s "$requirements" "$venv/installed.txt"; then
    python3 -m venv --clear "$venv"
    "$venv/bin/pip" install -q -r "$requirements"
    cp "$requirements" "$venv/installed.txt"
fi
export LIBPAYMENTS_LIBRARY="$target/debug/libpayments.so"
export PAYMENTS_COMMAND="$target/debug/payments"
PATH="$venv/bin:/usr/sbin:$PATH" pytest -p no:cacheprovider examples/tests/deploy "$@"
