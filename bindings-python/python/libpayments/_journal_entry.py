# Generated from spec/journal.toml by generate/templates/_journal_entry.py.jinja; do not edit.
# To update: cargo xtask generate
"""An entry of a journal."""

from __future__ import annotations

from datetime import datetime
from decimal import Decimal
from typing import Literal

from ._events import Operation
from ._records import Record

TIMES = ("created_at", "deadline_at", "settles_at", "ended_at")


class JournalEntry(Record):
    """One call in a journal. It holds no payer data, key, token or body.

    Times are in UTC, by the journal's clock.
    """

    id: str
    """32 lower-case hexadecimal digits. Later entries have larger ids."""
    version: int
    """Counts the changes of the entry, from 1."""
    scope: str
    """Which service and merchant the entry belongs to: ``journal_scope``."""
    operation: Operation
    """``cancel_refund``, ``create_payment``, ``create_payout``, ``refund_payment`` or ``send``."""
    reference: str
    """The merchant's reference; for a refund and its cancellation the payment hash."""
    refund_code: str | None
    """The ``merchant_refund_code`` of a refund, or of the refund that is cancelled."""
    amount: Decimal | None
    """The amount as it is sent: 10.50, not 1050 cents. A refund without one is a full refund."""
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
    """The latest moment at which the call ends."""
    settles_at: datetime
    """When a person may say that the call was not executed."""
    ended_at: datetime | None
    """When the state was last changed."""
    state: Literal["in_progress", "done", "failed", "unknown"]
    """How far the call has come."""
    decided_by: Literal["call", "recovery", "person"] | None
    """The recorder of the state; none while the call is in progress."""
    hash: str | None
    """The hash of the payment."""
    uid: str | None
    """The service's id of the payout or of the refund."""
    kind: str | None
    """The kind of the call's error."""
    code: str | None
    """The code of the call's error.

    Without a kind, the service's code for a payout that it created and cancelled at once,
    or ``CA``.
    """
    note: str | None
    """The note of a person."""
    rival: str | None
    """The id of the entry that took the reference after a person's ``no``.

    It is there if this call was executed after all: both may have moved money.
    """
    needs: Literal["time", "query", "person"] | None = None
    """The next step that an open entry needs when read; ``None`` if it is not open.

    - ``time``: The call may still run, or its effect may still appear. Recover again later.
    - ``query``: A query that works: recover again.
    - ``person``: A person who looks it up on the provider's platform and resolves the entry.
    """
