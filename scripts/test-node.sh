#!/usr/bin/env bash
# Builds, packs and installs the Node package, and tests the installed package.
#
# The addon is a debug build: it shares crates with `cargo test` and checks
# arithmetic overflow. Its performance-critical parts are optimized anyway.
#
# Usage: scripts/test-node.sh [--only-pack | --only FILE...]
#
# PAYMENTS_TEST_NAME selects the tests of --only by a part of their name.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

stage() {
    printf '\n== node: %s (at %d s)\n' "$1" "$SECONDS"
}

stage "tools"
scripts/setup.sh node

repository="$PWD"
target="$(realpath -m "${CARGO_TARGET_DIR:-target}")"
packages="$target/node/packages"

stage "build"
scripts/build.sh

stage "pack"
rm -rf "$packages"
platform="$(node bindings-node/scripts/platform.mjs)"
addon="libpayments_node.so"
[[ "$(uname -s)" != Darwin ]] || addon="libpayments_node.dylib"
node bindings-node/scripts/pack.mjs "$packages" - "$target/debug/$addon" "$platform"

if [[ "${1:-}" == --only-pack ]]; then
    exit
fi

export PAYMENTS_TEST_FOLDER="$repository/tests"
export PAYMENTS_TEST_TOOLS="$target/tools"
export PAYMENTS_TEST_COMMAND="$target/debug/payments"
# Not the user's cache.
export XDG_CACHE_HOME="$target/debug/cache-of-tests"

# Installs only the two archives and fetches nothing.
stage "install into an empty project"
project="$(mktemp -d "${TMPDIR:-/tmp}/payments-node.XXXXXX")"
trap 'rm -rf "$project"' EXIT
mkdir "$project/empty"
(
    cd "$project/empty"
    echo '{"private": true}' >package.json
    npm install --offline --no-audit --no-fund --loglevel=error "$packages"/*.tgz
    cp -R "$repository/bindings-node/tests" .
)

# Installs them into the folder beside tools for declarations, for the tests and the
# examples, which bundlers also pack.
install_beside_tools() {
    cp "$repository"/bindings-node/tools/{package.json,package-lock.json,.npmrc} .
    npm ci --loglevel=error
    npm install --offline --no-save --loglevel=error "$packages"/*.tgz
    cp -R "$repository"/bindings-node/{tests,examples} .
    "$repository/scripts/tool.sh" bundlers
}

if [[ "${1:-}" == --only ]]; then
    shift
    cd "$project/empty"
    [[ "$*" != *.check.mjs* ]] || install_beside_tools
    node --test --test-timeout=300000 --test-name-pattern="${PAYMENTS_TEST_NAME:-.*}" "${@/#/tests/}"
    exit
fi

stage "tests (node:test)"
(cd "$project/empty" && node --test --test-timeout=300000 tests/*.test.mjs)

stage "the tests of a shop"
(
    cd "$project/empty"
    cp -R "$repository/examples/tests/node" shop
    PAYMENTS_COMMAND="$PAYMENTS_TEST_COMMAND" node --test --test-timeout=300000 shop/*.test.mjs
)

stage "tools for declarations, bundlers and the examples"
mkdir "$project/merchant"
(
    cd "$project/merchant"
    install_beside_tools
)

stage "declarations (tsc, attw, publint)"
(
    cd "$project/merchant"
    npx --no-install tsc --project tests/types
    npx --no-install tsc --project tests/types --lib es2018
    npx --no-install attw "$packages"/libpayments-[0-9]*.tgz
    npx --no-install publint --strict "$packages"/libpayments-[0-9]*.tgz
)

stage "the examples and bundles"
(cd "$project/merchant" && node --test --test-timeout=300000 tests/*.check.mjs)

stage "the tests of a shop (vitest)"
(
    cd "$project/merchant"
    mkdir shop
    cp -R "$repository"/examples/tests/{node,vitest} shop
    PAYMENTS_COMMAND="$PAYMENTS_TEST_COMMAND" npx --no-install vitest run --root shop/vitest
)

stage "passed"
