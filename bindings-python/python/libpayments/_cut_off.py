"""Connections to databases that break when their call ends.

Nothing else ends a COMMIT that waits, for example for a standby that is away.
"""

from __future__ import annotations

import contextlib
import math
import os
import socket
import threading
import time
from collections.abc import Iterator
from typing import Any


class _Watch:
    """One thread for all connections: starting one for each takes a tenth of a call."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._thread: threading.Thread | None = None
        self._deadlines: dict[socket.socket, float] = {}
        self._looks_at = math.inf

    def add(self, connection: socket.socket, deadline: float) -> None:
        with self._changed:
            self._deadlines[connection] = deadline
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name=__name__, daemon=True)
                self._thread.start()
            elif deadline < self._looks_at:
                self._changed.notify()

    def remove(self, connection: socket.socket) -> None:
        with self._changed:
            self._deadlines.pop(connection, None)

    def _run(self) -> None:
        with self._changed:
            while True:
                now = time.monotonic()
                for connection in [of for of, it in self._deadlines.items() if it <= now]:
                    del self._deadlines[connection]
                    with contextlib.suppress(OSError):
                        connection.shutdown(socket.SHUT_RDWR)
                self._looks_at = min(self._deadlines.values(), default=math.inf)
                self._changed.wait(min(self._looks_at - now, threading.TIMEOUT_MAX))


_watch = _Watch()


def _forget() -> None:
    """Give a forked child a watch of its own, as it lacks the thread."""
    global _watch
    _watch = _Watch()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget)


@contextlib.contextmanager
def cut_off(connection: Any, remaining: float) -> Iterator[None]:
    """Break the connection after so many seconds."""
    with socket.socket(fileno=os.dup(connection.fileno())) as same:
        _watch.add(same, time.monotonic() + remaining)
        try:
            yield
        finally:
            _watch.remove(same)
