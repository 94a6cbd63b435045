#!/usr/bin/env bash
# Builds the examples with nothing but what was installed, shared and static,
# takes a payment with each, and reads the events of a query.
#
# Usage: scripts/check-install.sh PREFIX SANDBOX_URL KEY_FILE
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

prefix="$1" sandbox="$2" key="$3"
scratch="$prefix.example"
abi="$(<ffi-c/abi/version)"
rm -rf "$scratch"
mkdir -p "$scratch"

fail() {
    echo "check-install: $1" >&2
    exit 1
}

[[ -L "$prefix/lib/libpayments.so" && -L "$prefix/lib/libpayments.so.$abi" ]] || fail "no links"
[[ "$(readelf -d "$prefix/lib/libpayments.so" | sed -nE 's/.*SONAME.*\[(.*)\]/\1/p')" \
    == "libpayments.so.$abi" ]] || fail "another soname"
if nm "$prefix/lib/libpayments.so" 2>/dev/null | grep -q .; then
    fail "libpayments.so is not stripped"
fi

# Only what this prefix offers: no other libpayments of this machine.
export PKG_CONFIG_PATH="$prefix/lib/pkgconfig" PKG_CONFIG_LIBDIR=
pkg-config --exists --print-errors libpayments
read -r -a shared < <(pkg-config --cflags --libs libpayments)
cp examples/c/*.c "$scratch/"
(cd "$scratch" && gcc -std=c99 -Wall -Wextra -Wpedantic -Werror pay.c "${shared[@]}" -o pay-shared)
(cd "$scratch" && gcc -std=c99 -Wall -Wextra -Wpedantic -Werror events.c "${shared[@]}" -o events)
# A folder with libpayments.a alone, so that -lpayments means that.
mkdir -p "$scratch/static"
cp "$prefix/lib/libpayments.a" "$scratch/static/"
read -r -a static < <(pkg-config --static --cflags --libs \
    --define-variable=libdir="$scratch/static" libpayments)
(cd "$scratch" && gcc -std=c99 pay.c "${static[@]}" -o pay-static)
if readelf -d "$scratch/pay-static" | grep -q libpayments; then
    fail "the static example needs libpayments.so"
fi

cat >"$scratch/payments.json" <<JSON
{"base_url": "$sandbox", "auth_url": "$sandbox", "environment": "sandbox",
 "integration_key": "sandbox-integration-key", "client_id": "sandbox-client",
 "client_secret": "sandbox-client-secret", "kid": "test-kid", "key_file": "$key"}
JSON

take_payment() {
    local reference="$1" program="$2" expected="$3" status=0
    env LD_LIBRARY_PATH="$prefix/lib" "$program" "$scratch/payments.json" "$reference" 100.10 \
        >"$scratch/output" 2>&1 || status=$?
    cat "$scratch/output"
    [[ "$status" -eq "$expected" ]] || fail "$program ended with $status, not $expected"
}

fault() {
    curl -sSf -o /dev/null -d "{\"operation\":\"create_payment\",\"then\":[$1]}" \
        "$sandbox/sandbox/faults"
}

for kind in shared static; do
    take_payment "$kind-1" "$scratch/pay-$kind" 0
    grep -q '^hash: ' "$scratch/output" || fail "no hash"
    # The answer is lost: the payment exists, and the example finds out.
    fault '{"fault":"close","execute":true}'
    take_payment "$kind-2" "$scratch/pay-$kind" 0
    grep -q ', unknown\]' "$scratch/output" || fail "the outcome was not unknown"
    # The request is lost: it does not exist.
    fault '{"fault":"close"}'
    take_payment "$kind-3" "$scratch/pay-$kind" 1
done
count="$(curl -sSf "$sandbox/sandbox/payments" | python3 -c 'import json, sys
print(len(json.load(sys.stdin)["payments"]))')"
[[ "$count" -eq 4 ]] || fail "$count payments instead of 4"

# The payment of the shared program.
LD_LIBRARY_PATH="$prefix/lib" "$scratch/events" "$scratch/payments.json" \
    '{"merchant_payment_code": "shared-1"}' >"$scratch/output"
cat "$scratch/output"
for event in request_started token_fetched attempt request_ended; do
    grep -qE "^\{\"event\":\"$event\",.*\}\$" "$scratch/output" || fail "no event $event"
done
! grep -qE 'shared-1|sandbox-client-secret|sandbox-integration-key' "$scratch/output" ||
    fail "an event holds what it must not"
echo "examples/c works with what was installed, shared and static"
