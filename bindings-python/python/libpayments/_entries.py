"""Entries of a journal, and what recovery and pruning made of them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Literal

from ._records import members_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ._events import Operation

_EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)
# The end of the year 9999, the last one that Python knows.
_LAST_MS = 253_402_300_799_999
_TIMES = ("created_at", "deadline_at", "settles_at", "ended_at")


@dataclass(frozen=True)
class JournalEntry:
    """One call in a journal. It holds no payer data, key, token or body.

    Times are in UTC, by the journal's clock.
    """

    id: str
    """32 hexadecimal digits. Later entries have larger ids."""
    version: int
    """Counts the changes of the entry, from 1."""
    scope: str
    """Which service and merchant the entry belongs to: ``journal_scope``."""
    operation: Operation
    """``create_payment``, ``create_payout``, ``refund_payment`` or ``send``."""
    reference: str
    """The merchant's reference; for a refund the payment hash."""
    refund_code: str | None
    """The ``merchant_refund_code`` of a refund."""
    amount: Decimal | None
    """The amount. A refund without one is a full refund."""
    currency: str | None
    """Three-letter currency code."""
    body_sha256: str
    """SHA-256 of the body without ``integration_key``, in hexadecimal."""
    host: str
    """The host that made the call; for people only."""
    process: str
    """The process that made the call; for people only."""
    created_at: datetime
    """When the entry was written."""
    deadline_at: datetime
    """When the call ends at the latest."""
    settles_at: datetime
    """When a person may say that the call was not executed."""
    ended_at: datetime | None
    """When the state was last changed."""
    state: Literal["in_progress", "done", "failed", "unknown"]
    """How far the call has come: ``done`` was executed, ``failed`` was not."""
    decided_by: Literal["call", "recovery", "person"] | None
    """Who recorded the state; ``None`` while the call is in progress."""
    hash: str | None
    """The hash of the payment."""
    uid: str | None
    """The service's id of the payout or of the refund."""
    kind: str | None
    """The kind of the call's error."""
    code: str | None
    """The code of the call's error."""
    note: str | None
    """What a person noted."""
    rival: str | None
    """The id of the entry that took the reference after a person's no.

    It is set if this call was executed all the same.
    """
    needs: Literal["time", "query", "person"] | None = None
    """What an open entry needs when it is read; ``None`` if it is not open.

    ``time``: the call may still run, or its effect may still appear. ``query``:
    recover the journal. ``person``: find out elsewhere, and resolve the entry.
    """


@dataclass(frozen=True)
class OpenEntry:
    """An entry that stays open after a recovery."""

    entry: JournalEntry
    needs: Literal["time", "query", "person"]
    """``time``, ``query`` or ``person``."""
    reason: str
    """Why, in one sentence."""


@dataclass(frozen=True)
class Recovery:
    """What a recovery found out. The oldest entries come first."""

    recovered: list[JournalEntry]
    """Entries of which a query found out what became of the operation."""
    open: list[OpenEntry]
    """Entries that stay open."""


@dataclass(frozen=True)
class Pruned:
    """How many entries were created before a time, and what became of them."""

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
    times = {name: _time(members[name]) for name in _TIMES}
    amount = members["amount"]
    amount = None if amount is None else Decimal(amount)
    return members_of(JournalEntry, {**members, **times, "amount": amount})


def _time(milliseconds: int | None) -> datetime | None:
    if milliseconds is None:
        return None
    return _EPOCH + timedelta(milliseconds=min(milliseconds, _LAST_MS))
