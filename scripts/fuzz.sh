#!/usr/bin/env bash
# Fuzzes the readers of foreign bytes: each target of tests/fuzz in turn, two at
# a time. Findings are kept in target/fuzz/corpus, and failures in
# target/fuzz/failures.
#
# Usage: scripts/fuzz.sh MINUTES [TARGET]...
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

minutes="${1:?usage: scripts/fuzz.sh MINUTES [TARGET]...}"
targets=("${@:2}")
[[ ${#targets[@]} -gt 0 ]] || mapfile -t targets < <(ls tests/fuzz/corpus)
target="$(realpath -m "${CARGO_TARGET_DIR:-target}")"

scripts/setup.sh fuzz
scripts/tool.sh cargo-fuzz
# Coverage needs options that stable compilers have behind this variable.
PATH="$target/tools/bin:$PATH" RUSTC_BOOTSTRAP=1 cargo fuzz build --fuzz-dir tests/fuzz \
    --target-dir "$target/fuzz" --sanitizer none --features libfuzzer target
program="$(find "$target/fuzz" -path '*/release/target' -type f | head -n 1)"

seconds=$((minutes * 60 * 2 / ${#targets[@]}))
((seconds > 0)) || seconds=1
echo "each of ${#targets[@]} targets runs for $seconds s, two at a time"

# Runs one target, and prints the edges covered at the start and at the end.
fuzz() {
    local name="$1" folder="$target/fuzz"
    local log="$folder/$name.log"
    mkdir -p "$folder/corpus/$name" "$folder/failures/$name"
    if ! FUZZ_TARGET="$name" "$program" -max_total_time="$seconds" -max_len=4096 -timeout=60 \
        -print_final_stats=1 -artifact_prefix="$folder/failures/$name/" \
        "$folder/corpus/$name" "tests/fuzz/corpus/$name" >"$log" 2>&1; then
        grep -m 1 -E "panicked at|ERROR: libFuzzer" -A 3 "$log" >&2 || tail -n 20 "$log" >&2
        echo "fuzz: $name FAILED; its input is in $folder/failures/$name, its log is $log" >&2
        return 1
    fi
    local first last runs
    first="$(sed -n 's/.*INITED cov: \([0-9]*\).*/\1/p' "$log")"
    last="$(sed -n 's/.*DONE *cov: \([0-9]*\).*/\1/p' "$log")"
    runs="$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")"
    printf '%-16s%12s runs%8s edges at the start%8s at the end\n' "$name" "$runs" "$first" "$last"
}

export -f fuzz
export target program seconds
printf '%s\n' "${targets[@]}" | xargs -P 2 -I NAME bash -c 'fuzz NAME'
