"""The events of a client, compared with the scenario."""

from __future__ import annotations

from typing import Any

from libpayments import Event
from scenario_format import Placeholders, Scenario, exact_differences


class Told:
    """An observer that keeps its events."""

    def __init__(self) -> None:
        self.events: list[Any] = []

    def __call__(self, event: Event) -> None:
        self.events.append(event)

    def differences(self, scenario: Scenario, names: Placeholders) -> list[str]:
        if scenario.events is None:
            return []
        # The first call is 1, the second 2, and so on.
        calls = list(dict.fromkeys(event["call"] for event in self.events))
        events = [{**event, "call": calls.index(event["call"]) + 1} for event in self.events]
        return exact_differences("events", names.fill_tree(scenario.events), events)
