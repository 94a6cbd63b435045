"""OpenTelemetry spans and metrics, as exporters of its SDK receive them."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any
from urllib.parse import urlsplit

import pytest
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import INVALID_SPAN, SpanKind, StatusCode
from opentelemetry.trace import get_current_span as current_span

import libpayments
from libpayments.otel import Telemetry
from support import Sandbox, payment
from waiting import pay_and_cancel

CALLS = 12
TRACEPARENT = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"


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

    def counts(self, name: str) -> list[tuple[int, dict[str, Any]]]:
        """Give values and attributes of a counter."""
        return [(point["value"], point["attributes"]) for point in self.points(name)]

    def children_of(self, parent: Any) -> list[Any]:
        children: list[Any] = [
            span for span in self.spans() if span.parent and span.parent == parent.context
        ]
        return sorted(children, key=lambda span: span.start_time)

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
            # Each has the attempt and the token of its own call.
            names = [*(child.name for child in self.children_of(span)), *names_of(span)]
            assert names.count("POST") == 1
            tokens = ("payments token", "payments.token_reused")
            assert sum(names.count(each) for each in tokens) == 1


def server_of(url: Any) -> dict[str, Any]:
    parts = urlsplit(url)
    return {"server.address": parts.hostname, "server.port": parts.port}


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


def test_a_call_has_a_span_for_each_attempt_and_token(
    sandbox: Sandbox, collector: Collector
) -> None:
    client = client_of(sandbox, collector)
    with collector.tracer.start_as_current_span("checkout") as checkout:
        client.create_payment(payment=payment())
        assert current_span() is checkout
    [span] = collector.named("payments create_payment")
    assert span.kind is SpanKind.INTERNAL
    assert span.parent.span_id == checkout.get_span_context().span_id
    attributes = dict(span.attributes)
    assert attributes.pop("payments.signing_us") > 0
    assert attributes.pop("payments.attempts") == 1
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
    assert 0 < point["sum"] <= (span.end_time - span.start_time) / 1e9
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


def test_repetitions_have_spans_of_their_own(sandbox: Sandbox, collector: Collector) -> None:
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


def test_a_token_that_cannot_be_had(sandbox: Sandbox, collector: Collector) -> None:
    sandbox.post("/sandbox/tokens/block", {"status": 429, "retry_after": 7})
    with pytest.raises(libpayments.TokenError):
        client_of(sandbox, collector).create_payment(payment=payment())
    [span] = collector.named("payments create_payment")
    [token] = collector.children_of(span)
    assert (token.attributes["error.type"], token.status.status_code) == ("token", StatusCode.ERROR)
    assert token.start_time < token.end_time
    assert collector.counts("payments.tokens") == [(1, {"error.type": "token"})]


def test_a_token_that_is_asked_for_by_itself_is_a_child_of_the_current_span(
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
    [(count, attributes)] = collector.counts("payments.calls")
    assert (count, attributes["payments.outcome"]) == (1, "unknown")


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
    [inner], [outer] = collector.named("payments send"), collector.named("payments create_payment")
    assert inner.parent == outer.context
    assert outer.parent is None
    assert [span.name for span in collector.children_of(inner)][-1] == "GET"
    # The signer used the token that the call itself had fetched.
    assert inner in collector.children_of(outer)
    assert "POST" not in [span.name for span in collector.children_of(outer)]


def test_no_span_and_no_metric_holds_a_secret(sandbox: Sandbox, collector: Collector) -> None:
    client = client_of(sandbox, collector)
    client.create_payment(payment=payment())
    client.query_payment(merchant_payment_code="order-1")
    sandbox.fault("response", status=422, json={"message": "canary-49916"})
    with pytest.raises(libpayments.StatusError):
        client.create_payment(payment=payment(merchant_payment_code="order-2"))
    shown = "".join([*(span.to_json() for span in collector.spans()), collector.metrics()])
    assert "payments token" in shown
    payer = {str(value) for value in payment().values()}
    secrets = sandbox.secrets() | payer | {"order-2", "canary-49916"}
    assert [each for each in secrets if each in shown] == []


def headers_seen(sandbox: Sandbox, operation: str) -> list[str | None]:
    seen = sandbox.get(f"/sandbox/requests?operation={operation}")["requests"]
    headers = [{name.lower(): value for name, value in each["headers"]} for each in seen]
    return [each.get("traceparent") for each in headers]


def header_of(span: Any) -> str:
    context = span.context
    return f"00-{context.trace_id:032x}-{context.span_id:016x}-{context.trace_flags:02x}"


def test_no_header_is_sent_unless_it_is_asked_for(sandbox: Sandbox, collector: Collector) -> None:
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
    # What the caller gives is sent; the span is there all the same.
    assert headers_seen(sandbox, "query_payment") == [TRACEPARENT]
    [query] = collector.named("payments query_payment")
    assert query.parent is None
    assert headers_seen(sandbox, "access_token") == [None]


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
