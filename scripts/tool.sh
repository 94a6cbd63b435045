#!/usr/bin/env bash
# Installs programs of scripts/tools.txt into the build folder, where `make clean`
# removes them: into target/tools/NAME, and those of crates.io into target/tools/bin.
#
# Usage: scripts/tool.sh NAME...
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

tools="$(realpath -m "${CARGO_TARGET_DIR:-target}")/tools"
mkdir -p "$tools/installed"
for name in "$@"; do
    line="$(grep "^$name " scripts/tools.txt)" || {
        echo "tool: scripts/tools.txt has no \"$name\"" >&2
        exit 2
    }
    read -r _ registry words <<<"$line"
    read -r -a words <<<"$words"
    # A list of requirements counts by its contents.
    wanted="$line $(cat "${words[-1]}" 2>/dev/null || true)"
    if [[ "$(cat "$tools/installed/$name" 2>/dev/null)" == "$wanted" ]]; then
        continue
    fi
    case "$registry" in
        # Without optimization, in a quarter of the time.
        crates.io)
            CARGO_PROFILE_DEV_DEBUG=false CARGO_TARGET_DIR="$tools/build" \
                cargo install --locked --debug --root "$tools" "${words[@]}"
            rm -rf "$tools/build"
            ;;
        npm)
            rm -rf "${tools:?}/$name"
            npm install --silent --no-save --prefix "$tools/$name" "${words[@]}"
            ;;
        pypi)
            python3 -m venv --clear "$tools/$name"
            "$tools/$name/bin/pip" install -q --disable-pip-version-check "${words[@]}"
            ;;
    esac
    echo "$wanted" >"$tools/installed/$name"
done
