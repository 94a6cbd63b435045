"""Databases for journals, and direct writes by tests."""

from __future__ import annotations

import contextlib
import importlib
import json
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psycopg
from psycopg.rows import dict_row

from libpayments import DatabaseJournal
from support import SHARED

Connect = Callable[[], Any]

# The shared cases of journals in a database.
CASES: Any = json.loads((SHARED / "journal_databases.json").read_text())

BEHIND_A_POOLER = ("psycopg behind PgBouncer", "psycopg2 behind PgBouncer")
DRIVERS = ("sqlite3", "psycopg", "psycopg in autocommit mode", "psycopg2", *BEHIND_A_POOLER)


def connect_by(driver: str, url: str, file: Path) -> Connect:
    """Return a function that connects by that driver."""
    if driver == "sqlite3":
        return lambda: sqlite3.connect(file)
    if driver in ("psycopg", "psycopg behind PgBouncer"):
        return lambda: psycopg.connect(url)
    if driver.startswith("psycopg2"):
        # It has no types.
        psycopg2 = importlib.import_module("psycopg2")
        return lambda: psycopg2.connect(url)
    rows: Any = dict_row
    return lambda: psycopg.connect(url, autocommit=True, row_factory=rows)


def execute(connect: Connect, *statements: str) -> None:
    """Execute statements that do not come from the journal."""
    with contextlib.closing(connect()) as connection:
        cursor = connection.cursor()
        for statement in statements:
            cursor.execute(statement)
        connection.commit()


class Now:
    """The call of a method that a test runs itself."""

    remaining = 30.0
    is_ended = False


NOW: Any = Now()


def entry(**members: object) -> dict[str, Any]:
    """Return an entry of a payout that is in progress, updated with `members`."""
    return {"id": f"{1:032x}", **CASES["entry"], **members}


def numbered(number: int, **members: object) -> dict[str, Any]:
    return entry(id=f"{number:032x}", **members)


def found_in(journal: DatabaseJournal, **filter: object) -> list[dict[str, Any]]:
    return journal.find({**CASES["filter"], **filter}, NOW)["entries"]
