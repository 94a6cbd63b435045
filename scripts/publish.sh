#!/usr/bin/env bash
# Publishes the packages in dist/, one registry at a time, for
# .github/workflows/release.yml. `make release-dry-run` walks the same order.
# Packages that a registry already has are left alone, so a run that broke off
# can be repeated.
#
# Usage: scripts/publish.sh crates|npm|python|files
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
# shellcheck source=scripts/dist/common.sh
. scripts/dist/common.sh

# Fails unless dist/ has the attested files.
check_sums() {
    (cd dist && sha256sum --quiet --check SHA256SUMS)
}

there() {
    echo "publish: $1 is there already"
}

check_sums
case "${1:-}" in
    crates)
        scripts/dist/crates.sh --no-verify
        # Packed again, and still the same.
        check_sums
        for name in payments-{base,transport,core,host,sandbox,cli}; do
            if cargo info --quiet --registry crates-io "$name@$version" >/dev/null 2>&1; then
                there "$name"
                continue
            fi
            # Waits until the registry has it.
            (cd "$target/dist/crates" && cargo publish --locked --no-verify -p "$name")
        done
        ;;
    npm)
        # Platforms first: what depends on them comes last.
        for file in $(compgen -G "dist/libpayments-*-$version.tgz" | grep -E -- '-(linux|darwin|win32)-') \
            "dist/libpayments-sandbox-$version.tgz" "dist/libpayments-$version.tgz"; do
            name="$(tar -xzOf "$file" package/package.json | node -p 'JSON.parse(fs.readFileSync(0, "utf8")).name')"
            if [[ -n "$(npm view "$name@$version" version 2>/dev/null)" ]]; then
                there "$name"
                continue
            fi
            npm publish --provenance --ignore-scripts --access public "./$file"
        done
        ;;
    python)
        # An action uploads them, with attestations.
        mkdir -p "$target/dist/python"
        cp dist/*.whl "dist/libpayments-$version.tar.gz" "$target/dist/python"
        ;;
    files)
        # A draft has no tag: a maintainer signs and pushes it, and publishes the draft.
        mkdir -p "$target/dist"
        if ! gh release view "v$version" >/dev/null 2>&1; then
            awk -v section="## [$version]" 'index($0, "## [") == 1 { on = index($0, section) == 1; next } on' \
                CHANGELOG.md >"$target/dist/release.md"
            gh release create "v$version" --draft --title "$version" --notes-file "$target/dist/release.md" \
                --target "$(git rev-parse HEAD)"
        fi
        gh release upload "v$version" --clobber dist/*
        ;;
    *)
        echo "usage: scripts/publish.sh crates|npm|python|files" >&2
        exit 2
        ;;
esac
