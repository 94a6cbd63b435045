#!/usr/bin/env bash
# Gathers packages that two machines made, with stand-ins for the builds: the
# result has the platforms of both, and packages that differ are refused.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
# shellcheck source=scripts/dist/common.sh
. scripts/dist/common.sh

work="$target/test-gather"
rm -rf "$work"
mkdir -p "$work/notices"
echo licenses >"$work/notices/THIRD-PARTY-LICENSES.txt"

# The packages that a machine makes for a platform.
make_packages() {
    local folder="$work/$1"
    mkdir -p "$folder" "$work/php-$1/lib/$1"
    echo "build for $2" >"$work/php-$1/lib/$1/library"
    echo "the same" >"$work/php-$1/common.php"
    node bindings-node/scripts/pack.mjs "$folder" "$work/notices" "$work/php-$1/lib/$1/library" "$2" >/dev/null
    node cli/npm/pack.mjs "$folder" "$work/notices" "$work/php-$1/lib/$1/library" "$3"
    python3 scripts/dist/archive.py "$folder/libpayments-php-$version.zip" "$work/php-$1"
    sum "$folder"
}

sum() {
    rm -f "$1/SHA256SUMS"
    (cd "$1" && sha256sum -- * >SHA256SUMS)
}

expect() {
    [[ "$1" == *"$2"* ]] || {
        echo "test-gather: \"$2\" is missing in: $1" >&2
        exit 1
    }
}

make_packages linux linux-x64-gnu linux-x64
make_packages mac darwin-arm64 darwin-arm64
scripts/dist/gather.sh "$work/out" "$work/linux" "$work/mac" >/dev/null
for name in libpayments libpayments-sandbox; do
    dependencies="$(tar -xzOf "$work/out/$name-$version.tgz" package/package.json)"
    prefix="@${name/-//}"
    [[ "$name" == *sandbox ]] && prefix+=- || prefix+=/
    expect "$dependencies" "\"${prefix}darwin-arm64\": \"$version\""
    expect "$dependencies" "\"${prefix}linux-x64"
done
listed="$(unzip -Z1 "$work/out/libpayments-php-$version.zip")"
for file in lib/linux/library lib/mac/library common.php; do
    expect "$listed" "$file"
done
(cd "$work/out" && sha256sum --quiet --check SHA256SUMS)
[[ "$(wc -l <"$work/out/SHA256SUMS")" -eq 7 ]]

echo "another" >"$work/php-mac/common.php"
python3 scripts/dist/archive.py "$work/mac/libpayments-php-$version.zip" "$work/php-mac"
sum "$work/mac"
if said="$(scripts/dist/gather.sh "$work/out2" "$work/linux" "$work/mac" 2>&1)"; then
    echo "test-gather: packages that differ were gathered" >&2
    exit 1
fi
expect "$said" "common.php differs between machines"
echo "packages of two machines are gathered"
