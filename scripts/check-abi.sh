#!/usr/bin/env bash
# What a program that was linked against libpayments relies on: the exported
# symbols of the release build, its name, its size, and every prototype, enum
# and layout of the header, against the baseline in ffi-c/abi.
#
# Usage: scripts/check-abi.sh            fails on a difference
#        scripts/check-abi.sh --update   writes the baseline anew; refuses a
#                                        break without a new ffi-c/abi/version
#
# PAYMENTS_ABI_HEADERS names a folder with other headers, to test this script.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

target="${CARGO_TARGET_DIR:-target}"
library="${PAYMENTS_LIBRARY:-$target/release/libpayments.so}"
scratch="$target/abi"
version="$(<ffi-c/abi/version)"
largest=$((6 * 1024 * 1024))
mode="${1:-check}"
header=include/payments.h
declarations=bindings-php/src/payments_ffi.h
if [[ -n "${PAYMENTS_ABI_HEADERS:-}" ]]; then
    header="$PAYMENTS_ABI_HEADERS/payments.h"
    declarations="$PAYMENTS_ABI_HEADERS/payments_ffi.h"
    scratch="$PAYMENTS_ABI_HEADERS"
fi

fail() {
    echo "check-abi: $1" >&2
    exit 1
}

[[ -f "$library" ]] || fail "$library is not there: cargo build --release -p payments-ffi"
mkdir -p "$scratch"

# The symbols of the release, which has no hooks for tests.
nm -D --defined-only "$library" | awk '{ print $2, $3 }' | sort >"$scratch/symbols.txt"
if grep -vE '^T payments_[a-z0-9_]+$' "$scratch/symbols.txt"; then
    fail "only functions named payments_* may be exported"
fi
if grep -E ' payments_test_' "$scratch/symbols.txt"; then
    fail "hooks for tests are in a release"
fi

# Prototypes and layouts. A Rust library describes its own insides and not what
# C sees of them: there an opaque handle is a structure that changes with every
# field. So the header itself is compiled: a library of empty functions with
# exactly its declarations, whose description abidiff compares. That the header
# is that of the sources is another test's, and that its functions are those of
# the library is the next check.
{
    echo '#include "payments.h"'
    awk '/^[a-z].*payments_[a-z_]+\(/ && !/^typedef/ { inside = 1 }
        inside { sub(/;$/, " { __builtin_trap(); }"); print }' "$declarations"
} >"$scratch/declarations.c"
gcc -std=c11 -w -g -O0 -shared -fPIC -I"$(dirname "$header")" "-Wl,-soname,libpayments.so.$version" \
    -o "$scratch/libdeclarations.so" "$scratch/declarations.c"
nm -D --defined-only "$scratch/libdeclarations.so" | awk '/ T payments_/ { print $2, $3 }' |
    sort >"$scratch/declared.txt"
diff "$scratch/declared.txt" "$scratch/symbols.txt" ||
    fail "the functions of the header (<) are not those of the library (>)"

soname="$(readelf -d "$library" | sed -nE 's/.*SONAME.*\[(.*)\]/\1/p')"
[[ "$soname" == "libpayments.so.$version" ]] || fail "the library is named $soname"
readelf -d "$library" | grep -q NODELETE || fail "the library can be unmapped by dlclose"

strip -o "$scratch/stripped.so" "$library"
size="$(stat -c %s "$scratch/stripped.so")"
echo "libpayments.so, stripped: $size bytes"
[[ "$size" -le "$largest" ]] || fail "that is over $largest bytes"

describe() {
    abidw --no-corpus-path --no-comp-dir-path --no-show-locs "$scratch/libdeclarations.so" >"$1"
}

# abidiff sets its lowest two bits when it fails, the third for a change, and
# the fourth for one that breaks.
compare() {
    local status=0
    abidiff "$@" "$baseline" "$scratch/libdeclarations.so" >"$scratch/difference.txt" || status=$?
    [[ $((status & 3)) -eq 0 ]] || fail "abidiff failed: $(<"$scratch/difference.txt")"
    return "$status"
}

baseline=ffi-c/abi/payments.abi
before="$version"
is_break=false
is_same=true
if [[ -f "$baseline" ]]; then
    before="$(sed -nE "s/.* soname='libpayments\.so\.([0-9]+)'.*/\1/p" "$baseline" | head -n 1)"
    # What was there must be as it was. New functions and new values of an enum
    # break nobody.
    if ! compare && ! grep -qE '^Functions changes summary: 0 Removed, 0 Changed' \
        "$scratch/difference.txt"; then
        is_break=true
    fi
    compare --harmless || is_same=false
fi
if "$is_break" && [[ "$before" == "$version" ]]; then
    cat "$scratch/difference.txt" >&2
    fail "the ABI changed: raise ffi-c/abi/version, then run scripts/check-abi.sh --update"
fi

if [[ "$mode" == --update ]]; then
    cp "$scratch/symbols.txt" ffi-c/abi/symbols.txt
    describe "$baseline"
    echo "ffi-c/abi holds what is exported now"
    exit
fi
diff ffi-c/abi/symbols.txt "$scratch/symbols.txt" ||
    fail "other symbols than in ffi-c/abi/symbols.txt: run scripts/check-abi.sh --update"
if ! "$is_same"; then
    cat "$scratch/difference.txt" >&2
    fail "the ABI has grown or its version has changed: run scripts/check-abi.sh --update"
fi
echo "$(wc -l <ffi-c/abi/symbols.txt) functions, as in ffi-c/abi"
