"""The output of benchmarks: rows, and the goals that were missed."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple


class Row(NamedTuple):
    """The subject, its figure, the goal, and whether it was reached."""

    what: str
    measured: str
    goal: str = "—"
    is_reached: bool = True


def print_rows(rows: Iterable[Row]) -> None:
    """Print the table, and after it the goals that were missed."""
    rows = list(rows)
    print("\n| what is measured | measured | goal |\n|---|---|---|")
    for row in rows:
        print(f"| {row.what} | {row.measured} | {row.goal} |")
    for row in rows:
        if not row.is_reached:
            print(f"missed: {row.what}: {row.measured}, goal {row.goal}")
