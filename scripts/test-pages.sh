#!/usr/bin/env bash
# Follows README, the getting-started pages and those of the frameworks, as a reader
# does: tests/pages/follow.py. Packages of others come from their registries.
#
# Usage: scripts/test-pages.sh [first | PAGE...]
#
# `first` follows the pages of the first payment that need no long build, and Django's.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

pages=("$@")
if [[ $# -eq 0 ]]; then
    pages=(README.md docs/getting-started/*.md docs/frameworks/*.md)
    scripts/setup.sh test python node frameworks-php shops
elif [[ "$1" == first ]]; then
    pages=(docs/getting-started/{c,command,node,php,python}.md docs/frameworks/django.md)
    scripts/setup.sh test python node
fi
scripts/test-python.sh --only-install
scripts/build.sh
python3 tests/pages/follow.py "${CARGO_TARGET_DIR:-target}" "${pages[@]}"
