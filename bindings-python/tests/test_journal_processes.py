"""Processes that share a journal in a database."""

from __future__ import annotations

import contextlib
import importlib
from pathlib import Path

import psycopg
import pytest

from libpayments import DatabaseJournal
from programs import end, start
from support import Sandbox

_RACE = """
import {driver}
journal = libpayments.DatabaseJournal(lambda: {driver}.connect({database!r}))
client = libpayments.Client(**configuration, journal=journal)
print("ready", flush=True)
while not os.path.exists({go!r}):
    pass
try:
    client.create_payment(payment=payment)
    print("paid")
except libpayments.JournalError as error:
    print(error.code)
"""


@pytest.mark.parametrize("driver", ["sqlite3", "psycopg"])
def test_one_of_several_racing_processes_pays(
    sandbox: Sandbox, driver: str, postgresql: str, tmp_path: Path
) -> None:
    database = postgresql if driver == "psycopg" else str(tmp_path / "shop.db")
    module = importlib.import_module(driver)
    with contextlib.suppress(psycopg.errors.DuplicateTable):
        DatabaseJournal(lambda: module.connect(database)).create()
    go = tmp_path / "go"
    code = _RACE.format(driver=driver, database=database, go=str(go))
    racers = [start(sandbox, code, journal_scope=driver) for _ in range(4)]
    for racer in racers:
        assert racer.stdout is not None
        assert racer.stdout.readline() == "ready\n"
    go.touch()
    ends = [end(racer).strip() for racer in racers]
    assert ends.count("paid") == 1
    assert set(ends) <= {"paid", "in_progress", "already_done"}
    assert len(sandbox.requests("create_payment")) == 1


_FORKS = """
import psycopg
journal = libpayments.DatabaseJournal(lambda: psycopg.connect({url!r}))
client = libpayments.Client(**configuration, journal=journal)
def pay(reference):
    client.create_payment(payment={{**payment, "merchant_payment_code": reference}})
pay("parent")
child = os.fork()
if child == 0:
    pay("child")
    os._exit(0)
pay("parent again")
assert os.waitpid(child, 0)[1] == 0
entries = list(client.journal.list())
assert [entry.state for entry in entries] == ["done"] * 3, entries
"""


def test_parent_and_child_have_their_own_connections(sandbox: Sandbox, postgresql: str) -> None:
    with contextlib.suppress(psycopg.errors.DuplicateTable):
        DatabaseJournal(lambda: psycopg.connect(postgresql)).create()
    end(start(sandbox, _FORKS.format(url=postgresql), journal_scope="forks"))
    assert len(sandbox.requests("create_payment")) == 3
