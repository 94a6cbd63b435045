#!/usr/bin/env bash
# Makes dist/ of the folders that scripts/dist.sh filled, here or on other machines:
# target/dist/TARGET, sources and notices. Copies their packages, and packs those
# that have or name the builds of all platforms, for npm and Composer.
#
# Usage: scripts/dist/pack.sh [TARGET]...     (default: all that are there)
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
# shellcheck source=scripts/dist/common.sh
. scripts/dist/common.sh

targets=("$@")
if [[ $# -eq 0 ]]; then
    for name in "${all_targets[@]}" "${apple_targets[@]}"; do
        [[ ! -d "$target/dist/$name" ]] || targets+=("$name")
    done
fi
work="$target/pack/php"
dist="$PWD/dist"
rm -rf "$work" "$dist"
mkdir -p "$work" "$dist"

pack_node() {
    local name builds=() commands=()
    for name in "${targets[@]}"; do
        describe "$name"
        builds+=("$target/dist/$name/$addon" "$npm_name")
        [[ -z "$php_command" ]] || commands+=("$target/dist/$name/$command" "${npm_name%-musl}")
    done
    node bindings-node/scripts/pack.mjs "$dist" "$notices/bindings-node" "${builds[@]}"
    if [[ ${#commands[@]} -gt 0 ]]; then
        node cli/npm/pack.mjs "$dist" "$notices/cli" "${commands[@]}"
    fi
}

# The PHP loader finds the library by the names of CPU and libc or system.
pack_php() {
    local folder="$work/package" name
    mkdir -p "$folder"
    git ls-files -z -- bindings-php ':!bindings-php/tests' ':!bindings-php/benches' ':!*.dist' \
        ':!bindings-php/CONTRIBUTING.md' ':!bindings-php/src/*.md' |
        xargs -0 cp --parents -t "$folder"
    mv "$folder"/bindings-php/* "$folder"
    rmdir "$folder/bindings-php"
    node scripts/dist/readme.mjs bindings-php "$folder/README.md"
    add_notices ffi-c "$folder"
    for name in "${targets[@]}"; do
        describe "$name"
        install -D -m 0644 "$target/dist/$name/$library" "$folder/lib/$php_library"
    done
    pack_composer libpayments-php "$folder"
}

# The command for all CPUs, as a development dependency.
pack_php_sandbox() {
    local folder="$work/sandbox" name
    cp -r cli/composer "$folder"
    cp cli/npm/README.md "$folder"
    add_notices cli "$folder"
    for name in "${targets[@]}"; do
        describe "$name"
        [[ -z "$php_command" ]] || install -D -m 0755 "$target/dist/$name/$command" "$folder/lib/$php_command/$command"
    done
    [[ ! -d "$folder/lib" ]] || pack_composer libpayments-sandbox-php "$folder"
}

# Composer takes the version of an archive from its manifest.
pack_composer() {
    sed -i "s/^    \"type\": \"library\",/    \"version\": \"$version\",\n&/" "$2/composer.json"
    chmod -R "$modes" "$2"
    find "$2" -exec touch -d "@$SOURCE_DATE_EPOCH" {} +
    (cd "$2" && find . -type f | LC_ALL=C sort | TZ=UTC zip -q -9 -X "$dist/$1-$version.zip" -@)
}

for name in sources "${targets[@]}"; do
    cp "$target/dist/$name"/packages/* "$dist"
done
pack_node
pack_php
pack_php_sandbox
(cd "$dist" && sha256sum -- * >SHA256SUMS)
ls -l "$dist"
