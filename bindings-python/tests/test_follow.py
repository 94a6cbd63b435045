"""Following open payments."""

from __future__ import annotations

import asyncio
import signal
from datetime import timedelta
from decimal import Decimal
from pathlib import Path

import pytest

import libpayments
from support import Sandbox, payment, payout


def pay(sandbox: Sandbox, *references: str) -> None:
    with sandbox.client() as client:
        for reference in references:
            client.create_payment(payment=payment(merchant_payment_code=reference))
            sandbox.post(f"/sandbox/payments/{reference}/confirm")


def test_an_end_that_was_not_handled_is_repeated(sandbox: Sandbox, tmp_path: Path) -> None:
    pay(sandbox, "order-1", "order-2")
    client, state = sandbox.client(), tmp_path / "follow.state"
    references = ["order-1", "order-2"]
    for end in client.follow(references, state=state, per_second=100):
        assert (end.reference, end.end, end.status) == ("order-1", "confirmed", "CO")
        assert (end.is_confirmed, end.repeated, end.operation) == (True, False, "create_payment")
        break
    ends = list(client.follow(references, state=state, per_second=100))
    repeated = [(end.reference, end.repeated) for end in ends]
    assert repeated == [("order-1", True), ("order-2", False)]
    assert list(client.follow(references, state=state)) == []


def test_the_state_file_is_free_when_the_iteration_ends(sandbox: Sandbox, tmp_path: Path) -> None:
    pay(sandbox, "order-1")
    client, state = sandbox.client(), tmp_path / "follow.state"
    ends = client.follow(["order-1"], state=state)
    next(ends)
    with pytest.raises(libpayments.ConfigError) as caught:
        next(client.follow(["order-1"], state=state))
    assert (caught.value.code, caught.value.path) == ("already_running", "state")
    del ends
    assert next(client.follow(["order-1"], state=state)).repeated


class AlarmError(Exception):
    pass


def test_the_state_file_is_free_after_any_interruption(sandbox: Sandbox, tmp_path: Path) -> None:
    pay(sandbox, "order-1")
    state = tmp_path / "follow.state"

    def ring(*_: object) -> None:
        raise AlarmError

    def follow(client: libpayments.Client) -> None:
        for end in client.follow(["order-1", "order-2"], state=state):
            assert end.reference == "order-1"

    before = signal.signal(signal.SIGALRM, ring)
    try:
        with sandbox.client() as client:
            for number in range(50):
                with pytest.raises(AlarmError):  # noqa: PT012
                    # Again and again: Python drops what is raised in a finalizer.
                    signal.setitimer(signal.ITIMER_REAL, 0.001 + number / 10_000, 0.2)
                    follow(client)
                signal.setitimer(signal.ITIMER_REAL, 0)
    finally:
        signal.signal(signal.SIGALRM, before)


def test_the_state_file_is_free_after_a_task_was_cancelled(
    sandbox: Sandbox, tmp_path: Path
) -> None:
    pay(sandbox, "order-1")
    state = tmp_path / "follow.state"

    async def run() -> None:
        async with sandbox.async_client() as client:

            async def follow() -> None:
                async for end in client.follow(["order-1", "order-2"], state=state):
                    assert end.reference == "order-1"

            for number in range(50):
                with pytest.raises(asyncio.TimeoutError):
                    await asyncio.wait_for(follow(), number / 10_000)

    asyncio.run(run())


def test_invalid_arguments_are_refused(sandbox: Sandbox) -> None:
    client = sandbox.client()
    with pytest.raises(TypeError, match="not a string"):
        next(client.follow("order-1"))
    with pytest.raises(libpayments.ConfigError) as caught:
        next(client.follow())
    assert caught.value.path == "journal"
    with pytest.raises(libpayments.ValidationError) as refused:
        next(client.follow(["order-1"], per_second=0))
    assert refused.value.path == "per_second"


def test_an_open_payment_is_given_up(sandbox: Sandbox) -> None:
    client = sandbox.client()
    code = client.create_payment(payment=payment()).hash
    assert code is not None
    [end] = client.follow([code], by_hash=True, give_up_after=timedelta(0))
    assert (end.end, end.status, end.reason) == ("given_up", "PE", "it is still open after 1 s")
    assert (end.amount, end.currency) == (Decimal("250.00"), "MXN")


def test_payouts_are_followed_where_their_query_is_on(sandbox: Sandbox, tmp_path: Path) -> None:
    client, state = sandbox.client(payout_query=True), tmp_path / "follow.state"
    paid = client.create_payout(payout(external_reference="payout-1")).uid
    client.create_payout(payout(external_reference="payout-2"))
    sandbox.post("/sandbox/payouts/payout-1/pay")
    sandbox.post("/sandbox/payouts/payout-2/cancel", {"code": "BANK_INFO"})
    references = ["payout-1", "payout-2"]
    for repeated in (False, True):
        end = next(client.follow(references, by_external_reference=True, state=state))
        assert (end.operation, end.reference, end.uid) == ("create_payout", "payout-1", paid)
        assert (end.end, end.status, end.code) == ("confirmed", "PA", None)
        assert (end.is_confirmed, end.repeated) == (True, repeated)
    _, end = client.follow(references, by_external_reference=True, state=state, per_second=100)
    assert (end.reference, end.end, end.status, end.code) == (
        "payout-2",
        "cancelled",
        "CA",
        "BANK_INFO",
    )
    assert paid is not None
    [end] = client.follow([paid], by_uid=True)
    assert (end.reference, end.end) == (paid, "confirmed")

    async def run() -> None:
        async with sandbox.async_client(payout_query=True) as asynchronous:
            ends = asynchronous.follow(["payout-2"], by_external_reference=True)
            assert [(end.end, end.code) async for end in ends] == [("cancelled", "BANK_INFO")]
            [end] = [end async for end in asynchronous.follow([paid], by_uid=True)]
            assert end.is_confirmed

    asyncio.run(run())
    with pytest.raises(libpayments.ConfigError, match="turn payout_query on") as refused:
        next(sandbox.client().follow(references, by_external_reference=True))
    assert refused.value.path == "payout_query"
    with pytest.raises(libpayments.ValidationError) as both:
        next(client.follow(references, by_external_reference=True, by_uid=True))
    assert both.value.path == "references"


def test_tasks_follow_too(sandbox: Sandbox, tmp_path: Path) -> None:
    pay(sandbox, "order-1")
    state = tmp_path / "follow.state"

    async def run() -> None:
        async with sandbox.async_client() as client:
            created = await client.create_payment(payment=payment(merchant_payment_code="order-2"))
            assert created.hash is not None
            ends = client.follow(["order-1", "order-2"], state=state, per_second=100)
            first = await anext_of(ends)
            assert (first.reference, first.is_confirmed) == ("order-1", True)
            waiting = asyncio.ensure_future(anext_of(ends))
            await asyncio.sleep(0.1)
            waiting.cancel()
            with pytest.raises(asyncio.CancelledError):
                await waiting
            sandbox.pay(created.hash)
            again = [end async for end in client.follow(["order-1", "order-2"], state=state)]
            assert [(end.reference, end.repeated) for end in again] == [("order-2", False)]

    asyncio.run(run())


async def anext_of(ends: object) -> libpayments.FollowEnd:
    end = await ends.__anext__()  # type: ignore[attr-defined]
    assert isinstance(end, libpayments.FollowEnd)
    return end
