#!/usr/bin/env bash
# Puts the faults of tests/faults into a copy of the repository, one at a time, and
# expects the tests that each one names to find it, in its own language.
#
# Usage: scripts/test-faults.sh [LANGUAGE [NAME]...]
#        (LANGUAGE is c, python, node, php or rust; all of them when none is named)
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

root="$PWD"
target="$(realpath -m "${CARGO_TARGET_DIR:-$root/target}")"
# The copy, and builds of it, which no test of this tree may load.
copy="$target/faults/tree"
built="$target/faults/build"
output="$target/faults/output"
table=()
failures=0

fail() {
    echo "test faults: $1" >&2
    exit 1
}

# The tree as it is, with changes that are not committed; files new to git are left out.
refresh_copy() {
    local commit
    commit="$(git stash create)"
    [[ -d "$copy/.git" ]] || git clone -q --shared --no-checkout "$root" "$copy"
    git -C "$copy" checkout -q --force --detach "${commit:-$(git rev-parse HEAD)}"
}

# The parts of the copy that are compiled, which only a fault in Rust changes.
compile() {
    local package
    case "$1" in
        c | php) package=payments-ffi ;;
        *) package="payments-$1" ;;
    esac
    [[ "$1" == rust ]] ||
        (cd "$copy" && CARGO_TARGET_DIR="$built" cargo build -q --locked -p "$package")
}

# Puts the files of an npm package into a folder.
unpack() {
    rm -rf "$2"
    mkdir -p "$2"
    tar -xzf "$1" --strip-components=1 -C "$2"
}

# The folder of the files that a language loads: of the copy if it was compiled.
prepare() {
    local language="$1" libraries="$2"
    case "$language" in
        python)
            cp "$libraries/libpayments_python.so" \
                "$copy/bindings-python/python/libpayments/_native.abi3.so"
            ;;
        node)
            # Packing the addon takes longer than the tests: an empty one is packed in its place.
            local packages="$target/faults/packages" project="$target/faults/project"
            local platform archive
            platform="$(node bindings-node/scripts/platform.mjs)"
            : >"$target/faults/empty.node"
            (cd "$copy" && rm -rf "$packages" && node bindings-node/scripts/pack.mjs "$packages" - \
                "$target/faults/empty.node" "$platform") >/dev/null
            mkdir -p "$project"
            if ! cmp -s "$copy/bindings-node/tools/package-lock.json" "$project/package-lock.json"; then
                (cd "$project" && cp "$copy"/bindings-node/tools/{package.json,package-lock.json,.npmrc} . &&
                    npm ci --loglevel=error)
            fi
            rm -rf "$project/tests"
            cp -R "$copy/bindings-node/tests" "$copy/bindings-node/examples" "$project"
            archive=("$packages"/libpayments-[0-9]*.tgz)
            unpack "${archive[0]}" "$project/node_modules/libpayments"
            unpack "$packages/libpayments-$platform"-*.tgz "$project/node_modules/@libpayments/$platform"
            cp "$libraries/libpayments_node.so" "$project/node_modules/@libpayments/$platform/payments.node"
            ;;
    esac
}

# Runs a scenario, a test of another name, or all scenarios without a name.
run_test() {
    local language="$1" libraries="$2" name="$3"
    # The tests in that language: of scenarios, unless the name is another one.
    local python=(tests/test_scenarios.py) php=ScenariosTest
    local node=("every scenario has" tests/scenarios.test.mjs tests/otel.check.mjs)
    local rust=every_scenario_has_its_expected_results
    unset SCENARIO
    if [[ -n "$name" ]] && is_scenario "$name"; then
        export SCENARIO="$name"
    elif [[ -n "$name" ]]; then
        python=(-k "$name") node=('.*' "tests/$name") php="$name" rust="$name"
    fi
    case "$language" in
        c)
            PAYMENTS_TEST_LIBRARY="$libraries/libpayments.so" \
                python3 "$copy/ffi-c/tests/scenarios/run.py"
            ;;
        python)
            cd "$copy/bindings-python"
            PYTHONPATH="$PWD/python" PAYMENTS_TEST_HOOKS="$target/debug/libpayments_python.so" \
                "$target/python/venv/bin/pytest" -q -p no:cacheprovider "${python[@]}"
            ;;
        node)
            cd "$target/faults/project"
            node --test --test-timeout=300000 --test-name-pattern="${node[0]}" "${node[@]:1}"
            ;;
        php)
            cd "$copy/bindings-php"
            LIBPAYMENTS_BUILT="$target/debug" LIBPAYMENTS_LIBRARY="$libraries/libpayments.so" \
                phpunit --filter "$php"
            ;;
        rust)
            cd "$copy"
            CARGO_TARGET_DIR="$built" cargo test -q --locked -p payments-host --features qr --test it \
                "$rust"
            ;;
    esac
}

is_scenario() {
    grep -q "^ *\"name\": \"$1\",\$" "$root"/tests/scenarios/*.json
}

# The names after "Found by:" in the head of a patch, which a blank line ends.
named_by() {
    sed -n '/^Found by:/,/^$/p' "$1" | sed '1s/^Found by://;s/\.$//' | tr ',' '\n' | tr -d ' ' | sed '/^$/d'
}

try_fault() {
    local language="$1" patch="$2" libraries="$target/debug" name names found=() missed=()
    mapfile -t names < <(named_by "$patch")
    [[ ${#names[@]} -gt 0 ]] || fail "$patch names no test in a line \"Found by:\""
    git -C "$copy" apply "$patch" || fail "$patch no longer applies: make it again"
    if [[ "$language" != rust ]] && ! git -C "$copy" diff --quiet -- '*.rs'; then
        compile "$language" || fail "$patch does not compile"
        libraries="$built/debug"
    fi
    prepare "$language" "$libraries"
    for name in "${names[@]}"; do
        if ! (run_test "$language" "$libraries" "$name") >"$output" 2>&1 && grep -qw -- "$name" "$output"; then
            found+=("$name")
        else
            missed+=("$name")
            tail -n 15 "$output" >&2
        fi
    done
    git -C "$copy" checkout -q .
    if [[ ${#missed[@]} -gt 0 ]]; then
        failures=$((failures + 1))
        table+=("$(printf '%-7s %-50s NOT FOUND BY %s' "$language" "$(basename "$patch" .patch)" "${missed[*]}")")
    else
        table+=("$(printf '%-7s %-50s %s' "$language" "$(basename "$patch" .patch)" "${found[*]}")")
    fi
    echo "${table[-1]}"
}

try_language() {
    local language="$1" patches=() name
    shift
    for name in "$@"; do
        patches+=("$root/tests/faults/$language/$name.patch")
    done
    [[ $# -gt 0 ]] || patches=("$root/tests/faults/$language/"*.patch)
    [[ -f "${patches[0]}" ]] || fail "there is no ${patches[0]}"
    echo "== faults: $language, ${#patches[@]} (at $SECONDS s)"
    [[ "$language" != python ]] || scripts/test-python.sh --only-install >/dev/null
    refresh_copy
    prepare "$language" "$target/debug"
    (run_test "$language" "$target/debug" "") >"$output" 2>&1 ||
        { tail -n 30 "$output" >&2 && fail "$language: scenarios fail without a fault"; }
    for patch in "${patches[@]}"; do
        try_fault "$language" "$patch"
    done
}

scripts/build.sh
export PAYMENTS_TEST_COMMAND="$target/debug/payments" PAYMENTS_COMMAND="$target/debug/payments"
export PAYMENTS_TEST_FOLDER="$copy/tests" PAYMENTS_TEST_TOOLS="$target/tools"
export PYTHONDONTWRITEBYTECODE=1 XDG_CACHE_HOME="$target/debug/cache-of-tests"
mkdir -p "$target/faults"
if [[ $# -gt 0 ]]; then
    try_language "$@"
else
    for folder in tests/faults/*/; do
        try_language "$(basename "$folder")"
    done
fi

printf '\n== faults, and the tests that found them\n'
printf '%s\n' "${table[@]}"
[[ "$failures" -eq 0 ]] || fail "$failures of ${#table[@]} were not found"
