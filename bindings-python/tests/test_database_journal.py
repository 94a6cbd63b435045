"""A journal in the merchant's own database, by several drivers."""

from __future__ import annotations

import asyncio
import contextlib
import importlib
import re
import sqlite3
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest
from psycopg.rows import dict_row, namedtuple_row, scalar_row, tuple_row

import libpayments
from databases import NOW, Connect, Now, connect_by, entry, execute, found_in, numbered
from libpayments import DatabaseJournal, JournalUnavailableError
from libpayments._journal import _bound
from postgresql_server import PostgresqlServer, postgresql_server
from programs import run
from support import SHARED, Sandbox, payout
from waiting import until


def test_a_call_of_asyncio_writes_too(sandbox: Sandbox, journal: DatabaseJournal) -> None:
    async def main() -> list[libpayments.JournalEntry]:
        async with sandbox.async_client(journal=journal) as client:
            await client.create_payout(payout(external_reference="p-1"))
            return await client.journal.show("p-1")

    [one] = asyncio.run(main())
    assert (one.state, one.decided_by) == ("done", "call")


def test_one_of_several_racing_threads_pays(sandbox: Sandbox, journal: DatabaseJournal) -> None:
    barrier = threading.Barrier(8)
    ends: list[str] = []

    def pay() -> None:
        with sandbox.client(journal=journal) as client:
            barrier.wait(60)
            try:
                client.create_payout(payout(external_reference="p-1"))
                ends.append("paid")
            except libpayments.JournalError as error:
                ends.append(error.code)

    threads = [threading.Thread(target=pay) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert ends.count("paid") == 1
    assert set(ends) <= {"paid", "in_progress", "already_done"}
    assert len(sandbox.requests("create_payout")) == 1


def test_a_change_that_loses_a_race_names_no_other_entry(connect: Connect) -> None:
    class RacingJournal(DatabaseJournal):
        """The other entry fails between the two transactions."""

        def _transact(self, call: Any, act: Any) -> Any:
            try:
                return super()._transact(call, act)
            except Exception:
                journal.update(numbered(2, state="failed"), NOW)
                raise

    journal = DatabaseJournal(connect)
    journal.create()
    assert journal.insert(entry(), NOW)
    assert journal.update(entry(state="failed"), NOW)["changed"]
    assert journal.insert(numbered(2), NOW)
    late = entry(version=2, state="done")
    assert RacingJournal(connect).update(late, NOW) == {"changed": False, "taken_by": None}
    assert journal.update(late, NOW)["changed"]


def scalar_of_sqlite(_: sqlite3.Cursor, row: tuple[Any, ...]) -> Any:
    return row[0]


@pytest.mark.parametrize(
    "rows",
    [
        *[("psycopg", "row_factory", it) for it in (tuple_row, dict_row)],
        *[("psycopg", "row_factory", it) for it in (namedtuple_row, scalar_row)],
        *[("psycopg", "cursor_factory", it) for it in (psycopg.RawCursor, psycopg.ClientCursor)],
        *[("psycopg2", "cursor_factory", it) for it in ("DictCursor", "NamedTupleCursor")],
        ("psycopg2", "cursor_factory", "RealDictCursor"),
        *[("sqlite3", "row_factory", it) for it in (None, sqlite3.Row, scalar_of_sqlite)],
    ],
    ids=lambda rows: f"{rows[0]} {getattr(rows[2], '__name__', rows[2])}",
)
def test_rows_of_any_form_are_read(
    rows: tuple[str, str, Any], tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    driver, option, factory = rows
    module = importlib.import_module(driver)
    is_sqlite = driver == "sqlite3"
    name = tmp_path / "shop.db" if is_sqlite else request.getfixturevalue("database")
    if isinstance(factory, str):
        factory = getattr(importlib.import_module("psycopg2.extras"), factory)

    def connect() -> Any:
        connection = module.connect(name)
        setattr(connection, option, factory)
        return connection

    journal = DatabaseJournal(connect)
    journal.create()
    assert journal.insert(entry(), NOW)
    assert journal.update(entry(state="done"), NOW)["changed"]
    [one] = found_in(journal)
    assert (one["reference"], one["state"], one["version"]) == ("p-1", "done", 2)
    assert journal.count("shop", one["created_at"] + 1, NOW)["done"] == 1


def failure(sandbox: Sandbox, journal: DatabaseJournal, timeout_ms: int = 30_000) -> Any:
    """Return the error of a payout that was not sent because the journal failed."""
    with sandbox.client(journal=journal) as client, pytest.raises(libpayments.JournalError) as it:
        client.create_payout(payout(), timeout_ms=timeout_ms)
    assert (it.value.code, it.value.outcome) == ("unavailable", "not_executed")
    assert sandbox.requests("create_payout") == []
    return it.value


def test_a_connection_in_a_transaction_is_refused(sandbox: Sandbox, connect: Connect) -> None:
    with contextlib.closing(connect()) as of_the_shop:
        cursor = of_the_shop.cursor()
        cursor.execute("BEGIN")
        cursor.execute("CREATE TABLE orders (id INTEGER)")
        error = failure(sandbox, DatabaseJournal(lambda: of_the_shop))
        assert "in a transaction already" in str(error)
        # The transaction continues.
        cursor.execute("SELECT id FROM orders")
        of_the_shop.rollback()


class WrappedConnection:
    """A connection from a pool, which hides its driver and its state."""

    def __init__(self, connection: Any) -> None:
        self.cursor, self.close = connection.cursor, connection.close
        self.commit, self.rollback = connection.commit, connection.rollback


@pytest.mark.parametrize("autocommit", [False, True])
def test_the_database_refuses_a_state_that_the_driver_hides(
    sandbox: Sandbox, postgresql: str, *, autocommit: bool
) -> None:
    def connect() -> WrappedConnection:
        connection = psycopg.connect(postgresql, autocommit=autocommit)
        connection.execute("SELECT 1")
        return WrappedConnection(connection)

    error = failure(sandbox, DatabaseJournal(connect, driver=psycopg))
    needs = "only be used in transaction blocks" if autocommit else "be called before any query"
    assert needs in str(error.__cause__.__cause__)


def test_a_connection_that_hides_its_driver_is_refused(sandbox: Sandbox) -> None:
    error = failure(
        sandbox, DatabaseJournal(lambda: WrappedConnection(sqlite3.connect(":memory:")))
    )
    assert "driver=psycopg" in str(error)


@pytest.mark.parametrize("setting", ["off", "local", "remote_write", "on", "remote_apply"])
def test_a_commit_is_as_durable_as_it_must_be(postgresql: str, setting: str) -> None:
    options = f"-c synchronous_commit={setting}"
    journal = DatabaseJournal(lambda: psycopg.connect(postgresql, options=options))
    [seen] = journal._transact(None, lambda it: it.rows("SHOW synchronous_commit"))
    assert seen["synchronous_commit"] == ("remote_apply" if setting == "remote_apply" else "on")


def test_a_lock_has_a_time_limit_and_a_statement_has_none(
    database: str,
) -> None:
    options = "-c statement_timeout=5000"
    journal = DatabaseJournal(lambda: psycopg.connect(database, options=options))
    journal.create()
    call = Now()

    def seen(setting: str) -> str:
        now: Any = call
        [row] = journal._transact(now, lambda it: it.rows(f"SHOW {setting}"))
        return str(row[setting])

    for remaining, timeout in ((30.0, "30s"), (1e6, "1000000s")):
        call.remaining = remaining
        assert seen("lock_timeout") == timeout
    assert seen("statement_timeout") == "0"


def test_a_session_without_a_path_to_the_table_finds_it(sandbox: Sandbox, database: str) -> None:
    DatabaseJournal(lambda: psycopg.connect(database)).create()

    def connect() -> Any:
        connection = psycopg.connect(database, autocommit=True)
        # pg_dump leaves it so behind a pooler.
        connection.execute("SELECT set_config('search_path', '', false)")
        return connection

    with sandbox.client(journal=DatabaseJournal(connect)) as client:
        client.create_payout(payout(external_reference="p-1"))
        assert [it.state for it in client.journal.list()] == ["done"]


def test_no_statement_is_named(
    sandbox: Sandbox, database: str, running_postgresql: PostgresqlServer
) -> None:
    DatabaseJournal(lambda: psycopg.connect(database)).create()
    # Otherwise each statement has a name, which the pooler's connections have already.
    pooled = running_postgresql.pooler_url
    journal = DatabaseJournal(lambda: psycopg.connect(pooled, prepare_threshold=0))
    with sandbox.client(journal=journal) as client:
        client.create_payout(payout(external_reference="p-1"))
        assert [it.state for it in client.journal.list()] == ["done"]


def connections_of_other_encodings(database: str) -> dict[str, Connect]:
    psycopg2 = importlib.import_module("psycopg2")
    ascii_only = f"{database}_ascii"
    with psycopg.connect(database, autocommit=True) as connection:
        connection.execute("DROP DATABASE IF EXISTS postgres_ascii")
        connection.execute("CREATE DATABASE postgres_ascii TEMPLATE template0 ENCODING SQL_ASCII")
    latin = {"options": "-c client_encoding=LATIN1"}
    return {
        "psycopg": lambda: psycopg.connect(database, client_encoding="latin1"),
        "psycopg2": lambda: psycopg2.connect(database, **latin),
        "psycopg, SQL_ASCII": lambda: psycopg.connect(ascii_only),
        "psycopg2, SQL_ASCII": lambda: psycopg2.connect(ascii_only),
    }


def test_texts_are_stored_with_any_encoding_of_the_connection(database: str) -> None:
    note = "não está lá: 10 €"
    for name, connect in connections_of_other_encodings(database).items():
        if "SQL_ASCII" not in name:
            execute(lambda: psycopg.connect(database), "DROP TABLE IF EXISTS payments_journal")
        journal = DatabaseJournal(connect)
        journal.create()
        assert journal.insert(entry(reference="p-€"), NOW)
        assert journal.update(entry(state="done", note=note), NOW)["changed"]
        [one] = found_in(journal)
        assert (one["reference"], one["note"]) == ("p-€", note), name
        if "SQL_ASCII" in name:
            execute(connect, "DROP TABLE payments_journal")


def test_texts_of_sqlite_are_read_with_any_factory(tmp_path: Path) -> None:
    factories: list[Any] = [bytes, lambda it: it.decode("latin-1")]
    for number, factory in enumerate(factories):
        connection = sqlite3.connect(tmp_path / f"{number}.db")
        connection.text_factory = factory
        journal = DatabaseJournal(lambda it=connection: contextlib.nullcontext(it))  # type: ignore[misc]
        journal.create()
        assert journal.insert(entry(note=None, reference="não"), NOW)
        assert [it["reference"] for it in found_in(journal)] == ["não"]
        assert connection.text_factory is factory
        connection.close()


class WaitingForAStandby:
    """A server whose standby is away, and a person who ends the wait of COMMIT."""

    def __init__(self, database: str) -> None:
        self.database = database
        self.set("synchronous_standby_names = 'away'")

    def set(self, setting: str) -> None:
        with psycopg.connect(self.database, autocommit=True) as connection:
            connection.execute(f"ALTER SYSTEM SET {setting}".encode())
            connection.execute("SELECT pg_reload_conf()")
            name = setting.partition(" ")[0]
            wanted = setting.partition("= ")[2].strip("'")
            until(
                lambda: connection.execute(f"SHOW {name}".encode()).fetchone() == (wanted,),
                "the setting",
            )

    def end(self) -> None:
        self.set("synchronous_standby_names = ''")

    def until_it_waits(self) -> None:
        waiting = "SELECT FROM pg_stat_activity WHERE wait_event = 'SyncRep'"
        with psycopg.connect(self.database, autocommit=True) as connection:
            until(lambda: connection.execute(waiting).rowcount > 0, "the wait of COMMIT")

    def cancel(self) -> None:
        waiting = "SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep'"
        with psycopg.connect(self.database, autocommit=True) as connection:
            until(lambda: connection.execute(waiting).rowcount > 0, "the wait of COMMIT")


@pytest.fixture
def waiting(database: str) -> Iterator[WaitingForAStandby]:
    DatabaseJournal(lambda: psycopg.connect(database)).create()
    waiting = WaitingForAStandby(database)
    yield waiting
    waiting.end()


@pytest.mark.parametrize("driver", ["psycopg", "psycopg2"])
def test_a_commit_that_warns_sends_nothing(
    sandbox: Sandbox, waiting: WaitingForAStandby, driver: str
) -> None:
    connect = connect_by(driver, waiting.database, Path())

    def cancel_both() -> None:
        waiting.cancel()
        waiting.cancel()

    ends = threading.Thread(target=cancel_both)
    ends.start()
    error = failure(sandbox, DatabaseJournal(connect))
    ends.join()
    assert "committed, and its standby may lack the change; nothing was sent" in str(error)
    waiting.end()
    with sandbox.client(journal=DatabaseJournal(connect)) as client:
        assert [it.state for it in client.journal.list()] == ["failed"]


@pytest.mark.parametrize("driver", ["psycopg", "psycopg2"])
def test_a_commit_that_waits_ends_with_its_call(
    sandbox: Sandbox, waiting: WaitingForAStandby, driver: str
) -> None:
    journal = DatabaseJournal(connect_by(driver, waiting.database, Path()))
    error = failure(sandbox, journal, timeout_ms=1000)
    assert "the call ended before COMMIT did, as when a standby is away; nothing" in str(error)
    assert "may still be stored, and block the reference until" in str(error)
    waiting.cancel()


def test_the_wait_of_a_later_call_may_end_first(
    sandbox: Sandbox, waiting: WaitingForAStandby
) -> None:
    journal = DatabaseJournal(lambda: psycopg.connect(waiting.database))
    ended: list[float] = []

    def wait(number: int, remaining: float) -> None:
        call: Any = Now()
        call.remaining = remaining
        with pytest.raises(JournalUnavailableError):
            journal.insert(numbered(number, reference=f"p-{number}"), call)
        ended.append(number)

    first = threading.Thread(target=wait, args=(1, 6.0))
    first.start()
    waiting.until_it_waits()
    wait(2, 0.5)
    first.join()
    assert ended == [2, 1]


def test_the_wait_of_a_commit_ends_in_a_forked_child_too(
    sandbox: Sandbox, waiting: WaitingForAStandby
) -> None:
    printed = run(
        sandbox,
        """
import psycopg

database = configuration.pop("database")
journal = libpayments.DatabaseJournal(lambda: psycopg.connect(database))
client = libpayments.Client(**configuration, journal=journal)

def pay(reference):
    try:
        client.create_payment(payment={**payment, "merchant_payment_code": reference})
    except libpayments.JournalError as error:
        print(error.outcome, flush=True)

pay("order-1")
child = os.fork()
if child == 0:
    pay("order-2")
else:
    os.waitpid(child, 0)
""",
        database=waiting.database,
        timeout_ms=1000,
    )
    assert printed.split() == ["not_executed"] * 2


def test_a_commit_reaches_the_disk_of_sqlite(tmp_path: Path) -> None:
    def connect() -> sqlite3.Connection:
        connection = sqlite3.connect(tmp_path / "shop.db")
        connection.execute("PRAGMA synchronous = OFF")
        return connection

    journal = DatabaseJournal(connect)
    [seen] = journal._transact(None, lambda it: it.rows("PRAGMA synchronous"))
    assert seen == {"synchronous": 3}


def test_a_lock_is_not_waited_for_after_the_deadline(
    sandbox: Sandbox, journal: DatabaseJournal, connect: Connect
) -> None:
    with contextlib.closing(connect()) as holder:
        cursor = holder.cursor()
        if isinstance(holder, sqlite3.Connection):
            cursor.execute("BEGIN EXCLUSIVE")
        else:
            cursor.execute("BEGIN")
            cursor.execute("LOCK TABLE payments_journal")
        error = failure(sandbox, journal, timeout_ms=300)
        assert re.search("keeps a lock|kept a lock until the call ended|is locked", str(error))
        holder.rollback()


def test_a_lock_of_sqlite_is_not_waited_for_after_cancellation(
    sandbox: Sandbox, tmp_path: Path
) -> None:
    journal = DatabaseJournal(lambda: sqlite3.connect(tmp_path / "shop.db"))
    journal.create()
    cancel = libpayments.CancelHandle()
    with contextlib.closing(sqlite3.connect(tmp_path / "shop.db")) as holder:
        holder.execute("BEGIN EXCLUSIVE")
        threading.Timer(0.2, cancel.cancel).start()
        with (
            sandbox.client(journal=journal) as client,
            pytest.raises(libpayments.CallCancelledError) as caught,
        ):
            client.create_payout(payout(), cancel=cancel)
    assert caught.value.outcome == "not_executed"
    assert sandbox.requests("create_payout") == []


def test_a_journal_in_a_file_of_the_library_is_refused(sandbox: Sandbox, tmp_path: Path) -> None:
    path = tmp_path / "own" / "journal.db"
    libpayments.create_journal(path)
    journal = DatabaseJournal(lambda: sqlite3.connect(path))
    assert "file:PATH" in str(failure(sandbox, journal))
    with pytest.raises(libpayments.JournalUnavailableError, match="no other SQLite library"):
        journal.create()


def test_without_a_server_nothing_is_sent(sandbox: Sandbox) -> None:
    events: list[Any] = []
    with postgresql_server() as server:
        journal = DatabaseJournal(lambda: psycopg.connect(server.url))
        journal.create()
        client = libpayments.Client(
            **sandbox.configuration(journal=journal), observer=events.append
        )
        client.create_payout(payout(external_reference="p-1"))
    with pytest.raises(libpayments.JournalError) as caught:
        client.create_payout(payout(external_reference="p-2"))
    assert (caught.value.code, caught.value.outcome) == ("unavailable", "not_executed")
    assert "cannot be reached, refuses the connection, or has closed it" in str(caught.value)
    assert isinstance(caught.value.__cause__, libpayments.JournalUnavailableError)
    assert isinstance(caught.value.__cause__.__cause__, psycopg.OperationalError)
    assert len(sandbox.requests("create_payout")) == 1


@pytest.mark.parametrize(
    ("style", "text", "parameters"),
    [
        ("named", "a = :a AND b = :b OR a = :a", {"a": 1, "b": 2}),
        ("pyformat", "a = %(a)s AND b = %(b)s OR a = %(a)s", {"a": 1, "b": 2}),
        ("qmark", "a = ? AND b = ? OR a = ?", [1, 2, 1]),
        ("format", "a = %s AND b = %s OR a = %s", [1, 2, 1]),
        ("numeric", "a = :1 AND b = :2 OR a = :3", [1, 2, 1]),
    ],
)
def test_parameters_are_those_of_the_driver(style: str, text: str, parameters: object) -> None:
    named = {"a": 1, "b": 2, "c": 3}
    assert _bound(style, "a = :a AND b = :b OR a = :a", named) == (text, parameters)


def test_the_example_of_the_page_works(sandbox: Sandbox, database: str) -> None:
    page = (SHARED.parent / "docs" / "getting-started" / "python.md").read_text()
    blocks = re.findall(r"^```python,excerpt\n(.*?)^```$", page, re.DOTALL | re.MULTILINE)
    [example] = [block for block in blocks if "dbname=shop" in block]
    names: dict[str, Any] = {"configuration": sandbox.configuration()}
    exec(example.replace("dbname=shop", database), names)
    client: libpayments.Client = names["client"]
    client.create_payout(payout())
    assert len(list(client.journal.list())) == 1
