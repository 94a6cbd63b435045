#!/usr/bin/env bash
# Provides what linting and testing need beside the Rust toolchain.
#
# Usage: scripts/setup.sh [lint|test]...     (both when none is named)
#
# As root on a system with apt, what is missing is installed. Elsewhere it is
# named and the script fails: no check is ever skipped because a tool is absent.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

# Stage, command, and the Debian packages that provide the command.
needs=(
    "lint cargo -"
    "lint git git"
    "lint gcc gcc libc6-dev"
    "lint shellcheck shellcheck"
    "test cargo -"
    "test gcc gcc libc6-dev"
    "test curl curl"
    "test openssl openssl"
    "test python3 python3"
    "test softhsm2-util softhsm2"
)

stages=("$@")
if [[ ${#stages[@]} -eq 0 ]]; then
    stages=(lint test)
fi
for stage in "${stages[@]}"; do
    case "$stage" in
        lint | test) ;;
        *)
            echo "setup: unknown stage \"$stage\"; the stages are lint and test" >&2
            exit 2
            ;;
    esac
done

# Fills missing_commands and missing_packages for the stages asked for.
find_missing() {
    missing_commands=()
    missing_packages=()
    local need stage command packages
    for need in "${needs[@]}"; do
        read -r stage command packages <<<"$need"
        if [[ " ${stages[*]} " != *" $stage "* ]] || command -v "$command" >/dev/null; then
            continue
        fi
        if [[ "$packages" == "-" ]]; then
            echo "setup: $command is missing: install the Rust toolchain with rustup" >&2
            exit 1
        fi
        missing_commands+=("$command")
        read -r -a packages <<<"$packages"
        missing_packages+=("${packages[@]}")
    done
}

find_missing
if [[ ${#missing_commands[@]} -gt 0 ]]; then
    if [[ "$(id -u)" -ne 0 ]] || ! command -v apt-get >/dev/null; then
        echo "setup: missing: ${missing_commands[*]}" >&2
        echo "setup: install these and try again (Debian packages: ${missing_packages[*]})" >&2
        exit 1
    fi
    echo "setup: installing ${missing_packages[*]}"
    export DEBIAN_FRONTEND=noninteractive
    apt-get update -qq
    apt-get install -y -qq --no-install-recommends "${missing_packages[@]}" >/dev/null
    find_missing
    if [[ ${#missing_commands[@]} -gt 0 ]]; then
        echo "setup: still missing after the installation: ${missing_commands[*]}" >&2
        exit 1
    fi
fi

if [[ " ${stages[*]} " == *" lint "* ]]; then
    for component in fmt:rustfmt clippy:clippy; do
        if ! cargo "${component%%:*}" --version >/dev/null 2>&1; then
            echo "setup: cargo ${component%%:*} is missing: rustup component add ${component##*:}" >&2
            exit 1
        fi
    done
fi
