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
all_targets=({x86_64,aarch64}-unknown-linux-{gnu,musl})

zig_target_of() {
    case "$1" in
        x86_64-unknown-linux-gnu) echo "x86_64-linux-gnu.$glibc" ;;
        aarch64-unknown-linux-gnu) echo "aarch64-linux-gnu.$glibc" ;;
        x86_64-unknown-linux-musl) echo x86_64-linux-musl ;;
        aarch64-unknown-linux-musl) echo aarch64-linux-musl ;;
        *-apple-darwin | *-pc-windows-*) not_built_here "$1" ;;
        *)
            echo "dist: unknown target \"$1\"; the targets are ${all_targets[*]}" >&2
            return 2
            ;;
    esac
}

# Their linkers and system libraries are on those systems only.
not_built_here() {
    cat >&2 <<TEXT
dist: $1 is not built here, and not tested. On such a system, with Rust, Python and
Node, build it in a checkout into target/release:
  cargo build --locked --release -p payments-cli -p payments-ffi
  node bindings-node/scripts/prepare.mjs
and pack the addon and the wheel into OUT:
  node bindings-node/scripts/pack.mjs OUT - bindings-node/payments.node "\$(node bindings-node/scripts/platform.mjs)"
  maturin build --locked --release -m bindings-python/Cargo.toml -o OUT
TEXT
    return 2
}
