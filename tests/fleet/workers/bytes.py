"""The Python process that pays with a journal in a database; src/bytes/mod.rs has the protocol."""

from __future__ import annotations

import contextlib
import json
import logging
import sys
from collections.abc import Callable
from typing import Any

import libpayments
import psycopg

CONFIGURATION: dict[str, Any] = json.loads(sys.stdin.readline())


def connected(port: int) -> psycopg.Connection[Any]:
    return psycopg.connect(f"postgresql://payments@127.0.0.1:{port}/postgres")


def client_of(connect: Callable[[], Any], timeout_ms: int) -> libpayments.Client:
    journal = libpayments.DatabaseJournal(connect, driver=psycopg)
    return libpayments.Client(**CONFIGURATION, journal=journal, timeout_ms=timeout_ms)


def pay(client: libpayments.Client, request: dict[str, Any]) -> dict[str, str | None]:
    """Return the caller's result."""
    try:
        client.create_payment(**request)
    except libpayments.PaymentsError as error:
        return {"outcome": error.outcome.value, "kind": error.kind}
    return {"outcome": "success", "kind": None}


def recovered(direct: psycopg.Connection[Any], client: libpayments.Client, age: int) -> object:
    """Recover all entries, which get older before."""
    direct.execute(
        "UPDATE payments_journal SET created_at = created_at - %(age)s,"
        " deadline_at = deadline_at - %(age)s",
        {"age": age},
    )
    direct.commit()
    client.journal.recover()
    return direct.execute("SELECT reference, state FROM payments_journal").fetchall()


def pay_at(port: int, timeout_ms: int, request: dict[str, Any]) -> dict[str, str | None]:
    """Pay with a new client and journal."""
    with client_of(lambda: connected(port), timeout_ms) as client:
        return pay(client, request)


def main() -> None:
    """Run the protocol on standard input and output."""
    # Each failure of the journal is expected.
    logging.getLogger("libpayments").setLevel(logging.CRITICAL + 1)
    direct = connected(int(sys.stdin.readline()))
    client = client_of(lambda: contextlib.nullcontext(direct), 60_000)
    for line in sys.stdin:
        asked = json.loads(line)
        answer: object = None
        if "port" in asked:
            answer = pay_at(**asked)
        elif "request" in asked:
            answer = pay(client, asked["request"])
        elif "create" in asked:
            libpayments.DatabaseJournal(lambda: contextlib.nullcontext(direct)).create()
        else:
            answer = recovered(direct, client, asked["recover"])
        print(json.dumps(answer), flush=True)


main()
