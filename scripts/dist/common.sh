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

# In the order of a release: each after those that it needs.
published_crates=(base transport core host sandbox cli)

# The Rust targets of the packages.
all_targets=({x86_64,aarch64}-unknown-linux-{gnu,musl} x86_64-pc-windows-gnu)
# These need Apple's linker and system libraries: run `make dist` on such a machine.
apple_targets=({x86_64,aarch64}-apple-darwin)
# Those of developers' laptops, which `make check-platforms` compiles.
checked_targets=(x86_64-pc-windows-gnu "${apple_targets[@]}")

# Sets the names for a target: zig's, that of archives, npm's, the file of the library
# in the package for Composer, and the folder of the command there, if this build of
# it runs with every libc; and the names of the built files.
describe() {
    local rows="
        x86_64-unknown-linux-gnu x86_64-linux-gnu.$glibc x86_64-linux-gnu linux-x64-gnu x86_64-gnu/libpayments.so.$abi
        aarch64-unknown-linux-gnu aarch64-linux-gnu.$glibc aarch64-linux-gnu linux-arm64-gnu aarch64-gnu/libpayments.so.$abi
        x86_64-unknown-linux-musl x86_64-linux-musl x86_64-linux-musl linux-x64-musl x86_64-musl/libpayments.so.$abi Linux-x86_64
        aarch64-unknown-linux-musl aarch64-linux-musl aarch64-linux-musl linux-arm64-musl aarch64-musl/libpayments.so.$abi Linux-aarch64
        x86_64-pc-windows-gnu x86_64-windows-gnu x86_64-windows win32-x64 x86_64-windows/payments.dll Windows-x86_64
        x86_64-apple-darwin x86_64-macos x86_64-macos darwin-x64 x86_64-macos/libpayments.$abi.dylib Darwin-x86_64
        aarch64-apple-darwin aarch64-macos aarch64-macos darwin-arm64 aarch64-macos/libpayments.$abi.dylib Darwin-arm64"
    read -r _ zig_target platform npm_name php_library php_command < <(grep "^ *$1 " <<<"$rows") || {
        echo "dist: unknown target \"$1\"; the targets are ${all_targets[*]} ${apple_targets[*]}" >&2
        return 2
    }
    case "$1" in
        *-linux-*) library=libpayments.so addon=libpayments_node.so command=payments ;;
        *-apple-darwin) library=libpayments.dylib addon=libpayments_node.dylib command=payments ;;
        *-windows-*) library=payments.dll addon=payments_node.dll command=payments.exe ;;
    esac
}

# Lets cargo build the standard library for a target that rustc has none for.
build_std() {
    RUSTC="$(CARGO_TARGET_DIR="$target" scripts/dist/std.sh)"
    # That needs unstable flags.
    export RUSTC RUSTC_BOOTSTRAP=1 CARGO_UNSTABLE_BUILD_STD=std,panic_unwind
}
has_std() {
    [[ -d "$(rustc --print target-libdir --target "$1" 2>/dev/null)" ]]
}

# Debian's name of a CPU.
architecture_of() {
    case "$1" in
        x86_64*) echo amd64 ;;
        aarch64*) echo arm64 ;;
    esac
}

add_notices() {
    cp LICENSE-MIT LICENSE-APACHE "$notices/$1"/* "$2"
}

# Creates a reproducible archive of a folder in another.
pack_tar() {
    tar --sort=name --mtime="@$SOURCE_DATE_EPOCH" --owner=0 --group=0 --numeric-owner --mode="$modes" \
        -C "${2%/*}" -c "${2##*/}" | gzip -9n >"$1/${2##*/}.tar.gz"
}
