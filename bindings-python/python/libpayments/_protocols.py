"""Signers, token stores, journals and observers, as callables or as objects."""

from __future__ import annotations

from typing import Any, Protocol, runtime_checkable

from ._events import Event
from ._native import Call, SigningRequest
from ._typing import TypedDict


@runtime_checkable
class Signer(Protocol):
    """Signs with a key that is kept elsewhere: in an HSM or a key management service."""

    @property
    def kid(self) -> str:
        """The key id that the service's provider assigned to the public key."""
        ...

    def sign(self, request: SigningRequest, /) -> bytes:
        """Return the RSASSA-PKCS1-v1_5 signature with SHA-256.

        It has 512 bytes, with the configured ``allow_small_keys`` also fewer.
        """
        ...


@runtime_checkable
class TokenStore(Protocol):
    """Keeps bearer tokens for all clients that share it.

    Entries are JSON texts that contain a token: treat them as secrets. ``key``
    is 64 hexadecimal digits. If a method raises, the store is bypassed: the call
    continues with a token in memory. Several threads call methods concurrently.
    """

    def load(self, key: str, call: Call, /) -> str | None:
        """Return the entry, or ``None`` if there is none."""
        ...

    def save(self, key: str, entry: str, fence: int, call: Call, /) -> bool:
        """Save the entry unless one with a larger fence is saved; return whether it was saved."""
        ...

    def delete_if(self, key: str, token: str, call: Call, /) -> bool:
        """Remove the entry's member ``token`` if its ``value`` equals the argument ``token``.

        Keep the rest of the entry. Return whether the member was removed.
        """
        ...

    def try_lock(self, key: str, call: Call, /) -> int | None:
        """Take the lock of the entry and return its fence, without waiting.

        Return ``None`` if the lock is held. Each fence is larger than all earlier
        ones for ``key``.
        """
        ...

    def unlock(self, key: str, fence: int, /) -> None:
        """Release the lock, unless it has expired and someone else holds it."""
        ...


class JournalUpdated(TypedDict):
    """The result of an update of a :class:`Journal`."""

    changed: bool
    """Whether it is stored."""

    taken_by: str | None
    """The id of the entry that has taken the reference, if a unique index refused it."""


class JournalFound(TypedDict):
    """Entries of a :class:`Journal`, and when they were read."""

    now: int
    """The journal's clock, in milliseconds since 1970 UTC."""

    entries: list[dict[str, Any]]
    """By their ids, the smallest first."""


class JournalCounted(TypedDict):
    """How many entries of a :class:`Journal` were created before a moment."""

    now: int
    """The journal's clock, in milliseconds since 1970 UTC."""

    newest: int | None
    """When the newest entry of the scope was created."""

    done: int
    """Those that are ``done``."""

    failed: int
    """Those that are ``failed`` and have no rival."""

    open: int
    """Those that are open: in progress, unknown, or with a rival."""


@runtime_checkable
class Journal(Protocol):
    """Records calls that move money, durably and for all clients that share it.

    An entry is a mapping with the columns of the table as names, and ``None`` for
    no value; :class:`JournalEntry` describes them. A journal decides nothing: the
    unique indexes of the table do. Each method is one committed transaction, and the
    journal's clock gives all times, in milliseconds since 1970 UTC. If a method
    raises before anything is sent, the call fails as ``journal``; afterwards,
    observers receive ``journal_failed``. They show the text of a
    :class:`JournalUnavailableError`, and the class of any other exception. Several
    threads call methods concurrently. :class:`DatabaseJournal` is one for SQLite and
    PostgreSQL.
    """

    def insert(self, entry: dict[str, Any], call: Call, /) -> bool:
        """Insert the entry. Return ``False``, and change nothing, if an index refuses it.

        ``created_at`` becomes now, and ``deadline_at`` and ``settles_at`` move by the
        same amount. The entry must survive a power failure when this returns.
        """
        ...

    def update(self, entry: dict[str, Any], call: Call, /) -> JournalUpdated:
        """Store the state of the entry with its members, and add one to its version.

        That is ``state`` and the columns after it. ``ended_at`` becomes now. Change
        nothing if the stored entry has another ``version``, or if an index refuses the
        change: then ``taken_by`` names the entry that has taken the reference.
        """
        ...

    def find(self, filter: dict[str, Any], call: Call, /) -> JournalFound:
        """Read entries by their ids.

        The filter has ``scope``, ``id``, ``reference``, ``hash``, ``is_open``, ``after``
        and ``limit``. At most one of ``id``, ``reference`` or ``hash``, and ``is_open``
        is set; with both ``reference`` and ``hash``, return the entries that have either.
        ``after`` is the id before the first one, or ``None``. With ``ended_from``,
        return at least the entries whose ``ended_at`` is that or later.
        """
        ...

    def count(self, scope: str, before: int, call: Call, /) -> JournalCounted:
        """Count the entries of the scope that were created before that time."""
        ...

    def prune(self, scope: str, before: int, limit: int, call: Call, /) -> int:
        """Delete entries of the scope that were created before that time and are not open.

        Delete at most ``limit``, and return their number.
        """
        ...


@runtime_checkable
class Observer(Protocol):
    """Receives a client's events, on the thread that makes the call."""

    def on_event(self, event: Event, /) -> None:
        """Handle the event quickly: the call waits. An exception does not fail the call."""
        ...
