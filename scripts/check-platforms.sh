#!/usr/bin/env bash
# Checks all crates with their tests for the platforms of developers' laptops,
# and accepts no warning: `make check-platforms`. Compiles Rust only; C and
# linking need the compilers and system libraries of those platforms.
#
# Usage: scripts/check-platforms.sh [TARGET]...     (default: all targets)
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
# shellcheck source=scripts/dist/common.sh
. scripts/dist/common.sh

[[ $# -gt 0 ]] || set -- "${checked_targets[@]}"
export CARGO_TARGET_DIR="$target/platforms"
stand_ins="$CARGO_TARGET_DIR/stand-ins"
mkdir -p "$stand_ins"
# Crates with C get empty objects: nothing reads their contents.
cat >"$stand_ins/cc" <<'SH'
#!/bin/sh
while [ $# -gt 0 ]; do
    case "$1" in
        -o) : >"$2" ;;
        -E) echo; exit ;;
    esac
    shift
done
SH
printf '#!/bin/sh\nexit 0\n' >"$stand_ins/ar"
chmod +x "$stand_ins/cc" "$stand_ins/ar"
# Nothing reads Node's library either.
: >"$stand_ins/libnode.dll"
arguments=()
for name in "$@"; do
    arguments+=(--target "$name")
    underscored="${name//-/_}"
    export "CC_$underscored=$stand_ins/cc" "CXX_$underscored=$stand_ins/cc" "AR_$underscored=$stand_ins/ar"
    if ! has_std "$name"; then
        scripts/setup.sh platforms
        build_std
    fi
done
# AWS-LC and Apple's builds ask for more tools than that.
export AWS_LC_SYS_PREBUILT_NASM=1 SDKROOT="$stand_ins" LIBNODE_PATH="$stand_ins" PYO3_CROSS_PYTHON_VERSION=3.10
# Tests that fork, kill and trace processes are for Linux.
RUSTFLAGS="-D warnings" cargo check --locked --keep-going --workspace --bins --tests \
    --exclude payments-fork-tests --exclude payments-fleet-tests --exclude payments-exhaust-tests \
    --features payments-ffi/test-hooks,payments-python/test-hooks "${arguments[@]}"
