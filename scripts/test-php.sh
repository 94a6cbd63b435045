#!/usr/bin/env bash
# Tests the PHP package: the shared scenarios, the manifest, its own tests,
# php-fpm and the examples.
#
# Usage: scripts/test-php.sh [options of phpunit]
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

scripts/setup.sh test

scripts/build.sh
built="${CARGO_TARGET_DIR:-$PWD/target}/debug"

# Set explicitly, so that no installed library is tested instead.
export LIBPAYMENTS_BUILT="$built"
export LIBPAYMENTS_LIBRARY="$built/libpayments.so"

# Not the user's cache.
export XDG_CACHE_HOME="$built/cache-of-tests"

cd bindings-php
composer validate --strict --no-check-publish --no-interaction
phpunit "$@"

if [[ $# -eq 0 ]]; then
    printf '\n== php: the tests of a shop\n'
    cd ../examples/tests/php
    PAYMENTS_COMMAND="$built/payments" phpunit --no-configuration --bootstrap bootstrap.php --do-not-cache-result \
        --fail-on-warning --fail-on-risky --fail-on-skipped --fail-on-incomplete ShopTest.php
fi
