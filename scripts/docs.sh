#!/usr/bin/env bash
# Builds the book of docs/ into target/book/html, or serves it on loopback.
#
# Usage: scripts/docs.sh build|serve
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

target="${CARGO_TARGET_DIR:-target}"
tools="$target/tools"
book="$target/book"

# Pages link to READMEs, examples and the header, as on GitHub, so the book has
# the same layout and root as the repository.
gather() {
    rm -rf "$book/source"
    mkdir -p "$book/source"
    git ls-files -z --cached --others --exclude-standard -- \
        '*.md' 'LICENSE-*' docs/images examples include core/examples 'bindings-*/examples/*' |
        xargs -0 cp --parents -t "$book/source"
    rm "$book/source/docs/SUMMARY.md"
    # The landing page is README.md, beside index.html: the links of both agree.
    sed -E 's#\]\(([a-z])#](docs/\1#; s#\]\(\.\./#](#' docs/SUMMARY.md >"$book/source/SUMMARY.md"
    cp docs/book.toml "$book/book.toml"
}

case "${1:-}" in
    build)
        scripts/cargo-tool.sh mdbook 0.5.4
        gather
        "$tools/bin/mdbook" build "$book"
        ;;
    serve)
        scripts/cargo-tool.sh mdbook 0.5.4
        gather
        "$tools/bin/mdbook" serve --hostname 127.0.0.1 "$book"
        ;;
    *)
        echo "usage: scripts/docs.sh build|serve" >&2
        exit 2
        ;;
esac
