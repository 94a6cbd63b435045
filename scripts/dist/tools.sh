#!/usr/bin/env bash
# Installs the tools `make dist` needs besides the Rust toolchain: system
# packages, and the rest in the build folder.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

# zig is the C compiler and the linker: it includes the headers and symbol
# versions of every glibc and musl. cargo-zigbuild translates rustc's arguments.
requirements=(ziglang==0.15.2 cargo-zigbuild==0.24.0 maturin==1.16.0 wheel==0.45.1)

stages=(dist)
[[ "$(uname -s)" != Linux ]] || stages+=(dist-linux)
scripts/setup.sh "${stages[@]}"
scripts/cargo-tool.sh cargo-auditable 0.7.7
scripts/cargo-tool.sh cargo-cyclonedx 0.5.9

venv="${CARGO_TARGET_DIR:-target}/tools/dist"
if [[ "$(cat "$venv/requirements" 2>/dev/null)" != "${requirements[*]}" ]]; then
    python3 -m venv --clear "$venv"
    "$venv/bin/pip" install -q --disable-pip-version-check "${requirements[@]}"
    echo "${requirements[*]}" >"$venv/requirements"
fi
