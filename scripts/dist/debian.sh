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
rm -rf "$work"

# Standard input has the control fields that are specific to the package.
pack() {
    local package="$1" summary="$2" crate="$3" folder="$work/$1" shared
    shared="$folder/usr/share/doc/$package"
    mkdir -p "$folder/DEBIAN" "$shared"
    cp "$notices/$crate"/* "$shared"
    {
        printf 'Upstream-Name: libpayments\nSource: %s\nLicense: MIT or Apache-2.0\n\n' "$documentation"
        cat LICENSE-MIT
        printf '\nThe Apache License 2.0 is in /usr/share/common-licenses/Apache-2.0. The licenses of\n'
        printf 'what is inside are in THIRD-PARTY-LICENSES.txt.\n'
    } >"$shared/copyright"
    gzip -9nc CHANGELOG.md >"$shared/changelog.gz"
    {
        printf 'Package: %s\nVersion: %s\nArchitecture: %s\n' "$package" "$version" "$architecture"
        printf 'Maintainer: The libpayments authors\n'
        printf 'Section: libs\nPriority: optional\nHomepage: %s\n' "$documentation"
        printf 'Installed-Size: %s\n' "$(du -sk --apparent-size "$folder/usr" | cut -f 1)"
        cat
        printf 'Description: %s\n' "$summary"
        printf ' Payments, refunds, payouts and package tracking in Latin America, with\n signed requests.\n'
    } >"$folder/DEBIAN/control"
    (cd "$folder" && find usr -type f -print0 | sort -z | xargs -0 md5sum >DEBIAN/md5sums)
    find "$folder" -type d -exec chmod 0755 {} +
    find "$folder" -newermt "@$SOURCE_DATE_EPOCH" -exec touch -h -d "@$SOURCE_DATE_EPOCH" {} +
    dpkg-deb --root-owner-group -Zxz --build "$folder" "dist/${package}_${version}_$architecture.deb" >/dev/null
}

BUILT="$target/dist/$name" STRIP=true OBJCOPY="${name%%-*}-linux-gnu-objcopy" \
    PREFIX=/usr LIBDIR="/$libdir" INCLUDEDIR=/usr/include DESTDIR="$work/all" scripts/install.sh >/dev/null

folder="$work/libpayments$abi"
mkdir -p "$folder/$libdir" "$folder/DEBIAN"
mv "$work/all/$libdir"/libpayments.so.* "$folder/$libdir"
find "$folder/$libdir" -type f -exec chmod 0644 {} +
echo "activate-noawait ldconfig" >"$folder/DEBIAN/triggers"
echo "libpayments $abi libpayments$abi (>= $version)" >"$folder/DEBIAN/shlibs"
pack "libpayments$abi" "payments SDK: the shared library" ffi-c <<CONTROL
Multi-Arch: same
Depends: libc6 (>= $glibc)
CONTROL

mkdir -p "$work/libpayments-dev"
mv "$work/all/usr" "$work/libpayments-dev/usr"
pack libpayments-dev "payments SDK: header and files for linking" ffi-c <<CONTROL
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
pack payments "the command payments, with a sandbox" cli <<CONTROL
Depends: libc6 (>= $glibc)
CONTROL
