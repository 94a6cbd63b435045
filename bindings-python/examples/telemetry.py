"""OpenTelemetry spans and metrics of every call.

Give it to a client as its observer::

    client = libpayments.Client.from_file("payments.json", observer=Telemetry())

Each call is one client span below the span that is current where the call is
made, in asyncio too. Attempts, repetitions and tokens are events of that
span, and what a signer or a token store traces is below it. An alert belongs
on the counter ``payments.request.unknown``: each one is money to be
settled.

It needs ``opentelemetry-api``; what becomes of spans and metrics is up to the
SDK that the program sets up.
"""

from __future__ import annotations

from contextvars import ContextVar, Token
from typing import Any, cast

from opentelemetry import context, trace
from opentelemetry.metrics import MeterProvider, get_meter
from opentelemetry.trace import Span, SpanKind, StatusCode, TracerProvider

import libpayments

# The calls that go on here, innermost last: there are several when a signer
# uses a client that is observed as well. It is a context variable, because
# only these last from one event of a call to the next in asyncio too.
_Calls = tuple[tuple[Span, Token[context.Context]], ...]
_calls: ContextVar[_Calls] = ContextVar("payments_calls", default=())

# In seconds: a payment takes longer than most requests.
BUCKETS = (0.05, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 10, 20, 30, 60)


class Telemetry:
    """An observer that serves any number of clients, threads and event loops."""

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
        """Take note of an event."""
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
        # That of the call, or the caller's if a token was asked for by itself.
        trace.get_current_span().add_event(f"payments.{event['event']}", attributes)

    def _end(self, event: libpayments.RequestEndedEvent) -> None:
        attributes: dict[str, str | int] = {"payments.operation": event["operation"]}
        if event["http_status"] is not None:
            attributes["http.response.status_code"] = event["http_status"]
        if event["kind"] is not None and event["outcome"] is not None:
            attributes["error.type"] = event["kind"]
            attributes["payments.outcome"] = event["outcome"]
        self._durations.record(event["duration_us"] / 1e6, attributes)
        if event["outcome"] == "unknown":
            self._unknown.add(1, attributes)
        if not _calls.get():
            return  # Its beginning was interrupted, by Ctrl-C for example.
        *outer, (span, token) = _calls.get()
        _calls.set(tuple(outer))
        context.detach(token)
        span.set_attributes(attributes)
        span.set_attribute("payments.attempts", event["attempts"])
        span.set_attribute("payments.signing_us", event["signing_us"])
        if event["kind"] is not None:
            span.set_status(StatusCode.ERROR)
        span.end()
