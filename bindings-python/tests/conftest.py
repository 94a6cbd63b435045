from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from collector import Collector
from databases import BEHIND_A_POOLER, DRIVERS, Connect, connect_by
from libpayments import DatabaseJournal
from postgresql_server import PostgresqlServer, postgresql_server
from support import Sandbox
from waiting import until

# They need the packages of tests/frameworks/requirements.txt: `make
# test-frameworks`.
collect_ignore = [] if os.environ.get("PAYMENTS_TEST_FRAMEWORKS") else ["frameworks"]


@pytest.fixture(scope="session")
def running_sandbox() -> Iterator[Sandbox]:
    sandbox = Sandbox()
    yield sandbox
    sandbox.close()


@pytest.fixture
def sandbox(running_sandbox: Sandbox) -> Sandbox:
    """A sandbox as after its start, with the test key registered."""
    running_sandbox.reset()
    # Requests that an earlier test gave up may still count.
    until(lambda: running_sandbox.stats()["in_flight"] == 0, "the end of earlier requests")
    return running_sandbox


@pytest.fixture(scope="session")
def running_postgresql() -> Iterator[PostgresqlServer]:
    with postgresql_server() as server:
        yield server


@pytest.fixture
def postgresql(running_postgresql: PostgresqlServer) -> str:
    """The URL of a PostgreSQL server."""
    return running_postgresql.url


@pytest.fixture
def database(postgresql: str) -> str:
    """The URL of a PostgreSQL server without the table of a journal."""
    with psycopg.connect(postgresql, autocommit=True) as connection:
        connection.execute("SET client_min_messages = error")
        connection.execute("DROP SCHEMA IF EXISTS public, shop CASCADE")
        connection.execute("CREATE SCHEMA public")
    return postgresql


@pytest.fixture(params=DRIVERS)
def connect(request: pytest.FixtureRequest, tmp_path: Path) -> Connect:
    """A function that connects to a database without the table."""
    url = "" if request.param == "sqlite3" else request.getfixturevalue("database")
    if request.param in BEHIND_A_POOLER:
        url = request.getfixturevalue("running_postgresql").pooler_url
    return connect_by(request.param, url, tmp_path / "shop.db")


@pytest.fixture
def journal(connect: Connect) -> DatabaseJournal:
    journal = DatabaseJournal(connect)
    journal.create()
    return journal


@pytest.fixture
def collector() -> Iterator[Collector]:
    collector = Collector()
    yield collector
    collector.tracers.shutdown()
    collector.meters.shutdown()
