#!/usr/bin/env bash
# Builds the Debian packages of scripts/dist/debian for a glibc target into
# target/dist/TARGET/packages, by debhelper.
#
# Usage: scripts/dist/debian.sh TARGET
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
# shellcheck source=scripts/dist/common.sh
. scripts/dist/common.sh

name="$1"
built="$target/dist/$name"
work="$target/pack/debian/$name"
installed="$work/debian/tmp"
rm -rf "$work"
mkdir -p "$installed"/usr/{bin,share/man/man1,share/bash-completion/completions}
cp -r scripts/dist/debian "$notices" "$work"
cp CHANGELOG.md "$work/notices"

BUILT="$built" STRIP=true BINUTILS="${name%%-*}-linux-gnu-" PREFIX=/usr LIBDIR="/usr/lib/${name/-unknown/}" \
    DESTDIR="$installed" scripts/install.sh >/dev/null
cp "$built/payments" "$installed/usr/bin"
# Man pages and completions are the same for every CPU; the native build runs.
command="$target/dist/$(uname -m)-unknown-linux-gnu/payments"
[[ -x "$command" ]] || command="cargo run --quiet --locked -p payments-cli --bin payments --"
$command man --out "$installed/usr/share/man/man1" >/dev/null
$command completions bash >"$installed/usr/share/bash-completion/completions/payments"

value_of() {
    sed -nE "s/^$1 = \[?\"(.*)\"\]?$/\1/p" Cargo.toml
}
sed -i "s|@ABI@|$abi|; s|@GLIBC@|$glibc|; s|@VERSION@|$version|; s|@DATE@|$(date -uRd "@$SOURCE_DATE_EPOCH")|
    s|@MAINTAINER@|$(value_of authors)|; s|@DOCUMENTATION@|$(value_of documentation)|
    s|@REPOSITORY@|$(value_of repository)|; s|@COPYRIGHT@|$(sed -n 's/^Copyright (c) //p' LICENSE-MIT)|" \
    "$work"/debian/{control,changelog,copyright}
sed -n '/^Permission/,$ { s/^$/./; s/^/ /; p }' LICENSE-MIT >>"$work/debian/copyright"

cd "$work"
for step in install installchangelogs installdocs installman "compress -XTHIRD-PARTY -Xsbom" fixperms \
    makeshlibs installdeb gencontrol md5sums "builddeb --destdir=$built/packages -- -Zxz"; do
    dpkg-architecture --force --host-arch "$(architecture_of "$name")" --command "dh_$step"
done
