#!/usr/bin/env bash
# Builds the book of docs/ into target/book/html and checks its links, or shows
# it on loopback.
#
# Usage: scripts/docs.sh build|serve
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

target="${CARGO_TARGET_DIR:-target}"
book="$target/book"

build() {
    scripts/tool.sh mdbook
    cargo xtask book "$book/source"
    cp docs/book.toml docs/tabs.js docs/tabs.css "$book"
    "$target/tools/bin/mdbook" build "$book"
    cargo xtask book --check "$book/html"
}

case "${1:-}" in
    build)
        build
        ;;
    serve)
        build
        python3 -m http.server --bind 127.0.0.1 --directory "$book/html" 3000
        ;;
    *)
        echo "usage: scripts/docs.sh build|serve" >&2
        exit 2
        ;;
esac
