"""A cancelled task always ends as cancelled, and its error has the response."""

from __future__ import annotations

import asyncio
import gc
import sys
import threading
import time
from collections.abc import Callable, Coroutine
from typing import Any

import anyio
import pytest

import libpayments
from libpayments import Outcome, payments_error_in
from support import Sandbox, payment

LIMIT = 60.0

Pay = Callable[[], Coroutine[Any, Any, None]]


class BlockedLoop:
    """A client, and the moment when the response to its call is complete."""

    def __init__(self, sandbox: Sandbox) -> None:
        self.loop_stands = threading.Event()
        self.event = threading.Event()
        config = sandbox.configuration()
        self.client = libpayments.AsyncClient(**config, observer=self.observe)

    def observe(self, event: libpayments.Event) -> None:
        if event["event"] == "request_started":
            assert self.loop_stands.wait(60)
        if event["event"] == "request_ended":
            self.event.set()

    async def pay(self) -> libpayments.PaymentResponse:
        return await self.client.create_payment(payment=payment())

    async def stop_the_loop(self) -> None:
        """Let the calls begin, and block the loop until the response has arrived."""
        for _ in range(5):
            await asyncio.sleep(0)
        self.loop_stands.set()
        assert self.event.wait(60)


def assert_responded(exception: BaseException) -> None:
    error = payments_error_in(exception)
    assert isinstance(error, libpayments.CallCancelledError)
    assert (error.code, error.outcome) == ("interrupted_after_response", Outcome.EXECUTED)
    assert (error.reference, error.operation) == ("order-1", "create_payment")
    assert isinstance(error.response, libpayments.PaymentResponse)
    assert error.response.status == "PE"


def run_quietly(main: Coroutine[Any, Any, None]) -> None:
    """Run it; the loop must report no exception."""
    complaints: list[object] = []

    async def watched() -> None:
        loop = asyncio.get_running_loop()
        loop.set_exception_handler(lambda _, context: complaints.append(context))
        await main
        gc.collect()
        await asyncio.sleep(0)

    asyncio.run(watched())
    assert complaints == []


@pytest.mark.parametrize("cancels", [1, 3])
def test_a_task_cancelled_when_its_response_is_complete(sandbox: Sandbox, cancels: int) -> None:
    responded = BlockedLoop(sandbox)

    async def main() -> None:
        task = asyncio.create_task(responded.pay())
        await responded.stop_the_loop()
        for _ in range(cancels):
            task.cancel()
            await asyncio.sleep(0)
        with pytest.raises(asyncio.CancelledError) as caught:
            await task
        assert_responded(caught.value)

    run_quietly(main())


class EarlyCore:
    """Stands in for a core that reports its end before the cancellation."""

    def __init__(self) -> None:
        self.cancelled_calls = 0
        self.deliver: Callable[[], None] = lambda: None

    def start(self, *work: Any) -> EarlyCore:
        self.deliver = work[-1]
        return self

    def withdraw(self) -> str | None:
        return None

    def cancel(self) -> bool:
        return False

    def cancelled(self) -> libpayments.PaymentsError:
        self.cancelled_calls += 1
        return libpayments.CallCancelledError("cancelled")


def test_a_task_cancelled_after_its_response_was_delivered() -> None:
    client = libpayments.AsyncClient(base_url="http://127.0.0.1:1", integration_key="k")
    core: Any = EarlyCore()
    client._native_client = core

    async def main() -> None:
        task = asyncio.create_task(client.query_payment(hash="a"))
        await asyncio.sleep(0)
        core.deliver()
        # The wait is over in the next turn, in which the task continues.
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError) as caught:
            await task
        assert isinstance(payments_error_in(caught.value), libpayments.CallCancelledError)

    run_quietly(main())
    assert core.cancelled_calls == 1


async def limited_by_wait_for(responded: BlockedLoop) -> None:
    await asyncio.wait_for(responded.pay(), LIMIT)


async def limited_by_timeout(responded: BlockedLoop) -> None:
    if sys.version_info >= (3, 11):
        async with asyncio.timeout(LIMIT):
            await responded.pay()
    else:
        await limited_by_wait_for(responded)


@pytest.mark.parametrize("limited", [limited_by_wait_for, limited_by_timeout])
def test_a_limit_of_asyncio_leads_to_the_response(
    sandbox: Sandbox,
    limited: Callable[[BlockedLoop], Coroutine[Any, Any, None]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    responded = BlockedLoop(sandbox)

    async def main() -> None:
        task = asyncio.create_task(limited(responded))
        await responded.stop_the_loop()
        loop = asyncio.get_running_loop()
        monkeypatch.setattr(loop, "time", lambda: time.monotonic() + LIMIT)
        with pytest.raises(asyncio.TimeoutError) as caught:
            await task
        assert_responded(caught.value)

    run_quietly(main())


class CountingLoop(asyncio.SelectorEventLoop):
    """Counts its turns."""

    turns = 0

    def _run_once(self) -> None:
        self.turns += 1
        super()._run_once()  # type: ignore[misc]


async def cancelled_by_anyio(pay: Pay, signing: threading.Event) -> None:
    async with anyio.create_task_group() as group:
        group.start_soon(pay)
        await until_set(signing)
        group.cancel_scope.cancel()


async def cancelled_at_every_turn(pay: Pay, signing: threading.Event) -> None:
    task = asyncio.create_task(pay())
    await until_set(signing)
    while not task.done():
        task.cancel()
        await asyncio.sleep(0)


async def until_set(event: threading.Event) -> None:
    while not event.is_set():
        await asyncio.sleep(0.01)


@pytest.mark.parametrize("cancelled", [cancelled_by_anyio, cancelled_at_every_turn])
def test_repeated_cancellation_does_not_keep_a_core_busy(
    cancelled: Callable[[Pay, threading.Event], Coroutine[Any, Any, None]],
) -> None:
    signing, go_on = threading.Event(), threading.Event()
    turns: list[int] = []

    def sign(_: libpayments.SigningRequest) -> bytes:
        turns.append(loop.turns)
        signing.set()
        loop.call_soon_threadsafe(loop.call_later, 0.5, go_on.set)
        go_on.wait(60)
        return b""

    client = libpayments.AsyncClient(base_url="http://127.0.0.1:1", signer=sign, kid="k")
    errors: list[libpayments.PaymentsError | None] = []

    async def pay() -> None:
        try:
            await client.create_payment(payment=payment())
        except asyncio.CancelledError as cancelled:
            errors.append(payments_error_in(cancelled))
            raise

    loop = CountingLoop()
    try:
        loop.run_until_complete(cancelled(pay, signing))
    finally:
        loop.close()
    assert loop.turns - turns[0] < 1000
    assert [error and (error.kind, error.outcome) for error in errors] == [
        ("cancelled", Outcome.NOT_EXECUTED)
    ]


if sys.version_info >= (3, 11):

    def test_a_failed_group_of_tasks_keeps_the_response_of_a_task(sandbox: Sandbox) -> None:
        responded = BlockedLoop(sandbox)
        caught: list[BaseException] = []

        async def pay() -> None:
            try:
                await responded.pay()
            except asyncio.CancelledError as cancelled:
                caught.append(cancelled)
                raise

        async def fail() -> None:
            await responded.stop_the_loop()
            raise LookupError

        async def in_a_group() -> None:
            async with asyncio.TaskGroup() as tasks:
                tasks.create_task(pay())
                tasks.create_task(fail())

        async def main() -> None:
            with pytest.raises(Exception, match="unhandled errors in a TaskGroup"):
                await in_a_group()
            assert_responded(caught[0])

        run_quietly(main())
