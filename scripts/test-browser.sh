#!/usr/bin/env bash
# Tests the sandbox's web page and the tabs of the book in Debian's Chromium.
#
# Usage: scripts/test-browser.sh [FILE]...
#
# PAYMENTS_TEST_NAME selects tests by a part of their name.
# PAYMENTS_SCREENSHOTS, if set, is a folder to write screenshots to instead of
# running the tests.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

scripts/setup.sh browser
scripts/build.sh

repository="$PWD"
target="$(realpath -m "${CARGO_TARGET_DIR:-target}")"
work="$target/browser"
export PAYMENTS_COMMAND="$target/debug/payments"
export PAYMENTS_TEST_FOLDER="$repository/tests"
# Not the user's cache.
export XDG_CACHE_HOME="$target/debug/cache-of-tests"

mkdir -p "$work"
cp sandbox/tests/browser/* sandbox/tests/browser/.npmrc "$work"
cd "$work"
if ! cmp -s package-lock.json installed.json; then
    npm ci --loglevel=error
    cp package-lock.json installed.json
fi

if [[ -n "${PAYMENTS_SCREENSHOTS:-}" ]]; then
    node screenshots.mjs "$PAYMENTS_SCREENSHOTS"
    exit
fi
[[ $# -gt 0 ]] || set -- ./*.test.mjs
# One file at a time: a browser uses all cores.
node --test --test-concurrency=1 --test-timeout=900000 \
    --test-name-pattern="${PAYMENTS_TEST_NAME:-.*}" "$@"
