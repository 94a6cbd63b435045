"""A journal in the merchant's own database, by several drivers."""

from __future__ import annotations

import asyncio
import contextlib
import importlib
import re
import sqlite3
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psycopg
import pytest
from psycopg.rows import dict_row

import libpayments
from libpayments import DatabaseJournal
from libpayments import _journal_sql as sql
from libpayments._journal import _bound
from postgresql_server import postgresql_server
from support import SHARED, Sandbox, payout
from waiting import until

Connect = Callable[[], Any]

DRIVERS = ("sqlite3", "psycopg", "psycopg in autocommit mode", "psycopg2")


@pytest.fixture(params=DRIVERS)
def connect(request: pytest.FixtureRequest, tmp_path: Path) -> Connect:
    """A function that connects to a database without the table."""
    if request.param == "sqlite3":
        file = tmp_path / "shop.db"
        return lambda: sqlite3.connect(file)
    url: str = request.getfixturevalue("postgresql")
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("SET client_min_messages = error")
        connection.execute("DROP TABLE IF EXISTS payments_journal")
    if request.param == "psycopg":
        return lambda: psycopg.connect(url)
    if request.param == "psycopg2":
        # It has no types.
        psycopg2 = importlib.import_module("psycopg2")
        return lambda: psycopg2.connect(url)
    rows: Any = dict_row
    return lambda: psycopg.connect(url, autocommit=True, row_factory=rows)


@pytest.fixture
def books(connect: Connect) -> DatabaseJournal:
    journal = DatabaseJournal(connect)
    journal.create()
    return journal


class Now:
    """The call of a method that a test runs itself."""

    remaining = 30.0
    is_ended = False


def entry(**members: object) -> dict[str, Any]:
    """Give an entry of a payout that is in progress, with `members` over it."""
    named = {
        "id": f"{1:032x}",
        "version": 1,
        "scope": "shop",
        "operation": "create_payout",
        "reference": "p-1",
        "amount": "10.00",
        "currency": "BRL",
        "body_sha256": "00" * 32,
        "host": "h",
        "process": "7",
        "created_at": 1_000,
        "deadline_at": 31_000,
        "state": "in_progress",
    }
    others = ("refund_code", "ended_at", "decided_by", "hash", "uid", "kind", "code", "note")
    return {**named, **dict.fromkeys([*others, "conflict", "superseded_by"]), **members}


def all_in(journal: DatabaseJournal) -> dict[str, Any]:
    filter = dict.fromkeys(("id", "reference", "after"))
    now: Any = Now()
    return journal.find({**filter, "scope": "shop", "is_open": False, "limit": 9}, now)


def test_a_reference_is_paid_once_and_open_entries_are_settled(
    sandbox: Sandbox, books: DatabaseJournal
) -> None:
    with sandbox.client(journal=books) as client:
        uid = client.create_payout(payout(external_reference="p-1")).uid
        with pytest.raises(libpayments.JournalError) as caught:
            client.create_payout(payout(external_reference="p-1"))
        assert (caught.value.code, caught.value.outcome) == ("already_done", "unknown")
        assert caught.value.journal_entry is not None
        assert caught.value.journal_entry["uid"] == uid
        sandbox.fault("close", "create_payout", execute=True)
        with pytest.raises(libpayments.PaymentsError):
            client.create_payout(payout(external_reference="p-2"))
        with pytest.raises(libpayments.JournalError) as caught:
            client.create_payout(payout(external_reference="p-2"))
        assert caught.value.code == "unresolved"
        [of_person] = client.journal("recover")["open"]
        assert of_person["needs"] == "person"
        [unknown] = client.journal("list", only_open=True)["entries"]
        assert (unknown["reference"], unknown["state"]) == ("p-2", "unknown")
        client.journal("resolve", entry="p-2", executed=False, note="not there")
        client.create_payout(payout(external_reference="p-2"))
        states = [it["state"] for it in client.journal("show", reference="p-2")["entries"]]
        assert states == ["failed", "done"]
    assert len(sandbox.requests("create_payout")) == 3


def test_a_call_of_asyncio_writes_too(sandbox: Sandbox, books: DatabaseJournal) -> None:
    async def main() -> dict[str, Any]:
        async with sandbox.async_client(journal=books) as client:
            await client.create_payout(payout(external_reference="p-1"))
            return await client.journal("show", reference="p-1")

    [one] = asyncio.run(main())["entries"]
    assert (one["state"], one["decided_by"]) == ("done", "call")


def test_of_threads_that_race_one_pays(sandbox: Sandbox, books: DatabaseJournal) -> None:
    barrier = threading.Barrier(8)
    ends: list[str] = []

    def pay() -> None:
        with sandbox.client(journal=books) as client:
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


def test_a_person_may_supersede_after_the_deadline(
    sandbox: Sandbox, books: DatabaseJournal
) -> None:
    with sandbox.client(journal=books) as client:
        client.create_payout(payout(external_reference="p-1"), timeout_ms=600_000)
        with pytest.raises(libpayments.JournalError) as caught:
            client.create_payout(payout(external_reference="p-1"), supersede=True)
        assert caught.value.code == "already_done"
        client.create_payout(payout(external_reference="p-2"), timeout_ms=2_000)

        def is_superseded() -> bool:
            try:
                client.create_payout(payout(external_reference="p-2"), supersede=True)
            except libpayments.JournalError:
                return False
            return True

        until(is_superseded, "a deadline that has passed")
        earlier, later = client.journal("show", reference="p-2")["entries"]
        assert earlier["superseded_by"] == later["id"]
    assert len(sandbox.requests("create_payout")) == 3


def test_an_insert_that_is_refused_supersedes_nothing(books: DatabaseJournal) -> None:
    now: Any = Now()
    refund = {"operation": "refund_payment", "reference": "5a"}
    done = entry(**refund, refund_code="r-1", state="done")
    in_progress = entry(**refund, id=f"{2:032x}", refund_code="r-2")
    again = entry(**refund, id=f"{3:032x}", refund_code="r-1")
    assert books.insert(done, [], now)
    assert books.insert(in_progress, [], now)
    assert not books.insert(again, [done], now)
    assert not books.insert(again, [done, {**in_progress, "version": 2}], now)
    assert [it["superseded_by"] for it in all_in(books)["entries"]] == [None, None]
    assert books.insert(again, [done, in_progress], now)
    superseded_by = [it["superseded_by"] for it in all_in(books)["entries"]]
    assert superseded_by == [again["id"], again["id"], None]


def test_what_a_failed_entry_superseded_is_in_force_again(books: DatabaseJournal) -> None:
    now: Any = Now()
    first, second, third, fourth = (entry(id=f"{number:032x}") for number in range(1, 5))
    assert books.insert(first, [], now)
    assert books.insert(second, [first], now)
    assert books.insert(third, [second], now)

    def fails(it: dict[str, Any], version: int) -> bool:
        return books.update({**it, "version": version, "state": "failed"}, now)

    def superseded_by() -> list[tuple[int, str | None]]:
        return [(it["version"], it["superseded_by"]) for it in all_in(books)["entries"]]

    assert not fails(second, 1)
    assert superseded_by() == [(2, second["id"]), (2, third["id"]), (1, None)]
    assert fails(second, 2)
    assert superseded_by() == [(3, third["id"]), (3, third["id"]), (1, None)]
    assert fails(third, 1)
    assert superseded_by() == [(4, None), (4, None), (2, None)]
    assert not books.insert(fourth, [], now)


def test_of_entries_that_fail_at_once_the_first_one_is_in_force_again(
    books: DatabaseJournal,
) -> None:
    now: Any = Now()
    first, second, third = (entry(id=f"{number:032x}") for number in range(1, 4))
    assert books.insert(first, [], now)
    assert books.insert(second, [first], now)
    assert books.insert(third, [second], now)
    other = threading.Thread(target=lambda: books.update({**third, "state": "failed"}, now))

    def act(run: Callable[..., Any]) -> None:
        late = {**second, "version": 2, "state": "failed"}
        assert run(sql.UPDATE, late).rowcount == 1
        assert run(sql.REINSTATE, late).rowcount == 1
        other.start()
        # It comes to wait for this transaction.
        time.sleep(0.3)

    books._transact(None, act)
    other.join()
    assert [it["superseded_by"] for it in all_in(books)["entries"]] == [None, None, None]


def test_an_entry_is_what_was_written_at_the_time_of_the_database(books: DatabaseJournal) -> None:
    now: Any = Now()
    assert books.insert(entry(), [], now)
    assert not books.insert(entry(id=f"{2:032x}"), [], now)
    found = all_in(books)
    [one] = found["entries"]
    created_at, deadline_at = one["created_at"], one["deadline_at"]
    assert one == entry(created_at=created_at, deadline_at=deadline_at)
    # The clock may advance between the two.
    assert 30_000 <= deadline_at - created_at < 31_000
    assert created_at <= found["now"] < deadline_at
    ended = {**one, "state": "done", "uid": "7", "decided_by": "call"}
    assert books.update(ended, now)
    assert not books.update(ended, now)
    [stored] = all_in(books)["entries"]
    assert stored == {**ended, "version": 2, "ended_at": stored["ended_at"]}
    time.sleep(0.002)
    newest = entry(id=f"{2:032x}", reference="p-2", state="done")
    assert books.insert(newest, [], now)
    assert books.prune("shop", 60_000, now) == 0
    until(lambda: books.prune("shop", 0, now) == 1, "an entry that is older than nothing")
    # A clock that is wrong deletes nothing newer.
    assert books.prune("shop", 0, now) == 0
    assert [it["reference"] for it in all_in(books)["entries"]] == ["p-2"]


def failure(sandbox: Sandbox, journal: DatabaseJournal, timeout_ms: int = 30_000) -> Any:
    """Give the error of a payout that was not sent, as the journal does not work."""
    with sandbox.client(journal=journal) as client, pytest.raises(libpayments.JournalError) as it:
        client.create_payout(payout(), timeout_ms=timeout_ms)
    assert (it.value.code, it.value.outcome) == ("unavailable", "not_executed")
    assert sandbox.requests("create_payout") == []
    return it.value


def test_without_its_table_it_says_what_makes_it(sandbox: Sandbox, connect: Connect) -> None:
    error = failure(sandbox, DatabaseJournal(connect))
    assert "make it with DatabaseJournal.create()" in str(error)
    assert isinstance(error.__cause__, libpayments.JournalUnavailableError)


def test_a_connection_in_a_transaction_is_refused(sandbox: Sandbox, connect: Connect) -> None:
    with contextlib.closing(connect()) as of_the_shop:
        cursor = of_the_shop.cursor()
        cursor.execute("BEGIN")
        cursor.execute("CREATE TABLE orders (id INTEGER)")
        error = failure(sandbox, DatabaseJournal(lambda: of_the_shop))
        assert "in a transaction already" in str(error)
        # The transaction goes on.
        cursor.execute("SELECT id FROM orders")
        of_the_shop.rollback()


class Wrapped:
    """A connection as a pool gives it, which tells neither its driver nor its state."""

    def __init__(self, connection: Any) -> None:
        self.cursor, self.close = connection.cursor, connection.close
        self.commit, self.rollback = connection.commit, connection.rollback


@pytest.mark.parametrize("autocommit", [False, True])
def test_the_database_itself_refuses_a_state_that_the_driver_hides(
    sandbox: Sandbox, postgresql: str, *, autocommit: bool
) -> None:
    def connect() -> Wrapped:
        connection = psycopg.connect(postgresql, autocommit=autocommit)
        connection.execute("SELECT 1")
        return Wrapped(connection)

    error = failure(sandbox, DatabaseJournal(connect, driver=psycopg))
    needs = "only be used in transaction blocks" if autocommit else "be called before any query"
    assert needs in str(error.__cause__)


def test_a_connection_that_does_not_tell_its_driver_is_refused(sandbox: Sandbox) -> None:
    error = failure(sandbox, DatabaseJournal(lambda: Wrapped(sqlite3.connect(":memory:"))))
    assert "driver=psycopg" in str(error)


@pytest.mark.parametrize("setting", ["off", "local", "remote_write", "on", "remote_apply"])
def test_a_commit_is_as_durable_as_it_must_be(postgresql: str, setting: str) -> None:
    options = f"-c synchronous_commit={setting}"
    journal = DatabaseJournal(lambda: psycopg.connect(postgresql, options=options))
    [seen] = journal._transact(None, lambda run: run("SHOW synchronous_commit").fetchone())
    assert seen == ("remote_apply" if setting == "remote_apply" else "on")


def test_locks_are_waited_for_until_the_deadline_and_a_standby_without_end(
    postgresql: str,
) -> None:
    options = "-c statement_timeout=5000"
    journal = DatabaseJournal(lambda: psycopg.connect(postgresql, options=options))
    call = Now()

    def seen(setting: str) -> str:
        now: Any = call
        [value] = journal._transact(now, lambda run: run(f"SHOW {setting}").fetchone())
        return str(value)

    for remaining, timeout in ((30.0, "30s"), (1e9, "2147483647ms")):
        call.remaining = remaining
        assert seen("lock_timeout") == timeout
    assert seen("statement_timeout") == "0"


def test_a_commit_reaches_the_disk_of_sqlite(tmp_path: Path) -> None:
    def connect() -> sqlite3.Connection:
        connection = sqlite3.connect(tmp_path / "shop.db")
        connection.execute("PRAGMA synchronous = OFF")
        return connection

    journal = DatabaseJournal(connect)
    [seen] = journal._transact(None, lambda run: run("PRAGMA synchronous").fetchone())
    assert seen == 3


def test_a_lock_is_not_waited_for_after_the_deadline(
    sandbox: Sandbox, books: DatabaseJournal, connect: Connect
) -> None:
    with contextlib.closing(connect()) as holder:
        cursor = holder.cursor()
        if isinstance(holder, sqlite3.Connection):
            cursor.execute("BEGIN EXCLUSIVE")
        else:
            cursor.execute("BEGIN")
            cursor.execute("LOCK TABLE payments_journal")
        failure(sandbox, books, timeout_ms=300)
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
    assert isinstance(caught.value.__cause__, psycopg.OperationalError)
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


def test_the_example_of_the_page_works(sandbox: Sandbox, postgresql: str) -> None:
    page = (SHARED.parent / "docs" / "journal.md").read_text()
    [example] = re.findall(r"^```python\n(.*?)^```$", page, re.DOTALL | re.MULTILINE)
    assert "dbname=shop" in example
    with psycopg.connect(postgresql, autocommit=True) as connection:
        connection.execute("DROP TABLE IF EXISTS payments_journal")
    names: dict[str, Any] = {"configuration": sandbox.configuration()}
    exec(example.replace("dbname=shop", postgresql), names)
    client: libpayments.Client = names["client"]
    client.create_payout(payout())
    assert len(client.journal("list")["entries"]) == 1
