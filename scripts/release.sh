#!/usr/bin/env bash
# Publishes the packages in dist/, one registry at a time, for the workflow
# release.yml. What a registry already has is left alone, so a run that broke off can
# be repeated. Without an argument, walks the order of a release and publishes
# nothing (`make release-dry-run`): each registry's own client checks its packages.
#
# Usage: scripts/release.sh [crates|npm|python|composer|files]
#
# RELEASING.md has the steps for a maintainer only.
set -euo pipefail
shopt -s extglob inherit_errexit
cd "$(dirname "${BASH_SOURCE[0]}")/.."
# shellcheck source=scripts/dist/common.sh
. scripts/dist/common.sh

# Prints the packages whose names match. There must be one.
packages() {
    compgen -G "dist/$1" || {
        echo "release: dist/ has no $1" >&2
        exit 1
    }
}

# Publishes a package by the rest of the words, unless this is a walk, or the first
# command finds the package in the registry.
publish() {
    if [[ -n "${WALK:-}" ]]; then
        echo "$2"
    elif $1 "$2" >/dev/null 2>&1; then
        echo "release: $2 is there already"
    else
        "${@:3}"
    fi
}

release_crates() {
    local name
    scripts/dist/crates.sh --no-verify
    cd "$target/pack/crates"
    for name in "${published_crates[@]/#/payments-}"; do
        # Packed again, and still the same.
        cmp "$OLDPWD/dist/$name-$version.crate" "$target/crates/package/$name-$version.crate"
        # Waits until the registry has it.
        publish "cargo info --quiet --registry crates-io" "$name@$version" \
            cargo publish --locked --no-verify -p "$name"
    done
}

# npm prints nothing, and does not fail, if it has the package in other versions.
is_on_npm() {
    [[ -n "$(npm view "$1" version)" ]]
}

# Platforms first: what depends on them comes last.
release_npm() {
    local pattern files file name
    for name in $(node -p 'require("./bindings-node/lib/platforms.js").PLATFORMS.map((it) => it.name).join(" ")'); do
        packages "libpayments-$name-$version.tgz" >/dev/null
    done
    for pattern in '*-@(linux|darwin|win32)-*' '-sandbox' ''; do
        files="$(packages "libpayments$pattern-$version.tgz")"
        for file in $files; do
            [[ -z "${WALK:-}" ]] || npm publish --dry-run --ignore-scripts --access public "./$file"
            name="$(tar -xzOf "$file" package/package.json | node -p 'JSON.parse(fs.readFileSync(0, "utf8")).name')"
            publish is_on_npm "$name@$version" \
                npm publish --provenance --ignore-scripts --access public "./$file"
        done
    done
}

# An action uploads them, with attestations.
release_python() {
    local files
    files="$(packages '*.whl') $(packages "libpayments-$version.tar.gz")"
    scripts/tool.sh twine
    # shellcheck disable=SC2086 # Words.
    "$tools/twine/bin/twine" check --strict $files
    mkdir -p "$target/pack/python"
    # shellcheck disable=SC2086 # Words.
    cp $files "$target/pack/python"
}

# Each archive becomes a tag of a repository that Packagist reads.
release_composer() {
    local name file
    for name in libpayments libpayments-sandbox; do
        file="$(packages "$name-php-$version.zip")"
        mkdir -p "$target/pack"
        unzip -p "$file" composer.json >"$target/pack/composer.json"
        composer validate --quiet --no-check-publish "$target/pack/composer.json"
        echo "$file"
    done
}

# A draft has no tag: a maintainer signs and pushes it, and publishes the draft.
release_files() {
    local name
    for name in 'payments-*.tar.gz' 'libpayments-*-*.tar.gz' SHA256SUMS; do
        packages "$name"
    done
    packages '*.deb' | xargs -n 1 dpkg-deb --info >/dev/null
    [[ -z "${WALK:-}" ]] || return 0
    if ! gh release view "v$version" >/dev/null 2>&1; then
        awk -v section="## [$version]" 'index($0, "## [") == 1 { on = index($0, section) == 1; next } on' \
            CHANGELOG.md >"$target/release.md"
        gh release create "v$version" --draft --title "$version" --notes-file "$target/release.md" \
            --target "$(git rev-parse HEAD)"
    fi
    gh release upload "v$version" --clobber dist/*
}

if [[ $# -gt 0 ]]; then
    # Those that were attested.
    (cd dist && sha256sum --quiet --check SHA256SUMS)
    "release_$1"
    exit
fi
scripts/setup.sh release
failed=()
cargo xtask release-check || failed+=(release-check)
for part in crates npm python composer files; do
    printf '\n######## release: %s\n' "$part"
    WALK=1 scripts/release.sh "$part" || failed+=("$part")
done
printf '\nthen the tag: git tag -s v%s && git push origin v%s\n' "$version" "$version"
[[ ${#failed[@]} -eq 0 ]] || {
    echo "release: not ready, see above: ${failed[*]}" >&2
    exit 1
}
