# Shared by the scripts of `make dist`, which source it from the workspace root.
# shellcheck shell=bash disable=SC2034 # Used by those that source it.

target="$(realpath -m "${CARGO_TARGET_DIR:-target}")"
tools="$target/tools"
venv="$tools/dist"
notices="$target/dist/notices"
cargo_home="$(realpath -m "${CARGO_HOME:-$HOME/.cargo}")"
version="$(sed -nE '/^\[workspace.package\]/,/^$/s/^version = "(.*)"/\1/p' Cargo.toml)"
abi="$(<ffi-c/abi/version)"
# Packed files get the date of the commit.
SOURCE_DATE_EPOCH="${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}"
export SOURCE_DATE_EPOCH
# Packed files have the same modes everywhere, whatever those of the checkout are.
umask 022
modes=u=rwX,go=rX,a-s

# The oldest supported glibc, that of manylinux2014.
glibc=2.17

zig_folder() {
    "$venv/bin/python" -c 'import ziglang; print(ziglang.__path__[0])'
}

# The Rust targets of the packages: `zig_target_of` knows each.
all_targets=({x86_64,aarch64}-unknown-linux-{gnu,musl} x86_64-pc-windows-gnu)
# These need Apple's linker and system libraries: run `make dist` on such a machine.
apple_targets=({x86_64,aarch64}-apple-darwin)
# Those of developers' laptops, which `make check-platforms` compiles.
checked_targets=(x86_64-pc-windows-gnu "${apple_targets[@]}")

# Whether this machine packs the packages for every platform: the crates and the
# source distribution. One kind of machine does, since compressors differ.
packs_sources() {
    [[ "$(uname -s)" == Linux ]]
}

zig_target_of() {
    case "$1" in
        x86_64-unknown-linux-gnu) echo "x86_64-linux-gnu.$glibc" ;;
        aarch64-unknown-linux-gnu) echo "aarch64-linux-gnu.$glibc" ;;
        x86_64-unknown-linux-musl) echo x86_64-linux-musl ;;
        aarch64-unknown-linux-musl) echo aarch64-linux-musl ;;
        x86_64-pc-windows-gnu) echo x86_64-windows-gnu ;;
        x86_64-apple-darwin) echo x86_64-macos ;;
        aarch64-apple-darwin) echo aarch64-macos ;;
        *)
            echo "dist: unknown target \"$1\"; the targets are ${all_targets[*]} ${apple_targets[*]}" >&2
            return 2
            ;;
    esac
}

# Prints the file names of the C library, the addon and the command for a target.
files_of() {
    case "$1" in
        *-linux-*) echo libpayments.so libpayments_node.so payments ;;
        *-apple-darwin) echo libpayments.dylib libpayments_node.dylib payments ;;
        *-windows-*) echo payments.dll payments_node.dll payments.exe ;;
    esac
}

# x86_64-linux-gnu for x86_64-unknown-linux-gnu, aarch64-macos, x86_64-windows.
platform_of() {
    case "$1" in
        *-apple-darwin) echo "${1%%-*}-macos" ;;
        *-windows-*) echo "${1%%-*}-windows" ;;
        *) echo "${1/-unknown/}" ;;
    esac
}

# Node's name of a CPU.
node_cpu_of() {
    case "$1" in
        x86_64*) echo x64 ;;
        aarch64*) echo arm64 ;;
    esac
}
