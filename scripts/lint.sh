#!/usr/bin/env bash
# The parts of `make lint` that need other tools.
#
# Usage: scripts/lint.sh dependencies|advisories|javascript|scripts|workflows
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

tools="${CARGO_TARGET_DIR:-target}/tools"

# Unused exceptions are errors, to keep deny.toml accurate. Advisories are left
# out; deny.toml says why.
check_dependencies() {
    deny check \
        -D license-exception-not-encountered -D license-not-encountered \
        -D unmatched-skip -D unnecessary-skip \
        licenses bans sources
}

deny() {
    scripts/tool.sh deny
    "$tools/deny/bin/cargo-deny" "$@"
}

# Formats and lints. Generated files are exempt.
check_javascript() {
    scripts/tool.sh biome
    "$tools/biome/node_modules/.bin/biome" ci --error-on-warnings
}

check_scripts() {
    # php -l reports valid files on standard output.
    git ls-files -z --cached --others --exclude-standard -- '*.php' bindings-php/bin |
        xargs -0 -n 1 -P 2 php -l >/dev/null
    phpcs --standard=bindings-php/phpcs.xml.dist bindings-php examples/php examples/reference examples/shop \
        examples/tests/php tests/fleet tests/pages/composer
    git ls-files -z --cached --others --exclude-standard -- '*.sh' .ci .githooks cli/composer/bin \
        ':!examples/reference' | xargs -0 shellcheck -x
    shellcheck --shell=sh examples/reference/*.sh
}

# Compares GitHub's workflows with their schema, which is in the wheel.
check_workflows() {
    scripts/tool.sh check-jsonschema
    "$tools/check-jsonschema/bin/check-jsonschema" --builtin-schema vendor.github-workflows \
        .github/workflows/*.yml
}

# Needs the network.
check_advisories() {
    deny check advisories
}

declare -F "check_${1:-}" >/dev/null || {
    echo "usage: scripts/lint.sh dependencies|advisories|javascript|scripts|workflows" >&2
    exit 2
}
"check_$1"
