#!/usr/bin/env bash
# Runs processes in Rust, C, PHP, Python and Node that share one token store in
# files. Uses the packages of test-python.sh and test-node.sh, and builds
# missing ones first.
#
# Usage: scripts/test-fleet.sh [soak MINUTES | crash KILLS | follow COUNT | bytes [all]]
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

target="$(realpath -m "${CARGO_TARGET_DIR:-target}")"
work="$target/fleet${1:+-$1}"
workers="tests/fleet/workers"
python="$target/python/venv/bin/python"

stage() {
    printf '\n== fleet: %s (at %d s)\n' "$1" "$SECONDS"
}

# Needs Rust alone.
if [[ "${1:-}" == follow ]]; then
    stage "$2 open payments"
    scripts/build.sh
    "$target/debug/payments-fleet-tests" --follow "$2"
    stage "passed"
    exit
fi

stage "tools"
scripts/setup.sh test node

stage "Rust, C and PHP: the workers and libpayments.so"
scripts/build.sh
rm -rf "$work"
mkdir -p "$work/c" "$work/node"
# The name that programs link against.
soname="libpayments.so.$(<ffi-c/abi/version)"
cp "$target/debug/libpayments.so" "$work/c/$soname"
for program in worker soak; do
    gcc -std=c11 -Wall -Wextra -Wpedantic -Werror -Iinclude -o "$work/c/$program" \
        "$workers/$program.c" "$work/c/$soname" "-Wl,-rpath,$work/c" -lpthread
done

stage "Python: the environment"
[[ -x "$python" ]] || scripts/test-python.sh --only-install
"$python" -c 'import libpayments; print(libpayments.__version__)'
venv="$(dirname "$python")"
"$venv/ruff" check -q --config bindings-python/pyproject.toml "$workers"
"$venv/ruff" format -q --check --config bindings-python/pyproject.toml "$workers"
"$venv/mypy" --config-file bindings-python/pyproject.toml --cache-dir "$target/python/mypy" \
    --python-executable "$python" "$workers"/*.py

stage "Node: an empty project with the package"
compgen -G "$target/node/packages/*.tgz" >/dev/null || scripts/test-node.sh --only-pack
(
    cd "$work/node"
    echo '{"private": true}' >package.json
    npm install --offline --no-audit --no-fund --loglevel=error "$target"/node/packages/*.tgz
    if [[ "${1:-}" == bytes ]]; then
        tools="$OLDPWD/bindings-node/tools"
        npm install --no-audit --no-fund --loglevel=error \
            "pg@$(node -p 'require(process.argv[1]).devDependencies.pg' "$tools/package.json")"
    fi
)
cp "$workers"/*.mjs "$work/node"

# Not the user's cache.
export XDG_CACHE_HOME="$work/cache"
export PAYMENTS_FLEET_C="$work/c" PAYMENTS_FLEET_PYTHON="$python" PAYMENTS_FLEET_NODE="$work/node"
export LIBPAYMENTS_LIBRARY="$target/debug/libpayments.so"
stage "${*:-sixteen processes, one token}"
"$target/debug/payments-fleet-tests" ${1:+"--$1"} "${@:2}"

stage "passed"
