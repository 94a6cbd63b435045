#!/usr/bin/env bash
# Builds the Debian packages libpayments0, libpayments-dev and payments for a
# glibc target into dist/.
#
# Usage: scripts/dist/debian.sh TARGET
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
# shellcheck source=scripts/dist/common.sh
. scripts/dist/common.sh

name="$1"
case "$name" in
    x86_64*) architecture=amd64 ;;
    aarch64*) architecture=arm64 ;;
esac
multiarch="${name/-unknown/}"
libdir="usr/lib/$multiarch"
work="$target/dist/debian/$name"
documentation="$(sed -nE 's/^documentation = "(.*)"/\1/p' Cargo.toml)"
repository="$(sed -nE 's/^repository = "(.*)"/\1/p' Cargo.toml)"
maintainer="$(sed -nE 's/^authors = \["(.*)"\]/\1/p' Cargo.toml)"
rm -rf "$work"

write_copyright() {
    cat <<COPYRIGHT
Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: libpayments
Upstream-Contact: $maintainer
Source: $repository
Comment: THIRD-PARTY-LICENSES.txt has the licenses of what is inside.

Files: *
Copyright: $(sed -n 's/^Copyright (c) //p' LICENSE-MIT)
License: Expat or Apache-2.0

License: Expat
$(sed -n '/^Permission/,$ { s/^$/./; s/^/ /; p }' LICENSE-MIT)

License: Apache-2.0
 The text is in /usr/share/common-licenses/Apache-2.0.
COPYRIGHT
}

# Standard input has the control fields that are specific to the package.
pack() {
    local package="$1" summary="$2" crate="$3" folder="$work/$1" shared
    shared="$folder/usr/share/doc/$package"
    mkdir -p "$folder/DEBIAN" "$shared"
    cp "$notices/$crate"/* "$shared"
    write_copyright >"$shared/copyright"
    gzip -9nc CHANGELOG.md >"$shared/CHANGELOG.md.gz"
    printf '%s (%s) stable; urgency=medium\n\n  * See CHANGELOG.md.gz.\n\n -- %s  %s\n' \
        "$package" "$version" "$maintainer" "$(date -uRd "@$SOURCE_DATE_EPOCH")" |
        gzip -9n >"$shared/changelog.gz"
    {
        printf 'Package: %s\nVersion: %s\nArchitecture: %s\n' "$package" "$version" "$architecture"
        printf 'Maintainer: %s\n' "$maintainer"
        printf 'Priority: optional\nHomepage: %s\n' "$documentation"
        # Of the files alone: the size of a folder depends on the file system.
        printf 'Installed-Size: %s\n' "$(find "$folder/usr" -type f -printf '%s\n' |
            awk '{ size += int(($1 + 1023) / 1024) } END { print size }')"
        cat
        printf 'Description: %s\n' "$summary"
        printf ' Payments, refunds, payouts and package tracking in Latin America, with\n signed requests.\n'
    } >"$folder/DEBIAN/control"
    (cd "$folder" && find usr -type f -print0 | sort -z | xargs -0 md5sum >DEBIAN/md5sums)
    chmod -R "$modes" "$folder"
    find "$folder" -newermt "@$SOURCE_DATE_EPOCH" -exec touch -h -d "@$SOURCE_DATE_EPOCH" {} +
    dpkg-deb --root-owner-group -Zxz --build "$folder" "dist/${package}_${version}_$architecture.deb" >/dev/null
}

BUILT="$target/dist/$name" STRIP=true BINUTILS="${name%%-*}-linux-gnu-" \
    PREFIX=/usr LIBDIR="/$libdir" INCLUDEDIR=/usr/include DESTDIR="$work/all" scripts/install.sh >/dev/null

folder="$work/libpayments$abi"
mkdir -p "$folder/$libdir" "$folder/DEBIAN"
mv "$work/all/$libdir"/libpayments.so.* "$folder/$libdir"
find "$folder/$libdir" -type f -exec chmod 0644 {} +
echo "activate-noawait ldconfig" >"$folder/DEBIAN/triggers"
echo "libpayments $abi libpayments$abi (>= $version)" >"$folder/DEBIAN/shlibs"
pack "libpayments$abi" "payments SDK: the shared library" ffi-c <<CONTROL
Section: libs
Multi-Arch: same
Depends: libc6 (>= $glibc)
Recommends: ca-certificates
CONTROL

mkdir -p "$work/libpayments-dev"
mv "$work/all/usr" "$work/libpayments-dev/usr"
pack libpayments-dev "payments SDK: header and files for linking" ffi-c <<CONTROL
Section: libdevel
Multi-Arch: same
Depends: libpayments$abi (= $version)
CONTROL

folder="$work/payments"
install -D -m 0755 "$target/dist/$name/payments" "$folder/usr/bin/payments"
# Man pages and completions are the same for every CPU; the native build runs.
command="$target/dist/$(uname -m)-unknown-linux-gnu/payments"
[[ -x "$command" ]] || command="cargo run --quiet --locked -p payments-cli --bin payments --"
mkdir -p "$folder/usr/share/man/man1" "$folder/usr/share/bash-completion/completions"
$command man --out "$folder/usr/share/man/man1" >/dev/null
gzip -9n "$folder"/usr/share/man/man1/*
$command completions bash >"$folder/usr/share/bash-completion/completions/payments"
pack payments "command for the payments SDK, with a sandbox" cli <<CONTROL
Section: utils
Depends: libc6 (>= $glibc)
Recommends: ca-certificates
CONTROL
