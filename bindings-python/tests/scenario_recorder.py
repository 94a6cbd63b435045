"""The listeners of a client: their events, records and spans, compared with the scenario."""

from __future__ import annotations

import logging
from typing import Any, get_args, get_type_hints

from opentelemetry.sdk.trace import SpanProcessor, TracerProvider

from libpayments import Event
from libpayments.otel import Telemetry
from scenario_format import Placeholders, Scenario, exact_differences, line_differences
from typed import fits

LOGGER = logging.getLogger("libpayments")
KINDS: dict[str, Any] = {
    get_args(get_type_hints(kind)["event"])[0]: kind for kind in get_args(Event)
}


class Recorder(logging.Handler, SpanProcessor):
    """An observer, a handler of the logger, and a processor of spans, which keep all."""

    def __init__(self) -> None:
        super().__init__()
        self.events: list[Any] = []
        self.records: list[Any] = []
        self.spans: list[Any] = []
        tracers = TracerProvider(shutdown_on_exit=False)
        tracers.add_span_processor(self)
        self._telemetry = Telemetry(tracers)
        LOGGER.addHandler(self)

    def __call__(self, event: Event) -> None:
        self.events.append(event)
        self._telemetry.on_event(event)

    def emit(self, record: logging.LogRecord) -> None:
        self.records.append(record)

    def close(self) -> None:
        LOGGER.removeHandler(self)
        super().close()

    def on_start(self, span: Any, parent_context: Any = None) -> None:
        self.spans.append(span)

    def differences(self, scenario: Scenario, names: Placeholders) -> list[str]:
        # The first call is 1, the second 2, and so on.
        calls = list(dict.fromkeys(event["call"] for event in self.events))
        events = [{**event, "call": calls.index(event["call"]) + 1} for event in self.events]
        found = [line for event in self.events for line in _misfits(event)]
        found += exact_differences("events", names.fill_tree(scenario.events), events)
        if scenario.log is not None:
            found += line_differences(names.fill_tree(scenario.log), self._lines(calls))
            found += exact_differences("records", self.events, self._members(calls))
        if scenario.spans is not None:
            spans = [_shared_form(span, self.spans) for span in self.spans]
            found += exact_differences("spans", names.fill_tree(scenario.spans), spans)
        return found

    def _lines(self, calls: list[int]) -> list[str]:
        """Return the lines of these calls; other clients of the process log too."""
        lines = []
        for record in self.records:
            call = getattr(record, "payments_call", None)
            if call in calls:
                text = record.getMessage().replace(
                    f"call={call}", f"call={calls.index(call) + 1}", 1
                )
                lines.append(f"{record.levelname.lower()} {text}")
        return lines

    def _members(self, calls: list[int]) -> list[dict[str, Any]]:
        """Return the members of events that the records of these calls have as attributes."""
        prefix = "payments_"
        own = [vars(it) for it in self.records if getattr(it, "payments_call", None) in calls]
        return [
            {name[len(prefix) :]: it[name] for name in it if name.startswith(prefix)} for it in own
        ]


def _misfits(event: dict[str, Any]) -> list[str]:
    """List the members that do not have the types that the event declares."""
    hints = get_type_hints(KINDS[event["event"]])
    if event.keys() != hints.keys():
        return [f"the members of {event} are not {[*hints]}"]
    wrong = [name for name, hint in hints.items() if not fits(event[name], hint)]
    return [f"the types of {wrong} in {event}"] if wrong else []


def _shared_form(span: Any, spans: list[Any]) -> dict[str, Any]:
    """Write a span as the scenarios do; one that never ended has no end to show."""
    assert span.end_time is not None, f"{span.name} never ended"
    parents = [each.context.span_id for each in spans]
    return {
        "name": span.name,
        "kind": span.kind.name.lower(),
        "parent": None if span.parent is None else parents.index(span.parent.span_id),
        "status": span.status.status_code.name.lower(),
        "description": span.status.description,
        "attributes": dict(span.attributes),
        "events": [
            {"name": event.name, "attributes": dict(event.attributes)} for event in span.events
        ],
    }
