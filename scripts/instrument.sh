# Sourced by coverage.sh and walk.sh: rustc instruments this repository, and $llvm is the
# version of the tools that read its profiles.
#
# Usage: . scripts/instrument.sh FOLDER
# shellcheck shell=bash

# The format of a profile is that of the compiler's LLVM.
llvm="$(rustc -vV | sed -n 's/^LLVM version: \([0-9]*\).*/\1/p')"
scripts/setup.sh coverage
if ! command -v "llvm-cov-$llvm" >/dev/null; then
    echo "coverage: rustc needs llvm-cov-$llvm (Debian package: llvm-$llvm)" >&2
    exit 1
fi
mkdir -p "$1"
cat >"$1/rustc" <<'SH'
#!/bin/sh
exec "$@" -Cinstrument-coverage
SH
chmod +x "$1/rustc"
export RUSTC_WORKSPACE_WRAPPER="$1/rustc"
