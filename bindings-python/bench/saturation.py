"""Waits of calls and of the event loop when more calls are in flight than there are cores.

By AsyncClient, and by httpx with signatures by cryptography in threads. Both
take turns against one server.

Usage: saturation.py PEER, the program of `core/benches/peer`
"""

from __future__ import annotations

import asyncio
import os
import statistics
import sys
import time
from collections.abc import Awaitable, Callable

import httpx
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import padding, rsa

import libpayments
from ratios import HEAD, PAYMENT, Peer, body, encode
from rows import Row, print_rows

IN_FLIGHT = (50, 400)
ROUNDS = 3
SECONDS = 5.0
WARM_UP_SECONDS = 2.0

Call = Callable[[], Awaitable[object]]


class Load:
    """The results of all rounds of one side."""

    def __init__(self) -> None:
        """Begin with nothing."""
        self.calls: list[float] = []
        self.delays: list[float] = []
        self.tails: list[float] = []

    async def add(self, call: Call, in_flight: int) -> None:
        """Keep so many calls in flight for a while."""
        begin = time.perf_counter() + WARM_UP_SECONDS
        end = begin + SECONDS
        calls: list[float] = []

        async def repeat() -> None:
            while (started := time.perf_counter()) < end:
                await call()
                ended = time.perf_counter()
                if started >= begin and ended <= end:
                    calls.append(ended - started)

        async def watch() -> None:
            await asyncio.sleep(WARM_UP_SECONDS)
            while (started := time.perf_counter()) < end:
                await asyncio.sleep(0.001)
                self.delays.append(time.perf_counter() - started - 0.001)

        await asyncio.gather(watch(), *(repeat() for _ in range(in_flight)))
        self.calls += calls
        self.tails.append(milliseconds(calls, 0.99) / milliseconds(calls, 0.5))

    @property
    def throughput(self) -> float:
        """Calls of a second."""
        return len(self.calls) / (ROUNDS * SECONDS)

    def shown(self) -> str:
        """Show all of it."""
        calls = [milliseconds(self.calls, part) for part in (0.5, 0.99)]
        loop = [milliseconds(self.delays, part) for part in (0.99, 0.999, 1.0)]
        delays = ", ".join(f"{delay:.1f}" for delay in loop)
        return (
            f"{self.throughput:.0f}/s, p50 {calls[0]:.0f} ms, p99 {calls[1]:.0f} ms; "
            f"event loop delay p99, p99.9, max {delays} ms"
        )


def milliseconds(times: list[float], part: float) -> float:
    """Return a quantile."""
    ordered = sorted(times)
    return ordered[min(len(ordered) - 1, int(len(ordered) * part))] * 1e3


def with_httpx(peer: Peer, session: httpx.AsyncClient) -> Call:
    """Sign with cryptography in a thread and send with httpx."""
    key = serialization.load_pem_private_key(peer.private_key.encode(), None)
    assert isinstance(key, rsa.RSAPrivateKey)

    async def call() -> object:
        data = body()
        signed = HEAD + b"." + data
        signature = await asyncio.to_thread(key.sign, signed, padding.PKCS1v15(), hashes.SHA256())
        token = HEAD + b".." + encode(signature)
        headers = {"X-JWS-Signature": token.decode(), "Content-Type": "application/json"}
        response = await session.post(f"{peer.url}/ws/direct", content=data, headers=headers)
        assert response.status_code == 200
        return response.json()

    return call


async def measure(peer: Peer) -> list[Row]:
    """Measure both."""
    client = libpayments.AsyncClient(
        base_url=peer.url,
        integration_key="key",
        key=peer.private_key,
        kid="bench-key",
        timeout_ms=120_000,
    )
    limits = httpx.Limits(max_connections=None, max_keepalive_connections=None)
    session = httpx.AsyncClient(timeout=120, limits=limits)
    sides: dict[str, Call] = {
        "libpayments": lambda: client.create_payment(payment=PAYMENT),
        "httpx, cryptography": with_httpx(peer, session),
    }
    rows: list[Row] = []
    for in_flight in IN_FLIGHT:
        loads = {name: Load() for name in sides}
        for _ in range(ROUNDS):
            for name, call in sides.items():
                await loads[name].add(call, in_flight)
        named = f"Python, {in_flight} calls in flight"
        rows += [Row(f"{named} by {name}", load.shown()) for name, load in loads.items()]
        ours, theirs = loads.values()
        # By rounds: what else runs on the machine may differ from one to the next.
        tail = statistics.median(ours.tails)
        loop = milliseconds(ours.delays, 0.99) / milliseconds(theirs.delays, 0.99)
        late = milliseconds(ours.delays, 0.999)
        faster = ours.throughput / theirs.throughput
        other = list(loads)[1]
        rows += [
            Row(f"{named}: throughput / by {other}", f"{faster:.2f}", "≥ 1", faster >= 1),
            Row(f"{named}: p99 of a call / p50", f"{tail:.2f}", "≤ 1.5", tail <= 1.5),
            Row(f"{named}: loop delay p99 / by {other}", f"{loop:.2f}", "≤ 1.2", loop <= 1.2),
            Row(f"{named}: loop delay p99.9", f"{late:.1f} ms", "≤ 50 ms", late <= 50),
        ]
    await session.aclose()
    return rows


def main() -> None:
    """Print the rows."""
    peer = Peer(sys.argv[1])
    print(f"{os.cpu_count()} cores, load {statistics.fmean(os.getloadavg()):.1f} at the start")
    rows = asyncio.run(measure(peer))
    print(f"load {statistics.fmean(os.getloadavg()):.1f} at the end")
    peer.stop()
    print_rows(rows)


if __name__ == "__main__":
    main()
