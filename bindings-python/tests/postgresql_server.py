"""PostgreSQL servers for tests: each on its own port, stopped with the test."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager

from support import SHARED


class PostgresqlServer:
    """A server with one empty database, and a pooler in front of it."""

    def __init__(self) -> None:
        command = [str(SHARED / "postgresql" / "serve.sh"), "--pooler"]
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        assert self.process.stdout is not None
        self.url = self.process.stdout.readline().strip()
        self.pooler_url = self.process.stdout.readline().strip()
        assert self.pooler_url, "serve.sh says why on standard error"

    def stop(self) -> None:
        self.process.communicate()


@contextmanager
def postgresql_server() -> Iterator[PostgresqlServer]:
    server = PostgresqlServer()
    try:
        yield server
    finally:
        server.stop()
