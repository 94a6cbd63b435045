"""Calls whose connections to the database are lost: each records its end."""

from __future__ import annotations

import contextlib
import socket
from typing import Any

import psycopg
import psycopg_pool
import pytest

import libpayments
from databases import execute
from libpayments import DatabaseJournal
from support import Sandbox, payout
from waiting import until

# A call runs about 20 statements and commits.
POINTS = 20

END_OTHERS = """
SELECT pg_terminate_backend(pid, 30000) FROM pg_stat_activity
WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()
"""


class ConnectionKiller:
    """Connects to a database, and kills the connection once, at a point of its use."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.left = 0

    def is_here(self) -> bool:
        self.left -= 1
        return self.left == 0

    def reach(self, connection: Any) -> None:
        """End the backend of the connection if this is the point."""
        if self.is_here():
            pid = connection.info.backend_pid
            ends = f"SELECT pg_terminate_backend({pid}, 30000)"
            execute(lambda: psycopg.connect(self.url), ends)

    def connect(self) -> Any:
        killer = self

        class Cursor(psycopg.Cursor[Any]):
            def execute(self, *arguments: Any, **options: Any) -> Any:
                killer.reach(self.connection)
                return super().execute(*arguments, **options)

        class Connection(psycopg.Connection[Any]):
            def commit(self) -> None:
                killer.reach(self)
                super().commit()
                if killer.is_here():
                    raise psycopg.OperationalError("the answer to COMMIT is lost")

        return Connection.connect(self.url, cursor_factory=Cursor)


def test_the_end_of_a_call_survives_a_lost_connection(sandbox: Sandbox, database: str) -> None:
    killer = ConnectionKiller(database)
    journal = DatabaseJournal(killer.connect)
    journal.create()
    paid: list[str] = []
    refused: dict[str, libpayments.JournalError] = {}
    with sandbox.client(journal=journal) as client:
        for number in range(3 * POINTS):
            reference = f"p-{number}"
            killer.left = 1 + number % POINTS
            try:
                client.create_payout(payout(external_reference=reference))
                paid.append(reference)
            except libpayments.JournalError as error:
                refused[reference] = error
        killer.left = 0
        assert list(client.journal.list(only_open=True)) == []
        done = [it.reference for it in client.journal.list() if it.state == "done"]
        assert done == paid
        assert len(sandbox.requests("create_payout")) == len(paid)
        # Each part of a call was hit.
        assert len(paid) > POINTS / 2
        assert len(refused) > POINTS / 2
        for reference, refusal in refused.items():
            assert (refusal.code, refusal.outcome) == ("unavailable", "not_executed")
            client.create_payout(payout(external_reference=reference))
    assert len(sandbox.requests("create_payout")) == 3 * POINTS


def test_a_pool_replaces_connections_that_were_lost(sandbox: Sandbox, database: str) -> None:
    with psycopg_pool.ConnectionPool(database, min_size=2, max_size=2, timeout=5) as pool:
        pool.wait()
        journal = DatabaseJournal(pool.connection)
        journal.create()
        client = sandbox.client(journal=journal)

        def works() -> bool:
            with contextlib.suppress(libpayments.JournalError):
                client.journal.show("payout-1")
                return True
            return False

        execute(lambda: psycopg.connect(database), END_OTHERS)
        assert not works()
        for _ in range(3):
            execute(lambda: psycopg.connect(database), END_OTHERS)
            until(works, "a connection that works")
        client.create_payout(payout())
        assert [it.state for it in client.journal.show("payout-1")] == ["done"]


def test_a_silent_server_is_not_told_as_an_empty_pool(sandbox: Sandbox, database: str) -> None:
    def reason(connect: Any) -> str:
        client = sandbox.client(journal=DatabaseJournal(connect))
        with pytest.raises(libpayments.JournalError) as caught:
            client.create_payout(payout())
        return str(caught.value)

    with socket.create_server(("127.0.0.1", 0)) as silent:
        server = f"host=127.0.0.1 port={silent.getsockname()[1]} connect_timeout=2"
        assert "the server cannot be reached" in reason(lambda: psycopg.connect(server))
    with psycopg_pool.ConnectionPool(database, min_size=1, max_size=1, timeout=0.1) as pool:
        pool.wait()
        with pool.connection():
            assert "the pool gave no connection in time" in reason(pool.connection)
