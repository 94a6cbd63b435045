"""How long a program takes to start: medians of five, over the bare interpreter."""

from __future__ import annotations

import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import libpayments
from rows import Row, print_rows

ROUNDS = 5
CLIENT = """
import sys, time
import libpayments
key = open(sys.argv[1]).read()
started = time.perf_counter()
libpayments.Client(base_url="http://127.0.0.1:1", key=key, kid="bench-key")
print((time.perf_counter() - started) * 1e3)
"""


def milliseconds_of(code: str) -> float:
    """Measure a process from its start to its end."""
    started = time.perf_counter()
    subprocess.run([sys.executable, "-c", code], check=True)
    return (time.perf_counter() - started) * 1e3


def over_bare(code: str) -> float:
    """Give the median over that of the bare interpreter, which takes turns with it."""
    turns = [(milliseconds_of(code), milliseconds_of("pass")) for _ in range(ROUNDS + 1)][1:]
    ours, bare = (statistics.median(side) for side in zip(*turns, strict=True))
    return float(ours - bare)


def client_from_pem() -> float:
    """Measure the making of a client inside of processes that did nothing else."""
    with tempfile.TemporaryDirectory() as folder:
        pem = Path(folder, "key.pem")
        pem.write_text(libpayments.generate_key().private_key, encoding="ascii")
        line = [sys.executable, "-c", CLIENT, str(pem)]
        times = [
            float(subprocess.run(line, check=True, capture_output=True).stdout)
            for _ in range(ROUNDS)
        ]
    return statistics.median(times)


def main() -> None:
    """Print the rows."""
    rows: list[Row] = []
    for what, took, budget in [
        ("import libpayments, over bare Python", over_bare("import libpayments"), 15),
        ("the same with AsyncClient", over_bare("from libpayments import AsyncClient"), None),
        ("a client from PEM in Python", client_from_pem(), 3),
    ]:
        goal = "—" if budget is None else f"≤ {budget} ms"
        rows.append(Row(what, f"{took:.1f} ms", goal, budget is None or took <= budget))
    print_rows(rows)


if __name__ == "__main__":
    main()
