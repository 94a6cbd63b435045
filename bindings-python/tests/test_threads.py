"""Other threads run while a call waits."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

import libpayments
from support import Sandbox, payment
from waiting import hang, until_hanging

THREADS = 32


def test_calls_of_threads_overlap_and_others_run(sandbox: Sandbox) -> None:
    # Private keys sign in turn: that takes a part of this for all threads.
    sandbox.post("/sandbox/settings", {"latency_ms": 2000})
    client = sandbox.client()
    client.access_token()
    together = threading.Barrier(THREADS)
    ticks = 0
    done = threading.Event()

    def tick() -> None:
        nonlocal ticks
        while not done.wait(0.005):
            ticks += 1

    def pay(number: int) -> str:
        together.wait()
        code = f"order-{number}"
        return str(client.create_payment(payment=payment(merchant_payment_code=code)).status)

    ticker = threading.Thread(target=tick)
    ticker.start()
    with ThreadPoolExecutor(THREADS) as threads:
        statuses = list(threads.map(pay, range(THREADS)))
    done.set()
    ticker.join()
    assert statuses == ["PE"] * THREADS
    # One after the other, there would be one in flight.
    assert sandbox.stats()["max_in_flight"] >= THREADS // 2
    assert ticks >= 10


def test_all_threads_are_in_flight_at_once_and_can_be_cancelled(sandbox: Sandbox) -> None:
    hang(sandbox)
    client = sandbox.client()
    cancel = libpayments.CancelHandle()

    def pay(number: int) -> libpayments.PaymentsError:
        code = f"order-{number}"
        with pytest.raises(libpayments.CallCancelledError) as caught:
            client.create_payment(payment=payment(merchant_payment_code=code), cancel=cancel)
        return caught.value

    with ThreadPoolExecutor(THREADS) as threads:
        failures = [threads.submit(pay, number) for number in range(THREADS)]
        until_hanging(sandbox, THREADS)
        assert not cancel.is_cancelled
        cancel.cancel()
        errors = [each.result() for each in failures]
    assert {each.outcome for each in errors} == {libpayments.Outcome.UNKNOWN}
    assert sorted(str(each.reference) for each in errors) == sorted(
        f"order-{number}" for number in range(THREADS)
    )
    assert repr(cancel) == "CancelHandle(cancelled)"


def test_threads_fetch_one_token(sandbox: Sandbox) -> None:
    client = sandbox.client()
    with ThreadPoolExecutor(8) as threads:
        tokens = list(threads.map(lambda _: client.access_token().access_token, range(64)))
    assert len(set(tokens)) == 1
    assert len(sandbox.requests("access_token")) == 1
