#!/usr/bin/env bash
# Installs the C library built by `make build`, or uninstalls it. Does not call
# cargo, so root needs none.
#
# Usage: scripts/install.sh [uninstall]
#
# PREFIX (default /usr/local) is the final location; DESTDIR (default none) is
# prepended while building a package. LIBDIR and INCLUDEDIR default to lib and
# include under PREFIX; on Debian, use LIBDIR=/usr/lib/$(gcc -print-multiarch).
# BUILT is the folder of the build (default: release in cargo's target folder).
# BINUTILS is the prefix of ld, objcopy and ar for another CPU, such as
# aarch64-linux-gnu-; STRIP names that program.
# pkg-config and CMake find the library relative to their own files, so PREFIX can
# be moved; with RELOCATABLE=1, programs on macOS find it by their rpath. A build for
# Windows (payments.dll) goes into bin under PREFIX, with an import library and
# without a static one.
#
# Without DESTDIR, ldconfig runs, so that programs find the library in a folder of the
# system. Otherwise the last line names the remaining steps.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

prefix="${PREFIX:-/usr/local}"
destdir="${DESTDIR:-}"
libdir="${LIBDIR:-$prefix/lib}"
includedir="${INCLUDEDIR:-$prefix/include}"
built="${BUILT:-${CARGO_TARGET_DIR:-target}/release}"
abi="$(<ffi-c/abi/version)"
version="$(sed -nE '/^\[workspace.package\]/,/^$/s/^version = "(.*)"/\1/p' Cargo.toml)"
system="$(uname -s)"
[[ ! -e "$built/payments.dll" ]] || system=Windows
# Its folder, the name that programs ask for, and that of the file: the number is the
# version of the binary interface. And the system libraries that a statically linked
# program needs; compilers add the one that unwinds, libgcc_s or with -static libgcc_eh.
folder="$libdir" archive=libpayments.a
case "$system" in
    Windows)
        folder="$prefix/bin" archive=libpayments.dll.a private=
        shared=payments.dll linked=payments.dll full=payments.dll
        ;;
    Darwin)
        shared=libpayments.dylib linked="libpayments.$abi.dylib" full="libpayments.$abi.${version#*.}.dylib"
        private="-framework Security -framework CoreFoundation -liconv"
        ;;
    *)
        shared=libpayments.so linked="libpayments.so.$abi" full="libpayments.so.$abi.${version#*.}"
        private="-lutil -lrt -lpthread -lm -ldl -lc"
        ;;
esac
cmake="$libdir/cmake/libpayments"

[[ "$prefix" == /* && "$libdir" == /* && "$includedir" == /* && "$prefix$libdir$includedir" != *[[:space:]]* ]] || {
    echo "install: PREFIX, LIBDIR and INCLUDEDIR must be absolute paths without spaces, which pkg-config cannot quote" >&2
    exit 2
}

# The path of the second folder as seen from the first.
relative() {
    local from to up=
    from="$(tr -s / <<<"$1/")" to="$(tr -s / <<<"$2/")"
    while [[ "$to" != "$from"* ]]; do
        from="${from%/*/}/" up+=../
    done
    to="$up${to#"$from"}"
    echo "${to%/}"
}

# Prints where the loader finds the library.
in_cache() {
    ldconfig -p | sed -n "/[[:space:]]$linked /{ s/.* => //p; q }"
}

PATH="$PATH:/usr/sbin:/sbin"
if [[ "${1:-}" == uninstall ]]; then
    rm -f "$destdir$folder/$shared" "$destdir$folder/$linked" "$destdir$folder/$linked".* "$destdir$folder/${linked%.dylib}".*.dylib \
        "$destdir$libdir/$archive" "$destdir$libdir/pkgconfig/libpayments.pc" "$destdir$includedir/payments.h"
    rm -rf "$destdir$cmake"
    echo "removed libpayments from $destdir$libdir and $destdir$includedir"
    [[ "$system" != Linux || -n "$destdir" ]] || ldconfig 2>/dev/null ||
        echo "run \"ldconfig\" as root, or the loader's cache may still name the library"
    exit
fi

needs_build() {
    echo "install: $1: run \"make build\" first, as the user who has Rust, or say where the build is: BUILT=FOLDER" >&2
    exit 1
}
for file in "$shared" "$archive"; do
    [[ -e "$built/$file" ]] || needs_build "$built/$file is missing"
    # As in the header User-Agent. An import library has only names.
    [[ "$file" == *.dll.a ]] || grep -qaF "libpayments/$version" "$built/$file" || needs_build "$built/$file is not version $version"
done

# Only payments_* is global, so that a program can link other libraries in Rust,
# and its own SQLite. That takes one object, whose sections stay apart for
# --gc-sections of the program. Code that payments_* does not reach goes, and so
# does bitcode of Rust's standard library, on which an older LLVM aborts.
install_static() {
    local work roots
    work="$(mktemp -d)"
    mapfile -t roots < <(readelf --wide --symbols "$built/libpayments.a" 2>/dev/null |
        awk '$5 == "GLOBAL" && $7 != "UND" && $8 ~ /^payments_/ { print "--undefined=" $8 }' | sort -u)
    "${BINUTILS:-}ld" -r --gc-sections --force-group-allocation "${roots[@]}" \
        -o "$work/payments.o" "$built/libpayments.a"
    "${BINUTILS:-}objcopy" --wildcard --keep-global-symbol='payments_*' --strip-unneeded \
        --remove-section=.llvmbc --remove-section=.llvmcmd "$work/payments.o"
    "${BINUTILS:-}ar" rcD "$work/libpayments.a" "$work/payments.o"
    install -m 0644 "$work/libpayments.a" "$destdir$libdir/libpayments.a"
    rm -rf "$work"
}

install -d "$destdir$libdir/pkgconfig" "$destdir$cmake" "$destdir$includedir" "$destdir$folder"
install -m 0644 include/payments.h "$destdir$includedir/payments.h"
install -m 0755 "$built/$shared" "$destdir$folder/$full"
case "$system" in
    Windows) ;;
    Darwin)
        "${STRIP:-strip}" -x "$destdir$folder/$full"
        # The linker copies this path into programs.
        [[ -n "${RELOCATABLE:-}" ]] || install_name_tool -id "$folder/$linked" "$destdir$folder/$full"
        # Both tools change what the linker signed.
        codesign --force --sign - "$destdir$folder/$full"
        ;;
    *) "${STRIP:-strip}" --strip-unneeded "$destdir$folder/$full" ;;
esac
if [[ "$system" == Windows || "$system" == Darwin ]]; then
    install -m 0644 "$built/$archive" "$destdir$libdir/$archive"
else
    install_static
fi
if [[ "$system" != Windows ]]; then
    ln -sfn "$full" "$destdir$folder/$linked"
    ln -sfn "$linked" "$destdir$folder/$shared"
fi

# Writes a file of ffi-c/install into a folder.
fill() {
    sed "s|@PREFIX@|$(relative "$libdir/pkgconfig" "$prefix")|; s|@LIBDIR@|$(relative "$prefix" "$libdir")|
        s|@INCLUDEDIR@|$(relative "$prefix" "$includedir")|; s|@INCLUDE@|$(relative "$libdir" "$includedir")|
        s|@LINKED@|$(relative "$libdir" "$folder/$linked")|; s|@SONAME@|$linked|; s|@PRIVATE@|$private|
        s|@VERSION@|$version|; s|@MINOR@|${version%.*}|
        s|@URL@|$(sed -nE 's/^documentation = "(.*)"/\1/p' Cargo.toml)|" "ffi-c/install/$1" >"$destdir$2/$1"
    chmod 0644 "$destdir$2/$1"
}
fill libpayments.pc "$libdir/pkgconfig"
fill libpaymentsConfig.cmake "$cmake"
fill libpaymentsConfigVersion.cmake "$cmake"
echo "installed $full from $built, $archive, payments.h and the files for pkg-config and CMake under $destdir$prefix"

if [[ "$system" != Linux ]]; then
    [[ "$system" == Darwin ]] || echo "programs look for payments.dll beside them and in PATH"
elif [[ -n "$destdir" ]]; then
    echo "when the package is installed in $libdir, run \"ldconfig\" as root, or programs do not find the library"
elif { ldconfig 2>/dev/null || true; } && [[ "$(in_cache)" -ef "$libdir/$linked" ]]; then
    echo "programs find the library: it is in the loader's cache"
else
    echo "programs do not find the library yet: if the loader looks into $libdir, run \"ldconfig\" as root; otherwise" \
        "link with -Wl,-rpath,$libdir, or set LD_LIBRARY_PATH=$libdir, or add $libdir to /etc/ld.so.conf.d and run" \
        "\"ldconfig\" as root; for PHP, set LIBPAYMENTS_LIBRARY=$libdir/$linked"
fi
