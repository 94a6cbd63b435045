#!/usr/bin/env bash
# Everything that can be said of the sources without running them.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

# One exact version, so that the same tree gets the same verdict everywhere.
cargo_deny_version=0.20.2
max_lines=450

stage() {
    printf '\n== lint: %s\n' "$1"
}

fail() {
    echo "lint: $1" >&2
    exit 1
}

# Fails when `git grep` finds something, and shows where. Looks at tracked
# files and at those that could be added. Further arguments go to `git grep`.
forbid() {
    local reason="$1"
    shift
    local status=0
    git grep --untracked -nIE "$@" || status=$?
    case "$status" in
        0) fail "$reason" ;;
        1) ;;
        *) fail "git grep failed: this check needs a git work tree" ;;
    esac
}

# Installed without optimization, which takes a quarter of the time, into the
# build folder, which `make clean` removes.
install_cargo_deny() {
    local tools="${CARGO_TARGET_DIR:-target}/tools"
    cargo_deny="$tools/bin/cargo-deny"
    if [[ -x "$cargo_deny" && "$("$cargo_deny" --version)" == "cargo-deny $cargo_deny_version" ]]; then
        return
    fi
    CARGO_PROFILE_DEV_DEBUG=false CARGO_TARGET_DIR="$tools/build" \
        cargo install --locked --debug --force --root "$tools" \
        --version "=$cargo_deny_version" cargo-deny
    rm -rf "$tools/build"
}

stage "tools"
scripts/setup.sh lint
install_cargo_deny

stage "format"
cargo fmt --all --check

stage "clippy"
cargo clippy --locked --workspace --all-targets -- -D warnings
cargo clippy --locked -p payments-ffi --all-targets --features test-hooks -- -D warnings

stage "documentation"
RUSTDOCFLAGS="-D warnings" cargo doc --locked --workspace --no-deps

stage "dependencies"
# An exception that nothing needs any more is an error, so that deny.toml
# stays true. Advisories are left out here; deny.toml says why.
"$cargo_deny" check \
    -D license-exception-not-encountered -D license-not-encountered \
    -D unmatched-skip -D unnecessary-skip \
    licenses bans sources

stage "PHP"
while IFS= read -r -d '' file; do
    # It says so of every file that is well formed.
    php -l "$file" >/dev/null || fail "php -l $file"
done < <(git ls-files -z --cached --others --exclude-standard -- '*.php' bindings-php/bin)
phpcs --standard=bindings-php/phpcs.xml.dist bindings-php examples/php tests/fleet

stage "shell scripts"
shellcheck .ci/run scripts/*.sh

# In the next two, text after `//` does not count.
stage "private operations of the rsa crate"
forbid "the rsa crate must touch no private key (see RUSTSEC-2023-0071 in deny.toml)" \
    -e '^([^/]|/[^/])*(RsaPrivateKey|SigningKey|DecryptingKey|rsa::hazmat)' \
    -- 'core/src/*.rs' 'sandbox/src/*.rs' 'cli/src/*.rs'

stage "unsafe code"
forbid "core, sandbox and cli have no unsafe code" \
    -e '^([^/]|/[^/])*(^|[^[:alnum:]_])unsafe[[:space:]]*([({]|fn|impl|trait|extern|$)' \
    -- 'core/*.rs' 'sandbox/*.rs' 'cli/*.rs'

stage "machine paths"
forbid "a path of one machine is in the sources" \
    -e '(^|[^[:alnum:]_.~/-])/(work|root|home|Users|tmp/wt)/'

# Comments say where a rule comes from as: Interface, "Payout request".
stage "references to docs/interface.md"
dangling=0
while IFS= read -r heading; do
    if ! grep -qxE "#+ $heading" docs/interface.md; then
        echo "no heading \"$heading\" in docs/interface.md"
        dangling=1
    fi
done < <(git grep --untracked -hoiE 'interface, "[^"]+"' -- '*.rs' | sed -E 's/^[^"]*"(.*)"$/\1/' | sort -u)
if [[ "$dangling" -ne 0 ]]; then
    fail "comments name headings that are not there"
fi

stage "length of files"
too_long=0
while IFS= read -r -d '' file; do
    if [[ ! -f "$file" ]]; then
        continue
    fi
    lines=$(wc -l <"$file")
    if [[ "$lines" -gt "$max_lines" ]] && ! grep -q 'Reason for length: .' "$file"; then
        echo "$file: $lines lines"
        too_long=1
    fi
done < <(git ls-files -z --cached --others --exclude-standard -- \
    '*.rs' '*.sh' '*.c' '*.cpp' '*.h' '*.py' '*.pyi' '*.js' '*.ts' '*.php')
if [[ "$too_long" -ne 0 ]]; then
    fail "split what is over $max_lines lines, or say why not in a line \"// Reason for length: …\""
fi

stage "passed"
