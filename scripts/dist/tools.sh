#!/usr/bin/env bash
# Provides what `make dist` needs beside the Rust toolchain: in the build folder,
# but for packages of the system.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

# zig is the C compiler and the linker: it has the headers and symbol versions
# of every glibc and musl. cargo-zigbuild translates the arguments of rustc.
requirements=(ziglang==0.15.2 cargo-zigbuild==0.24.0 maturin==1.16.0 wheel==0.45.1)

scripts/setup.sh dist
scripts/cargo-tool.sh cargo-auditable 0.7.7
scripts/cargo-tool.sh cargo-cyclonedx 0.5.9

venv="${CARGO_TARGET_DIR:-target}/tools/dist"
if [[ "$(cat "$venv/requirements" 2>/dev/null)" != "${requirements[*]}" ]]; then
    python3 -m venv --clear "$venv"
    "$venv/bin/pip" install -q --disable-pip-version-check "${requirements[@]}"
    echo "${requirements[*]}" >"$venv/requirements"
fi
