#!/usr/bin/env bash
# Writes what every build is accompanied by: the licenses of all that is inside,
# and for each crate a CycloneDX list of its dependencies. To target/dist/notices/CRATE.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
# shellcheck source=scripts/dist/common.sh
. scripts/dist/common.sh

crates=(ffi-c bindings-node bindings-python cli)
licenses="$notices/THIRD-PARTY-LICENSES.txt"
rm -rf "$notices"
mkdir -p "$notices"

python3 scripts/dist/licenses.py payments-ffi payments-node payments-python payments-cli >"$licenses"

# Beside each Cargo.toml, which the program cannot change.
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
