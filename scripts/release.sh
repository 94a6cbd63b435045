#!/usr/bin/env bash
# Walks the order of a release with the packages in dist/, and publishes nothing
# (`make release-dry-run`). Each registry's own client checks its packages.
#
# Usage: scripts/release.sh
#
# scripts/publish.sh publishes in the same order, for the workflow release.yml.
# RELEASING.md has the steps for a maintainer only.
set -euo pipefail
shopt -s extglob
cd "$(dirname "${BASH_SOURCE[0]}")/.."
# shellcheck source=scripts/dist/common.sh
. scripts/dist/common.sh

scripts/setup.sh release
twine=6.2.0
problems=0

step() {
    printf '\n######## release: %s\n' "$1"
}

# Problems that must be fixed before a release; the walk continues.
problem() {
    printf 'release: not ready: %s\n' "$1" >&2
    problems=$((problems + 1))
}

# Puts the packages whose names match into $found. None is a problem.
find_packages() {
    mapfile -t found < <(compgen -G "dist/$1")
    [[ ${#found[@]} -gt 0 ]] || problem "dist/ has no $1"
}

step "what must be true before"
cargo xtask release-check || problem "cargo xtask release-check"
(cd dist && sha256sum --quiet --check SHA256SUMS) || problem "dist/ and its SHA256SUMS: make dist"

step "1. crates, each after those that it needs: base, transport, core, host, sandbox, cli"
scripts/dist/crates.sh --no-verify || problem "cargo publish"

step "2. npm: platforms first, then what depends on them"
for name in '*-@(linux|darwin|win32)-*' '-sandbox' ''; do
    find_packages "libpayments$name-$version.tgz"
    for file in "${found[@]}"; do
        npm publish --dry-run --ignore-scripts --access public "./$file" 2>&1 | tail -n 1 || problem "$file"
    done
done
# shellcheck disable=SC2016 # For Node.
tar -xzOf "dist/libpayments-$version.tgz" package/package.json | node -e '
const { optionalDependencies } = JSON.parse(require("node:fs").readFileSync(0, "utf8"));
const { PLATFORMS, packageOf } = require("./bindings-node/lib/platforms.js");
const missing = PLATFORMS.map(packageOf).filter((name) => !(name in optionalDependencies));
if (missing.length > 0) {
  console.error(`libpayments for npm lacks ${missing.join(", ")}: gather the packages of all machines`);
  process.exit(1);
}
' || problem "libpayments for npm"

step "3. PyPI: wheels and the source distribution"
if [[ "$(cat "$tools/twine/requirements" 2>/dev/null)" != "$twine" ]]; then
    python3 -m venv --clear "$tools/twine"
    "$tools/twine/bin/pip" install -q --disable-pip-version-check "twine==$twine"
    echo "$twine" >"$tools/twine/requirements"
fi
for name in '*.whl' "libpayments-$version.tar.gz"; do
    find_packages "$name"
    [[ ${#found[@]} -eq 0 ]] || "$tools/twine/bin/twine" check --strict "${found[@]}" || problem "twine check"
done

step "4. Composer: each archive becomes a tag of a repository that Packagist reads"
for name in libpayments libpayments-sandbox; do
    find_packages "$name-php-$version.zip"
    for file in "${found[@]}"; do
        unzip -p "$file" composer.json >"$target/dist/composer.json"
        composer validate --quiet --no-check-publish "$target/dist/composer.json" || problem "$file: composer validate"
        echo "$file"
    done
done

step "5. files of the release: Debian packages, archives, those above, and SHA256SUMS"
for name in '*.deb' 'payments-*.tar.gz' 'libpayments-*-*.tar.gz' SHA256SUMS; do
    find_packages "$name"
    for file in "${found[@]}"; do
        [[ "$file" != *.deb ]] || dpkg-deb --info "$file" >/dev/null || problem "$file"
        echo "$file"
    done
done

step "6. the tag, when all registries have the packages; then the draft of the release is published"
echo "git tag -s v$version && git push origin v$version"

[[ "$problems" -eq 0 ]] || {
    printf '\nrelease: %d problems, above\n' "$problems" >&2
    exit 1
}
