"""Waits until another process sees a condition."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable

import pytest

import libpayments
from support import Sandbox, payment


def until(happened: Callable[[], bool], what: str) -> None:
    for _ in range(1_500):
        if happened():
            return
        time.sleep(0.02)
    raise AssertionError(f"never: {what}")


def until_in_flight(sandbox: Sandbox, count: int) -> None:
    """Wait until the service has this many requests without a response."""
    until(lambda: sandbox.stats()["in_flight"] >= count, f"{count} requests in flight")


def until_first_in_flight(sandbox: Sandbox) -> None:
    """Wait until the service has the first call of a new client, after its token.

    A request for a token is counted as one only when it has been read.
    """

    def is_there() -> bool:
        stats = sandbox.stats()
        return stats["in_flight"] > 0 and 0 < stats["token_requests"] < stats["requests"]

    until(is_there, "a call in flight")


def hang(sandbox: Sandbox, operation: str = "create_payment") -> None:
    """Make the service ignore every request of an operation."""
    script = {"operation": operation, "times": "always", "then": [{"fault": "hang"}]}
    sandbox.post("/sandbox/faults", script)


async def pay_and_cancel(sandbox: Sandbox, client: libpayments.AsyncClient) -> None:
    """Cancel a payment that the service ignores."""
    hang(sandbox)
    call = asyncio.create_task(client.create_payment(payment=payment()))
    # On a thread, so that the loop continues.
    await asyncio.to_thread(until_first_in_flight, sandbox)
    call.cancel()
    with pytest.raises(asyncio.CancelledError):
        await call
