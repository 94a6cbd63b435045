"""The events of a client and its lines of the log, compared with the scenario.

C has no spans: its programs make them of events.
"""

from __future__ import annotations

import os
import re
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tree import Placeholders, exact_differences, line_differences


# The variable is read when a client is made, and threads share the environment.
_MAKING = threading.Lock()


@contextmanager
def logging(is_on: bool) -> Iterator[None]:
    """Lets a client that is made here log its events, or not."""
    with _MAKING:
        os.environ["PAYMENTS_LOG"] = "debug" if is_on else ""
        yield


@contextmanager
def log_in_a_file() -> Iterator[Path]:
    """Sends what clients of this process log on standard error into a file."""
    sys.stderr.flush()
    kept = os.dup(2)
    with tempfile.NamedTemporaryFile() as file:
        os.dup2(file.fileno(), 2)
        try:
            yield Path(file.name)
        finally:
            os.dup2(kept, 2)
            os.close(kept)


def check_events(
    scenario: dict, events: list[dict], log: Path, placeholders: Placeholders
) -> list[str]:
    # The first call is 1, the second 2, and so on.
    calls = list(dict.fromkeys(event["call"] for event in events))
    events = [event | {"call": calls.index(event["call"]) + 1} for event in events]
    found = exact_differences("events", placeholders.fill_tree(scenario["events"]), events)
    if "log" in scenario:
        # The lines have no level.
        expected = [it.partition(" ")[2] for it in placeholders.fill_tree(scenario["log"])]
        found += line_differences(expected, _lines(log, calls))
    return found


def _lines(log: Path, calls: list[int]) -> list[str]:
    """The lines of these calls: all clients of the process log there."""
    lines = []
    for line in log.read_text(encoding="utf-8").splitlines():
        parts = re.fullmatch(rf"payments\[{os.getpid()}\] (\w+) call=(\d+)(.*)", line)
        if parts and int(parts[2]) in calls:
            lines.append(f"{parts[1]} call={calls.index(int(parts[2])) + 1}{parts[3]}")
    return lines
