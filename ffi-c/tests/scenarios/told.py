"""The events of a client, compared with the scenario."""

from __future__ import annotations

from tree import Placeholders, exact_differences


def check_told(scenario: dict, events: list[dict], placeholders: Placeholders) -> list[str]:
    if "events" not in scenario:
        return []
    # The first call is 1, the second 2, and so on.
    calls = list(dict.fromkeys(event["call"] for event in events))
    events = [event | {"call": calls.index(event["call"]) + 1} for event in events]
    return exact_differences("events", placeholders.fill_tree(scenario["events"]), events)
