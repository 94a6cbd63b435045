#!/usr/bin/env bash
# Installs each package of dist/ into a clean environment and takes a payment
# with it against the sandbox.
#
# Usage: scripts/test-dist.sh [PART]...     (default: all parts)
#        scripts/test-dist.sh smoke         (the builds of `make test`)
#
# Parts: platforms, python, node, command, c, debian, php, newest, musl,
# aarch64, windows, symbols and source. A missing package is an error: after `make dist TARGETS=…`, name the
# parts for those targets.
set -euo pipefail
shopt -s inherit_errexit
cd "$(dirname "${BASH_SOURCE[0]}")/.."
# shellcheck source=scripts/dist/common.sh
. scripts/dist/common.sh
# `make test` builds without it, and a change of it builds everything again.
epoch="$SOURCE_DATE_EPOCH"
unset SOURCE_DATE_EPOCH

root="$PWD"
packages="$root/dist"
scratch="$target/test-dist"
tests="$root/tests/dist"
configuration="$scratch/merchant/payments.json"
number=0
sandbox=
# A folder for files that cannot be below $target, if that has spaces.
without_spaces=
# Not the user's cache.
export XDG_CACHE_HOME="$scratch/cache" PIP_DISABLE_PIP_VERSION_CHECK=1

fail() {
    echo "test-dist: $1" >&2
    exit 1
}

clean_up() {
    [[ -z "$sandbox" ]] || kill "$sandbox" 2>/dev/null || true
    [[ -z "$without_spaces" ]] || rm -rf "$without_spaces"
}
trap clean_up EXIT

# Prints the only file of dist/ that matches a pattern.
package() {
    local found
    mapfile -t found < <(compgen -G "$packages/$1")
    [[ ${#found[@]} -eq 1 ]] || fail "dist/ has no single $1: run make dist"
    echo "${found[0]}"
}

# Starts a sandbox that ends with this script or by its timeout.
start_sandbox() {
    local command="$1"
    timeout 3600 "$command" sandbox --config-out "$scratch/merchant" >"$scratch/sandbox.out" 2>&1 &
    sandbox=$!
    for _ in {1..200}; do
        if [[ -e "$configuration" ]] && grep -q 'http://' "$scratch/sandbox.out"; then
            return
        fi
        sleep 0.05
    done
    fail "the sandbox did not start: $(cat "$scratch/sandbox.out")"
}

# Runs a command with a unique reference appended. It must print that it paid
# with this version.
pay() {
    local what="$1" said
    shift
    number=$((number + 1))
    said="$("$@" "dist-$number")" || fail "$what: $said"
    [[ "$said" == "paid $version dist-$number PE"* ]] || fail "$what says: $said"
    echo "$what: $said"
}

# The same in a folder.
pay_in() {
    cd "$1"
    pay "${@:2}"
    cd "$root"
}

# Runs the demonstration with a command.
demo() {
    local what="$1"
    shift
    "$@" demo >"$scratch/demo.out" 2>&1 || fail "the demo, $what: $(cat "$scratch/demo.out")"
    echo "the demo, $what: passed"
}

# Lists the supported Python versions on the path and in pyenv.
pythons() {
    local python
    for python in python3 python3.{10..14} "${PYENV_ROOT:-$HOME/.pyenv}"/versions/3.*/bin/python3; do
        "$python" -c 'import sys; sys.exit(sys.version_info < (3, 10))' 2>/dev/null || continue
        "$python" -c 'import sys; print("%d.%d" % sys.version_info[:2], sys.executable)'
    done | sort -u -k 1,1 -V
}

test_python() {
    local name python venv
    while read -r name python; do
        venv="$scratch/python$name"
        "$python" -m venv "$venv"
        "$venv/bin/pip" install -q --no-index --find-links "$packages" libpayments "$@"
        pay "Python $name" env -i PATH="$venv/bin" "$venv/bin/python" "$tests/pay.py" "$configuration"
    done < <(pythons)
    [[ -n "${venv:-}" ]] || fail "there is no Python 3.10 or newer"
    if [[ "$*" == *sandbox* ]]; then
        env -i "$venv/bin/payments" --version
        demo "pip" env -i "$venv/bin/payments"
    fi
}

# Creates a project with our archives and nothing from a registry.
node_project() {
    mkdir -p "$scratch/$1"
    (
        cd "$scratch/$1"
        echo '{"private": true}' >package.json
        npm install --offline --no-audit --no-fund --loglevel=error "${@:2}"
        cp "$tests/pay.mjs" .
    )
}

test_node() {
    local cpu=x64
    [[ "$(uname -m)" != aarch64 ]] || cpu=arm64
    node_project node "$(package 'libpayments-[0-9]*.tgz')" "$(package "libpayments-linux-$cpu-gnu-*.tgz")"
    pay_in "$scratch/node" "Node $(node --version)" node pay.mjs "$configuration"
}

# Other runtimes, installed from npm packages.
test_runtimes() {
    local name runtimes="$scratch/runtimes"
    for name in node@20 node@22 node@24 bun deno; do
        mkdir -p "$runtimes/$name"
        npm install --no-audit --no-fund --loglevel=error --prefix "$runtimes/$name" "$name" >/dev/null
    done
    for name in node@20 node@22 node@24; do
        pay_in "$scratch/node" "$name" "$runtimes/$name/node_modules/.bin/node" pay.mjs "$configuration"
    done
    pay_in "$scratch/node" bun "$runtimes/bun/node_modules/.bin/bun" pay.mjs "$configuration"
    pay_in "$scratch/node" deno "$runtimes/deno/node_modules/.bin/deno" run --allow-all \
        --node-modules-dir=manual pay.mjs "$configuration"
    node_project sandbox "$(package 'libpayments-sandbox-[0-9]*.tgz')" "$(package 'libpayments-sandbox-linux-x64-*.tgz')"
    cd "$scratch/sandbox"
    npx --no-install payments --version
    demo "npm" npx --no-install payments
    cd "$root"
}

# The C archive unpacked anywhere, with pkg-config and with CMake.
test_c() {
    local library="$scratch/c"
    # pkg-config cannot quote a space in a path.
    if [[ "$library" == *[[:space:]]* ]]; then
        without_spaces="$(mktemp -d)"
        library="$without_spaces/c"
    fi
    mkdir -p "$library"
    tar -xzf "$(package "libpayments-$version-$(uname -m)-linux-gnu.tar.gz")" -C "$library" --strip-components=1
    # shellcheck disable=SC2046 # Words of the compiler.
    cc "$tests/pay.c" $(PKG_CONFIG_PATH="$library/lib/pkgconfig" pkg-config --cflags --libs libpayments) \
        -o "$scratch/pay-c"
    pay "C, pkg-config" env LD_LIBRARY_PATH="$library/lib" "$scratch/pay-c" "$configuration"
    cmake -S "$tests" -B "$scratch/cmake" -DCMAKE_PREFIX_PATH="$library" >/dev/null
    cmake --build "$scratch/cmake" >/dev/null
    pay "C, CMake" "$scratch/cmake/pay" "$configuration"
    ! readelf --dynamic "$scratch/cmake/pay-static" | grep -q libpayments || fail "libpayments::static needs the shared library"
    pay "C, CMake, static" "$scratch/cmake/pay-static" "$configuration"
    # shellcheck disable=SC2046 # Words of the compiler.
    cc -static "$tests/pay.c" $(PKG_CONFIG_PATH="$library/lib/pkgconfig" pkg-config --static --cflags --libs \
        libpayments) -o "$scratch/pay-static" 2>"$scratch/static.out" || fail "cc -static: $(<"$scratch/static.out")"
    pay "C, a static program" "$scratch/pay-static" "$configuration"
    rustc --edition 2024 --crate-type staticlib -o "$scratch/libother.a" ffi-c/tests/static/other.rs
    cmake -S ffi-c/tests/static -B "$scratch/cmake-static" -DCMAKE_PREFIX_PATH="$library" \
        -DOTHER="$scratch/libother.a" >/dev/null
    cmake --build "$scratch/cmake-static" >/dev/null
    "$scratch/cmake-static/beside" tests/vectors/keys/test_rsa_4096_{pkcs8,public}.pem | grep '"valid":true' ||
        fail "libpayments.a beside another Rust library"
    pay "C, CMake, static beside another SQLite" "$scratch/cmake/own-sqlite" "$configuration"
    "$target/debug/payments" journal list --config "$configuration" | grep -q "dist-$number" ||
        fail "the journal does not have dist-$number"
}

test_command() {
    mkdir -p "$scratch/command"
    tar -xzf "$(package "payments-$version-$(uname -m)-linux-musl.tar.gz")" -C "$scratch/command" --strip-components=1
    env -i "$scratch/command/payments" --version
    demo "static" env -i "$scratch/command/payments"
}

# Parts that have to be compiled: the source distribution, the crates, and the
# lines that the README gives for a checkout.
test_source() {
    local work="$scratch/source" name
    local crates="$work/crates" shop="$work/shop"
    export CARGO_TARGET_DIR="$target"
    mkdir -p "$crates" "$shop"
    for name in "$packages/libpayments-$version.tar.gz" ./bindings-python; do
        python3 -m venv --clear "$work/venv"
        "$work/venv/bin/pip" install -q "$name"
        pay "Python, ${name##*/}" "$work/venv/bin/python" "$tests/pay.py" "$configuration"
    done

    # The crates find each other here, and not in the public registry.
    printf '[workspace]\nmembers = ["*"]\nresolver = "3"\n\n[patch.crates-io]\n' >"$crates/Cargo.toml"
    for name in "${published_crates[@]/#/payments-}"; do
        tar -xzf "$packages/$name-$version.crate" -C "$crates"
        echo "$name = { path = \"$name-$version\" }" >>"$crates/Cargo.toml"
    done
    cargo install --quiet --debug --root "$work" --path "$crates/payments-cli-$version"
    demo "payments-cli-$version.crate" "$work/bin/payments"
    cargo install --quiet --locked --root "$work" --path cli
    demo "cargo install" "$work/bin/payments"

    node_project source-node "$root/bindings-node"
    pay_in "$scratch/source-node" "Node, bindings-node" node pay.mjs "$configuration"
    make --no-print-directory build
    make --no-print-directory install DESTDIR="$work/root" PREFIX=/usr >/dev/null
    (
        cd "$shop"
        export COMPOSER_ALLOW_SUPERUSER=1 COMPOSER_HOME="$scratch/composer"
        composer init -n --name shop/shop
        composer config repositories.libpayments path "$root/bindings-php"
        composer config repositories.packagist.org false
        composer require --quiet libpayments/libpayments:@dev
    )
    pay "PHP, bindings-php" env LIBPAYMENTS_LIBRARY="$(find "$work/root" -name "libpayments.so.$abi")" \
        php "$tests/pay.php" "$shop/vendor/autoload.php" "$configuration"
    unset CARGO_TARGET_DIR
}

# Packs the builds of `make test` instead of dist/: debug builds of the wheel
# and the addon, and the release build of the C library.
pack_smoke() {
    local name
    name="libpayments-$version-$(uname -m)-linux-gnu"
    scripts/build.sh
    make --no-print-directory build
    scripts/test-python.sh --only-install
    packages="$scratch/packages"
    mkdir -p "$packages"
    cp "$target"/python/dist/*.whl "$packages"
    node bindings-node/scripts/pack.mjs "$packages" - "$target/debug/libpayments_node.so" \
        "$(node bindings-node/scripts/platform.mjs)"
    RELOCATABLE=1 PREFIX=/ LIBDIR=/lib INCLUDEDIR=/include DESTDIR="$scratch/stage/$name" \
        scripts/install.sh >/dev/null
    tar -czf "$packages/$name.tar.gz" -C "$scratch/stage" "$name"
}

# shellcheck source=scripts/dist/systems.sh
. scripts/dist/systems.sh
# shellcheck source=scripts/dist/foreign.sh
. scripts/dist/foreign.sh
# shellcheck source=scripts/dist/windows.sh
. scripts/dist/windows.sh

rm -rf "$scratch"
mkdir -p "$scratch"
if [[ "$*" == smoke ]]; then
    pack_smoke
    start_sandbox "$target/debug/payments"
    test_python
    test_node
    test_c
    exit
fi

scripts/setup.sh test-dist
# All packages are tested against this sandbox, including the packaged command.
cargo build --quiet --locked -p payments-cli
start_sandbox "$target/debug/payments"
[[ $# -gt 0 ]] || set -- platforms python node command c debian php newest musl aarch64 windows symbols source
for part in "$@"; do
    printf '\n== packages: %s (at %d s)\n' "$part" "$SECONDS"
    case "$part" in
        python) test_python libpayments-sandbox ;;
        node)
            test_node
            test_runtimes
            ;;
        platforms) scripts/check-platforms.sh ;;
        command | c | debian | php | newest | musl | aarch64 | windows | symbols | source) "test_$part" ;;
        *) fail "unknown part \"$part\"" ;;
    esac
done
(cd dist && sha256sum --quiet --check SHA256SUMS)
printf '\n== packages: passed, %d payments\n' "$number"
