#!/usr/bin/env bash
# Writes the notices for each crate into target/dist/notices/CRATE: the licenses
# of everything it contains, and a CycloneDX list of its dependencies.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
# shellcheck source=scripts/dist/common.sh
. scripts/dist/common.sh

rm -rf "$notices"
# Always written next to each Cargo.toml; no option of the program changes this.
name=dist-sbom
remove_lists() {
    git ls-files -z '*Cargo.toml' | xargs -0 dirname | while read -r folder; do
        rm -f "$folder/$name.json"
    done
}
trap remove_lists EXIT
"$tools/bin/cargo-cyclonedx" cyclonedx --format json --spec-version 1.5 --no-build-deps \
    --target all --override-filename "$name"
zig="$(zig_folder)"
for folder in ffi-c bindings-node bindings-python cli; do
    mkdir -p "$notices/$folder"
    crate="$(sed -nE '/^\[package\]/,/^$/s/^name = "(.*)"/\1/p' "$folder/Cargo.toml")"
    python3 scripts/dist/notices.py "$crate" "$folder/$name.json" "$zig" "$notices/$folder" \
        "${all_targets[@]}" "${apple_targets[@]}"
done
