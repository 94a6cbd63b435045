#!/usr/bin/env bash
# Runs a command that builds for a target of Rust, such as cargo or maturin.
#
# Usage: scripts/dist/within.sh TARGET COMMAND [ARGUMENT]...
#
# The C compiler and the linker are zig, so the machine's own libc and compiler
# do not matter. Binaries for glibc run with 2.17 and later; programs for musl
# are static. No path of this machine is in them. CARGO adds the list of
# dependencies to each binary.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
# shellcheck source=scripts/dist/common.sh
. scripts/dist/common.sh

name="$1"
shift
zig_target="$(zig_target_of "$name")"
wrappers="$tools/zig/$name"
underscored="${name//-/_}"
upper="${underscored^^}"

# cargo-zigbuild drops the arguments that zig does not know.
write_wrapper() {
    local file="$wrappers/$1"
    shift
    printf '#!/bin/sh\nexec %s "$@"\n' "$*" >"$file.new"
    chmod +x "$file.new"
    mv "$file.new" "$file"
}

mkdir -p "$wrappers"
zig="'$venv/bin/cargo-zigbuild' zig"
write_wrapper cc "$zig cc -- -target $zig_target"
write_wrapper c++ "$zig c++ -- -target $zig_target"
write_wrapper ar "$zig ar --"
write_wrapper cargo "env -u CARGO '$tools/bin/cargo-auditable' auditable"

flags="-g0"
remap=()
for pair in "$PWD=." "$cargo_home=cargo" "$target=target"; do
    flags+=" -ffile-prefix-map=$pair"
    remap+=("--remap-path-prefix=$pair")
done
if [[ "$name" == *musl ]]; then
    # zig has the files that start a program, and its own musl.
    remap+=(-C link-self-contained=no -C target-feature=-crt-static)
fi
if [[ ! -d "$(rustc --print target-libdir --target "$name" 2>/dev/null)" ]]; then
    RUSTC="$(scripts/dist/std.sh)"
    # The switches that build a standard library are unstable.
    export RUSTC RUSTC_BOOTSTRAP=1 CARGO_UNSTABLE_BUILD_STD=std,panic_unwind
    remap+=("--remap-path-prefix=${RUSTC%/*}=rust")
fi
export "CC_$underscored=$wrappers/cc" "CXX_$underscored=$wrappers/c++" \
    "AR_$underscored=$wrappers/ar" "CFLAGS_$underscored=$flags" \
    "CARGO_TARGET_${upper}_LINKER=$wrappers/cc"
# Without these, it would ask Python for zig, and zig for its version, each time.
CARGO_ZIGBUILD_ZIG_PATH="$("$venv/bin/python" -c 'import ziglang; print(ziglang.__path__[0])')/zig"
CARGO_ZIGBUILD_ZIG_VERSION="$("$CARGO_ZIGBUILD_ZIG_PATH" version)"
export CARGO_ZIGBUILD_ZIG_PATH CARGO_ZIGBUILD_ZIG_VERSION
# As maturin has it, so that both use what one has compiled.
export CARGO_PROFILE_RELEASE_STRIP=symbols
export CARGO="$wrappers/cargo" CARGO_BUILD_TARGET="$name" CARGO_TARGET_DIR="$target/cross" \
    RUSTFLAGS="${remap[*]}"
exec "$@"
