# The parts of scripts/test-dist.sh that need another system: Debian without
# Rust and with an old glibc, musl, and another CPU.
# shellcheck shell=bash disable=SC2154 # Sourced by scripts/test-dist.sh, which has the variables.

# Prints the folder of a Debian system, cached in the build folder.
debian() {
    local release="$1" packages="$2" folder="$tools/debian-$1"
    if [[ ! -e "$folder/complete" ]]; then
        rm -rf "$folder"
        PATH="$PATH:/usr/sbin" debootstrap --variant=minbase --include="$packages" "$release" "$folder" \
            >"$scratch/debootstrap.log" || fail "debootstrap: $(tail -n 5 "$scratch/debootstrap.log")"
        touch "$folder/complete"
    fi
    echo "$folder"
}

# Copies a system, and adds the configuration and the files under test.
chroot_with() {
    local system="$1" name="$2"
    shift 2
    rm -rf "${scratch:?}/$name"
    cp -a --reflink=auto "$system" "$scratch/$name"
    cp -r "$tests" "$@" "$scratch/$name/srv"
    # The configuration has absolute paths of this system.
    mkdir -p "$scratch/$name$scratch"
    cp -r "$scratch/merchant" "$scratch/$name$scratch"
}

# Runs a program that pays in a chroot, with the paths used there.
pay_in_chroot() {
    local what="$1" name="$2"
    shift 2
    pay "$what" chroot "$scratch/$name" env -i PATH=/usr/bin:/bin "$@"
}

# The Debian packages, on an older glibc and without Rust.
test_debian() {
    local system
    system="$(debian bullseye gcc,libc6-dev,pkg-config,make)"
    chroot_with "$system" debian "$packages"/*_amd64.deb
    chroot "$scratch/debian" sh -c 'dpkg -i /srv/*.deb && ldd --version | head -n 1 && payments --version' ||
        fail "the Debian packages do not install"
    chroot "$scratch/debian" payments demo >"$scratch/demo.out" || fail "the demo of the Debian package"
    # shellcheck disable=SC2016 # For the shell inside.
    chroot "$scratch/debian" sh -c \
        'gcc /srv/dist/pay.c $(pkg-config --cflags --libs libpayments) -o /usr/bin/pay' ||
        fail "pkg-config of libpayments-dev"
    pay_in_chroot "C, Debian packages" debian /usr/bin/pay "$configuration"
    chroot "$scratch/debian" dpkg --purge libpayments-dev "libpayments$abi" payments >/dev/null
    [[ -z "$(find "$scratch/debian/usr" -name '*payments*' ! -name pay)" ]] ||
        fail "the Debian packages leave files"
}

# The Composer packages, from their archives alone, with no libpayments installed.
test_php() {
    local system project="$scratch/php-project"
    mkdir -p "$project/archives"
    cp "$(package 'libpayments-php-*.zip')" "$(package 'libpayments-sandbox-php-*.zip')" "$project/archives"
    cat >"$project/composer.json" <<JSON
{"require": {"libpayments/libpayments": "$version"},
 "require-dev": {"libpayments/sandbox": "$version"},
 "repositories": [{"type": "artifact", "url": "archives"}, {"packagist.org": false}]}
JSON
    COMPOSER_ALLOW_SUPERUSER=1 COMPOSER_HOME="$scratch/composer" composer install --quiet \
        --no-interaction --ignore-platform-reqs --working-dir="$project"
    system="$(debian bookworm php-cli)"
    chroot_with "$system" php "$project/vendor"
    pay_in_chroot "PHP" php php /srv/dist/pay.php /srv/vendor/autoload.php "$configuration"
    chroot "$scratch/php" env -i PATH=/usr/bin:/bin /srv/vendor/bin/payments demo >"$scratch/demo.out" ||
        fail "the demo of Composer: $(cat "$scratch/demo.out")"
}

# Compiles tests/dist/pay.c with the C archive of a platform.
compile_pay() {
    local platform="$1" zig_target="$2" library="$3"
    mkdir -p "$library"
    tar -xzf "$(package "libpayments-$version-$platform.tar.gz")" -C "$library" --strip-components=1
    "$venv/bin/python" -m ziglang cc -target "$zig_target" -dynamic "$tests/pay.c" \
        "-I$library/include" "-L$library/lib" -lpayments -o "$library/pay"
}

# The shared library of the musl archive, in a program for musl.
test_musl() {
    local cpu library="$scratch/c-musl"
    cpu="$(uname -m)"
    compile_pay "$cpu-linux-musl" "$cpu-linux-musl" "$library"
    pay "C on musl" "/lib/ld-musl-$cpu.so.1" --library-path "$library/lib" "$library/pay" "$configuration"
}

# Programs for another CPU, emulated: the static command, C with the shared
# library, and the wheel in a foreign Python.
test_aarch64() {
    local system="$scratch/aarch64" library="$scratch/c-aarch64" archive
    mkdir -p "$scratch/command-aarch64" "$system"
    tar -xzf "$(package "payments-$version-aarch64-linux-musl.tar.gz")" -C "$scratch/command-aarch64" --strip-components=1
    qemu-aarch64-static "$scratch/command-aarch64/payments" --version
    qemu-aarch64-static "$scratch/command-aarch64/payments" demo >"$scratch/demo.out" ||
        fail "the demo on aarch64: $(cat "$scratch/demo.out")"
    echo "the static command on aarch64: $(tail -n 1 "$scratch/demo.out")"

    # Unpacked but not configured, which would run its programs.
    PATH="$PATH:/usr/sbin" debootstrap --foreign --arch=arm64 --variant=minbase \
        --include=python3 bookworm "$scratch/arm64" >"$scratch/debootstrap.log" ||
        fail "debootstrap: $(tail -n 5 "$scratch/debootstrap.log")"
    for archive in "$scratch"/arm64/var/cache/apt/archives/*.deb; do
        dpkg -x "$archive" "$system"
    done
    compile_pay aarch64-linux-gnu "aarch64-linux-gnu.$glibc" "$library"
    pay "C on aarch64" qemu-aarch64-static -L "$system" -E LD_LIBRARY_PATH="$library/lib" \
        "$library/pay" "$configuration"
    python3 -m zipfile -e "$(package "libpayments-$version-*manylinux*aarch64.whl")" "$scratch/wheel-aarch64"
    pay "Python on aarch64" qemu-aarch64-static -L "$system" -E PYTHONPATH="$scratch/wheel-aarch64" \
        "$system/usr/bin/python3" "$tests/pay.py" "$configuration"
}

# Inspects what cannot be run: no symbol is newer than the oldest glibc, the
# musl libraries need no glibc, the command is static, and no file has a path
# of this machine.
test_symbols() {
    local file found
    for file in "$target"/dist/*/*.so "$target"/dist/*/payments; do
        found="$(readelf --dyn-syms --wide "$file" | sed -nE 's/.*@(GLIBC_[0-9.]+).*/\1/p' | sort -uV | tail -n 1)"
        case "$file" in
            */*-gnu/*)
                [[ "$(printf '%s\n' "GLIBC_$glibc" "$found" | sort -V | tail -n 1)" == "GLIBC_$glibc" ]] ||
                    fail "$file needs $found"
                ;;
            *-musl/payments)
                ! grep -q NEEDED <<<"$(readelf -d "$file")" || fail "$file is not static"
                ;;
            *) [[ -z "$found" ]] || fail "$file for musl needs $found" ;;
        esac
        ! grep -qaF -e "$root" -e "$cargo_home" "$file" || fail "$file names a folder of this machine"
        grep -q '\.dep-v0' <<<"$(readelf -S --wide "$file")" || fail "$file does not list its dependencies"
        echo "inspected: ${file#"$target/dist/"} ${found:-(no glibc)}"
    done
}
