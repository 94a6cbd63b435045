"""Waits for what another process comes to see."""

from __future__ import annotations

import time
from collections.abc import Callable

from support import Sandbox


def until(happened: Callable[[], bool], what: str) -> None:
    for _ in range(1_500):
        if happened():
            return
        time.sleep(0.02)
    raise AssertionError(f"never: {what}")


def until_in_flight(sandbox: Sandbox, count: int) -> None:
    """Wait until the service has so many requests that it did not answer."""
    until(lambda: sandbox.stats()["in_flight"] >= count, f"{count} requests in flight")


def hang(sandbox: Sandbox, operation: str = "create_payment") -> None:
    """Let the service be silent to every request of an operation."""
    script = {"operation": operation, "times": "always", "then": [{"fault": "hang"}]}
    sandbox.post("/sandbox/faults", script)
