"""A journal only uses a table that refuses a second payment."""

from __future__ import annotations

import re
import sqlite3
from pathlib import Path
from typing import Any

import psycopg
import pytest

import libpayments
from databases import NOW, Connect, entry, execute, found_in, numbered
from libpayments import DatabaseJournal
from libpayments import _journal_sql as sql

INDEXES = {
    "reference": "(scope, operation, reference) "
    "WHERE operation NOT IN ('refund_payment', 'cancel_refund') AND state <> 'failed'",
    "open_refund": "(scope, reference) "
    "WHERE operation = 'refund_payment' AND state IN ('in_progress', 'unknown')",
    "open_cancellation": "(scope, reference) "
    "WHERE operation = 'cancel_refund' AND state IN ('in_progress', 'unknown')",
    "refund_code": "(scope, reference, refund_code) "
    "WHERE operation = 'refund_payment' AND refund_code IS NOT NULL AND state <> 'failed'",
    "full_refund": "(scope, reference) "
    "WHERE operation = 'refund_payment' AND amount IS NULL AND state <> 'failed'",
}
ADVICE = r"; (make it with DatabaseJournal\.create\(\)|repair it, and keep its rows)$"


def refused(problem: str) -> Any:
    return pytest.raises(libpayments.JournalUnavailableError, match=f"^{problem}{ADVICE}")


def test_the_table_is_checked_again_after_a_failure(
    journal: DatabaseJournal, connect: Connect
) -> None:
    assert journal.insert(entry(), NOW)
    execute(connect, "DROP TABLE payments_journal")
    with pytest.raises(Exception, match="payments_journal"):
        journal.insert(entry(), NOW)
    with refused("there is no table payments_journal"):
        journal.insert(entry(), NOW)
    journal.create()
    assert journal.insert(entry(), NOW)


def test_the_table_is_checked_once(tmp_path: Path) -> None:
    statements: list[str] = []

    def connect() -> sqlite3.Connection:
        connection = sqlite3.connect(tmp_path / "shop.db")
        connection.set_trace_callback(statements.append)
        return connection

    DatabaseJournal(connect).create()
    journal = DatabaseJournal(connect)
    statements.clear()
    for number in range(3):
        assert journal.insert(numbered(number, reference=str(number)), NOW)
        assert len(found_in(journal, limit=1)) == 1
    assert len([it for it in statements if "lacks the unique index" in it]) == 1


def test_a_temporary_table_of_the_same_name_is_never_used(database: str) -> None:
    def connect() -> psycopg.Connection[Any]:
        connection = psycopg.connect(database, autocommit=True)
        connection.execute("CREATE TEMPORARY TABLE payments_journal (id TEXT)")
        return connection

    journal = DatabaseJournal(connect)
    with refused("payments_journal is no table that survives a crash"):
        journal.insert(entry(), NOW)
    journal.create()
    assert journal.insert(entry(), NOW)
    assert journal.update(entry(state="unknown"), NOW)["changed"]
    [one] = found_in(DatabaseJournal(lambda: psycopg.connect(database)))
    assert (one["reference"], one["state"]) == ("p-1", "unknown")


@pytest.mark.parametrize("path", ["", '""', "nowhere", "pg_catalog"])
def test_a_search_path_without_the_table_is_refused(database: str, path: str) -> None:
    DatabaseJournal(lambda: psycopg.connect(database)).create()
    journal = DatabaseJournal(lambda: psycopg.connect(database, options=f"-c search_path={path}"))
    with refused("there is no table payments_journal"):
        journal.insert(entry(), NOW)
    # Only a temporary table can be made there.
    with pytest.raises((libpayments.JournalUnavailableError, psycopg.errors.InsufficientPrivilege)):
        journal.create()


def test_a_journal_may_have_its_own_schema(database: str) -> None:
    execute(lambda: psycopg.connect(database), "CREATE SCHEMA shop")
    journal = DatabaseJournal(lambda: psycopg.connect(database, options="-c search_path=shop"))
    journal.create()
    assert journal.insert(entry(), NOW)
    with psycopg.connect(database) as connection:
        rows = connection.execute("SELECT reference FROM shop.payments_journal")
        assert rows.fetchall() == [("p-1",)]


def test_a_table_is_not_made_twice(journal: DatabaseJournal) -> None:
    assert journal.insert(entry(), NOW)
    with pytest.raises(Exception, match="already exists"):
        journal.create()
    assert len(found_in(journal)) == 1


@pytest.mark.parametrize(
    ("statement", "indexes"),
    [
        (sql.FIND_REFERENCE, {"payments_journal_lookup", "payments_journal_hash"}),
        (sql.FIND_ID, {"payments_journal_pkey"}),
        (sql.FIND_OPEN, {"payments_journal_open"}),
        (sql.UPDATE, {"payments_journal_pkey"}),
        (sql.TAKEN_BY, {"payments_journal_pkey", "payments_journal_lookup"}),
    ],
)
def test_no_look_up_reads_a_whole_scope(database: str, statement: str, indexes: set[str]) -> None:
    DatabaseJournal(lambda: psycopg.connect(database)).create()
    others = [name for name in entry() if name not in ("id", "reference", "hash", "state")]
    rows = (
        f"INSERT INTO payments_journal (id, reference, hash, state, {', '.join(others)}) "
        "SELECT lpad(CAST(n AS TEXT), 32, '0'), 'p-' || n, 'h-' || n, "
        "CASE WHEN n %% 5000 = 0 THEN 'unknown' ELSE 'done' END, "
        f"{', '.join(f'%({name})s' for name in others)} "
        "FROM generate_series(1, 20000) AS numbers (n)"
    )
    for name, meant in sql.POSTGRESQL.items():
        statement = statement.replace(name, meant)
    explain = re.sub(r":(\w+)", r"%(\1)s", f"EXPLAIN {statement}")
    given = {**entry(reference="p-7", hash="h-7"), "after": "", "limit": 1000}
    with psycopg.connect(database, autocommit=True) as connection:
        connection.execute(rows.encode(), given)
        connection.execute("ANALYZE payments_journal")
        plan = "\n".join(row[0] for row in connection.execute(explain.encode(), given))
    assert "Seq Scan" not in plan
    used = re.findall(r"Index Scan (?:using|on) (payments_journal_\w+)", plan)
    assert set(used) == indexes, plan
