#!/usr/bin/env bash
# Installs the C library, as `make install` does.
#
# PREFIX (default /usr/local) is where it will be used, DESTDIR (default none)
# goes before it while a package is built. LIBDIR and INCLUDEDIR default to lib
# and include under PREFIX. CARGO_TARGET_DIR is respected.
#
# Without DESTDIR, ldconfig is run if it looks into LIBDIR, so that programs
# find the library. Otherwise the last line says what is left to do.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

prefix="${PREFIX:-/usr/local}"
destdir="${DESTDIR:-}"
libdir="${LIBDIR:-$prefix/lib}"
includedir="${INCLUDEDIR:-$prefix/include}"
target="${CARGO_TARGET_DIR:-target}"
abi="$(<ffi-c/abi/version)"
version="$(sed -nE '/^\[workspace.package\]/,/^$/s/^version = "(.*)"/\1/p' Cargo.toml)"

case "$prefix$libdir$includedir" in
    *[[:space:]]*)
        echo "install: pkg-config knows no spaces in PREFIX, LIBDIR and INCLUDEDIR" >&2
        exit 2
        ;;
esac
[[ "$prefix" == /* && "$libdir" == /* && "$includedir" == /* ]] || {
    echo "install: PREFIX, LIBDIR and INCLUDEDIR must be absolute paths" >&2
    exit 2
}

cargo build --locked --release -p payments-ffi

install -d "$destdir$libdir/pkgconfig" "$destdir$includedir"
# MAJOR is the number of the binary interface, not of the release.
full="libpayments.so.$abi.${version#*.}"
install -m 0755 "$target/release/libpayments.so" "$destdir$libdir/$full"
strip --strip-unneeded "$destdir$libdir/$full"
ln -sfn "$full" "$destdir$libdir/libpayments.so.$abi"
ln -sfn "libpayments.so.$abi" "$destdir$libdir/libpayments.so"
install -m 0644 "$target/release/libpayments.a" "$destdir$libdir/libpayments.a"
install -m 0644 include/payments.h "$destdir$includedir/payments.h"

# A program that is linked statically needs what the library needs itself.
cat >"$destdir$libdir/pkgconfig/libpayments.pc" <<PC
prefix=$prefix
libdir=$libdir
includedir=$includedir

Name: libpayments
Description: Payments, refunds, payouts and package tracking in Latin America
Version: $version
Cflags: -I\${includedir}
Libs: -L\${libdir} -lpayments
Libs.private: -lgcc_s -lutil -lrt -lpthread -lm -ldl -lc
PC
chmod 0644 "$destdir$libdir/pkgconfig/libpayments.pc"
echo "installed $full, libpayments.a, payments.h and libpayments.pc under $destdir$prefix"

# Whether the loader's cache covers LIBDIR.
is_system_folder() {
    local folder
    while read -r folder; do
        if [[ "$folder" -ef "$libdir" ]]; then
            return 0
        fi
    done < <(ldconfig -N -X -v 2>/dev/null | sed -n 's/^\(\/[^:]*\):.*/\1/p')
    return 1
}

PATH="$PATH:/usr/sbin:/sbin"
if [[ -n "$destdir" ]]; then
    echo "when the package is installed in $libdir, run \"ldconfig\" as root, or programs do not find the library"
elif ! is_system_folder; then
    echo "programs look for the library elsewhere: link with -Wl,-rpath,$libdir, or set LD_LIBRARY_PATH=$libdir," \
        "or add $libdir to /etc/ld.so.conf.d and run \"ldconfig\" as root"
elif ldconfig 2>/dev/null; then
    echo "ran ldconfig: programs find the library"
else
    echo "run \"ldconfig\" as root, or programs do not find the library"
fi
