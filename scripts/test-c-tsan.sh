# The stage of scripts/test-c.sh that looks for data races.
# shellcheck shell=bash disable=SC2154 # Sourced by scripts/test-c.sh, which has the variables.

# With a standard library that is instrumented too: the slow paths of its locks
# would look like races otherwise. It takes minutes.
build_tsan() {
    triple="$(rustc -vV | sed -n 's/^host: //p')"
    RUSTC="$(scripts/dist/std.sh)" RUSTC_BOOTSTRAP=1 CARGO_UNSTABLE_BUILD_STD=std,panic_unwind \
        RUSTFLAGS="-Zsanitizer=thread" cargo build --locked -p payments-ffi \
        --features test-hooks --target "$triple" --target-dir "$target/tsan"
}

# Coroutines switch stacks, and a forked child has one thread: ThreadSanitizer
# follows neither. The runtime is that of rustc, because that of an older gcc
# lacks functions.
test_tsan() {
    stage "tests in C under ThreadSanitizer"
    build_tsan
    build_for_tests "$target/tsan/$triple/debug/libpayments.so"
    local runtime program
    runtime="$(find "$(rustc --print sysroot)" -name 'librustc-*_rt.tsan.a' -print -quit)"
    only=(threads stores transports failures signers events operations following journal hsm)
    for program in "${only[@]}" harness; do
        gcc -std=c11 -Iinclude "${warnings[@]}" -g -fsanitize=thread -c \
            -o "$scratch/$program.o" "ffi-c/tests/c/$program.c"
    done
    for program in "${only[@]}"; do
        gcc -rdynamic -o "$scratch/$program" "$scratch/$program.o" "$scratch/harness.o" \
            -Wl,--whole-archive "$runtime" -Wl,--no-whole-archive "${libraries[@]}" -ldl -lm -lrt
    done
    TSAN_OPTIONS=exitcode=9 run_all
}
