#!/usr/bin/env bash
# The parts of `make lint` that other programs do.
#
# Usage: scripts/lint.sh documentation|dependencies|javascript|scripts
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

# Exact versions, so that the same tree gets the same verdict everywhere.
cargo_deny_version=0.20.2
biome_version=2.6.8
tools="${CARGO_TARGET_DIR:-target}/tools"

# Installed without optimization, which takes a quarter of the time, into the
# build folder, which `make clean` removes.
install_cargo_deny() {
    if [[ "$("$tools/bin/cargo-deny" --version 2>&1)" == "cargo-deny $cargo_deny_version" ]]; then
        return
    fi
    CARGO_PROFILE_DEV_DEBUG=false CARGO_TARGET_DIR="$tools/build" \
        cargo install --locked --debug --force --root "$tools" \
        --version "=$cargo_deny_version" cargo-deny
    rm -rf "$tools/build"
}

check_documentation() {
    RUSTDOCFLAGS="-D warnings" cargo doc --locked --workspace --no-deps
}

# An exception that nothing needs any more is an error, so that deny.toml stays
# true. Advisories are left out here; deny.toml says why.
check_dependencies() {
    install_cargo_deny
    "$tools/bin/cargo-deny" check \
        -D license-exception-not-encountered -D license-not-encountered \
        -D unmatched-skip -D unnecessary-skip \
        licenses bans sources
}

# Format and lint. Generated files are as their generator writes them.
check_javascript() {
    local biome="$tools/biome/node_modules/.bin/biome"
    if [[ "$("$biome" --version 2>&1)" != "Version: $biome_version" ]]; then
        npm install --silent --no-save --prefix "$tools/biome" "@biomejs/biome@$biome_version"
    fi
    "$biome" ci --error-on-warnings
}

check_scripts() {
    # Of files that are well formed, php -l says so on standard output.
    git ls-files -z --cached --others --exclude-standard -- '*.php' bindings-php/bin |
        xargs -0 -n 1 -P 2 php -l >/dev/null
    phpcs --standard=bindings-php/phpcs.xml.dist bindings-php examples/php tests/fleet
    shellcheck .ci/run scripts/*.sh
}

case "${1:-}" in
    documentation) check_documentation ;;
    dependencies) check_dependencies ;;
    javascript) check_javascript ;;
    scripts) check_scripts ;;
    *)
        echo "usage: scripts/lint.sh documentation|dependencies|javascript|scripts" >&2
        exit 2
        ;;
esac
