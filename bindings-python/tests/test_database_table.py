"""The table of a journal is the one that refuses a second payment, or is not used."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Any

import psycopg
import pytest

import libpayments
from databases import NOW, Connect, entry, execute, found_in, numbered
from libpayments import DatabaseJournal
from libpayments import _journal_sql as sql
from support import Sandbox, payout

INDEXES = {
    "reference": "(scope, operation, reference) "
    "WHERE operation <> 'refund_payment' AND state <> 'failed'",
    "open_refund": "(scope, reference) "
    "WHERE operation = 'refund_payment' AND state IN ('in_progress', 'unknown')",
    "refund_code": "(scope, reference, refund_code) "
    "WHERE operation = 'refund_payment' AND refund_code IS NOT NULL AND state <> 'failed'",
    "full_refund": "(scope, reference) "
    "WHERE operation = 'refund_payment' AND amount IS NULL AND state <> 'failed'",
}
ADVICE = r"; make the table with DatabaseJournal\.create\(\), or repair it$"


def refused(problem: str) -> Any:
    return pytest.raises(libpayments.JournalUnavailableError, match=f"^{problem}{ADVICE}")


def test_without_its_table_nothing_is_sent(sandbox: Sandbox, connect: Connect) -> None:
    client = sandbox.client(journal=DatabaseJournal(connect))
    with pytest.raises(libpayments.JournalError, match="there is no table") as caught:
        client.create_payout(payout())
    assert (caught.value.code, caught.value.outcome) == ("unavailable", "not_executed")
    assert "make the table with DatabaseJournal.create()" in str(caught.value)
    assert isinstance(caught.value.__cause__, libpayments.JournalUnavailableError)
    assert sandbox.requests("create_payout") == []


@pytest.mark.parametrize("name", INDEXES)
def test_each_unique_index_is_needed(books: DatabaseJournal, connect: Connect, name: str) -> None:
    execute(connect, f"DROP INDEX payments_journal_{name}")
    lacks = f"the table payments_journal lacks the (valid )?unique index payments_journal_{name}"
    for _ in range(2):
        with refused(lacks):
            books.insert(entry(), NOW)
    on = INDEXES[name]
    execute(connect, f"CREATE INDEX payments_journal_{name} ON payments_journal {on}")
    with refused(lacks):
        found_in(books)
    execute(connect, f"DROP INDEX payments_journal_{name}")
    execute(connect, f"CREATE UNIQUE INDEX another_name ON payments_journal {on}")
    assert books.insert(entry(), NOW)


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ("ADD COLUMN superseded_by TEXT", "has format 1, and this version needs format 2"),
        ("DROP COLUMN rival", "has no column rival"),
        ("RENAME COLUMN settles_at TO settles", "has no column settles_at"),
    ],
)
def test_a_table_of_another_format_is_refused(
    books: DatabaseJournal, connect: Connect, change: str, problem: str
) -> None:
    if change.startswith("DROP"):
        execute(connect, "DROP INDEX payments_journal_open")
    execute(connect, f"ALTER TABLE payments_journal {change}")
    with refused(f"the table payments_journal {problem}"):
        books.count("shop", 1, NOW)


def test_more_columns_and_indexes_are_fine(books: DatabaseJournal, connect: Connect) -> None:
    execute(
        connect,
        "ALTER TABLE payments_journal ADD COLUMN added DATE DEFAULT '2026-01-31'",
        "ALTER TABLE payments_journal ADD COLUMN share NUMERIC DEFAULT 0.5",
        "CREATE INDEX by_state ON payments_journal (state)",
    )
    assert books.insert(entry(), NOW)
    [one] = found_in(books)
    assert one["reference"] == "p-1"
    assert {"added", "share"} & set(one) <= {"added"}


def test_a_column_that_must_be_given_is_refused(connect: Connect) -> None:
    schema = sql.SCHEMA.replace("{collate}", "").replace(
        "rival TEXT", "rival TEXT, shop TEXT NOT NULL"
    )
    execute(connect, *filter(str.strip, schema.split(";")))
    with refused("the table payments_journal has a column shop that must be given"):
        DatabaseJournal(connect).insert(entry(), NOW)


def test_the_table_is_checked_again_after_a_failure(
    books: DatabaseJournal, connect: Connect
) -> None:
    assert books.insert(entry(), NOW)
    execute(connect, "DROP TABLE payments_journal")
    with pytest.raises(Exception, match="payments_journal"):
        books.insert(entry(), NOW)
    with refused("there is no table payments_journal"):
        books.insert(entry(), NOW)
    books.create()
    assert books.insert(entry(), NOW)


def test_the_table_is_checked_once(tmp_path: Path) -> None:
    statements: list[str] = []

    def connect() -> sqlite3.Connection:
        connection = sqlite3.connect(tmp_path / "shop.db")
        connection.set_trace_callback(statements.append)
        return connection

    DatabaseJournal(connect).create()
    books = DatabaseJournal(connect)
    statements.clear()
    for number in range(3):
        assert books.insert(numbered(number, reference=str(number)), NOW)
        assert len(found_in(books, limit=1)) == 1
    assert len([it for it in statements if "lacks the unique index" in it]) == 1


def test_a_temporary_table_of_the_same_name_is_never_used(database: str) -> None:
    def connect() -> psycopg.Connection[Any]:
        connection = psycopg.connect(database, autocommit=True)
        connection.execute("CREATE TEMPORARY TABLE payments_journal (id TEXT)")
        return connection

    books = DatabaseJournal(connect)
    with refused("payments_journal is no table that survives a crash"):
        books.insert(entry(), NOW)
    books.create()
    assert books.insert(entry(), NOW)
    assert books.update(entry(state="unknown"), NOW)["changed"]
    [one] = found_in(DatabaseJournal(lambda: psycopg.connect(database)))
    assert (one["reference"], one["state"]) == ("p-1", "unknown")


@pytest.mark.parametrize(
    "changes",
    [
        ["ALTER TABLE payments_journal SET UNLOGGED"],
        [
            "ALTER TABLE payments_journal RENAME TO books",
            "CREATE VIEW payments_journal AS SELECT * FROM books",
        ],
    ],
    ids=["unlogged", "view"],
)
def test_a_table_that_a_crash_empties_is_refused(database: str, changes: list[str]) -> None:
    books = DatabaseJournal(lambda: psycopg.connect(database))
    books.create()
    execute(lambda: psycopg.connect(database), *changes)
    with refused("payments_journal is no table that survives a crash"):
        books.insert(entry(), NOW)


def test_an_index_that_was_not_completed_is_refused(database: str) -> None:
    books = DatabaseJournal(lambda: psycopg.connect(database))
    books.create()

    def beside() -> Any:
        return psycopg.connect(database, autocommit=True)

    for number in (1, 2):
        assert books.insert(numbered(number, reference=str(number)), NOW)
    execute(
        beside,
        "DROP INDEX payments_journal_reference",
        "UPDATE payments_journal SET reference = 'p'",
    )
    name, on = "payments_journal_reference", INDEXES["reference"]
    with pytest.raises(psycopg.errors.UniqueViolation):
        execute(beside, f"CREATE UNIQUE INDEX CONCURRENTLY {name} ON payments_journal {on}")
    with refused(f"the table payments_journal lacks the valid unique index {name}"):
        DatabaseJournal(beside).insert(entry(), NOW)


@pytest.mark.parametrize("path", ["", '""', "nowhere", "pg_catalog"])
def test_a_search_path_without_the_table_is_refused(database: str, path: str) -> None:
    DatabaseJournal(lambda: psycopg.connect(database)).create()
    books = DatabaseJournal(lambda: psycopg.connect(database, options=f"-c search_path={path}"))
    with refused("there is no table payments_journal"):
        books.insert(entry(), NOW)
    # What can be made there is a temporary table at most.
    with pytest.raises((libpayments.JournalUnavailableError, psycopg.errors.InsufficientPrivilege)):
        books.create()


def test_a_journal_may_be_in_a_schema_of_its_own(database: str) -> None:
    execute(lambda: psycopg.connect(database), "CREATE SCHEMA shop")
    books = DatabaseJournal(lambda: psycopg.connect(database, options="-c search_path=shop"))
    books.create()
    assert books.insert(entry(), NOW)
    with psycopg.connect(database) as connection:
        rows = connection.execute("SELECT reference FROM shop.payments_journal")
        assert rows.fetchall() == [("p-1",)]


def test_texts_are_compared_by_their_bytes(database: str) -> None:
    DatabaseJournal(lambda: psycopg.connect(database)).create()
    with psycopg.connect(database) as connection:
        rows = connection.execute(
            "SELECT DISTINCT collation_name FROM information_schema.columns "
            "WHERE table_name = 'payments_journal' AND data_type = 'text'"
        )
        assert rows.fetchall() == [("C",)]


def test_a_table_is_not_made_twice(books: DatabaseJournal) -> None:
    assert books.insert(entry(), NOW)
    with pytest.raises(Exception, match="already exists"):
        books.create()
    assert len(found_in(books)) == 1
