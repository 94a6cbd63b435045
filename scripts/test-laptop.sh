#!/usr/bin/env bash
# The tests of a hosted machine with macOS or Windows: the tests of the core, the
# sandbox and the command, and a payment each by the command, C, Node and Python,
# built from this checkout. Needs Rust, Node and Python; on macOS, the tests also
# need Redis and the env of GNU's coreutils.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

scratch="$PWD/target/laptop"
configuration="$scratch/merchant/payments.json"
rm -rf "$scratch"
mkdir -p "$scratch"
cargo test --locked -p payments-base -p payments-transport -p payments-core -p payments-host -p payments-sandbox -p payments-cli --features payments-core/tracing
cargo build --locked --release -p payments-cli -p payments-ffi
target/release/payments demo
python=python3
command -v "$python" >/dev/null || python=python
# On Windows, private files are refused outside of the user's profile.
[[ -z "${USERPROFILE:-}" ]] || configuration="$USERPROFILE/payments-laptop/payments.json"
target/release/payments sandbox --config-out "$(dirname "$configuration")" &
sandbox=$!
trap 'kill "$sandbox"' EXIT
for _ in {1..100}; do
    [[ ! -e "$configuration" ]] || break
    sleep 0.1
done

if [[ "$(uname -s)" == Darwin ]]; then
    make install PREFIX="$scratch/installed"
    cc tests/dist/pay.c "-I$scratch/installed/include" "-L$scratch/installed/lib" -lpayments -o "$scratch/pay"
    "$scratch/pay" "$configuration" laptop-c
    LIBPAYMENTS_LIBRARY="$(echo "$scratch/installed/lib"/libpayments.[0-9].dylib)"
    export LIBPAYMENTS_LIBRARY
    ! command -v php >/dev/null || php tests/dist/pay.php bindings-php/autoload.php "$configuration" laptop-php
fi
mkdir -p "$scratch/node"
(cd "$scratch/node" && npm init -y >/dev/null && npm install --no-audit --no-fund ../../../bindings-node)
cp tests/dist/pay.mjs "$scratch/node"
node "$scratch/node/pay.mjs" "$configuration" laptop-node
"$python" -m venv "$scratch/venv"
# In bin, or on Windows in Scripts.
python="$(compgen -G "$scratch/venv/*/python*" | head -n 1)"
"$python" -m pip install -q ./bindings-python
"$python" tests/dist/pay.py "$configuration" laptop-python
