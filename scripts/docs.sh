#!/usr/bin/env bash
# Builds the book of docs/ into target/book/html and checks its links, or shows
# it on loopback.
#
# Usage: scripts/docs.sh [serve]
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

target="${CARGO_TARGET_DIR:-target}"
book="$target/book"
scripts/tool.sh mdbook
cargo xtask book "$book/source"
cp docs/book.toml docs/tabs.js docs/tabs.css "$book"
"$target/tools/bin/mdbook" build "$book"
cargo xtask book --check "$book/html"
[[ "${1:-}" != serve ]] || python3 -m http.server --bind 127.0.0.1 --directory "$book/html" 3000
