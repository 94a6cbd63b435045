"""The OpenTelemetry spans and metrics of the examples."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import INVALID_SPAN, SpanKind, StatusCode
from opentelemetry.trace import get_current_span as current_span

import libpayments
from support import Sandbox, payment
from telemetry import Telemetry
from waiting import pay_and_cancel

CALLS = 12


class Collector:
    """What would have been sent to a backend."""

    def __init__(self) -> None:
        self._exporter = InMemorySpanExporter()
        self._reader = InMemoryMetricReader()
        self.tracers = TracerProvider(shutdown_on_exit=False)
        self.tracers.add_span_processor(SimpleSpanProcessor(self._exporter))
        self.meters = MeterProvider([self._reader], shutdown_on_exit=False)
        self.observer = Telemetry(self.tracers, self.meters)
        self.tracer = self.tracers.get_tracer("shop")

    def spans(self) -> tuple[ReadableSpan, ...]:
        return self._exporter.get_finished_spans()

    def named(self, name: str) -> list[Any]:
        return [span for span in self.spans() if span.name == name]

    def metrics(self) -> str:
        collected = self._reader.get_metrics_data()
        assert collected is not None
        return collected.to_json()

    def points(self, name: str) -> list[dict[str, Any]]:
        """Give the data points of a metric."""
        [resource] = json.loads(self.metrics())["resource_metrics"]
        [scope] = resource["scope_metrics"]
        found = [each for each in scope["metrics"] if each["name"] == name]
        return [point for each in found for point in each["data"]["data_points"]]

    def check_parents(self, prefix: str, count: int) -> None:
        """Check that each of `count` spans of a shop has one payment below it."""
        shops: dict[int, Any] = {
            span.context.span_id: span
            for span in self.spans()
            if span.context and span.name.startswith(prefix)
        }
        payments = self.named("payments create_payment")
        assert len(shops) == len(payments) == count
        assert {span.parent.span_id for span in payments} == set(shops)
        for span in payments:
            parent = shops[span.parent.span_id]
            assert span.context.trace_id == parent.context.trace_id
            assert parent.start_time <= span.start_time <= span.end_time <= parent.end_time
            # Each has the events of its own call.
            names = names_of(span)
            assert names.count("payments.attempt") == 1
            tokens = ("payments.token_fetched", "payments.token_reused")
            assert sum(names.count(each) for each in tokens) == 1


def names_of(span: Any) -> list[str]:
    return [event.name for event in span.events]


@pytest.fixture
def collector() -> Iterator[Collector]:
    collector = Collector()
    yield collector
    collector.tracers.shutdown()
    collector.meters.shutdown()


def client_of(sandbox: Sandbox, collector: Collector, **members: Any) -> libpayments.Client:
    return libpayments.Client(**sandbox.configuration(**members), observer=collector.observer)


def order(number: int) -> libpayments.Payment:
    return payment(merchant_payment_code=f"order-{number}")


def test_a_call_is_a_client_span_below_the_callers(sandbox: Sandbox, collector: Collector) -> None:
    client = client_of(sandbox, collector)
    with collector.tracer.start_as_current_span("checkout") as checkout:
        client.create_payment(payment=payment())
        assert current_span() is checkout
    [span] = collector.named("payments create_payment")
    assert span.kind is SpanKind.CLIENT
    assert span.parent.span_id == checkout.get_span_context().span_id
    attributes = dict(span.attributes)
    assert attributes.pop("payments.signing_us") > 0
    assert attributes == {
        "payments.operation": "create_payment",
        "http.request.method": "POST",
        "url.path": "/ws/direct",
        "http.response.status_code": 200,
        "payments.attempts": 1,
    }
    assert span.status.status_code is StatusCode.UNSET
    assert names_of(span) == [
        "payments.token_requested",
        "payments.token_fetched",
        "payments.attempt",
        "payments.attempt_ended",
    ]
    [point] = collector.points("payments.request.duration")
    assert point["count"] == 1
    assert 0 < point["sum"] <= (span.end_time - span.start_time) / 1e9
    assert point["attributes"] == {
        "payments.operation": "create_payment",
        "http.response.status_code": 200,
    }
    assert collector.points("payments.request.unknown") == []


def test_an_unknown_outcome_is_counted(sandbox: Sandbox, collector: Collector) -> None:
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
    assert refused.attributes["payments.outcome"] == "not_executed"
    assert refused.attributes["http.response.status_code"] == 422
    assert {span.status.status_code for span in (lost, refused)} == {StatusCode.ERROR}
    [point] = collector.points("payments.request.unknown")
    assert point["value"] == 1
    assert point["attributes"]["error.type"] == "transport"
    assert len(collector.points("payments.request.duration")) == 2


def test_repetitions_and_tokens_are_events(sandbox: Sandbox, collector: Collector) -> None:
    client = client_of(sandbox, collector)
    client.create_payment(payment=payment())
    sandbox.fault("response", operation="query_payment", status=503)
    client.query_payment(merchant_payment_code="order-1")
    sandbox.post("/sandbox/tokens/revoke")
    client.query_payment(merchant_payment_code="order-1")
    first, second = collector.named("payments query_payment")
    attempt = ["payments.attempt", "payments.attempt_ended"]
    assert names_of(first) == ["payments.token_reused", *attempt, "payments.retry", *attempt]
    assert first.events[3].attributes["payments.kind"] == "status"
    assert first.attributes["payments.attempts"] == 2
    assert names_of(second) == [
        "payments.token_reused",
        *attempt,
        "payments.token_invalidated",
        "payments.token_requested",
        "payments.token_fetched",
        *attempt,
    ]


def test_a_token_that_is_asked_for_by_itself_is_told_to_the_current_span(
    sandbox: Sandbox, collector: Collector
) -> None:
    with collector.tracer.start_as_current_span("warm up"):
        client_of(sandbox, collector).access_token()
    [span] = collector.spans()
    assert (span.name, names_of(span)) == (
        "warm up",
        ["payments.token_requested", "payments.token_fetched"],
    )


def test_threads_keep_their_calls_apart(sandbox: Sandbox, collector: Collector) -> None:
    client = client_of(sandbox, collector)
    sandbox.post("/sandbox/settings", {"latency_ms": 50})

    def buy(number: int) -> None:
        with collector.tracer.start_as_current_span(f"thread {number}"):
            client.create_payment(payment=order(number))

    with ThreadPoolExecutor(CALLS) as threads:
        list(threads.map(buy, range(CALLS)))
        # Nothing stays behind on the threads.
        assert set(threads.map(lambda _: current_span(), range(CALLS))) == {INVALID_SPAN}
    assert sandbox.stats()["max_in_flight"] > 1
    collector.check_parents("thread ", CALLS)


def test_tasks_keep_their_calls_apart(sandbox: Sandbox, collector: Collector) -> None:
    client = libpayments.AsyncClient(**sandbox.configuration(), observer=collector.observer)
    sandbox.post("/sandbox/settings", {"latency_ms": 50})

    async def buy(number: int) -> None:
        with collector.tracer.start_as_current_span(f"task {number}") as task:
            await client.create_payment(payment=order(number))
            assert current_span() is task

    async def main() -> None:
        await asyncio.gather(*(buy(number) for number in range(CALLS)))

    asyncio.run(main())
    assert sandbox.stats()["max_in_flight"] > 1
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
    [point] = collector.points("payments.request.unknown")
    assert point["value"] == 1


def test_a_call_within_a_call_has_a_span_of_its_own(sandbox: Sandbox, collector: Collector) -> None:
    helper = client_of(sandbox, collector)

    def sign(_: libpayments.SigningRequest) -> bytes:
        helper.send("GET", "/ws/signature")
        raise RuntimeError

    client = libpayments.Client(
        **sandbox.configuration(key_file=None), signer=sign, observer=collector.observer
    )
    with pytest.raises(libpayments.SigningError):
        client.create_payment(payment=payment())
    assert [span.name for span in collector.spans()] == ["payments send", "payments create_payment"]
    inner, outer = collector.spans()
    assert inner.parent is not None
    assert inner.parent == outer.context
    assert outer.parent is None
    assert names_of(inner).count("payments.attempt") == 1
    assert "payments.attempt" not in names_of(outer)


def test_no_span_and_no_metric_holds_a_secret(sandbox: Sandbox, collector: Collector) -> None:
    client = client_of(sandbox, collector)
    client.create_payment(payment=payment())
    client.query_payment(merchant_payment_code="order-1")
    sandbox.fault("response", status=422, json={"message": "canary-49916"})
    with pytest.raises(libpayments.StatusError):
        client.create_payment(payment=payment(merchant_payment_code="order-2"))
    shown = "".join([*(span.to_json() for span in collector.spans()), collector.metrics()])
    assert "payments.token_fetched" in shown
    payer = {str(value) for value in payment().values()}
    secrets = sandbox.secrets() | payer | {"order-2", "canary-49916"}
    assert [each for each in secrets if each in shown] == []
