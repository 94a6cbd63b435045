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
# Without DESTDIR, ldconfig runs if it covers LIBDIR, so that programs find the
# library. Otherwise the last line names the remaining steps.
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
# The name that programs ask for, and that of the file. MAJOR is the version of
# the binary interface, not of the release.
case "$system" in
    Windows) shared=payments.dll linked=payments.dll full=payments.dll archive=libpayments.dll.a ;;
    Darwin)
        shared=libpayments.dylib linked="libpayments.$abi.dylib" full="libpayments.$abi.${version#*.}.dylib"
        archive=libpayments.a
        ;;
    *)
        shared=libpayments.so linked="libpayments.so.$abi" full="libpayments.so.$abi.${version#*.}"
        archive=libpayments.a
        ;;
esac
cmake="$libdir/cmake/libpayments"

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

# Succeeds if the loader's cache covers LIBDIR.
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
if [[ "${1:-}" == uninstall ]]; then
    rm -f "$destdir$libdir/$shared" "$destdir$libdir/$linked" "$destdir$libdir/$full" \
        "$destdir$libdir/$linked".* "$destdir$libdir/libpayments.$abi".*.dylib "$destdir$prefix/bin/payments.dll" \
        "$destdir$libdir/$archive" "$destdir$libdir/pkgconfig/libpayments.pc" \
        "$destdir$includedir/payments.h"
    rm -rf "$destdir$cmake"
    echo "removed libpayments from $destdir$libdir and $destdir$includedir"
    if [[ "$system" == Linux && -z "$destdir" ]] && is_system_folder; then
        ldconfig 2>/dev/null || echo "run \"ldconfig\" as root, or the loader's cache still names the library"
    fi
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

install -d "$destdir$libdir/pkgconfig" "$destdir$cmake" "$destdir$includedir"
case "$system" in
    Windows)
        install -d "$destdir$prefix/bin"
        install -m 0755 "$built/$shared" "$destdir$prefix/bin/$full"
        install -m 0644 "$built/$archive" "$destdir$libdir/$archive"
        ;;
    Darwin)
        install -m 0755 "$built/$shared" "$destdir$libdir/$full"
        "${STRIP:-strip}" -x "$destdir$libdir/$full"
        # The linker copies this path into programs.
        [[ -n "${RELOCATABLE:-}" ]] || install_name_tool -id "$libdir/$linked" "$destdir$libdir/$full"
        # Both tools change what the linker signed.
        codesign --force --sign - "$destdir$libdir/$full"
        install -m 0644 "$built/$archive" "$destdir$libdir/$archive"
        ;;
    *)
        install -m 0755 "$built/$shared" "$destdir$libdir/$full"
        "${STRIP:-strip}" --strip-unneeded "$destdir$libdir/$full"
        install_static
        ;;
esac
if [[ "$system" != Windows ]]; then
    ln -sfn "$full" "$destdir$libdir/$linked"
    ln -sfn "$linked" "$destdir$libdir/$shared"
fi
install -m 0644 include/payments.h "$destdir$includedir/payments.h"

# The system libraries that a statically linked program needs. Compilers add the
# one that unwinds: libgcc_s, or libgcc_eh with -static.
case "$system" in
    Windows) private= ;;
    Darwin) private="-framework Security -framework CoreFoundation -liconv" ;;
    *) private="-lutil -lrt -lpthread -lm -ldl -lc" ;;
esac
cat >"$destdir$libdir/pkgconfig/libpayments.pc" <<PC
prefix=\${pcfiledir}/$(relative "$libdir/pkgconfig" "$prefix")
libdir=\${prefix}/$(relative "$prefix" "$libdir")
includedir=\${prefix}/$(relative "$prefix" "$includedir")

Name: libpayments
Description: Payments, refunds, payouts and package tracking in Latin America
URL: $(sed -nE 's/^documentation = "(.*)"/\1/p' Cargo.toml)
Version: $version
Cflags: -I\${includedir}
Libs: -L\${libdir} -lpayments
${private:+Libs.private: $private}
PC

if [[ "$system" == Windows ]]; then
    location="IMPORTED_LOCATION \"\${_libpayments_lib}/$(relative "$libdir" "$prefix/bin")/payments.dll\"
        IMPORTED_IMPLIB \"\${_libpayments_lib}/$archive\""
else
    location="IMPORTED_LOCATION \"\${_libpayments_lib}/$linked\""
    [[ "$system" == Darwin ]] || location+="
        IMPORTED_SONAME \"$linked\""
    static="
    add_library(libpayments::static STATIC IMPORTED)
    set_target_properties(libpayments::static PROPERTIES
        IMPORTED_LOCATION \"\${_libpayments_lib}/libpayments.a\"
        INTERFACE_INCLUDE_DIRECTORIES \"\${_libpayments_include}\"
        INTERFACE_LINK_LIBRARIES \"$(sed 's/-framework /-framework=/g; s/ /;/g; s/-framework=/-framework /g' <<<"$private")\")"
fi
cat >"$destdir$cmake/libpaymentsConfig.cmake" <<CMAKE
# find_package(libpayments) gives libpayments::libpayments, the shared library,
# and libpayments::static, where there is one.
get_filename_component(_libpayments_lib "\${CMAKE_CURRENT_LIST_DIR}/../.." REALPATH)
get_filename_component(_libpayments_include
    "\${_libpayments_lib}/$(relative "$libdir" "$includedir")" REALPATH)
if(NOT TARGET libpayments::libpayments)
    add_library(libpayments::libpayments SHARED IMPORTED)
    set_target_properties(libpayments::libpayments PROPERTIES
        $location
        INTERFACE_INCLUDE_DIRECTORIES "\${_libpayments_include}")${static:-}
endif()
CMAKE
# While the major version is 0, a new minor version may break compatibility.
cat >"$destdir$cmake/libpaymentsConfigVersion.cmake" <<CMAKE
set(PACKAGE_VERSION "$version")
set(PACKAGE_VERSION_COMPATIBLE FALSE)
if(NOT PACKAGE_FIND_VERSION OR (PACKAGE_FIND_VERSION VERSION_LESS_EQUAL PACKAGE_VERSION
        AND "\${PACKAGE_FIND_VERSION_MAJOR}.\${PACKAGE_FIND_VERSION_MINOR}" STREQUAL "${version%.*}"))
    set(PACKAGE_VERSION_COMPATIBLE TRUE)
endif()
if(PACKAGE_FIND_VERSION VERSION_EQUAL PACKAGE_VERSION)
    set(PACKAGE_VERSION_EXACT TRUE)
endif()
CMAKE
chmod 0644 "$destdir$libdir/pkgconfig/libpayments.pc" "$destdir$cmake"/*.cmake
echo "installed $full from $built, $archive, payments.h and the files for pkg-config and CMake under $destdir$prefix"

if [[ "$system" != Linux ]]; then
    [[ "$system" == Darwin ]] || echo "programs look for payments.dll beside them and in PATH"
elif [[ -n "$destdir" ]]; then
    echo "when the package is installed in $libdir, run \"ldconfig\" as root, or programs do not find the library"
elif ! is_system_folder; then
    echo "programs look for the library elsewhere: link with -Wl,-rpath,$libdir, or set LD_LIBRARY_PATH=$libdir," \
        "or add $libdir to /etc/ld.so.conf.d and run \"ldconfig\" as root; for PHP, set LIBPAYMENTS_LIBRARY=$libdir/$linked"
elif ldconfig 2>/dev/null; then
    echo "ran ldconfig: programs find the library"
else
    echo "run \"ldconfig\" as root, or programs do not find the library"
fi
