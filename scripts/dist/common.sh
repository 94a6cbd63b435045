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

# The oldest supported glibc, that of manylinux2014.
glibc=2.17

zig_target_of() {
    case "$1" in
        x86_64-unknown-linux-gnu) echo "x86_64-linux-gnu.$glibc" ;;
        aarch64-unknown-linux-gnu) echo "aarch64-linux-gnu.$glibc" ;;
        x86_64-unknown-linux-musl) echo x86_64-linux-musl ;;
        aarch64-unknown-linux-musl) echo aarch64-linux-musl ;;
        *)
            echo "dist: unknown target \"$1\"; the targets are those of scripts/dist.sh" >&2
            return 2
            ;;
    esac
}
