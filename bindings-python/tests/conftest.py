from __future__ import annotations

from collections.abc import Iterator

import pytest

from postgresql_server import postgresql_server
from support import Sandbox


@pytest.fixture(scope="session")
def running_sandbox() -> Iterator[Sandbox]:
    sandbox = Sandbox()
    yield sandbox
    sandbox.close()


@pytest.fixture
def sandbox(running_sandbox: Sandbox) -> Sandbox:
    """A sandbox as after its start, with the test key registered."""
    running_sandbox.reset()
    return running_sandbox


@pytest.fixture(scope="session")
def postgresql() -> Iterator[str]:
    """The URL of a PostgreSQL server."""
    with postgresql_server() as server:
        yield server.url
