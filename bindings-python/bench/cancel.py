"""How long the event loop is blocked when many waiting calls are cancelled at once.

Usage: cancel.py PEER, which is not used
"""

from __future__ import annotations

import asyncio
import logging
import os
import socket
import statistics
import time

import libpayments
from ratios import PAYMENT
from rows import Row, print_rows

CALLS = 4_000
ROUNDS = 5


async def wait_forever(end: asyncio.Future[None]) -> None:
    """Wait as a coroutine of asyncio alone."""
    await end


async def cancelled(tasks: list[asyncio.Task[object]], running: int) -> float:
    """Cancel the tasks that come after the running ones, and return the seconds until all ended."""
    waiting = tasks[running:]
    started = time.perf_counter()
    for task in waiting:
        task.cancel()
    await asyncio.wait(waiting)
    took = time.perf_counter() - started
    for task in tasks[:running]:
        task.cancel()
    await asyncio.wait(tasks)
    return took


async def measure(url: str) -> tuple[float, float]:
    """Return the seconds for calls, and for tasks of asyncio alone."""
    loop = asyncio.get_running_loop()
    client = libpayments.AsyncClient(base_url=url, integration_key="key", timeout_ms=600_000)
    most = libpayments._native.MOST_THREADS
    calls = [
        asyncio.create_task(client.create_payment(payment=PAYMENT)) for _ in range(most + CALLS)
    ]
    await asyncio.sleep(2)
    ours = await cancelled([*calls], most)
    alone = [asyncio.create_task(wait_forever(loop.create_future())) for _ in range(CALLS)]
    await asyncio.sleep(0)
    return ours, await cancelled([*alone], 0)


def main() -> None:
    """Print the rows."""
    # The errors of the calls in flight are dropped unread.
    logging.getLogger("libpayments").addHandler(logging.NullHandler())
    # It accepts connections, and never responds.
    with socket.create_server(("127.0.0.1", 0), backlog=1_024) as silent:
        url = f"http://127.0.0.1:{silent.getsockname()[1]}"
        rounds = [asyncio.run(measure(url)) for _ in range(ROUNDS)]
    ours, alone = (statistics.median(times) * 1e3 for times in zip(*rounds, strict=True))
    named = f"Python, {CALLS:,} waiting calls are cancelled"
    print(f"{os.cpu_count()} cores")
    print_rows(
        [
            Row(f"{named}: the loop stands still", f"{ours:.0f} ms", "≤ 50 ms", ours <= 50),
            Row(f"{named}: as many tasks of asyncio alone", f"{alone:.0f} ms"),
        ]
    )


if __name__ == "__main__":
    main()
