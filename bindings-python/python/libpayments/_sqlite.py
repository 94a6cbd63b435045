"""Connections to a journal in a file of SQLite."""

from __future__ import annotations

import contextlib
import os
import sqlite3
from collections.abc import Callable
from urllib.parse import quote


def connecting_to_sqlite(path: str, mode: str) -> Callable[[], sqlite3.Connection]:
    """Return a function that connects. `mode` is SQLite's; `rwc` makes a file of mode 600."""

    def connect() -> sqlite3.Connection:
        if mode == "rwc":
            # SQLite gives the files beside it the same mode, and says why there can be none.
            with contextlib.suppress(OSError):
                os.close(os.open(path, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600))
        return sqlite3.connect(f"file:{quote(path)}?mode={mode}", uri=True)

    return connect
