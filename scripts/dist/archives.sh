#!/usr/bin/env bash
# Packs what scripts/dist/build.sh built for a target: the archives for C, of the
# command and for debuggers, and Debian's packages. They join the wheels in
# target/dist/TARGET/packages.
#
# Usage: scripts/dist/archives.sh TARGET
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
# shellcheck source=scripts/dist/common.sh
. scripts/dist/common.sh

name="$1"
describe "$name"
built="$target/dist/$name"
work="$target/pack/archives"
rm -rf "$work"
mkdir -p "$work"

# The layout of `make install`, relocatable to any folder.
pack_c() {
    local folder="$work/libpayments-$version-$platform"
    BUILT="$built" STRIP=true BINUTILS="${name%%-*}-linux-gnu-" \
        RELOCATABLE=1 PREFIX=/ LIBDIR=/lib INCLUDEDIR=/include DESTDIR="$folder" scripts/install.sh >/dev/null
    add_notices ffi-c "$folder"
    cp examples/c/pay.c "$folder"
    cp ffi-c/archive.md "$folder/README.md"
    node scripts/dist/readme.mjs ffi-c "$folder/README.md"
    pack_tar "$built/packages" "$folder"
}

pack_command() {
    local folder="$work/payments-$version-$platform"
    mkdir -p "$folder"
    cp "$built/$command" cli/npm/README.md "$folder"
    add_notices cli "$folder"
    pack_tar "$built/packages" "$folder"
}

# The symbols of the binaries of all packages, for debuggers.
pack_debug() {
    local folder="$work/libpayments-debug-$version-$platform"
    [[ -e "$built/debug" ]] || return 0
    cp -r "$built/debug" "$folder"
    cp LICENSE-MIT LICENSE-APACHE "$folder"
    pack_tar "$built/packages" "$folder"
}

pack_c
pack_debug
case "$name" in
    *-linux-gnu) scripts/dist/debian.sh "$name" ;;
    *) pack_command ;;
esac
