#!/usr/bin/env bash
# Gathers the packages that several machines built, as one release.
#
# Usage: scripts/dist/gather.sh OUT FOLDER...     (each the dist/ of one machine)
#
# A package that several machines built must be the same everywhere. Packages that
# have or name the builds of all platforms are merged from all parts: those for
# Composer, and those for npm, whose optionalDependencies are the platforms in dist/.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
# shellcheck source=scripts/dist/common.sh
. scripts/dist/common.sh

[[ $# -gt 1 ]] || {
    echo "gather: name a new folder, and those of packages, one of each machine" >&2
    exit 2
}
out="$(realpath -m "$1")"
shift
folders=()
for folder in "$@"; do
    (cd "$folder" && sha256sum --quiet --check SHA256SUMS)
    folders+=("$(realpath "$folder")")
done
work="$target/dist/gathered"
rm -rf "$work"
mkdir -p "$work"
mkdir "$out"

# Whether a package is made of the parts of all machines.
is_whole() {
    case "$1" in
        "libpayments-$version.tgz" | "libpayments-sandbox-$version.tgz" | *-php-"$version.zip") true ;;
        *) false ;;
    esac
}

# Copies a file, unless it is there. It must not differ.
add() {
    if [[ -e "$2" ]] && ! cmp -s "$1" "$2"; then
        echo "gather: ${2##*/} differs between machines: build all of one commit, with the same tools" >&2
        exit 1
    fi
    cp -p "$1" "$2"
}

# Merges the folders of a package that several machines packed.
merge() {
    local from="$1" to="$2" file
    (cd "$from" && find . -type f) | while read -r file; do
        mkdir -p "$to/$(dirname "$file")"
        add "$from/$file" "$to/$file"
    done
}

# Writes the optional dependencies of a package for npm: its platforms in dist/.
name_platforms() {
    node - "$1" "$2" "$out" <<'JS'
const { readFileSync, readdirSync, writeFileSync } = require('node:fs');
const [manifest, prefix, out] = process.argv.slice(2);
const json = JSON.parse(readFileSync(manifest, 'utf8'));
const ending = `-${json.version}.tgz`;
const names = readdirSync(out)
  .filter((file) => file.startsWith(prefix) && file.endsWith(ending))
  .map((file) => file.slice(prefix.length, -ending.length))
  .filter((platform) => /^(darwin|linux|win32)-/.test(platform));
json.optionalDependencies = Object.fromEntries(
  names.sort().map((platform) => [`@${prefix.replace('-', '/')}${platform}`, json.version]),
);
writeFileSync(manifest, `${JSON.stringify(json, null, 2)}\n`);
JS
}

repack_npm() {
    local name="$1" prefix="$2" folder manifest
    for folder in "${folders[@]}"; do
        [[ -e "$folder/$name-$version.tgz" ]] || continue
        unpack "$folder/$name-$version.tgz"
        manifest="$(<"$work/part/package/package.json")"
        rm "$work/part/package/package.json"
        merge "$work/part" "$work/$name"
    done
    [[ -e "$work/$name" ]] || return 0
    printf '%s\n' "$manifest" >"$work/$name/package/package.json"
    name_platforms "$work/$name/package/package.json" "$prefix"
    (cd "$work/$name/package" && npm pack --loglevel=error --pack-destination "$out" >/dev/null)
}

repack_composer() {
    local name="$1" folder
    for folder in "${folders[@]}"; do
        [[ -e "$folder/$name-$version.zip" ]] || continue
        unpack "$folder/$name-$version.zip"
        merge "$work/part" "$work/$name"
    done
    [[ ! -e "$work/$name" ]] || python3 scripts/dist/archive.py "$out/$name-$version.zip" "$work/$name"
}

unpack() {
    rm -rf "$work/part"
    mkdir -p "$work/part"
    case "$1" in
        *.zip) unzip -q "$1" -d "$work/part" ;;
        *) tar -xzf "$1" -C "$work/part" ;;
    esac
}

for folder in "${folders[@]}"; do
    for file in "$folder"/*; do
        name="${file##*/}"
        [[ "$name" == SHA256SUMS ]] || is_whole "$name" || add "$file" "$out/$name"
    done
done
repack_npm libpayments libpayments-
repack_npm libpayments-sandbox libpayments-sandbox-
repack_composer libpayments-php
repack_composer libpayments-sandbox-php
(cd "$out" && sha256sum -- * >SHA256SUMS)
ls -l "$out"
