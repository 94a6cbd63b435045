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


def until_hanging(sandbox: Sandbox, count: int = 1, operation: str = "create_payment") -> None:
    """Wait until the service has read this many requests of an operation, and ignores them."""
    until(lambda: len(sandbox.requests(operation)) >= count, f"{count} times {operation}")


def hang(sandbox: Sandbox, operation: str = "create_payment") -> None:
    """Make the service ignore every request of an operation."""
    script = {"operation": operation, "times": "always", "then": [{"fault": "hang"}]}
    sandbox.post("/sandbox/faults", script)


async def pay_and_cancel(sandbox: Sandbox, client: libpayments.AsyncClient) -> None:
    """Cancel a payment that the service ignores."""
    hang(sandbox)
    call = asyncio.create_task(client.create_payment(payment=payment()))
    # On a thread, so that the loop continues.
    await asyncio.to_thread(until_hanging, sandbox)
    call.cancel()
    with pytest.raises(asyncio.CancelledError):
        await call
