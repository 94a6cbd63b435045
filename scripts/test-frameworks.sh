#!/usr/bin/env bash
# Runs applications of web frameworks that pay in the sandbox, under the servers
# that their pages name.
#
# Usage: scripts/test-frameworks.sh [php|python|node|pages|debian]...     (default: all parts)
#
# `pages` follows the pages whose programs sell, and attacks these.
# `debian` runs PHP and Python again in newer releases of Debian, with their
# runtimes and frameworks; it needs root. `node` uses the Node of this machine and
# npm's newest.
#
# No framework is pinned: users get the newest version of a registry, so each
# run does, and a commit that passed may fail later. docs/support.md has the
# versions that passed. A run prints the rows of others, for the page.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

all=(php python node pages debian)
page=docs/support.md
target="$(realpath -m "${CARGO_TARGET_DIR:-target}")"
work="$target/frameworks"
export PIP_DISABLE_PIP_VERSION_CHECK=1 PYTHONDONTWRITEBYTECODE=1

fail() {
    echo "test-frameworks: $1" >&2
    exit 1
}

build() {
    scripts/build.sh
    local built="$target/debug"
    export LIBPAYMENTS_BUILT="$built"
    export LIBPAYMENTS_LIBRARY="$built/libpayments.so"
    export PAYMENTS_COMMAND="$built/payments"
    # Not the user's cache.
    export XDG_CACHE_HOME="$built/cache-of-tests"
}

# Adds a row for the page: a framework, its version, the runtime, and how it ran.
passed() {
    printf '| %s | %s | %s | %s |\n' "$@" >>"$work/passed"
}

# Debian 12 (bookworm).
system() (
    . /etc/os-release
    echo "${PRETTY_NAME/ GNU\/Linux/}"
)

# Symfony and Laravel, as Debian packages them.
run_php() {
    scripts/setup.sh frameworks-php
    local strict=() php how="\`php -S\`, FPM with and without preloading"
    # Older versions turn deprecations into exceptions.
    ! grep -q -e --fail-on-deprecation <<<"$(phpunit --help)" || strict=(--fail-on-deprecation)
    (cd bindings-php && phpunit --testsuite frameworks "${strict[@]}")
    php="PHP $(php -r 'echo PHP_VERSION;') on $(system)"
    passed Laravel "$(php -r 'require "Illuminate/autoload.php"; echo Illuminate\Foundation\Application::VERSION;')" \
        "$php" "$how, \`artisan queue:work\`, the test kit"
    passed Symfony "$(php -r 'require "Symfony/Component/HttpKernel/autoload.php"; echo Symfony\Component\HttpKernel\Kernel::VERSION;')" \
        "$php" "$how, \`messenger:consume\`, the test kit"
}

# Django and FastAPI of PyPI, under gunicorn and uvicorn, with the wheel.
run_python() {
    scripts/setup.sh frameworks-python
    local tests=bindings-python/tests
    venv="$work/$(python3 -c 'import sys; print("python%d.%d" % sys.version_info[:2])')"
    python3 -m venv --clear "$venv"
    "$venv/bin/pip" install -q --no-index "$target"/python/dist/libpayments-*.whl
    "$venv/bin/pip" install -q -r "$tests/requirements.txt"
    "$venv/bin/pip" install -q --upgrade --upgrade-strategy eager -r "$tests/frameworks/requirements.txt"
    (
        cd bindings-python
        "$venv/bin/mypy" --cache-dir "$work/mypy" -p libpayments.django
        MYPYPATH=tests "$venv/bin/mypy" --cache-dir "$work/mypy" \
            ../examples/shop/shop.py
    )
    run_django
    run_pytest test_fastapi.py
    passed FastAPI "$(version_of fastapi)" "$(python_of_venv)" \
        "uvicorn $(version_of uvicorn), Starlette $(version_of starlette), Pydantic $(version_of pydantic)"
}

run_django() {
    run_pytest test_django.py
    passed Django "$(version_of django)" "$(python_of_venv)" \
        "gunicorn $(version_of gunicorn), SQLite, PostgreSQL, \`manage.py\`"
}

run_pytest() (
    cd bindings-python
    PAYMENTS_TEST_FRAMEWORKS=1 "$venv/bin/pytest" -p no:cacheprovider "tests/frameworks/$1"
)

version_of() {
    "$venv/bin/python" -c 'import importlib.metadata, sys; print(importlib.metadata.version(sys.argv[1]))' "$1"
}

python_of_venv() {
    echo "$("$venv/bin/python" --version) on $(system)"
}

# Express and Next.js of npm, with the package as it is packed.
run_node() {
    local project="$work/node"
    rm -rf "$project"
    mkdir "$project"
    cp -R bindings-node/{tests,examples} "$project"
    (
        cd "$project"
        echo '{"private": true}' >package.json
        npm install --no-audit --no-fund --loglevel=error express "$target"/node/packages/*.tgz
        cd examples/nextjs
        npm install --no-audit --no-fund --loglevel=error "$target"/node/packages/*.tgz
    )
    version_in() {
        node --print "require(process.argv[1]).version" "$project/$1/package.json"
    }
    local express next node
    express="$(version_in node_modules/express)"
    next="$(version_in examples/nextjs/node_modules/next)"
    node="Node $(node --print process.versions.node)"
    (
        cd "$project"
        PAYMENTS_TEST_FOLDER="$OLDPWD/tests" PAYMENTS_TEST_COMMAND="$PAYMENTS_COMMAND" \
            node --test --test-timeout=900000 tests/frameworks/*.check.mjs
    )
    passed Express "$express" "$node" "one process, until SIGTERM"
    passed Next.js "$next" "$node" "\`next build\` by Turbopack and by webpack, \`standalone\`"
}

test_php() {
    build
    run_php
}

test_python() {
    scripts/test-python.sh --only-install
    build
    run_python
    # The oldest that the page names.
    local oldest
    oldest="$(sed -nE 's/.* needs Django ([0-9.]+) or newer.*/\1/p' docs/frameworks/django.md)"
    "$venv/bin/pip" install -q "django~=$oldest.0"
    run_django
}

test_node() {
    scripts/test-node.sh --only-pack
    build
    run_node
    npm install --silent --no-save --prefix "$work/newest-node" node@latest
    PATH="$work/newest-node/node_modules/node/bin:$PATH" run_node
}

# Their attacks are the list of tests/pages/attacks.py.
test_pages() {
    scripts/setup.sh test python node frameworks-php
    scripts/test-pages.sh docs/frameworks/{django,express,fastapi,laravel,nextjs,symfony}.md
}

# Runs languages in a chroot of a Debian release, with this folder and the
# certificates of this machine.
run_in() {
    local system here tools="$work" scratch="$work"
    # shellcheck source=scripts/dist/systems.sh
    . scripts/dist/systems.sh
    system="$(debian "$1" "$(scripts/setup.sh --packages "${@:2}")")"
    # shellcheck disable=SC2016 # For the shell inside.
    unshare --mount sh -c '
        set -e
        system="$1" target="$2"
        shift 2
        for folder in /proc /dev /etc/ssl/certs "$PWD" "$target"; do
            mkdir -p "$system$folder"
            mount --rbind "$folder" "$system$folder"
        done
        exec chroot "$system" "$PWD/scripts/test-frameworks.sh" --inside "$@"
    ' sh "$system" "$target" "${@:2}"
}

test_debian() {
    scripts/setup.sh frameworks-debian
    scripts/test-python.sh --only-install
    build
    run_in trixie frameworks-php
    run_in forky frameworks-php frameworks-python
}

# Names the rows that the page lacks.
compare() {
    local name row missing=()
    sort -V -o "$work/passed" "$work/passed"
    while read -r row; do
        name="${row#| }"
        grep -qF "| ${name%% |*} |" "$page" || fail "$page has no row of ${name%% |*}"
        grep -qF "$row" "$page" || missing+=("$row")
    done <"$work/passed"
    printf '\n== frameworks: passed (at %d s)\n' "$SECONDS"
    cat "$work/passed"
    if [[ ${#missing[@]} -gt 0 ]]; then
        printf '\nnote: not in %s:\n' "$page"
        printf "%s $(date -u +%F) |\n" "${missing[@]}"
    fi
}

if [[ "${1:-}" == --inside ]]; then
    for stage in "${@:2}"; do
        "run_${stage#frameworks-}"
    done
    exit
fi
[[ $# -gt 0 ]] || set -- "${all[@]}"
for part in "$@"; do
    [[ " ${all[*]} " == *" $part "* ]] || fail "unknown part \"$part\": name some of ${all[*]}"
done
mkdir -p "$work"
: >"$work/passed"
for part in "$@"; do
    printf '\n== frameworks: %s (at %d s)\n' "$part" "$SECONDS"
    "test_$part"
done
compare
