# The stage of scripts/test-c.sh that runs the programs of examples/reference, whose
# README has the rules.
# shellcheck shell=bash disable=SC2154 # Sourced by scripts/test-c.sh, which has the variables.

# The operations in the order of their description, and what is no operation.
reference_names() {
    grep -H '^order = ' spec/operations/*.toml | sort -t= -k2 -n | sed 's|.*/||; s|\.toml:.*||'
    echo ensure_payment
}

test_reference() {
    stage "the programs of the reference"
    local work="$scratch/work" name
    build_for_tests
    mkdir "$work"
    : >"$scratch/sandbox.out"
    (cd "$work" && exec "$target/debug/payments" sandbox --json --config-out merchant \
        --accept-path /ws/payout/commit >"$scratch/sandbox.out") &
    servers+=($!)
    first_line "$scratch/sandbox.out"
    jq '.payout_query = true' <<<"$line" >"$work/merchant/payments.json"
    while read -r name; do
        gcc -std=c11 -Iinclude "${warnings[@]}" -g -o "$scratch/$name" \
            "examples/reference/$name.c" "${libraries[@]}"
        if [[ "$name" == refund_payment ]]; then
            curl --silent --show-error --fail --request POST --output /dev/null \
                "$(jq -r .base_url <<<"$line")/sandbox/payments/order-1001/confirm"
        fi
        (cd "$work" && "$scratch/$name") >"$scratch/$name.out" 2>"$scratch/$name.err" ||
            fail "$name: $(<"$scratch/$name.err")"
        [[ ! -s "$scratch/$name.err" ]] || fail "$name: $(<"$scratch/$name.err")"
        diff <(jq -S . "examples/reference/$name.json") \
            <(jq -S 'if has("response") then .response else . end' "$scratch/$name.out") ||
            fail "examples/reference/$name.c prints another response than $name.json"
        echo "$name"
    done < <(reference_names)
    end_servers
}
