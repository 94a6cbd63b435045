"""Signers, token stores and observers, as callables or as objects."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, runtime_checkable

if TYPE_CHECKING:
    from ._events import Event
    from ._native import Call, SigningRequest


@runtime_checkable
class Signer(Protocol):
    """Signs with a key that is kept elsewhere: in an HSM or a key management service."""

    @property
    def kid(self) -> str:
        """The key id that the service's provider assigned to the public key."""
        ...

    def sign(self, request: SigningRequest, /) -> bytes:
        """Return the RSASSA-PKCS1-v1_5 signature with SHA-256: 512 bytes for a 4096-bit key."""
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


@runtime_checkable
class Observer(Protocol):
    """Receives a client's events, on the thread that makes the call."""

    def on_event(self, event: Event, /) -> None:
        """Handle the event quickly: the call waits. An exception does not fail the call."""
        ...
