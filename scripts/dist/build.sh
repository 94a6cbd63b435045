#!/usr/bin/env bash
# Builds the native files for a Rust target into target/dist/TARGET: the command,
# the C library, the Node addon, the wheels, and in debug/ what debuggers need.
#
# Usage: scripts/dist/build.sh TARGET
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
# shellcheck source=scripts/dist/common.sh
. scripts/dist/common.sh

build() {
    local name="$1" built="$target/cross/$1/release" out="$target/dist/$1" file
    describe "$name"
    # The command alone, with the features that maturin uses: one build serves both.
    # shellcheck disable=SC2016 # CARGO is that of within.sh.
    scripts/dist/within.sh "$name" sh -c '"$CARGO" build --locked --release -p payments-cli &&
        "$CARGO" build --locked --release -p payments-ffi -p payments-node'
    rm -rf "$out"
    mkdir -p "$out/packages" "$target/pack"
    cp "$built/$library" "$built/$addon" "$built/$command" "$out"
    for file in "$library" "$addon" "$command"; do
        split_debug "$name" "$out/$file"
    done
    case "$name" in
        # A static library of Windows is one of MSVC or of GNU; the import library is for both.
        *-windows-*) cp "$built"/libpayments.dll.a "$out" ;;
        *) cp "$built/libpayments.a" "$out" ;;
    esac
    case "$name" in
        *-linux-gnu) wheel "$name" bindings-python manylinux2014 ;;
        *musl)
            wheel "$name" bindings-python musllinux_1_2
            # Statically linked, so it runs with every libc.
            wheel "$name" cli musllinux_1_2
            "$venv/bin/wheel" tags --remove --platform-tag \
                "manylinux_2_17_${name%%-*}.manylinux2014_${name%%-*}.musllinux_1_1_${name%%-*}" \
                "$out"/packages/libpayments_sandbox-*.whl
            ;;
        *)
            wheel "$name" bindings-python pypi
            wheel "$name" cli pypi
            ;;
    esac
}

# Strips a binary, and keeps its symbols and lines for debuggers, which find them
# by the build id, on Windows by the name. Apple's compiler strips already.
split_debug() {
    local name="$1" file="$2" folder="$target/dist/$1/debug" kept="$target/pack/debug" id path slashes
    local binutils="${1%%-*}-linux-gnu-" note=.note.gnu.build-id
    case "$name" in
        *-apple-darwin) ;;
        *-windows-*)
            mkdir -p "$folder"
            kept="$folder/${file##*/}.debug"
            x86_64-w64-mingw32-objcopy --only-keep-debug "$file" "$kept"
            x86_64-w64-mingw32-objcopy --strip-all --add-gnu-debuglink="$kept" "$file"
            ;;
        *)
            "${binutils}objcopy" --only-keep-debug --wildcard --strip-symbol='/*' "$file" "$kept"
            "${binutils}objcopy" --strip-all "$file"
            # Objects that zig adds name its folder, which does not decide the build id.
            for path in "$target" "$PWD" "$cargo_home"; do
                slashes="${path//?//}"
                LC_ALL=C sed -i "s|$path|.${slashes:1}|g" "$kept"
            done
            id="$(debugedit --build-id --build-id-seed=libpayments "$file")"
            "${binutils}objcopy" --dump-section "$note=$kept.note" "$file" "$kept.copy"
            "${binutils}objcopy" --update-section "$note=$kept.note" "$kept"
            mkdir -p "$folder/.build-id/${id:0:2}"
            mv "$kept" "$folder/.build-id/${id:0:2}/${id:2}.debug"
            ;;
    esac
}

# maturin checks the wheel against its tag and adds the metadata of Cargo.toml.
# This function adds the notices and makes the links of the README absolute.
wheel() {
    local name="$1" crate="$2" tag="$3" out="$target/dist/$1" work="$target/pack/wheel" information
    rm -rf "$work"
    scripts/dist/within.sh "$name" "$venv/bin/maturin" build --locked --release --strip=false \
        --compatibility "$tag" -m "$crate/Cargo.toml" -o "$work"
    "$venv/bin/wheel" unpack -d "$work/unpacked" "$work"/*.whl >&2
    information="$(echo "$work"/unpacked/*/*.dist-info)"
    cp "$notices/$crate/THIRD-PARTY-LICENSES.txt" "$information/licenses"
    sed -i '0,/^License-File: /s//License-File: THIRD-PARTY-LICENSES.txt\n&/' "$information/METADATA"
    case "$crate" in
        cli)
            node scripts/dist/readme.mjs cli/npm "$information/METADATA"
            cp "$out/$(basename "$work"/unpacked/*/*.data/scripts/*)" "$work"/unpacked/*/*.data/scripts
            ;;
        *)
            node scripts/dist/readme.mjs "$crate" "$information/METADATA"
            split_debug "$name" "$(find "$work/unpacked" -name '_native*.so' -o -name '_native*.pyd')"
            ;;
    esac
    mkdir -p "$information/sboms"
    cp "$notices/$crate/sbom.cdx.json" "$information/sboms"
    "$venv/bin/wheel" pack -d "$out/packages" "$work"/unpacked/*
}

build "$1"
