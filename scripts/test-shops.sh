#!/usr/bin/env bash
# Attacks each shop of examples/shop and that of the demonstration, as buyers, other
# programs and the service may; then buys in each in Debian's Chromium. The shops use
# the packages as they are packed.
#
# PAYMENTS_TEST_NAME selects shops by a part of their name.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

scripts/setup.sh test python node browser frameworks-php shops
scripts/test-python.sh --only-install
scripts/test-node.sh --only-pack
scripts/build.sh

target="$(realpath -m "${CARGO_TARGET_DIR:-target}")"
work="$target/shops"
mkdir -p "$work/modules" "$work/browser"

python3 -m venv --clear "$work/python"
"$work/python/bin/pip" install -q --no-index "$target"/python/dist/libpayments-*.whl
"$work/python/bin/pip" install -q -r bindings-python/tests/frameworks/requirements.txt
npm install --silent --no-save --prefix "$work/modules" express@latest "$target"/node/packages/*.tgz
ln -sf "$target/debug/libpayments.so" "$work/libpayments.so.0"
# shellcheck disable=SC2046 # Flags, of which each is a word.
gcc -Wall -Wextra -Werror -I include -o "$work/shop" examples/shop/{shop,http}.c -L "$target/debug" \
    -lpayments "-Wl,-rpath,$work" $(pkg-config --cflags --libs libmicrohttpd jansson) -lpthread
cp sandbox/tests/browser/{package,package-lock}.json sandbox/tests/browser/.npmrc "$work/browser"
(cd "$work/browser" && npm ci --loglevel=error)
cp examples/tests/shop/*.mjs "$work/browser"

export LIBPAYMENTS_LIBRARY="$target/debug/libpayments.so"
export LIBPAYMENTS_AUTOLOAD="$PWD/bindings-php/autoload.php"
export PAYMENTS_COMMAND="$target/debug/payments"
export PAYMENTS_SHOPS="$PWD/examples/shop"
export PAYMENTS_SHOP_PYTHON="$work/python/bin/python"
export PAYMENTS_SHOP_MODULES="$work/modules/node_modules"
export PAYMENTS_SHOP_C="$work/shop"
PAYMENTS_SHOP_FPM="$(command -v /usr/sbin/php-fpm8* | tail -1)"
PAYMENTS_CHROMIUM="$(command -v chromium chromium-browser | head -1)"
export PAYMENTS_SHOP_FPM PAYMENTS_CHROMIUM
# Not the user's cache.
export XDG_CACHE_HOME="$target/debug/cache-of-tests"
cd "$work/browser"
# One file at a time: a browser uses all cores.
node --test --test-concurrency=1 --test-timeout=900000 ./*.test.mjs
