"""Gunicorn's settings: hooks of its master while workers start and stop.

The application must be there already: the master imported it.
"""

from __future__ import annotations

import sys
from typing import Any


def pay(code: str) -> None:
    sys.modules["gunicorn_app"].pay(code)


def child_exit(server: Any, worker: Any) -> None:
    """Pay while the master serves: a worker has ended."""
    pay(f"without {worker.pid}")


def on_exit(server: Any) -> None:
    """Pay as the last thing."""
    pay("exit")
