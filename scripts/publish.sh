#!/usr/bin/env bash
# Publishes the packages in dist/, one registry at a time, for
# .github/workflows/release.yml. `make release-dry-run` walks the same order.
#
# Usage: scripts/publish.sh crates|npm|python
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
# shellcheck source=scripts/dist/common.sh
. scripts/dist/common.sh

(cd dist && sha256sum --quiet --check SHA256SUMS)
case "${1:-}" in
    crates)
        scripts/dist/crates.sh --no-verify
        for name in core sandbox cli; do
            # Waits until the registry has it.
            (cd "$target/dist/crates" && cargo publish --locked --no-verify -p "payments-$name")
        done
        ;;
    npm)
        # Platforms first: what depends on them comes last.
        for file in $(compgen -G "dist/libpayments-*-$version.tgz" | grep -E -- '-(linux|darwin|win32)-') \
            "dist/libpayments-sandbox-$version.tgz" "dist/libpayments-$version.tgz"; do
            npm publish --provenance --ignore-scripts --access public "./$file"
        done
        ;;
    python)
        # An action uploads them, with attestations.
        mkdir -p "$target/dist/python"
        cp dist/*.whl "dist/libpayments-$version.tar.gz" "$target/dist/python"
        ;;
    *)
        echo "usage: scripts/publish.sh crates|npm|python" >&2
        exit 2
        ;;
esac
