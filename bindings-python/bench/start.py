"""How long a program takes to start: medians of five.

Usage: start.py PEER, the program of `core/benches/peer`
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from ratios import PAYMENT, Peer
from rows import Row, print_rows

ROUNDS = 5
REQUEST = {**PAYMENT, "amount_total": "100.10"}
BARE = "pass"
# Modules that most programs have already imported.
USED = "import typing, decimal, datetime, weakref"
IMPORT = "import libpayments"
FIRST_RESPONSE = f"""
import sys, time
import libpayments
key = open(sys.argv[2]).read()
started = time.perf_counter()
client = libpayments.Client(base_url=sys.argv[1], integration_key="key", key=key, kid="bench-key")
took = time.perf_counter() - started
client.create_payment(payment={REQUEST})
print(took * 1e3)
"""


def milliseconds_of(code: str) -> float:
    """Measure a process from its start to its end."""
    started = time.perf_counter()
    subprocess.run([sys.executable, "-c", code], check=True)
    return (time.perf_counter() - started) * 1e3


def over(base: str, code: str) -> float:
    """Return the median of the time that the code adds to `base`, turn by turn."""
    both = f"{base}\n{code}"
    turns = [milliseconds_of(both) - milliseconds_of(base) for _ in range(ROUNDS + 1)]
    return statistics.median(turns[1:])


def first_response(url: str, pem: Path) -> tuple[float, float]:
    """Measure a process to its first response, and in it the making of the client."""
    line = [sys.executable, "-c", FIRST_RESPONSE, url, str(pem)]
    started = time.perf_counter()
    with subprocess.Popen(line, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        client = float(process.stdout.readline())
        whole = (time.perf_counter() - started) * 1e3
    return whole, client


def first_responses(peer: Peer) -> tuple[float, float]:
    """Return the medians of several `first_response`."""
    with tempfile.TemporaryDirectory() as folder:
        pem = Path(folder, "key.pem")
        pem.write_text(peer.private_key, encoding="ascii")
        turns = [first_response(peer.url, pem) for _ in range(ROUNDS + 1)][1:]
    whole, client = (statistics.median(times) for times in zip(*turns, strict=True))
    return whole, client


def main() -> None:
    """Print the rows."""
    peer = Peer(sys.argv[1])
    whole, client = first_responses(peer)
    peer.stop()
    rows: list[Row] = []
    import_bare, import_used = over(BARE, IMPORT), over(USED, IMPORT)
    for what, took, budget in [
        ("from the start of Python to the first response", whole, None),
        ("import libpayments, over bare Python", import_bare, 15),
        ("import libpayments, over Python with typing, decimal and datetime", import_used, None),
        ("the same with AsyncClient", over(BARE, "from libpayments import AsyncClient"), None),
        ("a client from PEM in Python", client, 3),
    ]:
        goal = "—" if budget is None else f"≤ {budget} ms on an idle machine"
        rows.append(Row(what, f"{took:.1f} ms", goal, budget is None or took <= budget))
    print_rows(rows)


if __name__ == "__main__":
    main()
