"""OpenTelemetry spans and metrics, as exporters of its SDK receive them."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from opentelemetry.trace import INVALID_SPAN
from opentelemetry.trace import get_current_span as current_span

import libpayments
from collector import Collector, client_of, names_of, order
from libpayments import Event
from support import Sandbox, payment
from waiting import pay_and_cancel

CALLS = 12


def together(collector: Collector) -> Callable[[Event], None]:
    """Make an observer that lets no call send before all of them are about to."""
    all_are_there = threading.Barrier(CALLS)

    def observe(event: Event) -> None:
        collector.observer.on_event(event)
        if event["event"] == "attempt":
            all_are_there.wait(60)

    return observe


def test_a_call_is_a_child_of_the_current_span_and_is_counted(
    sandbox: Sandbox, collector: Collector
) -> None:
    client = client_of(sandbox, collector)
    started = time.monotonic()
    with collector.tracer.start_as_current_span("checkout") as checkout:
        client.create_payment(payment=payment())
        assert current_span() is checkout
    took = time.monotonic() - started
    [span] = collector.named("payments create_payment")
    assert span.parent.span_id == checkout.get_span_context().span_id
    token, attempt = collector.children_of(span)
    assert token.start_time < token.end_time <= attempt.start_time < attempt.end_time
    [point] = collector.points("payments.call.duration")
    assert point["count"] == 1
    # Its span begins a moment after the call.
    assert 0 < point["sum"] <= took
    executed = {"payments.operation": "create_payment", "http.response.status_code": 200}
    assert point["attributes"] == executed
    assert collector.counts("payments.calls") == [(1, executed)]
    assert collector.counts("payments.tokens") == [(1, {})]


def test_failures_are_counted_without_a_reference(sandbox: Sandbox, collector: Collector) -> None:
    client = client_of(sandbox, collector)
    sandbox.fault("close", execute=True)
    sandbox.fault("response", status=422, json={"message": "canary-49916"})
    for kind in (libpayments.TransportError, libpayments.StatusError):
        with pytest.raises(kind):
            client.create_payment(payment=payment())
    client.forget_token()
    sandbox.post("/sandbox/tokens/block", {"status": 429, "retry_after": 7})
    with pytest.raises(libpayments.TokenError):
        client.create_payment(payment=payment())

    def failed(kind: str, outcome: str, **status: int) -> tuple[int, dict[str, Any]]:
        members = {"payments.operation": "create_payment", "payments.outcome": outcome}
        http = {f"http.response.{name}": number for name, number in status.items()}
        return 1, {**members, **http, "error.type": kind}

    assert collector.counts("payments.calls") == [
        failed("transport", "unknown"),
        failed("status", "not_executed", status_code=422),
        failed("token", "not_executed"),
    ]
    assert collector.counts("payments.tokens") == [(1, {}), (1, {"error.type": "token"})]
    assert "order-1" not in collector.metrics()
    assert "canary" not in collector.metrics()


def test_a_token_request_is_a_child_of_the_current_span(
    sandbox: Sandbox, collector: Collector
) -> None:
    client = client_of(sandbox, collector)
    with collector.tracer.start_as_current_span("warm up"):
        client.access_token()
        client.access_token()
    token, caller = collector.spans()
    assert (token.name, names_of(caller)) == ("payments token", ["payments.token_reused"])
    assert collector.children_of(caller) == [token]


def test_threads_keep_their_calls_apart(sandbox: Sandbox, collector: Collector) -> None:
    client = libpayments.Client(**sandbox.configuration(), observer=together(collector))

    def buy(number: int) -> None:
        with collector.tracer.start_as_current_span(f"thread {number}"):
            client.create_payment(payment=order(number))

    with ThreadPoolExecutor(CALLS) as threads:
        list(threads.map(buy, range(CALLS)))
        # Nothing stays behind on the threads.
        assert set(threads.map(lambda _: current_span(), range(CALLS))) == {INVALID_SPAN}
    collector.check_parents("thread ", CALLS)


def test_tasks_keep_their_calls_apart(sandbox: Sandbox, collector: Collector) -> None:
    client = libpayments.AsyncClient(**sandbox.configuration(), observer=together(collector))

    async def buy(number: int) -> None:
        with collector.tracer.start_as_current_span(f"task {number}") as task:
            await client.create_payment(payment=order(number))
            assert current_span() is task

    async def main() -> None:
        await asyncio.gather(*(buy(number) for number in range(CALLS)))

    asyncio.run(main())
    collector.check_parents("task ", CALLS)


def test_a_cancelled_task_ends_its_span(sandbox: Sandbox, collector: Collector) -> None:
    client = libpayments.AsyncClient(**sandbox.configuration(), observer=collector.observer)

    async def main() -> None:
        with collector.tracer.start_as_current_span("task"):
            await pay_and_cancel(sandbox, client)

    asyncio.run(main())
    collector.check_parents("task", 1)
    [span] = collector.named("payments create_payment")
    assert span.attributes["error.type"] == "cancelled"
    [(count, attributes)] = collector.counts("payments.calls")
    assert (count, attributes["payments.outcome"]) == (1, "unknown")


def test_a_call_within_a_call_has_its_own_span(sandbox: Sandbox, collector: Collector) -> None:
    helper = client_of(sandbox, collector)

    def sign(_: libpayments.SigningRequest) -> bytes:
        helper.send("GET", "/ws/signature")
        raise RuntimeError

    client = libpayments.Client(
        **sandbox.configuration(key_file=None), signer=sign, observer=collector.observer
    )
    with pytest.raises(libpayments.SigningError):
        client.create_payment(payment=payment())
    [inner], [outer] = collector.named("payments send"), collector.named("payments create_payment")
    assert inner.parent == outer.context
    assert outer.parent is None
    assert [span.name for span in collector.children_of(inner)][-1] == "GET"
    # The signer used the token that the call itself had fetched.
    assert inner in collector.children_of(outer)
    assert "POST" not in [span.name for span in collector.children_of(outer)]
