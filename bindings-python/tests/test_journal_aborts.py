"""Calls that end while a journal in PostgreSQL commits their entries."""

from __future__ import annotations

import asyncio
import contextlib
import os
import random
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Timer
from typing import Any, ClassVar

import psycopg
import pytest

import libpayments
from libpayments import DatabaseJournal
from support import Sandbox, payout

# How often 150 payouts are ended: once, unless it is set.
ROUNDS = int(os.environ.get("PAYMENTS_TEST_ABORTS", "1"))
CALLS = 150
AT_ONCE = 20


class LateConnection(psycopg.Connection[Any]):
    """A connection that is lost while it commits, and commits later."""

    under_way: ClassVar[list[LateConnection]] = []

    def commit(self) -> None:
        self.under_way.append(self)
        raise psycopg.OperationalError("the connection was lost")

    def rollback(self) -> None:
        """It does not reach the server."""

    def close(self) -> None:
        """It does not either."""

    @classmethod
    def land(cls) -> None:
        for connection in cls.under_way:
            psycopg.Connection.commit(connection)
            psycopg.Connection.close(connection)
        cls.under_way.clear()


def states(database: str) -> list[str]:
    with psycopg.connect(database) as connection:
        found = connection.execute("SELECT state FROM payments_journal ORDER BY id").fetchall()
    return [state for (state,) in found]


def test_a_late_entry_is_marked_as_failed_at_the_next_use(sandbox: Sandbox, database: str) -> None:
    kinds: list[Any] = [psycopg.Connection]
    journal = DatabaseJournal(lambda: kinds[-1].connect(database))
    journal.create()
    with sandbox.client(journal=journal) as client:
        kinds.append(LateConnection)
        with pytest.raises(libpayments.JournalError) as caught:
            client.create_payout(payout(external_reference="p-1"))
        kinds.pop()
        assert caught.value.outcome == "not_executed"
        assert "or has closed it (OperationalError); nothing was sent" in str(caught.value)
        assert "may still be stored, and block the reference until" in str(caught.value)
        assert isinstance(caught.value.__cause__, libpayments.JournalUnavailableError)
        assert isinstance(caught.value.__cause__.__cause__, psycopg.OperationalError)
        assert states(database) == []
        LateConnection.land()
        assert states(database) == ["in_progress"]
        client.create_payout(payout(external_reference="p-2"))
        assert states(database) == ["failed", "done"]
        client.create_payout(payout(external_reference="p-1"))
    assert len(sandbox.requests("create_payout")) == 2


def test_an_unreachable_journal_has_no_late_entry(sandbox: Sandbox, postgresql: str) -> None:
    actions: list[str] = []

    def connect() -> Any:
        actions.append("connect")
        raise psycopg.OperationalError("no server")

    # The journal searches for no entry of an earlier test.
    scope = {"journal_scope": "unreachable"}
    with sandbox.client(journal=DatabaseJournal(connect), **scope) as client:
        for number in range(2):
            with pytest.raises(libpayments.JournalError, match=r"nothing was sent \["):
                client.create_payout(payout(external_reference=f"p-{number}"))
    # The end of neither is recorded, and the journal searches for neither.
    assert len(actions) == 2
    assert sandbox.requests("create_payout") == []


def outcome_of(pay: Callable[[], object]) -> str:
    try:
        pay()
    except libpayments.PaymentsError as error:
        return error.outcome
    return "executed"


def assert_ended(client: libpayments.Client, outcomes: dict[str, str]) -> None:
    """Assert that only payouts that may have been sent are open."""
    for one in client.journal.list(only_open=True):
        assert (outcomes[one.reference], one.state) == ("unknown", "unknown"), one.reference
    assert len(outcomes) == ROUNDS * CALLS
    unsent = [it for it in outcomes.values() if it == "not_executed"]
    assert unsent
    print(f"{len(unsent)} of {len(outcomes)} payouts sent nothing")


def longest_time(pay: Callable[[str], object]) -> float:
    """Return how long a payout takes, when as many run as in a round."""

    def timed(number: int) -> float:
        begun = time.monotonic()
        pay(f"w-{number}")
        return time.monotonic() - begun

    with ThreadPoolExecutor(AT_ONCE) as pool:
        return max(pool.map(timed, range(AT_ONCE)))


@pytest.mark.parametrize("end", ["cancellation", "deadline"])
def test_a_payout_that_ends_early_leaves_no_entry_in_progress(
    sandbox: Sandbox, database: str, end: str
) -> None:
    journal = DatabaseJournal(lambda: psycopg.connect(database))
    journal.create()
    outcomes: dict[str, str] = {}
    with sandbox.client(journal=journal) as client:
        longest = longest_time(lambda it: client.create_payout(payout(external_reference=it)))

        def pay(reference: str) -> None:
            seconds = random.uniform(0.001, longest)
            given = payout(external_reference=reference)
            if end == "deadline":
                limit = int(seconds * 1000) + 1
                outcomes[reference] = outcome_of(
                    lambda: client.create_payout(given, timeout_ms=limit)
                )
                return
            cancel = libpayments.CancelHandle()
            timer = Timer(seconds, cancel.cancel)
            timer.start()
            outcomes[reference] = outcome_of(lambda: client.create_payout(given, cancel=cancel))
            timer.cancel()

        for round_number in range(ROUNDS):
            references = [f"p-{round_number}-{number}" for number in range(CALLS)]
            with ThreadPoolExecutor(AT_ONCE) as pool:
                list(pool.map(pay, references))
        assert_ended(client, outcomes)


def test_a_cancelled_task_leaves_no_entry_in_progress(sandbox: Sandbox, database: str) -> None:
    journal = DatabaseJournal(lambda: psycopg.connect(database))
    journal.create()
    outcomes: dict[str, str] = {}
    with sandbox.client(journal=journal) as client:
        longest = longest_time(lambda it: client.create_payout(payout(external_reference=it)))

    async def pay(client: libpayments.AsyncClient, reference: str) -> None:
        task = asyncio.ensure_future(client.create_payout(payout(external_reference=reference)))
        await asyncio.sleep(random.uniform(0.001, longest))
        task.cancel()
        try:
            await task
            outcomes[reference] = "executed"
        except asyncio.CancelledError as cancelled:
            error = libpayments.payments_error_in(cancelled)
            outcomes[reference] = "not_executed" if error is None else error.outcome

    async def main() -> None:
        async with sandbox.async_client(journal=journal) as client:
            for round_number in range(ROUNDS):
                references = [f"p-{round_number}-{number}" for number in range(CALLS)]
                while references:
                    batch, references = references[:AT_ONCE], references[AT_ONCE:]
                    await asyncio.gather(*[pay(client, reference) for reference in batch])

    asyncio.run(main())
    with contextlib.closing(sandbox.client(journal=journal)) as client:
        assert_ended(client, outcomes)
