#!/usr/bin/env bash
# Provides a compiler with the sources of its standard library, for targets
# whose standard library is not installed. Unpacks Debian's into the build
# folder and prints the path of its rustc.
#
# Not needed with rustup: use `rustup target add`.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

folder="$(realpath -m "${CARGO_TARGET_DIR:-target}")/tools/rust-with-sources"
if [[ ! -x "$folder/rustc" ]]; then
    command -v apt-get >/dev/null || {
        echo "dist: install the standard library of the target: rustup target add TARGET" >&2
        exit 1
    }
    rm -rf "$folder"
    mkdir -p "$folder/packages"
    # With the parts that Debian splits off, in the version that it depends on.
    mapfile -t packages < <(apt-cache depends --recurse --important rustc-web libstd-rust-web-dev |
        grep -E '^(rustc-web|libstd-rust-web|libllvm)' | sort -u)
    (
        cd "$folder/packages"
        apt-get download -qq rust-web-src "${packages[@]}"
        for package in *.deb; do
            dpkg -x "$package" ..
        done
    ) >&2
    rm -rf "$folder/packages"
    libraries="$(dirname "$(find "$folder/usr/lib" -name 'libLLVM*.so*' | head -n 1)")"
    # shellcheck disable=SC2016 # Expanded by the script that is written.
    printf '#!/bin/sh\nLD_LIBRARY_PATH=%q exec %q "$@"\n' \
        "$libraries:$(dirname "$(find "$folder/usr/lib" -name 'librustc_driver*.so' | head -n 1)")" \
        "$(find "$folder/usr" -path '*bin/rustc' -print -quit)" >"$folder/rustc.new"
    chmod +x "$folder/rustc.new"
    "$folder/rustc.new" --version >&2
    mv "$folder/rustc.new" "$folder/rustc"
fi
echo "$folder/rustc"
