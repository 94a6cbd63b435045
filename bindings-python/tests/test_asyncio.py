"""The event loop never blocks, and a cancelled task ends its call."""

from __future__ import annotations

import asyncio
import gc
import pickle
import threading
import weakref
from typing import Any

import pytest

import libpayments
from libpayments import Outcome, payments_error_in
from programs import run
from support import Sandbox, payment
from waiting import hang, until_hanging

IN_FLIGHT = 200


def order(number: int) -> libpayments.Payment:
    return payment(merchant_payment_code=f"order-{number}")


async def hanging(sandbox: Sandbox, count: int, operation: str = "create_payment") -> None:
    # On a thread, so that the loop continues.
    await asyncio.to_thread(until_hanging, sandbox, count, operation)


async def ended(task: asyncio.Task[Any]) -> libpayments.PaymentsError:
    with pytest.raises(asyncio.CancelledError) as caught:
        await task
    error = payments_error_in(caught.value)
    assert error is not None
    return error


def test_many_calls_are_in_flight_while_the_loop_runs(sandbox: Sandbox) -> None:
    hang(sandbox)
    client = sandbox.async_client()
    ticks = 0

    async def tick() -> None:
        nonlocal ticks
        while True:
            await asyncio.sleep(0.005)
            ticks += 1

    async def main() -> None:
        ticker = asyncio.create_task(tick())
        calls = [
            asyncio.create_task(client.create_payment(payment=order(number)))
            for number in range(IN_FLIGHT)
        ]
        await hanging(sandbox, IN_FLIGHT)
        before = ticks
        await asyncio.sleep(0.2)
        assert ticks > before
        assert not any(call.done() for call in calls)
        for call in calls:
            call.cancel()
        errors = [await ended(call) for call in calls]
        assert {each.outcome for each in errors} == {Outcome.UNKNOWN}
        assert {each.kind for each in errors} == {"cancelled"}
        ticker.cancel()

    asyncio.run(main())


def test_calls_use_no_thread_of_the_loop(sandbox: Sandbox) -> None:
    def refuse(*_: object) -> None:
        raise AssertionError("the loop's executor was used")

    async def main() -> None:
        asyncio.get_running_loop().run_in_executor = refuse  # type: ignore[assignment,method-assign]
        client = sandbox.async_client()
        responses = await asyncio.gather(
            *(client.create_payment(payment=order(number)) for number in range(8))
        )
        assert {each.status for each in responses} == {"PE"}

    asyncio.run(main())
    assert "libpayments" not in {thread.name for thread in threading.enumerate()}


def test_every_operation_is_a_coroutine(sandbox: Sandbox) -> None:
    async def main() -> None:
        async with sandbox.async_client() as client:
            assert not (await client.token_status()).is_usable
            made = await client.create_payment({"payment": order(1)})
            sandbox.post("/sandbox/payments/order-1/confirm")
            assert (await client.query_payment(hash=str(made.hash))).is_paid
            refund = await client.refund_payment(hash=str(made.hash))
            assert refund.refund_status == "RE"
            tracked = await client.register_tracking(
                order_number="1", email="ana@example.com", tracking_code=["A"]
            )
            assert tracked.status == "SUCCESS"
            sent = await client.send("POST", "/ws/transfer", body=b"{}")
            assert sent.json()["echo"]["body_length"] == 2
            assert (await client.prepare("query_payment", hash="a")).method == "GET"
            assert (await client.prepare_send("GET", "/ws/own")).body == b""
            named = await client.call("query_payment", hash=made.hash)
            assert isinstance(named, libpayments.PaymentResponse)
            assert (await client.call("access_token")).token_type == "bearer"
            assert (await client.token_status()).is_usable
            await client.forget_token()
            assert not (await client.token_status()).is_usable

    asyncio.run(main())


def test_a_timeout_of_asyncio_has_the_error_of_the_call(sandbox: Sandbox) -> None:
    hang(sandbox)

    async def main() -> None:
        client = sandbox.async_client()
        with pytest.raises(asyncio.TimeoutError) as caught:
            await asyncio.wait_for(client.create_payment(payment=order(1)), 0.3)
        error = payments_error_in(caught.value)
        assert error is not None
        assert (error.kind, error.outcome) == ("cancelled", Outcome.UNKNOWN)

    asyncio.run(main())


def test_a_cancelled_query_was_not_executed_before_it_was_sent(sandbox: Sandbox) -> None:
    hang(sandbox, "access_token")

    async def main() -> None:
        task = asyncio.create_task(sandbox.async_client().create_payment(payment=order(1)))
        await hanging(sandbox, 1, "access_token")
        task.cancel()
        assert (await ended(task)).outcome is Outcome.NOT_EXECUTED

    asyncio.run(main())
    assert sandbox.requests("create_payment") == []


class CallWatch:
    def on_event(self, event: libpayments.Event) -> None:
        pass


async def assert_is_freed(config: libpayments.Configuration) -> None:
    """Cancel a waiting call: its place in the queue must hold nothing of it."""
    observer = CallWatch()
    freed = weakref.ref(observer)
    client = libpayments.AsyncClient(**config, observer=observer)
    waiting = asyncio.create_task(client.create_payment(payment=order(3)))
    await asyncio.sleep(0.1)
    waiting.cancel()
    await asyncio.wait([waiting])
    del waiting, client, observer
    gc.collect()
    assert freed() is None


def assert_withdrawn(error: libpayments.PaymentsError, number: int) -> None:
    assert isinstance(error, libpayments.CallCancelledError)
    assert str(error) == (
        "create_payment: the call was cancelled by the caller [cancelled/cancelled, not_executed]"
    )
    restored = pickle.loads(pickle.dumps(error))
    assert restored.report() == error.report()
    assert (error.kind, error.code, error.outcome) == (
        "cancelled",
        "cancelled",
        Outcome.NOT_EXECUTED,
    )
    assert (error.operation, error.reference) == ("create_payment", f"order-{number}")
    assert error.help == "python -m libpayments explain cancelled"
    assert error.response is None


async def assert_observer_learns_of_withdrawal(config: libpayments.Configuration) -> None:
    events: list[libpayments.Event] = []
    client = libpayments.AsyncClient(**config, observer=events.append)
    waiting = asyncio.create_task(client.create_payment(payment=order(4)))
    await asyncio.sleep(0.1)
    waiting.cancel()
    assert_withdrawn(await ended(waiting), 4)
    started, end = events
    assert started["event"] == "request_started"
    assert end["event"] == "request_ended"
    assert (end["kind"], end["outcome"], end["attempts"]) == ("cancelled", "not_executed", 0)


def test_calls_over_the_bound_wait_and_can_be_cancelled(sandbox: Sandbox) -> None:
    most = libpayments._native.MOST_THREADS
    hang(sandbox, "send")

    async def main() -> None:
        config = sandbox.configuration(client_id=None, client_secret=None, key_file=None, kid=None)
        client = libpayments.AsyncClient(**config)
        running = [
            asyncio.create_task(client.send("GET", "/ws/hang", reference=str(number)))
            for number in range(most)
        ]
        await hanging(sandbox, most, "send")
        waiting = asyncio.create_task(client.create_payment(payment=order(1)))
        await asyncio.sleep(0.1)
        waiting.cancel()
        # No thread has to tell the loop of its end.
        await asyncio.sleep(0)
        assert waiting.done()
        assert_withdrawn(await ended(waiting), 1)
        await assert_is_freed(config)
        await assert_observer_learns_of_withdrawal(config)
        next_in_turn = asyncio.create_task(client.create_payment(payment=order(2)))
        for call in running:
            call.cancel()
        for call in running:
            await ended(call)
        assert (await next_in_turn).status == "PE"

    asyncio.run(main())
    assert len(sandbox.requests("create_payment")) == 1


def test_a_call_that_waits_for_its_turn_ends_at_its_deadline(sandbox: Sandbox) -> None:
    most = libpayments._native.MOST_THREADS
    hang(sandbox, "send")
    config = sandbox.configuration(client_id=None, client_secret=None, timeout_ms=600_000)
    client = libpayments.AsyncClient(**config)

    async def main() -> None:
        running = [asyncio.create_task(client.send("GET", "/ws/hang")) for _ in range(most)]
        await hanging(sandbox, most, "send")
        waiting = client.create_payment(payment=order(1), timeout_ms=300)
        with pytest.raises(libpayments.CallTimeoutError) as caught:
            await asyncio.wait_for(waiting, 60)
        assert caught.value.outcome is Outcome.NOT_EXECUTED
        assert not any(call.done() for call in running)
        for call in running:
            call.cancel()
        for call in running:
            await ended(call)

    asyncio.run(main())
    assert sandbox.requests("create_payment") == []


def test_a_call_fails_if_no_thread_can_start(sandbox: Sandbox) -> None:
    printed = run(
        sandbox,
        """
        import asyncio, resource
        client = libpayments.AsyncClient(**configuration)
        # Root has no limit.
        if os.geteuid() == 0:
            os.setuid(65534)
        resource.setrlimit(resource.RLIMIT_NPROC, (1, 1))
        async def main():
            try:
                await client.create_payment(payment=payment)
            except libpayments.InternalError as error:
                print(error.code, error.outcome)
        asyncio.run(main())
        """,
    )
    assert printed.split() == ["resources_exhausted", "not_executed"]
    assert sandbox.stats()["requests"] == 0


def test_an_exit_of_the_program_ends_a_task() -> None:
    client = libpayments.AsyncClient(base_url="http://127.0.0.1:1", signer=leave, kid="k")

    async def main() -> None:
        await client.create_payment(payment=order(1))

    with pytest.raises(SystemExit):
        asyncio.run(main())


def leave(_: libpayments.SigningRequest) -> bytes:
    raise SystemExit(3)


def test_one_client_serves_several_loops(sandbox: Sandbox) -> None:
    client = sandbox.async_client()

    def run(number: int) -> None:
        responses.append(asyncio.run(client.create_payment(payment=order(number))).status)

    responses: list[object] = []
    threads = [threading.Thread(target=run, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert responses == ["PE"] * 4


@pytest.mark.parametrize("name", ["close", "aclose"])
def test_a_client_is_closed_under_either_name(sandbox: Sandbox, name: str) -> None:
    async def close() -> None:
        client = sandbox.async_client()
        await client.access_token()
        await getattr(client, name)()
        with pytest.raises(libpayments.ConfigError, match="the client is closed"):
            await client.access_token()

    asyncio.run(close())
