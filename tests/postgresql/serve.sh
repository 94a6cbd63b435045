#!/usr/bin/env bash
# A PostgreSQL server for tests: on a free port of loopback, with one empty
# database. Prints its URL when it is ready, and ends, with all it stored, when
# its input ends, which it does when the test ends, however that happens.
#
# With --pooler, prints the URL of a PgBouncer in front of it too. Each of its
# connections is as another program leaves it: with settings, and with statements
# that have the names of PDO and psycopg.
#
# Usage: tests/postgresql/serve.sh [--pooler] [SETTING=VALUE]...
set -euo pipefail

has_pooler=
if [[ "${1:-}" == --pooler ]]; then
    has_pooler=1
    shift
fi

# Debian keeps the programs of a server out of PATH.
programs="$(compgen -G '/usr/lib/postgresql/*/bin' | sort -V | tail -1 || true)"
if [[ -z "$programs" ]] && command -v initdb >/dev/null; then
    programs="$(dirname "$(readlink -f "$(command -v initdb)")")"
fi
if [[ -z "$programs" ]]; then
    echo "postgresql: initdb is missing; scripts/setup.sh test installs it" >&2
    exit 1
fi

# Debian keeps it out of PATH too.
bouncer="$(PATH="$PATH:/usr/sbin" command -v pgbouncer || true)"
if [[ -n "$has_pooler" && -z "$bouncer" ]]; then
    echo "postgresql: pgbouncer is missing; scripts/setup.sh test installs it" >&2
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
pooler=
# shellcheck disable=SC2317 # the trap calls it
finish() {
    [[ -z "$pooler" ]] || { kill -KILL "$pooler" && wait "$pooler"; } 2>/dev/null || true
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

free_port() {
    python3 -c 'import socket; print(socket.create_server(("127.0.0.1", 0)).getsockname()[1])'
}

# Waits until a process accepts connections on a port.
is_ready() {
    for _ in {1..300}; do
        kill -0 "$1" 2>/dev/null || return 1
        ! "$programs/pg_isready" --quiet --host=127.0.0.1 --port="$2" || return 0
        sleep 0.1
    done
    return 1
}

left_behind="SET synchronous_commit = off; SET client_min_messages = error; SET lock_timeout = 1"
left_behind+="; SET default_transaction_isolation = serializable"
for name in pdo_stmt_00000001 pdo_stmt_00000002 pdo_stmt_00000003 _pg3_0 _pg3_1 _pg3_2; do
    left_behind+="; PREPARE $name AS SELECT 1"
done

serve_pooler() {
    local pooler_port
    for _ in 1 2 3 4 5; do
        pooler_port="$(free_port)"
        cat >"$folder/pgbouncer.ini" <<END
[databases]
postgres = host=127.0.0.1 port=$port user=payments connect_query='$left_behind'
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = $pooler_port
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = 40
max_client_conn = 200
END
        "${as_user[@]}" "$bouncer" "$folder/pgbouncer.ini" >>"$folder/log" 2>&1 </dev/null &
        pooler=$!
        if is_ready "$pooler" "$pooler_port"; then
            echo "postgresql://payments@127.0.0.1:$pooler_port/postgres"
            return
        fi
    done
    cat "$folder/log" >&2
    exit 1
}

# Another process may take the port between finding it and using it.
for _ in 1 2 3 4 5; do
    port="$(free_port)"
    "${as_user[@]}" "$programs/postgres" -D "$folder/data" -p "$port" "${settings[@]}" \
        >>"$folder/log" 2>&1 </dev/null &
    server=$!
    if is_ready "$server" "$port"; then
        echo "postgresql://payments@127.0.0.1:$port/postgres"
        [[ -z "$has_pooler" ]] || serve_pooler
        cat >/dev/null
        exit 0
    fi
    kill -QUIT "$server" 2>/dev/null || true
done
cat "$folder/log" >&2
exit 1
