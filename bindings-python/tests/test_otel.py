"""OpenTelemetry spans and metrics, as exporters of its SDK receive them."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any
from urllib.parse import urlsplit

import pytest
from opentelemetry.trace import INVALID_SPAN, SpanKind, StatusCode
from opentelemetry.trace import get_current_span as current_span

import libpayments
from collector import Collector, client_of, names_of, order
from libpayments import Event
from support import Sandbox, payment
from waiting import pay_and_cancel

CALLS = 12


def server_of(url: Any) -> dict[str, Any]:
    parts = urlsplit(url)
    return {"server.address": parts.hostname, "server.port": parts.port}


def together(collector: Collector) -> Callable[[Event], None]:
    """Make an observer that lets no call send before all of them are about to."""
    all_are_there = threading.Barrier(CALLS)

    def observe(event: Event) -> None:
        collector.observer.on_event(event)
        if event["event"] == "attempt":
            all_are_there.wait(60)

    return observe


def test_a_call_has_a_span_for_each_attempt_and_token(
    sandbox: Sandbox, collector: Collector
) -> None:
    client = client_of(sandbox, collector)
    started = time.monotonic()
    with collector.tracer.start_as_current_span("checkout") as checkout:
        created = client.create_payment(payment=payment())
        assert current_span() is checkout
    took = time.monotonic() - started
    [span] = collector.named("payments create_payment")
    assert span.kind is SpanKind.INTERNAL
    assert span.parent.span_id == checkout.get_span_context().span_id
    attributes = dict(span.attributes)
    assert attributes.pop("payments.signing_us") > 0
    assert attributes.pop("payments.attempts") == 1
    assert attributes.pop("payments.reference") == "order-1"
    assert attributes.pop("payments.hash") == created.hash
    http = {
        "payments.operation": "create_payment",
        "http.request.method": "POST",
        "url.path": "/ws/direct",
        **server_of(sandbox.configuration()["base_url"]),
        "http.response.status_code": 200,
    }
    assert attributes == http
    assert (span.status.status_code, names_of(span)) == (StatusCode.UNSET, [])
    token, attempt = collector.children_of(span)
    assert (attempt.name, attempt.kind, dict(attempt.attributes)) == ("POST", SpanKind.CLIENT, http)
    assert (token.name, token.kind) == ("payments token", SpanKind.CLIENT)
    assert dict(token.attributes) == {
        "http.request.method": "POST",
        **server_of(sandbox.configuration().get("auth_url", "")),
    }
    assert token.start_time < token.end_time <= attempt.start_time < attempt.end_time
    [point] = collector.points("payments.call.duration")
    assert point["count"] == 1
    # Its span begins a moment after the call.
    assert 0 < point["sum"] <= took
    executed = {"payments.operation": "create_payment", "http.response.status_code": 200}
    assert point["attributes"] == executed
    assert collector.counts("payments.calls") == [(1, executed)]
    assert collector.counts("payments.tokens") == [(1, {})]


def test_an_unknown_outcome_is_an_error(sandbox: Sandbox, collector: Collector) -> None:
    client = client_of(sandbox, collector)
    sandbox.fault("close", execute=True)
    with pytest.raises(libpayments.TransportError):
        client.create_payment(payment=payment())
    sandbox.fault("response", status=422, json={})
    with pytest.raises(libpayments.StatusError):
        client.create_payment(payment=payment())
    lost, refused = collector.named("payments create_payment")
    assert (lost.attributes["error.type"], lost.attributes["payments.outcome"]) == (
        "transport",
        "unknown",
    )
    assert "http.response.status_code" not in lost.attributes
    assert lost.status.description.endswith(", unknown")
    assert refused.attributes["payments.outcome"] == "not_executed"
    assert refused.attributes["http.response.status_code"] == 422
    assert {span.status.status_code for span in (lost, refused)} == {StatusCode.ERROR}
    attempts = [collector.children_of(span)[-1] for span in (lost, refused)]
    assert [span.attributes["error.type"] for span in attempts] == ["transport", "422"]
    assert {span.status.status_code for span in attempts} == {StatusCode.ERROR}
    counted = collector.counts("payments.calls")
    assert [number for number, _ in counted] == [1, 1]
    assert {attributes["payments.outcome"] for _, attributes in counted} == {
        "unknown",
        "not_executed",
    }


def test_retries_have_their_own_spans(sandbox: Sandbox, collector: Collector) -> None:
    client = client_of(sandbox, collector)
    client.create_payment(payment=payment())
    sandbox.fault("response", operation="query_payment", status=503)
    client.query_payment(merchant_payment_code="order-1")
    sandbox.post("/sandbox/tokens/revoke")
    client.query_payment(merchant_payment_code="order-1")
    first, second = collector.named("payments query_payment")
    assert names_of(first) == ["payments.token_reused", "payments.retry"]
    assert first.events[1].attributes["payments.kind"] == "status"
    assert first.attributes["payments.attempts"] == 2
    failed, repeated = collector.children_of(first)
    assert failed.attributes["http.response.status_code"] == 503
    assert failed.attributes["error.type"] == "503"
    assert "http.request.resend_count" not in failed.attributes
    assert repeated.attributes["http.request.resend_count"] == 1
    assert names_of(second) == ["payments.token_reused", "payments.token_invalidated"]
    assert [span.name for span in collector.children_of(second)] == ["GET", "payments token", "GET"]


def test_a_token_that_cannot_be_obtained(sandbox: Sandbox, collector: Collector) -> None:
    sandbox.post("/sandbox/tokens/block", {"status": 429, "retry_after": 7})
    with pytest.raises(libpayments.TokenError):
        client_of(sandbox, collector).create_payment(payment=payment())
    [span] = collector.named("payments create_payment")
    [token] = collector.children_of(span)
    assert (token.attributes["error.type"], token.status.status_code) == ("token", StatusCode.ERROR)
    assert token.start_time < token.end_time
    assert collector.counts("payments.tokens") == [(1, {"error.type": "token"})]


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


def test_a_span_shows_a_reference_without_control_characters(
    sandbox: Sandbox, collector: Collector
) -> None:
    client = client_of(sandbox, collector)
    with pytest.raises(libpayments.RejectedError):
        client.query_payment(merchant_payment_code="a\n\x1b[2J\u202eb")
    [span] = collector.named("payments query_payment")
    assert span.attributes["payments.reference"] == r"a\n\u{1b}[2J\u{202e}b"


def test_no_span_and_no_metric_holds_a_secret(sandbox: Sandbox, collector: Collector) -> None:
    client = client_of(sandbox, collector)
    client.create_payment(payment=payment())
    client.query_payment(merchant_payment_code="order-1")
    sandbox.fault("response", status=422, json={"message": "canary-49916"})
    with pytest.raises(libpayments.StatusError):
        client.create_payment(payment=payment(merchant_payment_code="order-2"))
    shown = "".join([*(span.to_json() for span in collector.spans()), collector.metrics()])
    assert "payments token" in shown
    assert "order-2" in shown
    assert "order-" not in collector.metrics()
    payer = {str(value) for name, value in payment().items() if name != "merchant_payment_code"}
    secrets = sandbox.secrets() | payer | {"canary-49916"}
    assert [each for each in secrets if each in shown] == []
