"""The header that names the span of each request."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from opentelemetry.sdk.trace import TracerProvider

import libpayments
from collector import Collector, client_of, order
from libpayments.otel import Telemetry
from support import Sandbox, payment

CALLS = 12
TRACEPARENT = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"


def headers_seen(sandbox: Sandbox, operation: str) -> list[str | None]:
    seen = sandbox.get(f"/sandbox/requests?operation={operation}")["requests"]
    headers = [{name.lower(): value for name, value in each["headers"]} for each in seen]
    return [each.get("traceparent") for each in headers]


def header_of(span: Any) -> str:
    context = span.context
    return f"00-{context.trace_id:032x}-{context.span_id:016x}-{context.trace_flags:02x}"


def test_no_header_is_sent_unless_asked(sandbox: Sandbox, collector: Collector) -> None:
    client_of(sandbox, collector).create_payment(payment=payment())
    assert headers_seen(sandbox, "create_payment") == [None]


def test_the_header_names_the_span_of_the_call(sandbox: Sandbox, collector: Collector) -> None:
    collector.observer = Telemetry(collector.tracers, collector.meters, propagate_trace=True)
    client = client_of(sandbox, collector)
    with pytest.raises(libpayments.ValidationError):
        client.create_payment(payment=payment(amount_total=0))
    with collector.tracer.start_as_current_span("checkout") as checkout:
        client.create_payment(payment=payment())
    client.query_payment(merchant_payment_code="order-1", traceparent=TRACEPARENT)
    [span] = collector.named("payments create_payment")
    assert headers_seen(sandbox, "create_payment") == [header_of(span)]
    assert span.parent.span_id == checkout.get_span_context().span_id
    assert span.attributes["url.path"] == "/ws/direct"
    # The caller's header is sent; the span exists anyway.
    assert headers_seen(sandbox, "query_payment") == [TRACEPARENT]
    [query] = collector.named("payments query_payment")
    assert query.parent is None
    assert headers_seen(sandbox, "access_token") == [None]


@pytest.mark.parametrize("is_async", [False, True])
def test_each_query_of_a_wait_has_its_own_span(
    sandbox: Sandbox, collector: Collector, is_async: bool
) -> None:
    sandbox.client().create_payment(payment=payment())
    configuration: Any = {
        **sandbox.configuration(),
        "observer": Telemetry(collector.tracers, collector.meters, propagate_trace=True),
    }
    # Long enough for a second query.
    if is_async:
        waiting = libpayments.AsyncClient(**configuration).wait_for_payment(
            merchant_payment_code="order-1", timeout_ms=3500
        )
        asyncio.run(waiting)
    else:
        client = libpayments.Client(**configuration)
        client.wait_for_payment(merchant_payment_code="order-1", timeout_ms=3500)
    expected = [header_of(span) for span in collector.named("payments query_payment")]
    assert headers_seen(sandbox, "query_payment") == expected
    assert len(set(expected)) > 1


def test_tasks_at_once_send_the_headers_of_their_own_spans(
    sandbox: Sandbox, collector: Collector
) -> None:
    observer = Telemetry(collector.tracers, collector.meters, propagate_trace=True)

    async def pay_all() -> None:
        async with libpayments.AsyncClient(**sandbox.configuration(), observer=observer) as client:
            payments = (client.create_payment(payment=order(number)) for number in range(CALLS))
            await asyncio.gather(*payments)

    asyncio.run(pay_all())
    expected = sorted(header_of(span) for span in collector.named("payments create_payment"))
    assert len(expected) == CALLS
    assert sorted(str(each) for each in headers_seen(sandbox, "create_payment")) == expected


def test_a_tracer_that_fails_changes_no_call(sandbox: Sandbox, collector: Collector) -> None:
    class Failing(TracerProvider):
        def get_tracer(self, *_arguments: Any, **_members: Any) -> Any:
            return None

    tracers = Failing(shutdown_on_exit=False)
    collector.observer = Telemetry(tracers, collector.meters, propagate_trace=True)
    client_of(sandbox, collector).create_payment(payment=payment())
    assert headers_seen(sandbox, "create_payment") == [None]
