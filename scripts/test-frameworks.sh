#!/usr/bin/env bash
# Tests the framework packages and examples: small applications that run under
# the servers their documentation names, and pay in the sandbox.
#
# Usage: scripts/test-frameworks.sh [php|python|node]...     (every language when none is named)
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

languages=(php python node)

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

# Django and FastAPI, under gunicorn and uvicorn, with the wheel.
test_python() {
    scripts/setup.sh python
    scripts/test-python.sh --only-install
    build
    local target venv tests=bindings-python/tests
    target="$(realpath -m "${CARGO_TARGET_DIR:-target}")"
    venv="$target/frameworks/python"
    python3 -m venv --clear "$venv"
    "$venv/bin/pip" install -q --no-index "$target"/python/dist/libpayments-*.whl
    "$venv/bin/pip" install -q -r "$tests/requirements.txt" -r "$tests/frameworks/requirements.txt"
    export PAYMENTS_TEST_FRAMEWORKS=1 PYTHONDONTWRITEBYTECODE=1
    (
        cd bindings-python
        "$venv/bin/mypy" --cache-dir "$target/frameworks/mypy" -p libpayments.django
        MYPYPATH=tests "$venv/bin/mypy" --cache-dir "$target/frameworks/mypy" \
            examples/fastapi_shop/main.py
        "$venv/bin/pytest" -p no:cacheprovider tests/frameworks
    )
}

# Express and Next.js, as npm installs them, with the package as it is packed.
test_node() {
    scripts/test-node.sh --only frameworks/express.check.mjs frameworks/nextjs.check.mjs
}

for language in "${@:-${languages[@]}}"; do
    if [[ " ${languages[*]} " != *" $language "* ]]; then
        echo "usage: scripts/test-frameworks.sh [${languages[*]}]..." >&2
        exit 2
    fi
    printf '\n== frameworks: %s\n' "$language"
    "test_$language"
done
