"""Entries of a journal, and the results of recovery and pruning."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta, timezone
from decimal import Decimal
from typing import Any, Literal

from ._journal_entry import TIMES, JournalEntry
from ._records import Record, members_of

_EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)
# The end of the year 9999, the last one that Python knows.
_LAST_MS = 253_402_300_799_999


class OpenEntry(Record):
    """An entry that stays open after a recovery."""

    entry: JournalEntry
    needs: Literal["time", "query", "person"]
    """``time``, ``query`` or ``person``."""
    reason: str
    """Why, in one sentence."""


class Recovery(Record):
    """The result of a recovery. The oldest entries come first."""

    recovered: list[JournalEntry]
    """Entries whose outcome a query found."""
    open: list[OpenEntry]
    """Entries that stay open."""


class Pruned(Record):
    """How many entries were created before a time, and their outcomes."""

    dry_run: bool
    """Whether they were only counted."""
    done: int
    """Entries that were ``done`` and are deleted."""
    failed: int
    """Entries that were ``failed`` and are deleted."""
    open: int
    """Entries that are open, and stay."""


def read_entries(report: Mapping[str, Any]) -> list[JournalEntry]:
    """Read the entries of a report."""
    return [_entry(members) for members in report["entries"]]


def read_recovery(report: Mapping[str, Any]) -> Recovery:
    """Read the report of a recovery."""
    open_entries = [
        OpenEntry(_entry({**it["entry"], "needs": it["needs"]}), it["needs"], it["reason"])
        for it in report["open"]
    ]
    return Recovery([_entry(members) for members in report["recovered"]], open_entries)


def read_pruned(report: Mapping[str, Any]) -> Pruned:
    """Read the report of a deletion."""
    return members_of(Pruned, report)


def _entry(members: Mapping[str, Any]) -> JournalEntry:
    times = {name: _time(members[name]) for name in TIMES}
    amount = members["amount"]
    amount = None if amount is None else Decimal(amount)
    return members_of(JournalEntry, {**members, **times, "amount": amount})


def _time(milliseconds: int | None) -> datetime | None:
    if milliseconds is None:
        return None
    return _EPOCH + timedelta(milliseconds=min(milliseconds, _LAST_MS))
