"""Payments whose journal is in a database that stops after some byte of a reply."""

from __future__ import annotations

import queue
import threading
from typing import get_args
from urllib.parse import urlsplit

import psycopg
import pytest

import libpayments
from cutting_proxy import CuttingProxy, Way
from databases import execute
from libpayments import DatabaseJournal
from support import Sandbox, payment

# Payments at a time. They mostly wait.
AT_ONCE = 16
DEADLINE_MS = 400
SILENCE = 0.5
# Without --every-byte, about so many bytes are cut.
SAMPLE = 24


class Payer:
    """Makes one payment after the other, through a proxy of its own."""

    def __init__(self, sandbox: Sandbox, database: str) -> None:
        address = urlsplit(database)
        assert address.port is not None
        self.proxy = CuttingProxy(address.port, SILENCE)
        url = database.replace(f":{address.port}/", f":{self.proxy.port}/")
        self.sandbox = sandbox
        self.connect = lambda: psycopg.connect(url, connect_timeout=10)
        # What works before the database stops, and afterwards.
        directly = DatabaseJournal(lambda: psycopg.connect(database))
        self.other = sandbox.client(journal=directly, timeout_ms=60_000)
        self.told: dict[str, str] = {}
        self.error: Exception | None = None

    def pay(self, reference: str, timeout_ms: int) -> str:
        """Give what the caller learns."""
        journal = DatabaseJournal(self.connect)
        with self.sandbox.client(journal=journal, timeout_ms=timeout_ms) as client:
            return self.pay_by(client, reference)

    def pay_by(self, client: libpayments.Client, reference: str) -> str:
        self.error = None
        try:
            client.create_payment(payment=payment(merchant_payment_code=reference))
        except libpayments.PaymentsError as error:
            self.error = error
            return error.outcome
        return "success"

    def pay_again(self, reference: str) -> str:
        outcome = self.pay_by(self.other, reference)
        # Whatever else refuses it, the journal let it pass.
        is_refused = self.error is None or isinstance(self.error, libpayments.JournalError)
        return outcome if is_refused else f"{outcome}, {self.error}"

    def cut(self, at: int, way: Way) -> str:
        """Stop the database there, and try again as a worker would."""
        for number in range(10):
            reference = f"{way}-{at}-{number}"
            self.proxy.begin(at, way)
            self.told[reference] = self.pay(reference, DEADLINE_MS << number)
            has_cut = self.proxy.has_cut
            self.told[f"{reference} again"] = self.pay_again(reference)
            if has_cut:
                return reference
        raise AssertionError(f"no payment came to byte {at}")


def test_no_byte_of_a_database_that_stops_there_leads_to_a_second_payment(
    sandbox: Sandbox, database: str, pytestconfig: pytest.Config
) -> None:
    DatabaseJournal(lambda: psycopg.connect(database)).create()
    first = Payer(sandbox, database)
    assert first.pay("first", 60_000) == "success"
    length = first.proxy.passed
    step = 1 if pytestconfig.getoption("every_byte") else length // SAMPLE
    jobs: queue.SimpleQueue[tuple[int, Way]] = queue.SimpleQueue()
    for at in range(0, length, step):
        for way in get_args(Way):
            jobs.put((at, way))
    payers = [Payer(sandbox, database) for _ in range(AT_ONCE)]
    made: list[str] = []

    def work(payer: Payer) -> None:
        while True:
            try:
                made.append(payer.cut(*jobs.get_nowait()))
            except queue.Empty:
                return

    runs = jobs.qsize()
    threads = [threading.Thread(target=work, args=(payer,)) for payer in payers]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for payer in (first, *payers):
        payer.other.close()
    assert len(made) == runs
    told = {name: outcome for payer in payers for name, outcome in payer.told.items()}
    counts = check(sandbox, told, database)
    print(f"\nPostgreSQL: {length} bytes, {runs} runs; {counts}")


def check(sandbox: Sandbox, told: dict[str, str], database: str) -> str:
    """Compare what callers were told with the books of the service and the journal."""
    journal = DatabaseJournal(lambda: psycopg.connect(database))
    aged = (
        "UPDATE payments_journal SET created_at = created_at - {0}, deadline_at = deadline_at - {0}"
    )
    execute(lambda: psycopg.connect(database), aged.format(86_400_000))
    with sandbox.client(journal=journal) as client:
        # Once a call is over for sure, recovery finds what could not be recorded.
        client.journal.recover()
    made = [payment["merchant_payment_code"] for payment in sandbox.payments()]
    with psycopg.connect(database) as connection:
        rows = connection.execute("SELECT reference, state FROM payments_journal").fetchall()
    wrong: list[object] = []
    counts: dict[str, int] = {}
    for reference, outcome in told.items():
        if reference.endswith(" again"):
            continue
        counts[outcome] = counts.get(outcome, 0) + 1
        again = told[f"{reference} again"]
        times = made.count(reference)
        states = [state for name, state in rows if name == reference and state != "failed"]
        # `unknown` is true of an entry that stayed open, and lets nobody pay again.
        is_true = {
            "success": times == 1 and again in ("executed", "unknown"),
            "not_executed": (again, times) in (("success", 1), ("unknown", 0)),
            "unknown": times <= 1 and again in ("executed", "unknown"),
        }
        is_recorded = states == ["done"] if times else states == ["in_progress"]
        if not (is_true[outcome] and is_recorded):
            wrong.append((reference, outcome, again, times, states))
    assert wrong == []
    return ", ".join(f"{count} {outcome}" for outcome, count in sorted(counts.items()))
