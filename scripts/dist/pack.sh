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

# The PHP loader finds the library by the names of CPU and libc or system. The command is
# for all CPUs, as a development dependency.
pack_php() {
    local package="$work/package" sandbox="$work/sandbox" name
    mkdir -p "$package"
    (cd bindings-php && git ls-files -z -- . ':!tests' ':!benches' ':!*.dist' ':!CONTRIBUTING.md' ':!src/*.md' |
        xargs -0 cp --parents -t "$package")
    node scripts/dist/readme.mjs bindings-php "$package/README.md"
    cp -r cli/composer "$sandbox"
    cp cli/npm/README.md "$sandbox"
    for name in "${targets[@]}"; do
        describe "$name"
        install -D -m 0644 "$target/dist/$name/$library" "$package/lib/$php_library"
        [[ -z "$php_command" ]] || install -D -m 0755 "$target/dist/$name/$command" "$sandbox/lib/$php_command/$command"
    done
    add_notices ffi-c "$package"
    pack_composer libpayments-php "$package"
    add_notices cli "$sandbox"
    [[ ! -d "$sandbox/lib" ]] || pack_composer libpayments-sandbox-php "$sandbox"
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
(cd "$dist" && sha256sum -- * >SHA256SUMS)
ls -l "$dist"
