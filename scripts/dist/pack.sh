#!/usr/bin/env bash
# Packs the output of scripts/dist/build.sh into dist/.
#
# Usage: scripts/dist/pack.sh TARGET...
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
# shellcheck source=scripts/dist/common.sh
. scripts/dist/common.sh

targets=("$@")
work="$target/dist/packages"
dist="$PWD/dist"
rm -rf "$work"
mkdir -p "$work" "$dist"

# Creates a reproducible tar archive of a folder.
pack_tar() {
    tar --sort=name --mtime="@$SOURCE_DATE_EPOCH" --owner=0 --group=0 --numeric-owner \
        --mode="$modes" -C "$(dirname "$2")" -c "$(basename "$2")" | gzip -9n >"$1"
}

add_notices() {
    cp LICENSE-MIT LICENSE-APACHE "$notices/$1"/* "$2"
}

pack_python() {
    local name folder="$work/sdist/libpayments-$version"
    if packs_sources; then
        "$venv/bin/maturin" sdist -m bindings-python/Cargo.toml -o "$work/sdist" >&2
        tar -xzf "$folder.tar.gz" -C "$work/sdist"
        node scripts/dist/readme.mjs bindings-python "$folder/PKG-INFO"
        pack_tar "$dist/libpayments-$version.tar.gz" "$folder"
    fi
    for name in "${targets[@]}"; do
        cp "$target/dist/$name"/*.whl "$dist"
    done
}

# Prints the name of npm's packages for a target.
node_name_of() {
    local cpu
    cpu="$(node_cpu_of "$1")"
    case "$1" in
        *-apple-darwin) echo "darwin-$cpu" ;;
        *-windows-*) echo "win32-$cpu" ;;
        *) echo "linux-$cpu-${1##*-}" ;;
    esac
}

pack_node() {
    local name library addon command builds=() commands=()
    for name in "${targets[@]}"; do
        read -r library addon command <<<"$(files_of "$name")"
        builds+=("$target/dist/$name/$addon" "$(node_name_of "$name")")
        case "$name" in
            *-linux-gnu) ;;
            # Static, so for every libc.
            *-linux-musl) commands+=("$target/dist/$name/$command" "linux-$(node_cpu_of "$name")") ;;
            *) commands+=("$target/dist/$name/$command" "$(node_name_of "$name")") ;;
        esac
    done
    node bindings-node/scripts/pack.mjs "$dist" "$notices/bindings-node" "${builds[@]}"
    if [[ ${#commands[@]} -gt 0 ]]; then
        node cli/npm/pack.mjs "$dist" "$notices/cli" "${commands[@]}"
    fi
}

# The layout of `make install`, relocatable to any folder.
pack_c() {
    local name="$1" folder
    folder="$work/libpayments-$version-$(platform_of "$name")"
    BUILT="$target/dist/$name" STRIP=true BINUTILS="${name%%-*}-linux-gnu-" \
        RELOCATABLE=1 PREFIX=/ LIBDIR=/lib INCLUDEDIR=/include DESTDIR="$folder" scripts/install.sh >/dev/null
    add_notices ffi-c "$folder"
    cp examples/c/pay.c "$folder"
    cp ffi-c/archive.md "$folder/README.md"
    node scripts/dist/readme.mjs ffi-c "$folder/README.md"
    pack_tar "$dist/$(basename "$folder").tar.gz" "$folder"
}

pack_command() {
    local name="$1" folder library addon command
    read -r library addon command <<<"$(files_of "$name")"
    folder="$work/payments-$version-$(platform_of "$name")"
    mkdir -p "$folder"
    cp "$target/dist/$name/$command" cli/npm/README.md "$folder"
    add_notices cli "$folder"
    pack_tar "$dist/$(basename "$folder").tar.gz" "$folder"
}

# The symbols of the binaries of all packages, for debuggers.
pack_debug() {
    local name="$1" folder
    folder="$work/libpayments-debug-$version-$(platform_of "$name")"
    [[ -e "$target/dist/$name/debug" ]] || return 0
    cp -r "$target/dist/$name/debug" "$folder"
    cp LICENSE-MIT LICENSE-APACHE "$folder"
    pack_tar "$dist/$(basename "$folder").tar.gz" "$folder"
}

# The PHP loader finds the library by the names of CPU and libc or system.
pack_php() {
    local folder="$work/php" name library addon command
    mkdir -p "$folder"
    git ls-files -z -- bindings-php ':!bindings-php/tests' ':!bindings-php/benches' ':!*.dist' \
        ':!bindings-php/CONTRIBUTING.md' ':!bindings-php/src/*.md' |
        xargs -0 cp --parents -t "$folder"
    mv "$folder"/bindings-php/* "$folder"
    rmdir "$folder/bindings-php"
    node scripts/dist/readme.mjs bindings-php "$folder/README.md"
    add_notices ffi-c "$folder"
    for name in "${targets[@]}"; do
        read -r library addon command <<<"$(files_of "$name")"
        case "$name" in
            *-linux-*) set -- "${name%%-*}-${name##*-}" "libpayments.so.$abi" ;;
            *-apple-darwin) set -- "$(platform_of "$name")" "libpayments.$abi.dylib" ;;
            *) set -- "$(platform_of "$name")" "$library" ;;
        esac
        install -D -m 0644 "$target/dist/$name/$library" "$folder/lib/$1/$2"
    done
    pack_composer libpayments-php "$folder"
}

# The command for all CPUs, as a development dependency.
pack_php_sandbox() {
    local folder="$work/php-sandbox" name
    cp -r cli/composer "$folder"
    cp cli/npm/README.md "$folder"
    add_notices cli "$folder"
    for name in "${targets[@]}"; do
        case "$name" in
            *-linux-musl) install -D -m 0755 "$target/dist/$name/payments" "$folder/lib/Linux-${name%%-*}/payments" ;;
            # The name that `uname -m` prints there.
            aarch64-apple-darwin) install -D -m 0755 "$target/dist/$name/payments" "$folder/lib/Darwin-arm64/payments" ;;
            *-apple-darwin) install -D -m 0755 "$target/dist/$name/payments" "$folder/lib/Darwin-x86_64/payments" ;;
            *-windows-*) install -D -m 0755 "$target/dist/$name/payments.exe" "$folder/lib/Windows-x86_64/payments.exe" ;;
        esac
    done
    [[ ! -d "$folder/lib" ]] || pack_composer libpayments-sandbox-php "$folder"
}

# Composer takes the version of an archive from its manifest.
pack_composer() {
    sed -i "s/^    \"type\": \"library\",/    \"version\": \"$version\",\n&/" "$2/composer.json"
    python3 scripts/dist/archive.py "$dist/$1-$version.zip" "$2"
}

pack_python
pack_node
pack_php
pack_php_sandbox
for name in "${targets[@]}"; do
    pack_c "$name"
    pack_debug "$name"
    case "$name" in
        *-linux-gnu) scripts/dist/debian.sh "$name" ;;
        *) pack_command "$name" ;;
    esac
done
