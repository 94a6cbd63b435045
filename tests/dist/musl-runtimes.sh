#!/bin/sh
# Compiles Python and PHP with FFI for musl into /opt/musl, from the sources of
# the Debian system that it runs in.
set -eu
prefix=/opt/musl
work="$(mktemp -d)"
cd "$work"

codename="$(. /etc/os-release && echo "$VERSION_CODENAME")"
{
    for name in "$codename" bookworm; do
        echo "deb-src http://deb.debian.org/debian $name main"
        echo "deb-src http://deb.debian.org/debian-security $name-security main"
    done
} >/etc/apt/sources.list.d/sources.list
apt-get update -qq

# Downloads the newest version of a source that the mirror has: replaced
# versions leave it, and its index may name versions that have not arrived.
fetch() {
    apt-cache showsrc "$1" | sed -n 's/^Version: //p' | sort -urV >"$1.versions"
    while read -r version; do
        ! apt-get source -qq --download-only "$1=$version" || return 0
    done <"$1.versions"
    return 1
}
fetch libffi
fetch python3.13
fetch php8.4 || fetch php8.2
for archive in *.orig.tar.*z; do
    tar -xf "$archive"
done

# musl-gcc says x86_64-linux-gnu, which Python's configure compares.
cat >cc <<'SH'
#!/bin/sh
[ "$1" != --print-multiarch ] || exit 0
exec musl-gcc "$@"
SH
chmod +x cc
export CC="$work/cc" CFLAGS="-O1 -fPIC"

(
    cd libffi-*/
    autoreconf -fi
    # Trampolines on disk need the headers of the kernel.
    ./configure --prefix="$prefix" --disable-docs --disable-shared --disable-exec-static-tramp \
        --disable-multi-os-directory
    make -s -C ./*-musl install
)
(
    cd Python-*/
    ./configure --prefix="$prefix" --without-ensurepip --disable-test-modules
    make -s -j"$(nproc)"
    make -s install
)
(
    cd php-*/
    ./configure --prefix="$prefix" --disable-all --disable-cgi --disable-phpdbg --enable-cli \
        --with-ffi FFI_CFLAGS="-I$prefix/include" FFI_LIBS="-L$prefix/lib -lffi"
    make -s -j"$(nproc)"
    make -s install
)
rm -rf "$work"
touch "$prefix/complete"
