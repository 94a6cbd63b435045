#!/usr/bin/env bash
# A PostgreSQL server for tests: on a free port of loopback, with one empty
# database. Prints its URL when it is ready, and ends, with all it stored, when
# its input ends, which it does when the test ends, however that happens.
#
# Usage: tests/postgresql/serve.sh [SETTING=VALUE]...
set -euo pipefail

# Debian keeps the programs of a server out of PATH.
programs="$(compgen -G '/usr/lib/postgresql/*/bin' | sort -V | tail -1 || true)"
if [[ -z "$programs" ]] && command -v initdb >/dev/null; then
    programs="$(dirname "$(readlink -f "$(command -v initdb)")")"
fi
if [[ -z "$programs" ]]; then
    echo "postgresql: initdb is missing; scripts/setup.sh test installs it" >&2
    exit 1
fi

folder="$(mktemp -d "${TMPDIR:-/tmp}/payments-postgresql.XXXXXX")"
# The server refuses to run as root.
as_user=()
if [[ "$(id -u)" -eq 0 ]]; then
    chown postgres "$folder"
    as_user=(setpriv --reuid=postgres --regid=postgres --init-groups)
fi
cd "$folder"

server=
# shellcheck disable=SC2317 # the trap calls it
finish() {
    [[ -z "$server" ]] || { kill -QUIT "$server" && wait "$server"; } 2>/dev/null || true
    rm -rf "$folder"
}
trap finish EXIT
trap 'exit 1' HUP INT TERM

"${as_user[@]}" "$programs/initdb" --pgdata="$folder/data" --username=payments --auth=trust \
    --encoding=UTF8 --no-locale --no-sync >"$folder/log" || { cat "$folder/log" >&2; exit 1; }
settings=(-c listen_addresses=127.0.0.1 -c unix_socket_directories= -c fsync=off
    -c max_connections=200)
for setting in "$@"; do
    settings+=(-c "$setting")
done

# Another process may take the port between finding it and using it.
for _ in 1 2 3 4 5; do
    port="$(python3 -c 'import socket; print(socket.create_server(("127.0.0.1", 0)).getsockname()[1])')"
    "${as_user[@]}" "$programs/postgres" -D "$folder/data" -p "$port" "${settings[@]}" \
        >>"$folder/log" 2>&1 </dev/null &
    server=$!
    for _ in {1..300}; do
        kill -0 "$server" 2>/dev/null || break
        if "$programs/pg_isready" --quiet --host=127.0.0.1 --port="$port"; then
            echo "postgresql://payments@127.0.0.1:$port/postgres"
            cat >/dev/null
            exit 0
        fi
        sleep 0.1
    done
    kill -QUIT "$server" 2>/dev/null || true
done
cat "$folder/log" >&2
exit 1
