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

known=(core lint test python node browser bench exhaust fuzz coverage dist dist-linux release test-dist platforms
    frameworks-php frameworks-python frameworks-debian shops deploy)
# Stages, command, and the Debian packages that provide the command.
needs=(
    "core,lint,test,python,node,browser,exhaust,fuzz,dist,release,platforms,deploy cargo -"
    "core,lint,dist,release git git"
    "core,lint,test,exhaust,dist-linux,release,test-dist,platforms gcc gcc libc6-dev"
    "core,lint,test,python,browser,dist,release,deploy python3 python3"
    "lint shellcheck shellcheck"
    "core,test,browser,frameworks-php curl curl"
    "core,test openssl openssl"
    "test,fuzz g++ g++"
    "test library:libjemalloc.so.2 libjemalloc2"
    "test clang clang"
    "test valgrind valgrind libc6-dbg"
    "test abidw abigail-tools"
    "test,test-dist,shops pkg-config pkg-config"
    "shops pkg-config:libmicrohttpd libmicrohttpd-dev"
    "shops pkg-config:jansson libjansson-dev"
    "test,dist-linux readelf binutils"
    "test,exhaust strace strace"
    "test script bsdutils"
    "core,test,frameworks-debian unshare util-linux"
    "core,test sqlite3 sqlite3"
    "core,test ip iproute2"
    "lint,test,browser,bench,frameworks-php php php-cli"
    "lint phpcs php-codesniffer"
    "lint,node,browser,dist,release,test-dist node nodejs"
    "lint,node,browser,dist,release,test-dist npm npm"
    "test,bench,frameworks-php,deploy php:FFI php-common"
    "test,frameworks-php,deploy php-fpm php-fpm"
    "test,frameworks-php,deploy cgi-fcgi libfcgi-bin"
    "test php:pcntl php-cli"
    "test php:pdo_pgsql php-pgsql"
    "test,frameworks-php php:pdo_sqlite php-sqlite3"
    "test,deploy setpriv util-linux"
    "test,frameworks-php phpunit phpunit"
    "test php-class:Symfony/Component/VarDumper php-symfony-var-dumper"
    "test php-class:Psr/Log php-psr-log"
    "test,release,test-dist,frameworks-php composer composer"
    "bench php:curl php-curl"
    "bench haproxy haproxy"
    "lint,python,dist,release,test-dist,frameworks-python,deploy python3-venv python3-venv"
    "core,test jq jq"
    "core,test,python redis-server redis-server"
    "core,test,python redis-cli redis-tools"
    "core,test,python,node softhsm2-util softhsm2"
    "browser chromium chromium"
    "test,test-dist cmake cmake"
    "test,test-dist pkg-config:sqlite3 libsqlite3-dev"
    "test,python,node,frameworks-python initdb postgresql"
    "test,python,node pgbouncer pgbouncer"
    "coverage llvm-cov-22 llvm-22"
    "dist-linux,release dpkg-deb dpkg"
    "dist-linux debugedit debugedit"
    "dist-linux x86_64-linux-gnu-objcopy binutils-x86-64-linux-gnu"
    "dist-linux aarch64-linux-gnu-objcopy binutils-aarch64-linux-gnu"
    "dist-linux,test-dist x86_64-w64-mingw32-gcc-posix gcc-mingw-w64-x86-64-posix"
    "platforms x86_64-w64-mingw32-dlltool binutils-mingw-w64-x86-64"
    "frameworks-php php-class:Symfony/Bundle/FrameworkBundle php-symfony-framework-bundle"
    "frameworks-php php-class:Symfony/Component/Messenger php-symfony-messenger"
    "frameworks-php php-class:Symfony/Component/Security/Csrf php-symfony-security-csrf"
    "frameworks-php php-class:Symfony/Component/Yaml php-symfony-yaml"
    "frameworks-php php-class:Symfony/Bridge/Monolog php-symfony-monolog-bridge"
    "frameworks-php php-class:Symfony/Component/Messenger/Bridge/Doctrine php-symfony-doctrine-messenger"
    "frameworks-php php-class:Doctrine/DBAL php-doctrine-dbal"
    "frameworks-php php-class:Illuminate php-laravel-framework"
    "deploy systemd-analyze systemd"
    "deploy crontab cron"
    "test-dist php:zip php-zip"
    "dist,release,test-dist unzip unzip"
    "dist zip zip"
    "dist-linux dh debhelper"
    "test-dist,frameworks-debian debootstrap debootstrap"
    "test-dist qemu-aarch64-static qemu-user-static"
    "test-dist wine64 wine64"
)
oldest_node=20

lists_only=
if [[ "${1:-}" == --packages ]]; then
    lists_only=1
    shift
fi
[[ $# -gt 0 ]] || set -- "${known[@]:0:6}"
stages=("$@")
for stage in "${stages[@]}"; do
    [[ " ${known[*]} " == *" $stage "* ]] || {
        echo "setup: unknown stage \"$stage\"; the stages are ${known[*]}" >&2
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
    local need for_stages stage command packages
    for need in "${needs[@]}"; do
        read -r for_stages command packages <<<"$need"
        for stage in "${stages[@]}"; do
            [[ ",$for_stages," == *",$stage,"* ]] && break
            stage=
        done
        if [[ -z "$stage" ]] || { [[ -z "$lists_only" ]] && is_there "$command"; }; then
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
