# The stage of scripts/test-c.sh that runs the programs of examples/reference, whose
# README has the rules, and the first payment.
# shellcheck shell=bash disable=SC2154 # Sourced by scripts/test-c.sh, which has the variables.

test_reference() {
    stage "the programs of the reference"
    local work="$scratch/work" name
    build_for_tests
    mkdir "$work"
    start env -C "$work" "$target/debug/payments" sandbox --json --seed 1 --config-out merchant \
        --accept-path /ws/payout/commit
    jq '.payout_query = true' <<<"$line" >"$work/merchant/payments.json"
    while read -r name; do
        gcc -std=c11 -Iinclude "${warnings[@]}" -g -o "$scratch/$name" \
            "examples/reference/$name.c" "${libraries[@]}"
        if [[ -e "examples/reference/$name.before.sh" ]]; then
            # It makes the payment that the program needs.
            (cd "$work" && PATH="$target/debug:$PATH" sh -eu "$root/examples/reference/$name.before.sh") \
                >"$scratch/$name.out" || fail "$name.before.sh: $(<"$scratch/$name.out")"
        fi
        (cd "$work" && "$scratch/$name") >"$scratch/$name.out" 2>"$scratch/$name.err" ||
            fail "$name: $(<"$scratch/$name.err")"
        [[ ! -s "$scratch/$name.err" ]] || fail "$name: $(<"$scratch/$name.err")"
        diff <(jq -S . "examples/reference/$name.json") \
            <(jq -S 'if has("response") then .response else . end' "$scratch/$name.out") ||
            fail "examples/reference/$name.c prints another response than $name.json"
        echo "$name"
    done < <(jq -r '.operations[].name, "ensure_payment"' tests/manifest.json)
    test_first_payment
    end_servers
}

# Pays it at the sandbox of this stage while it waits.
test_first_payment() {
    local sandbox pid
    sandbox="$(jq -r .base_url <<<"$line")"
    gcc -std=c99 -Iinclude "${warnings[@]}" -g -o "$scratch/first_payment" \
        examples/c/first_payment.c "${libraries[@]}"
    (cd "$work" && exec "$scratch/first_payment" merchant/payments.json) >"$scratch/first.out" &
    pid=$!
    while kill -0 "$pid" 2>/dev/null && ! curl --silent --fail --request POST --output /dev/null \
        "$sandbox/sandbox/payments/order-1004/confirm"; do
        sleep 0.05
    done
    wait "$pid" || fail "examples/c/first_payment.c failed"
    [[ "$(<"$scratch/first.out")" == deliver ]] || fail "examples/c/first_payment.c: $(<"$scratch/first.out")"
    grep -q '^<svg ' "$work/code.svg" || fail "examples/c/first_payment.c draws no code"
    echo first_payment
}
