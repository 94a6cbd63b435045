#!/usr/bin/env bash
# Builds the Python package from its source distribution, installs the wheel
# into a fresh environment without Rust, checks its types and runs its tests.
#
# Usage: scripts/test-python.sh [--only-install [--release]] [PYTEST_ARG]...
#
# The module is a debug build, like the Node addon, except for benchmarks.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

# An exact version, so that builds are reproducible.
maturin_version=1.16.0

profile=dev
if [[ "${2:-}" == --release ]]; then
    profile=release
fi
package=bindings-python
# A merchant's tests, which use the test kit.
shop=../examples/tests/python
reference=../examples/reference
pages=../tests/pages
target="$(realpath -m "${CARGO_TARGET_DIR:-target}")"
work="$target/python"
venv="$work/venv"
export PIP_DISABLE_PIP_VERSION_CHECK=1 PYTHONDONTWRITEBYTECODE=1

stage() {
    printf '\n== python: %s (at %d s)\n' "$1" "$SECONDS"
}

stage "tools"
scripts/setup.sh python
python3 -c '
import sys
if sys.version_info < (3, 10):
    sys.exit(f"python: Python 3.10 or newer is needed, and python3 is {sys.version.split()[0]}")
'
maturin="$work/tools/bin/maturin"
if [[ ! -x "$maturin" || "$("$maturin" --version)" != "maturin $maturin_version" ]]; then
    python3 -m venv --clear "$work/tools"
    "$work/tools/bin/pip" install -q "maturin==$maturin_version"
fi

# Reuse a build of the same sources.
inputs="$(git ls-files -z --cached --others --exclude-standard -- Cargo.lock Cargo.toml base transport core host \
    "$package/src" "$package/python" "$package/pyproject.toml" "$package/Cargo.toml" \
    "$package/README.md" "$package/tests/requirements.txt" "$package/bench/requirements.txt" \
    ':!core/tests' ':!core/benches' ':!host/tests' |
    { xargs -0 sha256sum 2>/dev/null || true; } | sha256sum) $(python3 --version) $profile"
install_package() {
    rm -f "$work/inputs"
    stage "source distribution"
    rm -rf "$work/dist" "$work/sdist"
    mkdir -p "$work/sdist"
    "$maturin" sdist -m "$package/Cargo.toml" -o "$work/dist"
    # -m sets current dates: cargo considers older files already compiled.
    tar -xzmf "$work"/dist/libpayments-*.tar.gz -C "$work/sdist" --strip-components=1

    stage "wheel, from the source distribution"
    # The lock file also names dependencies of other workspace members; offline,
    # cargo can only remove them.
    cargo fetch --locked
    "$maturin" build --profile "$profile" --offline -m "$work/sdist/$package/Cargo.toml" \
        --target-dir "$target" -o "$work/dist"

    stage "fresh environment, without Rust"
    python3 -m venv --clear "$venv"
    env -i PATH="$venv/bin" "$venv/bin/pip" install -q --no-index "$work"/dist/libpayments-*.whl
    env -i PATH="$venv/bin" "$venv/bin/python" -c 'import libpayments; print(libpayments.__version__)'
    "$venv/bin/pip" install -q -r "$package/tests/requirements.txt" -r "$package/bench/requirements.txt"
    echo "$inputs" >"$work/inputs"
}
if [[ "$inputs" != "$(cat "$work/inputs" 2>/dev/null)" ]]; then
    install_package
fi

if [[ "${1:-}" == --only-install ]]; then
    exit
fi

# The tests use the sandbox of the command. One test needs a module with a
# function that panics, which no wheel contains.
stage "sandbox and test hooks"
scripts/build.sh
export PAYMENTS_COMMAND="$target/debug/payments"
export PAYMENTS_TEST_HOOKS="$target/debug/libpayments_python.so"

cd "$package"
stage "style and types"
"$venv/bin/ruff" check -q . ../examples/tests ../examples/shop "$reference" "$pages" --config pyproject.toml
"$venv/bin/ruff" format -q --check . ../examples/tests ../examples/shop "$reference" "$pages" --config pyproject.toml
"$venv/bin/mypy" --cache-dir "$work/mypy" python tests bench
"$venv/bin/mypy" --cache-dir "$work/mypy" --config-file pyproject.toml "$shop" "$reference"
MYPYPATH="$pages" "$venv/bin/mypy" --cache-dir "$work/mypy" --config-file pyproject.toml "$pages"/*.py
"$venv/bin/pyright" --pythonpath "$venv/bin/python"
"$venv/bin/stubtest" libpayments --mypy-config-file pyproject.toml \
    --allowlist tests/stubtest_allowlist.txt

stage "tests"
# Not the user's cache.
export XDG_CACHE_HOME="$target/debug/cache-of-tests"
"$venv/bin/pytest" -p no:cacheprovider "$@"

if [[ $# -eq 0 ]]; then
    stage "the tests of a shop"
    (cd "$shop" && "$venv/bin/pytest" -q -p no:cacheprovider)
fi

stage "passed"
