# The stage of scripts/test-c.sh that links statically with the files of `make install`.
# shellcheck shell=bash disable=SC2154 # Sourced by scripts/test-c.sh, which has the variables.

# Runs a program that signs, and checks that its signature verified.
signs() {
    local said
    said="$("$1" "$root/tests/vectors/keys/test_rsa_4096_pkcs8.pem" \
        "$root/tests/vectors/keys/test_rsa_4096_public.pem" 2>&1)" || fail "$1: $said"
    [[ "$said" == *'"valid":true'* ]] || fail "$1 says: $said"
}

# Every function of the interface is global in the archive, and nothing else.
check_symbols() {
    local symbols="$scratch/symbols"
    readelf --wide --symbols "$prefix/lib/libpayments.a" |
        awk '($5 == "GLOBAL" || $5 == "WEAK") && $7 != "UND" && NF == 8 { print "T", $8 }' | sort -u >"$symbols"
    diff ffi-c/abi/symbols.txt "$symbols" || fail "libpayments.a has other global symbols than ffi-c/abi/symbols.txt"
}

# Flags that link libpayments.a, although libpayments.so is next to it.
static_flags() {
    pkg-config --static --cflags --libs libpayments | sed 's/-lpayments/-l:libpayments.a/'
}

# With another Rust library, whose standard library is a second one in the
# program, in both orders.
link_beside() {
    local flags other="$scratch/libother.a"
    rustc --edition 2024 -O --crate-type staticlib -o "$other" ffi-c/tests/static/other.rs
    read -r -a flags <<<"$(static_flags)"
    gcc -std=c11 -DBESIDE "${warnings[@]}" ffi-c/tests/static/sign.c "$other" "${flags[@]}" -o "$scratch/beside"
    gcc -std=c11 -DBESIDE "${warnings[@]}" ffi-c/tests/static/sign.c "${flags[@]}" "$other" -o "$scratch/before"
    ! readelf --dynamic "$scratch/beside" | grep -q libpayments || fail "it needs libpayments.so"
    signs "$scratch/beside"
    signs "$scratch/before"
    signs_under_valgrind "$scratch/beside"
}

signs_under_valgrind() {
    printf '#!/bin/sh\nexec valgrind --quiet --error-exitcode=9 "%s" "$@"\n' "$1" >"$1.valgrind"
    chmod +x "$1.valgrind"
    signs "$1.valgrind"
}

# The whole program is static. Warnings of the linker name functions of glibc
# that load libraries; these programs use none.
link_statically() {
    local compiler flags
    read -r -a flags <<<"$(pkg-config --static --cflags --libs libpayments)"
    for compiler in gcc clang; do
        "$compiler" -std=c11 "${warnings[@]}" ffi-c/tests/static/sign.c -static "${flags[@]}" \
            -o "$scratch/static-$compiler" 2>"$scratch/static.out" || fail "$compiler -static: $(<"$scratch/static.out")"
        ! readelf --program-headers "$scratch/static-$compiler" | grep -q INTERP || fail "$compiler: it is not static"
        signs "$scratch/static-$compiler"
    done
}

# A program only gets the code that it calls: without an operation, it gets no
# HTTP client.
check_size() {
    local flags size
    read -r -a flags <<<"$(static_flags)"
    write_header_program
    gcc -Wl,--gc-sections,--strip-all "$scratch/header.c" "${flags[@]}" -o "$scratch/small"
    size="$(stat -c %s "$scratch/small")"
    [[ "$size" -lt 500000 ]] || fail "a program that only asks for the version has $size bytes"
}

test_static() {
    stage "static linking with what is installed"
    scripts/build.sh
    make --no-print-directory build
    make --no-print-directory install PREFIX="$prefix" >/dev/null
    export PKG_CONFIG_PATH="$prefix/lib/pkgconfig"
    check_symbols
    link_beside
    link_statically
    check_size
}
