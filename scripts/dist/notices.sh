#!/usr/bin/env bash
# Writes the notices for each crate into target/dist/notices/CRATE: the licenses
# of everything it contains, and a CycloneDX list of its dependencies.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
# shellcheck source=scripts/dist/common.sh
. scripts/dist/common.sh

crates=(ffi-c bindings-node bindings-python cli)
licenses="$notices/THIRD-PARTY-LICENSES.txt"
rm -rf "$notices"
mkdir -p "$notices"

python3 scripts/dist/licenses.py payments-ffi payments-node payments-python payments-cli >"$licenses"

# Always written beside each Cargo.toml; the program has no option to change it.
name=dist-sbom
"$tools/bin/cargo-cyclonedx" cyclonedx --format json --spec-version 1.5 --no-build-deps \
    --target all --override-filename "$name"
for crate in "${crates[@]}"; do
    mkdir "$notices/$crate"
    cp "$licenses" "$notices/$crate"
    sed "s#path+file://$PWD#path+file://libpayments#g" "$crate/$name.json" \
        >"$notices/$crate/sbom.cdx.json"
    if grep -qF "$PWD" "$notices/$crate/sbom.cdx.json"; then
        echo "dist: the SBOM of $crate names a folder of this machine" >&2
        exit 1
    fi
done
git ls-files -z '*Cargo.toml' | xargs -0 dirname | while read -r folder; do
    rm -f "$folder/$name.json"
done
