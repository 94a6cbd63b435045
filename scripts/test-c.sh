#!/usr/bin/env bash
# The C ABI: its headers, its tests in C and C++, its symbols and layouts, its
# installation, and the shared scenarios through it.
#
# Usage: scripts/test-c.sh [headers|plain|reference|deepbind|valgrind|asan|scenarios|abi|stack|install|static]...
#        (these when none is named; "tsan" looks for data races, and "build" only
#        builds what takes long)
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

root="$PWD"
target="${CARGO_TARGET_DIR:-$root/target}"
warnings=(-Wall -Wextra -Wpedantic -Werror)
programs=(arguments requests operations keys signers stores transports failures threads coroutines
    following signals events forks hsm journal commands memory pages streams)
others=(loading cplusplus)
# Some of them alone, by name.
read -r -a only <<<"${PAYMENTS_TEST_PROGRAMS:-${programs[*]} ${others[*]}}"
# Memory that these keep on purpose looks like a leak: a child forgets what
# belongs to its parent, and a module of an HSM is never unloaded.
keepers=(forks hsm)
# Too much for valgrind, which makes them take minutes: generating a key, writing
# bodies of many megabytes, and reading a key in many processes. The sanitizer
# looks at them as well.
heavy=(keys signals streams)
# The memory of valgrind and the sanitizer would count.
plain_only=(memory)
servers=()
# A folder for files that cannot be below $target, if that has spaces.
without_spaces=

stage() {
    printf '\n== C: %s (at %d s)\n' "$1" "$SECONDS"
}

fail() {
    echo "test C: $1" >&2
    exit 1
}

end_servers() {
    local server
    for server in "${servers[@]}"; do
        kill "$server" 2>/dev/null || true
        wait "$server" 2>/dev/null || true
    done
    servers=()
}

clean_up() {
    end_servers
    [[ -z "$without_spaces" ]] || rm -rf "$without_spaces"
}
trap clean_up EXIT

# Starts a server, which ends with this script, and puts its first line into $line.
start() {
    local said
    said="$(mktemp "$scratch/server.XXXXXX")"
    "$@" >"$said" &
    servers+=($!)
    for _ in {1..200}; do
        if [[ -s "$said" ]] && read -r line <"$said"; then
            return
        fi
        sleep 0.05
    done
    fail "a server did not start: $*"
}

# Builds a library with the hooks that panic, and the command for its sandbox,
# and puts the library, or the one that is named, into the folder of the stage,
# for programs to link.
build_for_tests() {
    scripts/build.sh
    cp "${1:-$target/debug/libpayments.so}" "$scratch/libpayments.so.$(<ffi-c/abi/version)"
    ln -s "libpayments.so.$(<ffi-c/abi/version)" "$scratch/libpayments.so"
    libraries=("-L$scratch" -lpayments "-Wl,-rpath,$scratch" -lpthread)
}

# With the sanitizer, which is a switch that stable compilers hide; the code is
# the same.
build_asan() {
    triple="$(rustc -vV | sed -n 's/^host: //p')"
    RUSTC_BOOTSTRAP=1 RUSTFLAGS="-Zsanitizer=address" cargo build --locked -p payments-ffi \
        --features test-hooks --target "$triple" --target-dir "$target/asan"
}

# Every declaration of the header once, so that warnings of use are seen too.
write_header_program() {
    printf '#include "payments.h"\nint main(void) { return (int)payments_abi_version(); }\n' \
        >"$scratch/header.c"
}

# Extracts the examples in C from the pages on keys and refunds, for the program
# that includes them: the first one as a callback and a statement.
extract_pages() {
    local pages="$scratch/page" page
    mkdir -p "$pages"
    for page in keys refunds; do
        # shellcheck disable=SC2016 # These are fences, not commands.
        sed -n '/^```c$/,/^```$/{/^```/d;s/<KEY_ID>/test-kid/;p}' "docs/$page.md" >"$pages/$page.inc"
        [[ -s "$pages/$page.inc" ]] || fail "docs/$page.md has no example in C"
    done
    sed '/^}$/q' "$pages/keys.inc" >"$pages/keys_callback.inc"
    sed '1,/^}$/d' "$pages/keys.inc" >"$pages/keys_statement.inc"
    [[ -s "$pages/keys_statement.inc" ]] || fail "docs/keys.md has no statement in C"
}

# Compiles every program against the libraries of the stage.
compile() {
    local folder="$scratch" program
    local cflags=(-Iinclude "-I$scratch/page" "${warnings[@]}" -g "$@")
    extract_pages
    for program in "${programs[@]}"; do
        gcc -std=c11 "${cflags[@]}" -o "$folder/$program" \
            "ffi-c/tests/c/$program.c" ffi-c/tests/c/harness.c "${libraries[@]}"
    done
    gcc -std=c11 "${cflags[@]}" -o "$folder/loading" ffi-c/tests/c/loading.c -ldl
    g++ -std=c++11 "${cflags[@]}" -o "$folder/cplusplus" \
        ffi-c/tests/c/cplusplus.cpp "${libraries[@]}"
}

# Certificates of an authority of this run, a server that resets, and one that
# speaks TLS.
start_raw_servers() {
    local certificates="$scratch/certificates"
    mkdir -p "$certificates"
    openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj "/CN=test authority" \
        -keyout "$certificates/ca.key" -out "$certificates/ca.pem" 2>/dev/null
    openssl req -newkey rsa:2048 -nodes -subj "/CN=localhost" \
        -keyout "$certificates/server.key" -out "$certificates/server.csr" 2>/dev/null
    printf 'subjectAltName=IP:127.0.0.1\nextendedKeyUsage=serverAuth\n' >"$certificates/extensions"
    openssl x509 -req -in "$certificates/server.csr" -days 2 -CAcreateserial \
        -CA "$certificates/ca.pem" -CAkey "$certificates/ca.key" \
        -extfile "$certificates/extensions" -out "$certificates/server.pem" 2>/dev/null
    start python3 ffi-c/tests/c/reset_server.py "$certificates/server.pem" "$certificates/server.key"
    export PAYMENTS_TEST_RESET_PORT="${line% *}" PAYMENTS_TEST_RESET_TLS_PORT="${line#* }"
    start python3 ffi-c/tests/c/tls_server.py "$certificates/server.pem" "$certificates/server.key"
    export PAYMENTS_TEST_TLS_PORT="$line" PAYMENTS_TEST_CA="$certificates/ca.pem"
}

# Starts a new sandbox; its address goes to PAYMENTS_TEST_SANDBOX.
start_sandbox() {
    start "$target/debug/payments" sandbox --json --require none --accept-path '/ws/*' --lenient \
        --public-key tests/vectors/keys/test_rsa_4096_public.pem --kid test-kid
    PAYMENTS_TEST_SANDBOX="$(sed -nE 's/.*"base_url":"([^"]*)".*/\1/p' <<<"$line")"
    export PAYMENTS_TEST_SANDBOX
}

# An HSM in software, with the key of the tests in it.
make_hsm() {
    local folder="$scratch/softhsm" module
    mkdir -p "$folder/tokens"
    printf 'directories.tokendir = %s\nobjectstore.backend = file\n' "$folder/tokens" \
        >"$folder/softhsm2.conf"
    export SOFTHSM2_CONF="$folder/softhsm2.conf" PAYMENTS_TEST_HSM_PIN=canary-pin-27182
    softhsm2-util --init-token --free --label payments --so-pin canary-so-pin-31415 \
        --pin "$PAYMENTS_TEST_HSM_PIN" >/dev/null
    softhsm2-util --import tests/vectors/keys/test_rsa_4096_pkcs8.pem --token payments \
        --label signing --id a1 --pin "$PAYMENTS_TEST_HSM_PIN" >/dev/null
    for module in /usr/{lib,lib64,local/lib}/{softhsm,pkcs11}/libsofthsm2.so; do
        [[ ! -e "$module" ]] || export PAYMENTS_TEST_HSM_MODULE="$module"
    done
    [[ -n "${PAYMENTS_TEST_HSM_MODULE:-}" ]] || fail "libsofthsm2.so is missing: scripts/setup.sh test installs it"
}

# An empty Redis server; it ends with this script, however that ends.
start_redis() {
    PAYMENTS_TEST_REDIS_PORT="$(python3 -c 'import socket
free = socket.create_server(("127.0.0.1", 0))
print(free.getsockname()[1])')"
    export PAYMENTS_TEST_REDIS_PORT
    timeout 1800 redis-server --bind 127.0.0.1 --port "$PAYMENTS_TEST_REDIS_PORT" --save "" \
        --dir "$scratch" >"$scratch/redis.out" &
    servers+=($!)
    for _ in {1..200}; do
        if redis-cli -h 127.0.0.1 -p "$PAYMENTS_TEST_REDIS_PORT" ping >/dev/null 2>&1; then
            return
        fi
        sleep 0.05
    done
    fail "redis-server did not start: $scratch/redis.out"
}

# Runs every program under the given command.
run_all() {
    local folder="$scratch" program
    export PAYMENTS_TEST_KEYS="$root/tests/vectors/keys"
    PAYMENTS_TEST_VERSION="$(sed -nE '/^\[workspace.package\]/,/^$/s/^version = "(.*)"/\1/p' Cargo.toml)"
    PAYMENTS_TEST_ABI_VERSION="$(<ffi-c/abi/version)"
    export PAYMENTS_TEST_VERSION PAYMENTS_TEST_ABI_VERSION
    export PAYMENTS_TEST_LIBRARY="$folder/libpayments.so" PAYMENTS_TEST_SCRATCH="$scratch"
    # A backtrace needs the C library's memory, so there is none even if the host asks for it.
    export RUST_BACKTRACE=1
    start_raw_servers
    make_hsm
    start_redis
    for program in "${only[@]}"; do
        if [[ "${1:-}" == valgrind && " ${heavy[*]} " == *" $program "* ]] ||
            [[ "$name" != plain && " ${plain_only[*]} " == *" $program "* ]]; then
            continue
        fi
        start_sandbox
        local began="$SECONDS"
        if [[ " ${keepers[*]} " == *" $program "* ]]; then
            ASAN_OPTIONS=detect_leaks=0 "${@/#--leak-check=full/--leak-check=no}" "$folder/$program"
        else
            "$@" "$folder/$program"
        fi
        echo "$program: $((SECONDS - began)) s"
    done
    end_servers
}

test_headers() {
    stage "the header in every C and C++"
    local compiler standard
    write_header_program
    cp "$scratch/header.c" "$scratch/header.cpp"
    for standard in c99 c11 c17; do
        for compiler in gcc clang; do
            "$compiler" "-std=$standard" "${warnings[@]}" -Iinclude -fsyntax-only "$scratch/header.c"
        done
    done
    for standard in c++11 c++20; do
        for compiler in g++ clang++; do
            "$compiler" "-std=$standard" "${warnings[@]}" -Iinclude -fsyntax-only \
                "$scratch/header.cpp" ffi-c/tests/c/cplusplus.cpp
        done
    done
    extract_pages
    sed 's/T \(.*\)/EXPORT(\1)/' ffi-c/abi/symbols.txt >"$scratch/exports.inc"
    clang -std=c11 "${warnings[@]}" -Iinclude "-I$scratch" "-I$scratch/page" -fsyntax-only \
        ffi-c/tests/c/*.c
}

test_plain() {
    stage "tests in C and C++"
    build_for_tests
    compile
    run_all
}

# Two allocators in one process, as in PHP under a preloaded one: what one of
# them allocates, the other cannot free.
test_deepbind() {
    stage "tests in C, with RTLD_DEEPBIND under jemalloc"
    local preloaded
    build_for_tests
    compile
    nm -D --defined-only "$scratch/libpayments.so" | sed -n 's/.* \(payments_.*\)/EXPORT(\1)/p' \
        >"$scratch/exports.inc"
    mkdir "$scratch/deep"
    gcc -std=c11 "${warnings[@]}" -shared -fPIC "-I$scratch" -o "$scratch/deep/libpayments.so.$(<ffi-c/abi/version)" \
        ffi-c/tests/c/deepbind.c -ldl
    preloaded="$(/sbin/ldconfig -p | sed -n 's/^\tlibjemalloc\.so\.2 .*=> //p' | head -n 1)"
    run_all env "LD_PRELOAD=$preloaded" "LD_LIBRARY_PATH=$scratch/deep"
}

test_valgrind() {
    stage "tests in C and C++ under valgrind, with libpayments.a"
    build_for_tests
    BUILT="$target/debug" PREFIX="$prefix" scripts/install.sh >/dev/null
    libraries=("$prefix/lib/libpayments.a" -lpthread -lm -ldl)
    compile
    # The state that the process keeps for its clients (tokens, connections,
    # shared clients) is reached by pointers into blocks, which valgrind calls
    # possibly lost. A block that nothing points to is an error.
    run_all valgrind --quiet --error-exitcode=9 --num-callers=100 --leak-check=full \
        --show-leak-kinds=definite,indirect --errors-for-leak-kinds=definite,indirect
}

# Rust and C are both instrumented, and leaks are looked for at exit.
test_asan() {
    stage "tests in C and C++ under AddressSanitizer"
    build_asan
    build_for_tests "$target/asan/$triple/debug/libpayments.so"
    compile -fsanitize=address -fno-omit-frame-pointer
    ASAN_OPTIONS=detect_leaks=1:abort_on_error=0 run_all
}

test_scenarios() {
    stage "shared scenarios through libpayments.so"
    build_for_tests
    PAYMENTS_TEST_LIBRARY="$scratch/libpayments.so" \
        PAYMENTS_TEST_COMMAND="$target/debug/payments" \
        PYTHONDONTWRITEBYTECODE=1 python3 ffi-c/tests/scenarios/run.py
}

test_abi() {
    stage "symbols, size and layouts"
    cargo build --locked --release -p payments-ffi
    cargo xtask abi
}

test_stack() {
    stage "the stack that calls of a release build need"
    cargo build --locked --release -p payments-ffi
    build_for_tests "$target/release/libpayments.so"
    gcc -std=c11 -Iinclude "${warnings[@]}" -o "$scratch/stack" ffi-c/tests/c/stack.c \
        ffi-c/tests/c/harness.c "-L$scratch" -lpayments "-Wl,-rpath,$scratch" -lpthread
    export PAYMENTS_TEST_KEYS="$root/tests/vectors/keys"
    start_raw_servers
    make_hsm
    start_sandbox
    "$scratch/stack"
    end_servers
}

# shellcheck source=scripts/test-c-install.sh
. scripts/test-c-install.sh
# shellcheck source=scripts/test-c-reference.sh
. scripts/test-c-reference.sh
# shellcheck source=scripts/test-c-static.sh
. scripts/test-c-static.sh
# shellcheck source=scripts/test-c-tsan.sh
. scripts/test-c-tsan.sh

[[ $# -gt 0 ]] || set -- headers plain reference deepbind valgrind asan scenarios abi stack install static
scripts/setup.sh test
for name in "$@"; do
    case "$name" in
        build) build_asan ;;
        *)
            declare -F "test_$name" >/dev/null || fail "unknown stage \"$name\""
            # Each stage has its own, so that stages can run side by side.
            scratch="$target/c-tests/$name"
            # In place of the user's.
            export XDG_CACHE_HOME="$scratch/cache"
            rm -rf "$scratch"
            mkdir -p "$scratch"
            choose_prefix
            "test_$name"
            ;;
    esac
done
stage "passed"
