"""The cost of Python compared with Rust, and with other ways to make the same request.

Two sides take turns against one server and are compared by medians, so that a noisy
machine disturbs both equally.

Usage: ratios.py PEER, the program of `core/benches/peer`
"""

from __future__ import annotations

import asyncio
import base64
import json
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import httpx
import requests
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import padding, rsa
from jwcrypto import jwk, jws

import libpayments
from rows import Row, print_rows

ROUNDS = 80
CALLS = 20
# The first rounds warm up, and so do the first calls after the others' turn.
WARM = 10
AWAKE = 5
IN_FLIGHT = 200
LARGE_RESPONSES = 15

PAYMENT: libpayments.Payment = {
    "name": "Maria Souza",
    "email": "maria@example.com",
    "country": "br",
    "payment_type_code": "pix",
    "merchant_payment_code": "order-1001",
    "currency_code": "BRL",
    "amount_total": Decimal("100.10"),
    "document": "853.513.468-93",
}
HEADER = {"alg": "RS256", "kid": "bench-key", "b64": False, "crit": ["b64"]}
Call = Callable[[], Any]
Turn = Callable[[int], list[int]]


class Peer:
    """The server, and the call in Rust."""

    def __init__(self, program: str) -> None:
        """Start both."""
        self.process = subprocess.Popen(
            [program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        servers = self._read()
        self.url: str = servers["url"]
        self.tls_url: str = servers["tls_url"]
        self.ca_file: str = servers["ca_file"]
        self.private_key: str = servers["private_key"]
        self.public_key: str = servers["public_key"]

    def _read(self) -> Any:
        assert self.process.stdout is not None
        return json.loads(self.process.stdout.readline())

    def times(self, count: int) -> list[int]:
        """Let Rust make calls."""
        assert self.process.stdin is not None
        self.process.stdin.write(f"{count}\n")
        self.process.stdin.flush()
        times: list[int] = self._read()
        return times

    def stop(self) -> None:
        """End both."""
        self.process.communicate()


def times_of(call: Call, count: int) -> list[int]:
    """Make calls, and return the nanoseconds of each."""
    times: list[int] = []
    for _ in range(count):
        started = time.perf_counter_ns()
        call()
        times.append(time.perf_counter_ns() - started)
    return times


def body() -> bytes:
    """Write the body as the package does."""
    members = {**PAYMENT, "amount_total": 0}
    text = json.dumps({"integration_key": "key", "payment": members}, separators=(",", ":"))
    return text.replace('"amount_total":0', f'"amount_total":{PAYMENT["amount_total"]}').encode()


def encode(data: bytes) -> bytes:
    """Encode without padding."""
    return base64.urlsafe_b64encode(data).rstrip(b"=")


HEAD = encode(json.dumps(HEADER, separators=(",", ":")).encode())


def with_requests(peer: Peer, url: str) -> Call:
    """Sign with cryptography and send with requests."""
    key = serialization.load_pem_private_key(peer.private_key.encode(), None)
    assert isinstance(key, rsa.RSAPrivateKey)
    session = requests.Session()

    def call() -> Any:
        data = body()
        signature = key.sign(HEAD + b"." + data, padding.PKCS1v15(), hashes.SHA256())
        token = HEAD + b".." + encode(signature)
        check(peer, token.decode(), data)
        headers = {"X-JWS-Signature": token.decode(), "Content-Type": "application/json"}
        response = session.post(
            f"{url}/ws/direct", data=data, headers=headers, timeout=30, verify=peer.ca_file
        )
        return json.loads(response.content, parse_float=Decimal)

    return call


def with_httpx(peer: Peer) -> Call:
    """Sign with jwcrypto and send with httpx."""
    key = jwk.JWK.from_pem(peer.private_key.encode())
    session = httpx.Client(timeout=30)

    def call() -> Any:
        data = body()
        signed = jws.JWS(data)
        signed.add_signature(key, protected=json.dumps(HEADER))
        signed.detach_payload()
        token = signed.serialize(compact=True)
        check(peer, token, data)
        headers = {"X-JWS-Signature": token, "Content-Type": "application/json"}
        response = session.post(f"{peer.url}/ws/direct", content=data, headers=headers)
        return json.loads(response.content, parse_float=Decimal)

    return call


CHECKED: set[int] = set()


def check(peer: Peer, token: str, data: bytes) -> None:
    """See once for each length of token that it is the same signed request."""
    if len(token) not in CHECKED:
        CHECKED.add(len(token))
        found = libpayments.verify(token, data, public_key=peer.public_key)
        assert found.valid, found


def call_rows(peer: Peer) -> list[Row]:
    """Measure the same call by all."""
    client = libpayments.Client(
        base_url=peer.url, integration_key="key", key=peer.private_key, kid="bench-key"
    )
    assert client.prepare("create_payment", payment=PAYMENT).body == body()

    def ours(count: int) -> list[int]:
        return times_of(lambda: client.create_payment(payment=PAYMENT), count)

    by_requests, by_httpx = with_requests(peer, peer.url), with_httpx(peer)
    return [
        row("through Python / through Rust", ours, peer.times, 1.05),
        row("through Python / by requests + cryptography", ours, turns_of(by_requests), 1.0),
        row("through Python / by httpx + jwcrypto", ours, turns_of(by_httpx), 1.0),
    ]


def tls_row(peer: Peer) -> Row:
    """Measure calls over TLS, each by its own client that shares the state of the others."""

    def ours() -> object:
        shared = libpayments.Client.shared(
            base_url=peer.tls_url,
            ca_file=peer.ca_file,
            integration_key="key",
            key=peer.private_key,
            kid="bench-key",
        )
        with shared as client:
            return client.create_payment(payment=PAYMENT)

    by_requests = turns_of(with_requests(peer, peer.tls_url))
    name = "over TLS by a new shared client each in Python / by requests + cryptography"
    return row(name, turns_of(ours), by_requests, 1.0)


def turns_of(call: Call) -> Turn:
    """Return a function that makes a number of calls."""
    return lambda count: times_of(call, count)


def row(name: str, ours: Turn, theirs: Turn, most: float) -> Row:
    """Let two sides take turns, and compare each turn with the one after it."""
    turns = [(middle(ours), middle(theirs)) for _ in range(ROUNDS)][WARM:]
    ratio = statistics.median(our / their for our, their in turns)
    medians = [statistics.median(side) / 1e6 for side in zip(*turns, strict=True)]
    print(f"keep-alive call {name}: {medians[0]:.3f} ms / {medians[1]:.3f} ms")
    goal = f"≤ {most:.2f}"
    return Row(f"keep-alive call {name}", f"{ratio:.3f}", goal, ratio <= most)


def middle(turn: Turn) -> float:
    """Return the median of a turn, without the calls that wake its process up."""
    return statistics.median(turn(CALLS)[AWAKE:])


async def loop_delays(seconds: float) -> list[float]:
    """Measure how late the loop comes back from short sleeps."""
    delays: list[float] = []
    until = time.perf_counter() + seconds
    while time.perf_counter() < until:
        started = time.perf_counter()
        await asyncio.sleep(0.001)
        delays.append(time.perf_counter() - started - 0.001)
    return delays


async def loop_row(peer: Peer) -> Row:
    """Measure the delay of the loop while many calls are made and wait."""
    client = libpayments.AsyncClient(
        base_url=peer.url, integration_key="key", key=peer.private_key, kid="bench-key"
    )
    await client.create_payment(payment=PAYMENT)
    slow: Any = {**PAYMENT, "merchant_payment_code": "slow"}
    idle = await loop_delays(1.5)
    calls = [asyncio.create_task(client.create_payment(payment=slow)) for _ in range(IN_FLIGHT)]
    busy = await loop_delays(1.5)
    assert not any(call.done() for call in calls)
    await asyncio.gather(*calls)

    def shown(delays: list[float]) -> str:
        ordered = sorted(delays)
        late = ordered[int(len(ordered) * 0.99)]
        return f"{late * 1e3:.1f} ms, at most {ordered[-1] * 1e3:.1f} ms"

    print(f"delay of the idle loop, 99 of 100: {shown(idle)}")
    name = f"delay of the asyncio loop with {IN_FLIGHT} calls in flight, 99 of 100"
    return Row(name, shown(busy))


async def large_response_row(peer: Peer) -> Row:
    """Measure how long the loop is held by a response of 2 MB with 99,900 values."""
    client = libpayments.AsyncClient(base_url=peer.url, integration_key="key")

    async def longest() -> float:
        call = client.register_tracking(
            order_number="large", email="maria@example.com", tracking_code=["BR12345"]
        )
        task = asyncio.create_task(call)
        held = 0.0
        while not task.done():
            held = max(held, *await loop_delays(0.001))
        assert len(task.result().raw) > 1_900_000
        return held

    held = statistics.median([await longest() for _ in range(LARGE_RESPONSES)]) * 1e3
    name = "a response of 2 MB with 99,900 values holds the asyncio loop"
    return Row(name, f"{held:.1f} ms", "≤ 10 ms on an idle machine", held <= 10)


def main() -> None:
    """Print the rows."""
    peer = Peer(sys.argv[1])
    rows = [*call_rows(peer), tls_row(peer), asyncio.run(loop_row(peer))]
    rows.append(asyncio.run(large_response_row(peer)))
    peer.stop()
    print_rows(rows)


if __name__ == "__main__":
    main()
