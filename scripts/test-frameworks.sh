#!/usr/bin/env bash
# Tests the framework packages and examples: small applications that run under
# the servers their documentation names, and pay in the sandbox.
#
# Usage: scripts/test-frameworks.sh [php]...     (every language when none is named)
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

languages=(php)

build() {
    cargo xtask build
    built="${CARGO_TARGET_DIR:-$PWD/target}/debug"
    export LIBPAYMENTS_BUILT="$built"
    export LIBPAYMENTS_LIBRARY="$built/libpayments.so"
    export PAYMENTS_COMMAND="$built/payments"
    # Not the user's cache.
    export XDG_CACHE_HOME="$built/cache-of-tests"
}

# Symfony and Laravel, as Debian packages them.
test_php() {
    scripts/setup.sh frameworks-php
    build
    (cd bindings-php && phpunit --testsuite frameworks)
}

for language in "${@:-${languages[@]}}"; do
    if [[ " ${languages[*]} " != *" $language "* ]]; then
        echo "usage: scripts/test-frameworks.sh [${languages[*]}]..." >&2
        exit 2
    fi
    printf '\n== frameworks: %s\n' "$language"
    "test_$language"
done
