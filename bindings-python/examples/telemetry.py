"""OpenTelemetry spans and metrics of every call.

Pass it to a client as the observer::

    client = libpayments.Client.from_file("payments.json", observer=Telemetry())

Each call is one client span, a child of the span that is current where the
call is made, in asyncio too. Attempts, retries and token events are events of
that span, and spans of a signer or a token store are its children. Alert on
the counter ``payments.request.unknown``: each count is a payment to settle.

It needs ``opentelemetry-api``. The SDK that the program sets up exports spans
and metrics.
"""

from __future__ import annotations

from contextvars import ContextVar, Token
from typing import Any, cast

from opentelemetry import context, trace
from opentelemetry.metrics import MeterProvider, get_meter
from opentelemetry.trace import Span, SpanKind, StatusCode, TracerProvider

import libpayments

# The calls in progress, innermost last: there are several if a signer uses
# another observed client. In asyncio, only context variables keep their values
# from one event of a call to the next.
_Calls = tuple[tuple[Span, Token[context.Context]], ...]
_calls: ContextVar[_Calls] = ContextVar("payments_calls", default=())

# In seconds: a payment takes longer than most requests.
BUCKETS = (0.05, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 10, 20, 30, 60)


class Telemetry:
    """An observer for any number of clients, threads and event loops."""

    def __init__(
        self,
        tracer_provider: TracerProvider | None = None,
        meter_provider: MeterProvider | None = None,
    ) -> None:
        """Use these providers, or those of the process."""
        self._tracer = trace.get_tracer("libpayments.telemetry", tracer_provider=tracer_provider)
        meter = get_meter("libpayments.telemetry", meter_provider=meter_provider)
        self._durations = meter.create_histogram(
            "payments.request.duration",
            unit="s",
            description="How long calls took, with token, signature and repetitions.",
            explicit_bucket_boundaries_advisory=BUCKETS,
        )
        self._unknown = meter.create_counter(
            "payments.request.unknown",
            unit="{call}",
            description="Calls of which nobody knows whether they were executed.",
        )

    def on_event(self, event: libpayments.Event) -> None:
        """Record an event."""
        if event["event"] == "request_started":
            self._begin(event)
        elif event["event"] == "request_ended":
            self._end(event)
        else:
            self._note(event)

    def _begin(self, event: libpayments.RequestStartedEvent) -> None:
        span = self._tracer.start_span(
            f"payments {event['operation']}",
            kind=SpanKind.CLIENT,
            attributes={
                "payments.operation": event["operation"],
                "http.request.method": event["method"],
                "url.path": event["path"],
            },
        )
        token = context.attach(trace.set_span_in_context(span))
        _calls.set((*_calls.get(), (span, token)))

    def _note(self, event: libpayments.Event) -> None:
        members = cast("dict[str, Any]", event)
        attributes = {
            f"payments.{name}": value
            for name, value in members.items()
            if name != "event" and value is not None
        }
        # The call's span, or the caller's for `access_token` and `prepare`.
        trace.get_current_span().add_event(f"payments.{event['event']}", attributes)

    def _end(self, event: libpayments.RequestEndedEvent) -> None:
        attributes: dict[str, str | int] = {"payments.operation": event["operation"]}
        if event["http_status"] is not None:
            attributes["http.response.status_code"] = event["http_status"]
        if event["kind"] is not None and event["outcome"] is not None:
            attributes["error.type"] = event["kind"]
            attributes["payments.outcome"] = event["outcome"]
        self._durations.record(event["duration_us"] / 1e6, attributes)
        if event["outcome"] == "unknown" and event["code"] != "in_progress":
            self._unknown.add(1, attributes)
        if not _calls.get():
            return  # `_begin` was interrupted, by Ctrl-C for example.
        *outer, (span, token) = _calls.get()
        _calls.set(tuple(outer))
        context.detach(token)
        span.set_attributes(attributes)
        span.set_attribute("payments.attempts", event["attempts"])
        span.set_attribute("payments.signing_us", event["signing_us"])
        if event["kind"] is not None:
            span.set_status(StatusCode.ERROR)
        span.end()
