"""Collects the spans and metrics that exporters of OpenTelemetry's SDK receive."""

from __future__ import annotations

import json
from typing import Any

from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

import libpayments
from libpayments.otel import Telemetry
from support import Sandbox, payment


class Collector:
    """Spans and metrics that would have been sent to a backend."""

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
        """Return the data points of a metric."""
        [resource] = json.loads(self.metrics())["resource_metrics"]
        [scope] = resource["scope_metrics"]
        found = [each for each in scope["metrics"] if each["name"] == name]
        return [point for each in found for point in each["data"]["data_points"]]

    def counts(self, name: str) -> list[tuple[int, dict[str, Any]]]:
        """Return values and attributes of a counter."""
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
            # Each has the attempt and the token of its call.
            names = [*(child.name for child in self.children_of(span)), *names_of(span)]
            assert names.count("POST") == 1
            tokens = ("payments token", "payments.token_reused")
            assert sum(names.count(each) for each in tokens) == 1


def names_of(span: Any) -> list[str]:
    return [event.name for event in span.events]


def client_of(sandbox: Sandbox, collector: Collector, **members: Any) -> libpayments.Client:
    return libpayments.Client(**sandbox.configuration(**members), observer=collector.observer)


def order(number: int) -> libpayments.Payment:
    return payment(merchant_payment_code=f"order-{number}")
