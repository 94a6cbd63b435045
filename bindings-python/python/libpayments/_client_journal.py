"""The journal of a client: the calls it began, their outcomes, and the open ones."""

from __future__ import annotations

import builtins
from collections.abc import Callable, Iterator
from datetime import date
from typing import Any, TypeVar

from . import _native
from ._base import BlockingClient
from ._entries import (
    Pruned,
    Recovery,
    read_entries,
    read_pruned,
    read_recovery,
)
from ._journal_entry import JournalEntry
from ._native import CancelHandle

_Value = TypeVar("_Value")


class ClientJournal:
    """The journal of a client.

    Every method raises a :class:`ConfigError` if no journal is configured, and a
    :class:`JournalError` if it does not work. ``timeout_ms`` is the deadline of each
    access and of each query.
    """

    def __init__(self, client: BlockingClient) -> None:
        """Work with the journal of this client."""
        self._client = client

    def list(
        self,
        *,
        only_open: bool = False,
        after: str | None = None,
        timeout_ms: int | None = None,
        cancel: CancelHandle | None = None,
    ) -> Iterator[JournalEntry]:
        """Iterate over the entries, the oldest first.

        They are read in pages of 1,000, the first one when the iteration begins.

        Args:
            only_open: only open entries: in progress, unknown, or with a ``rival``.
            after: the id before the first one.
            timeout_ms: see the class.
            cancel: ends the work from another thread.

        """
        while True:
            members = {"only_open": only_open, "after": after}
            entries = self._run("list", members, read_entries, timeout_ms, cancel)
            if not entries:
                return
            yield from entries
            after = entries[-1].id

    def show(
        self,
        reference: str,
        *,
        timeout_ms: int | None = None,
        cancel: CancelHandle | None = None,
    ) -> builtins.list[JournalEntry]:
        """Return all entries of a reference, or the one with that id."""
        return self._run("show", {"reference": reference}, read_entries, timeout_ms, cancel)

    def recover(
        self,
        *,
        timeout_ms: int | None = None,
        cancel: CancelHandle | None = None,
    ) -> Recovery:
        """Query the outcomes of open entries, and record them. Run it every minute."""
        return self._run("recover", {}, read_recovery, timeout_ms, cancel)

    def resolve(
        self,
        entry: str,
        *,
        executed: bool,
        note: str,
        timeout_ms: int | None = None,
        cancel: CancelHandle | None = None,
    ) -> JournalEntry:
        """Record what a person found out about an open entry, and return the entry.

        Args:
            entry: its id, or a reference with one entry that needs a person.
            executed: whether the operation was executed. ``False`` is refused before
                ``settles_at``, and makes the reference free for another call.
            note: how the person found out.
            timeout_ms: see the class.
            cancel: ends the work from another thread.

        Raises:
            ValidationError: there is no such entry, or it cannot be resolved
            like this.

        """
        members = {"entry": entry, "executed": executed, "note": note}
        [resolved] = self._run("resolve", members, read_entries, timeout_ms, cancel)
        return resolved

    def prune(
        self,
        *,
        before: date | str,
        recent: bool = False,
        dry_run: bool = False,
        timeout_ms: int | None = None,
        cancel: CancelHandle | None = None,
    ) -> Pruned:
        """Delete old entries that are not open. Their references can be used again.

        Args:
            before: delete those that were created before this date, at midnight in
                UTC, or before this time: a ``datetime`` with its time zone, or
                ISO 8601.
            recent: whether those of the last 30 days may go.
            dry_run: only count them.
            timeout_ms: see the class.
            cancel: ends the work from another thread.

        Raises:
            ValidationError: ``before`` has no time zone, or is in the last 30 days.

        """
        members = {"before": _iso(before), "recent": recent, "dry_run": dry_run}
        return self._run("prune", members, read_pruned, timeout_ms, cancel)

    def _run(
        self,
        action: str,
        members: dict[str, Any],
        read: Callable[[Any], _Value],
        timeout_ms: int | None,
        cancel: CancelHandle | None,
    ) -> _Value:
        work = _native.Work.journal(f"journal_{action}", members)
        return self._client._run(work, read, timeout_ms, None, cancel)


def _iso(moment: date | str) -> str:
    return moment if isinstance(moment, str) else moment.isoformat()
