"""OpenTelemetry spans and metrics of every call.

Pass it to a client as the observer::

    client = libpayments.Client.from_file("payments.json", observer=Telemetry())

Each call is a span, a child of the span that is current where the call is made, in
asyncio too. Each attempt and each token request is a client span below it, with the
attributes of HTTP clients. Spans of a signer or a token store are children of the call.
The metrics are ``payments.calls``, ``payments.call.duration`` and ``payments.tokens``.
Alert on ``payments.calls`` with the ``payments.outcome`` ``unknown``: each is a payment to
settle. docs/telemetry.md lists all names.

It needs ``opentelemetry-api``: ``pip install libpayments[otel]``. The SDK that the
program sets up exports spans and metrics.
"""

from __future__ import annotations

from contextvars import Token
from time import time_ns

from opentelemetry import context, trace
from opentelemetry.metrics import MeterProvider, get_meter
from opentelemetry.trace import Span, SpanKind, StatusCode, TracerProvider

from ._events import (
    AttemptEndedEvent,
    AttemptEvent,
    Event,
    RequestEndedEvent,
    RequestStartedEvent,
    TokenFailedEvent,
    TokenFetchedEvent,
)
from ._native import propagate

__all__ = ["Telemetry"]

_Attributes = dict[str, str | int]

# In seconds: a payment takes longer than most requests.
_BUCKETS = (0.05, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 10, 20, 30, 60)

# The span already has the members that events share, and texts of stores and journals may
# contain anything.
_NOT_COPIED = ("event", "call", "reference", "hash", "reason")


class _Call:
    """A call in progress."""

    def __init__(self, span: Span, http: _Attributes) -> None:
        self.span = span
        self.http = http
        self.token: Token[context.Context] = context.attach(trace.set_span_in_context(span))
        self.attempt: Span | None = None


class Telemetry:
    """An observer for any number of clients, threads and event loops."""

    def __init__(
        self,
        tracer_provider: TracerProvider | None = None,
        meter_provider: MeterProvider | None = None,
        *,
        propagate_trace: bool = False,
    ) -> None:
        """Use these providers, or those of the process.

        With ``propagate_trace``, requests to the service carry the header
        ``traceparent`` of the call's span. The interface does not state it.
        """
        self._propagates = propagate_trace
        # By the number of the call.
        self._open: dict[int, _Call] = {}
        self._token_hosts: dict[int, str] = {}
        self._tracer = trace.get_tracer("libpayments", tracer_provider=tracer_provider)
        meter = get_meter("libpayments", meter_provider=meter_provider)
        self._calls = meter.create_counter(
            "payments.calls", unit="{call}", description="Calls that ended."
        )
        self._durations = meter.create_histogram(
            "payments.call.duration",
            unit="s",
            description="How long calls took, with token, signature and all attempts.",
            explicit_bucket_boundaries_advisory=_BUCKETS,
        )
        self._tokens = meter.create_counter(
            "payments.tokens",
            unit="{token}",
            description="Requests to the token server that ended.",
        )

    def on_event(self, event: Event) -> None:
        """Record an event."""
        if event["event"] == "request_started":
            self._begin(event)
        elif event["event"] == "attempt":
            self._begin_attempt(event)
        elif event["event"] == "attempt_ended":
            self._end_attempt(event)
        elif event["event"] == "token_requested":
            self._token_hosts[event["call"]] = event["host"]
        elif event["event"] == "token_fetched" or event["event"] == "token_failed":
            self._record_token(event)
        elif event["event"] == "request_ended":
            self._end(event)
        else:
            self._note(event)

    def _begin(self, event: RequestStartedEvent) -> None:
        http: _Attributes = {
            "payments.operation": event["operation"],
            "http.request.method": event["method"],
            "url.path": event["path"],
            **_server(event["host"]),
        }
        span = self._tracer.start_span(f"payments {event['operation']}", attributes=http)
        _set_if_known(span, "payments.reference", event["reference"])
        _set_if_known(span, "payments.hash", event["hash"])
        self._open[event["call"]] = _Call(span, http)
        if self._propagates:
            _propagate(span)

    def _begin_attempt(self, event: AttemptEvent) -> None:
        if (call := self._open.get(event["call"])) is None:
            return  # `_begin` was interrupted, by Ctrl-C for example.
        attributes = dict(call.http)
        if event["number"] > 1:
            attributes["http.request.resend_count"] = event["number"] - 1
        call.attempt = self._tracer.start_span(
            str(call.http["http.request.method"]),
            trace.set_span_in_context(call.span),
            kind=SpanKind.CLIENT,
            attributes=attributes,
        )

    def _end_attempt(self, event: AttemptEndedEvent) -> None:
        call = self._open.get(event["call"])
        if call is None or (span := call.attempt) is None:
            return
        call.attempt = None
        status = event["http_status"]
        _set_if_known(span, "http.response.status_code", status)
        if event["kind"] is not None:
            _fail(span, event["kind"])
        elif status is not None and status >= 400:
            _fail(span, str(status))
        span.end()

    def _record_token(self, event: TokenFetchedEvent | TokenFailedEvent) -> None:
        # Its events arrive when all is over: no observer runs under a lock.
        ended = time_ns()
        host = self._token_hosts.pop(event["call"], "")
        call = self._open.get(event["call"])
        span = self._tracer.start_span(
            "payments token",
            None if call is None else trace.set_span_in_context(call.span),
            kind=SpanKind.CLIENT,
            start_time=ended - event["duration_us"] * 1000,
            attributes={"http.request.method": "POST", **_server(host)},
        )
        if event["event"] == "token_failed":
            _fail(span, event["kind"])
            self._tokens.add(1, {"error.type": event["kind"]})
        else:
            self._tokens.add(1)
        span.end(ended)

    def _end(self, event: RequestEndedEvent) -> None:
        attributes: _Attributes = {"payments.operation": event["operation"]}
        if event["http_status"] is not None:
            attributes["http.response.status_code"] = event["http_status"]
        if event["kind"] is not None and event["outcome"] is not None:
            attributes["payments.outcome"] = event["outcome"]
            attributes["error.type"] = event["kind"]
        self._calls.add(1, attributes)
        self._durations.record(event["duration_us"] / 1e6, attributes)
        call = self._open.pop(event["call"], None)
        if call is None:
            return
        context.detach(call.token)
        if call.attempt is not None:
            call.attempt.end()
        call.span.set_attributes(attributes)
        _set_if_known(call.span, "payments.hash", event["hash"])
        call.span.set_attribute("payments.attempts", event["attempts"])
        call.span.set_attribute("payments.signing_us", event["signing_us"])
        if event["kind"] is not None:
            call.span.set_status(StatusCode.ERROR, f"{event['code']}, {event['outcome']}")
        call.span.end()

    def _note(self, event: Event) -> None:
        """Add an event to the call's span, or to the caller's without one.

        ``access_token`` and ``prepare`` have none.
        """
        attributes = {
            f"payments.{name}": value
            for name, value in event.items()
            if name not in _NOT_COPIED and isinstance(value, (str, int))
        }
        call = self._open.get(event["call"])
        span = trace.get_current_span() if call is None else call.span
        span.add_event(f"payments.{event['event']}", attributes)


def _propagate(span: Span) -> None:
    """Let the request that begins carry the ``traceparent`` of its span."""
    its = span.get_span_context()
    if its.is_valid:
        propagate(f"00-{its.trace_id:032x}-{its.span_id:016x}-{its.trace_flags:02x}")


def _set_if_known(span: Span, name: str, value: str | int | None) -> None:
    if value is not None:
        span.set_attribute(name, value)


def _fail(span: Span, error_type: str) -> None:
    span.set_attribute("error.type", error_type)
    span.set_status(StatusCode.ERROR)


def _server(host: str) -> _Attributes:
    """Tell the host and the port apart, if there is one."""
    address, separator, port = host.rpartition(":")
    if not separator or not port.isdigit():
        return {"server.address": host.strip("[]")}
    return {"server.address": address.strip("[]"), "server.port": int(port)}
