#!/usr/bin/env bash
# Counts how often calls run each function, for `cargo xtask walk`: target/walk gets a report of
# each walk for one call, and one for that many more.
#
# Usage: scripts/walk.sh MORE WALK...
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

target="$(realpath -m "${CARGO_TARGET_DIR:-target}")"
folder="$target/walk"
. scripts/instrument.sh "$folder"

# In the build folder of everything else, to build the dependencies once. Build scripts are
# instrumented too, and would write where they run: among the sources.
LLVM_PROFILE_FILE="$folder/build.profraw" cargo build --quiet --locked --workspace \
    --features "payments-ffi/test-hooks,payments-python/test-hooks" --example walk
program="$target/debug/examples/walk"
more="$1"
for walk in "${@:2}"; do
    for count in 1 "$((1 + more))"; do
        run="$folder/$walk-$count"
        LLVM_PROFILE_FILE="$run.profraw" "$program" "$walk" "$count"
        "llvm-profdata-$llvm" merge -sparse -o "$run.profdata" "$run.profraw"
        "llvm-cov-$llvm" export -format=lcov -instr-profile "$run.profdata" "$program" >"$run.lcov"
    done
done
