#!/usr/bin/env bash
# Provides the tools for linting and testing besides the Rust toolchain.
#
# Usage: scripts/setup.sh [STAGE]...     (the first six when none is named)
#        scripts/setup.sh --packages STAGE...    (prints the Debian packages, with commas)
#
# As root on a system with apt, missing packages are installed. Elsewhere they are
# named, and the script fails: no check is ever skipped because a tool is absent.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

oldest_node=20

lists_only=
if [[ "${1:-}" == --packages ]]; then
    lists_only=1
    shift
fi
[[ $# -gt 0 ]] || set -- core lint test python node browser
stages=("$@")
for stage in "${stages[@]}"; do
    grep -qE "^([^ ]*,)?${stage}[, ]" scripts/packages.txt || {
        echo "setup: unknown stage \"$stage\": scripts/packages.txt has them" >&2
        exit 2
    }
done

# Whether a command is there, an extension of PHP (php:NAME), a component of
# Symfony (php-class:FOLDER), a library (pkg-config:NAME, or library:FILE of the
# loader), php-fpm, whose command has the version in its name and may be outside
# of PATH, or a part that Debian splits off Python and that is not a command.
is_there() {
    case "$1" in
        library:*) /sbin/ldconfig -p | grep -q "^[[:space:]]${1#library:} " ;;
        pkg-config:*) pkg-config --exists "${1#pkg-config:}" 2>/dev/null ;;
        php-class:*) php -r "exit(stream_resolve_include_path('${1#php-class:}/autoload.php') ? 0 : 1);" 2>/dev/null ;;
        php:*) php -r "exit(extension_loaded('${1#php:}') ? 0 : 1);" 2>/dev/null ;;
        wine64) [[ -x /usr/lib/wine/wine64 ]] || command -v wine64 >/dev/null ;;
        haproxy | debootstrap | pgbouncer) command -v "$1" >/dev/null || [[ -x /usr/sbin/$1 ]] ;;
        initdb) compgen -G "/usr/lib/postgresql/*/bin/initdb" >/dev/null || command -v initdb >/dev/null ;;
        php-fpm) compgen -c php-fpm >/dev/null || compgen -G "/usr/sbin/php-fpm*" >/dev/null ;;
        python3-venv) python3 -c 'import ensurepip, venv' 2>/dev/null ;;
        *) command -v "$1" >/dev/null ;;
    esac
}

# Fills missing_commands and missing_packages for the stages asked for.
find_missing() {
    missing_commands=()
    missing_packages=()
    local for_stages stage command packages
    while read -r for_stages command packages; do
        for stage in "${stages[@]}"; do
            [[ ",$for_stages," == *",$stage,"* ]] && break
            stage=
        done
        if [[ -z "$stage" ]] || { [[ -z "$lists_only" ]] && is_there "$command" </dev/null; }; then
            continue
        fi
        if [[ "$packages" == "-" ]]; then
            echo "setup: $command is missing: install the Rust toolchain with rustup" >&2
            exit 1
        fi
        missing_commands+=("$command")
        read -r -a packages <<<"$packages"
        missing_packages+=("${packages[@]}")
    done < <(grep -v '^#' scripts/packages.txt)
}

find_missing
if [[ -n "$lists_only" ]]; then
    printf '%s\n' "${missing_packages[@]}" | sort -u | paste -s -d ,
    exit
fi
if [[ ${#missing_commands[@]} -gt 0 ]]; then
    if [[ "$(id -u)" -ne 0 ]] || ! command -v apt-get >/dev/null; then
        echo "setup: missing: ${missing_commands[*]}" >&2
        echo "setup: install these and try again (Debian packages: ${missing_packages[*]})" >&2
        exit 1
    fi
    echo "setup: installing ${missing_packages[*]}"
    # Debian would start a PostgreSQL server for the host; tests start their own.
    if [[ " ${missing_commands[*]} " == *" initdb "* && ! -e /etc/postgresql-common/createcluster.conf ]]; then
        mkdir -p /etc/postgresql-common
        echo "create_main_cluster = false" >/etc/postgresql-common/createcluster.conf
    fi
    export DEBIAN_FRONTEND=noninteractive
    apt-get update -qq
    apt-get install -y -qq --no-install-recommends \
        -o Dpkg::Options::=--force-confold "${missing_packages[@]}" >/dev/null
    find_missing
    if [[ ${#missing_commands[@]} -gt 0 ]]; then
        echo "setup: still missing after the installation: ${missing_commands[*]}" >&2
        exit 1
    fi
fi

if [[ " ${stages[*]} " == *" core "* || " ${stages[*]} " == *" lint "* ]]; then
    for component in fmt:rustfmt clippy:clippy; do
        if ! cargo "${component%%:*}" --version >/dev/null 2>&1; then
            echo "setup: cargo ${component%%:*} is missing: rustup component add ${component##*:}" >&2
            exit 1
        fi
    done
fi

# The version in apt may be too old: Debian 12 has Node 18.
if [[ " ${stages[*]} " == *" node "* || " ${stages[*]} " == *" browser "* ]]; then
    major="$(node --print 'process.versions.node.split(".")[0]')"
    if [[ "$major" -lt "$oldest_node" ]]; then
        echo "setup: Node $oldest_node or newer is needed, and this is $(node --version)" >&2
        echo "setup: install it from nodejs.org or by a version manager, and try again" >&2
        exit 1
    fi
fi
