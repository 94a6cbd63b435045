#!/usr/bin/env bash
# Runs a build command, such as cargo or maturin, for a Rust target.
#
# Usage: scripts/dist/within.sh TARGET COMMAND [ARGUMENT]...
#
# The C compiler and the linker are zig, so the machine's own libc and compiler
# do not matter. glibc binaries run on 2.17 and later; musl programs are static.
# For Windows, they are MinGW's GCC, linked statically; for macOS, the machine's.
# Binaries have no path of this machine. CARGO embeds the list of dependencies
# in each binary.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
# shellcheck source=scripts/dist/common.sh
. scripts/dist/common.sh

# RUSTFLAGS and CFLAGS have these paths, and no way to quote a space.
case "$PWD$target$cargo_home" in
    *[[:space:]]*)
        echo "dist: compilers are told of the paths $PWD, $target and $cargo_home: use paths without spaces" >&2
        exit 2
        ;;
esac

name="$1"
shift
describe "$name"
wrappers="$tools/zig/$name"
underscored="${name//-/_}"
upper="${underscored^^}"

mkdir -p "$wrappers"

# Writes an executable from standard input.
write_wrapper() {
    cat >"$wrappers/$1.new"
    chmod +x "$wrappers/$1.new"
    mv "$wrappers/$1.new" "$wrappers/$1"
}

write_wrapper cargo <<SH
#!/bin/sh
CARGO='$wrappers/cargo-by-name' exec '$tools/bin/cargo-auditable' auditable "\$@"
SH
# It names itself as the wrapper of rustc, and symbols depend on that text: a
# name without a folder is the same everywhere.
write_wrapper cargo-by-name <<SH
#!/bin/sh
unset CARGO
RUSTC_WORKSPACE_WRAPPER=cargo-auditable PATH='$tools/bin':"\$PATH" exec cargo "\$@"
SH

if [[ "$name" == *-apple-darwin ]]; then
    export CARGO="$wrappers/cargo" CARGO_BUILD_TARGET="$name" CARGO_TARGET_DIR="$target/cross" CARGO_PROFILE_RELEASE_STRIP=symbols \
        RUSTFLAGS="--remap-path-prefix=$PWD=. --remap-path-prefix=$cargo_home=cargo"
    exec "$@"
fi
zigbuild="$venv/bin/cargo-zigbuild"
zig="$(zig_folder)/zig"

# cargo-zigbuild adapts linker arguments for zig, which is slow; compiling only
# needs zig's name of the target.
for language in cc c++; do
    write_wrapper "$language" <<SH
#!/bin/sh
for argument; do
    shift
    case "\$argument" in
        -c) compiles=1 ;;
        --target=*) continue ;;
    esac
    set -- "\$@" "\$argument"
done
# Without optimization, zig would add checks whose functions only it links.
[ -z "\$compiles" ] || exec '$zig' $language -target $zig_target -fno-sanitize=all "\$@"
PATH='$venv/bin':"\$PATH" exec '$zigbuild' zig $language -- -target $zig_target "\$@"
SH
done
write_wrapper ar <<SH
#!/bin/sh
exec '$zig' ar "\$@"
SH

flags="-g0"
remap=()
for pair in "$PWD=." "$cargo_home=cargo" "$target=target"; do
    flags+=" -ffile-prefix-map=$pair"
    remap+=("--remap-path-prefix=$pair")
done
if [[ "$name" == *-windows-gnu ]]; then
    ln -sfn "$(command -v x86_64-w64-mingw32-gcc-posix)" "$wrappers/cc"
    ln -sfn cc "$wrappers/c++"
    ln -sfn "$(command -v x86_64-w64-mingw32-ar)" "$wrappers/ar"
    remap+=(-C target-feature=+crt-static -C "link-arg=-Wl,--no-insert-timestamp")
    export AWS_LC_SYS_PREBUILT_NASM=1 PYO3_CROSS_PYTHON_VERSION=3.10 LIBNODE_PATH="$wrappers"
    # The addon takes these functions from the program that loads it.
    {
        echo EXPORTS
        grep -rhoE '\bfn (napi|node_api)_\w+' "$cargo_home"/registry/src/*/napi-sys-*/src | sed 's/^fn //' | sort -u
    } >"$wrappers/node.def"
    x86_64-w64-mingw32-dlltool -d "$wrappers/node.def" -D node.exe -l "$wrappers/libnode.dll"
fi
if [[ "$name" == *musl ]]; then
    # zig provides musl and its startup files.
    remap+=(-C link-self-contained=no -C target-feature=-crt-static)
fi
if ! has_std "$name"; then
    build_std
    remap+=("--remap-path-prefix=${RUSTC%/*}=rust")
fi
export "CC_$underscored=$wrappers/cc" "CXX_$underscored=$wrappers/c++" \
    "AR_$underscored=$wrappers/ar" "CFLAGS_$underscored=$flags" \
    "CARGO_TARGET_${upper}_LINKER=$wrappers/cc" "ZIG_GLOBAL_CACHE_DIR=$tools/zig/cache"
# The same for maturin, so that both share compiled crates. build.sh separates
# what debuggers need, and finds it by the build id.
export CARGO_PROFILE_RELEASE_STRIP=none CARGO_PROFILE_RELEASE_DEBUG=line-tables-only
remap+=(-C "link-arg=-Wl,--build-id=sha1")
export CARGO="$wrappers/cargo" CARGO_BUILD_TARGET="$name" CARGO_TARGET_DIR="$target/cross" \
    RUSTFLAGS="${remap[*]}"
exec "$@"
