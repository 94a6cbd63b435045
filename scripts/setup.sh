#!/usr/bin/env bash
# Provides what linting and testing need beside the Rust toolchain.
#
# Usage: scripts/setup.sh [lint|test|python|node|browser|bench|dist|test-dist]...
#        (the first five when none is named)
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
    "lint python3 python3"
    "lint shellcheck shellcheck"
    "test cargo -"
    "test gcc gcc libc6-dev"
    "test curl curl"
    "test openssl openssl"
    "test python3 python3"
    "test g++ g++"
    "test clang clang"
    "test valgrind valgrind libc6-dbg"
    "test abidw abigail-tools"
    "test pkg-config pkg-config"
    "test readelf binutils"
    "test strace strace"
    "test script bsdutils"
    "test unshare util-linux"
    "test ip iproute2"
    "lint php php-cli"
    "lint phpcs php-codesniffer"
    "lint node nodejs"
    "lint npm npm"
    "test php php-cli"
    "test php:FFI php-common"
    "test php-fpm php-fpm"
    "test cgi-fcgi libfcgi-bin"
    "test php:pcntl php-cli"
    "test php:pdo_pgsql php-pgsql"
    "test php:pdo_sqlite php-sqlite3"
    "test setpriv util-linux"
    "test phpunit phpunit"
    "test php-class:Symfony/Component/VarDumper php-symfony-var-dumper"
    "test composer composer"
    "bench php php-cli"
    "bench php:FFI php-common"
    "bench php:curl php-curl"
    "bench haproxy haproxy"
    "python cargo -"
    "python python3 python3"
    "python python3-venv python3-venv"
    "python redis-server redis-server"
    "python redis-cli redis-tools"
    "python softhsm2-util softhsm2"
    "node cargo -"
    "node node nodejs"
    "node npm npm"
    "node redis-server redis-server"
    "node redis-cli redis-tools"
    "node softhsm2-util softhsm2"
    "browser cargo -"
    "browser node nodejs"
    "browser npm npm"
    "browser chromium chromium"
    "browser curl curl"
    "browser python3 python3"
    "browser php php-cli"
    "test redis-server redis-server"
    "test redis-cli redis-tools"
    "test softhsm2-util softhsm2"
    "test cmake cmake"
    "test pkg-config:sqlite3 libsqlite3-dev"
    "test initdb postgresql"
    "python initdb postgresql"
    "node initdb postgresql"
    "dist cargo -"
    "dist git git"
    "dist python3 python3"
    "dist python3-venv python3-venv"
    "dist node nodejs"
    "dist npm npm"
    "dist dpkg-deb dpkg"
    "dist readelf binutils"
    "dist x86_64-linux-gnu-objcopy binutils-x86-64-linux-gnu"
    "dist aarch64-linux-gnu-objcopy binutils-aarch64-linux-gnu"
    "test-dist python3-venv python3-venv"
    "test-dist node nodejs"
    "test-dist npm npm"
    "test-dist gcc gcc libc6-dev"
    "test-dist pkg-config pkg-config"
    "test-dist cmake cmake"
    "test-dist pkg-config:sqlite3 libsqlite3-dev"
    "test-dist composer composer"
    "test-dist php:zip php-zip"
    "test-dist unzip unzip"
    "test-dist debootstrap debootstrap"
    "test-dist qemu-aarch64-static qemu-user-static"
)
oldest_node=20

stages=("$@")
if [[ ${#stages[@]} -eq 0 ]]; then
    stages=(lint test python node browser)
fi
for stage in "${stages[@]}"; do
    case "$stage" in
        lint | test | python | node | browser | bench | dist | test-dist) ;;
        *)
            echo "setup: unknown stage \"$stage\"; the stages are lint, test, python, node," \
                "browser, bench, dist and test-dist" >&2
            exit 2
            ;;
    esac
done

# Whether a command is there, an extension of PHP (php:NAME), a component of
# Symfony (php-class:FOLDER), a library (pkg-config:NAME), php-fpm, whose command
# has the version in its name and may stand outside of PATH, or what Debian
# splits off Python and is no command.
is_there() {
    case "$1" in
        pkg-config:*) pkg-config --exists "${1#pkg-config:}" 2>/dev/null ;;
        php-class:*) php -r "exit(stream_resolve_include_path('${1#php-class:}/autoload.php') ? 0 : 1);" 2>/dev/null ;;
        php:*) php -r "exit(extension_loaded('${1#php:}') ? 0 : 1);" 2>/dev/null ;;
        haproxy | debootstrap) command -v "$1" >/dev/null || [[ -x /usr/sbin/$1 ]] ;;
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
    local need stage command packages
    for need in "${needs[@]}"; do
        read -r stage command packages <<<"$need"
        if [[ " ${stages[*]} " != *" $stage "* ]] || is_there "$command"; then
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

if [[ " ${stages[*]} " == *" lint "* ]]; then
    for component in fmt:rustfmt clippy:clippy; do
        if ! cargo "${component%%:*}" --version >/dev/null 2>&1; then
            echo "setup: cargo ${component%%:*} is missing: rustup component add ${component##*:}" >&2
            exit 1
        fi
    done
fi

# What apt has may be too old: Debian 12 has Node 18.
if [[ " ${stages[*]} " == *" node "* || " ${stages[*]} " == *" browser "* ]]; then
    major="$(node --print 'process.versions.node.split(".")[0]')"
    if [[ "$major" -lt "$oldest_node" ]]; then
        echo "setup: Node $oldest_node or newer is needed, and this is $(node --version)" >&2
        echo "setup: install it from nodejs.org or by a version manager, and try again" >&2
        exit 1
    fi
fi
