"""Signers, token stores and observers, as callables or as objects."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, runtime_checkable

if TYPE_CHECKING:
    from ._events import Event
    from ._native import Call, SigningRequest


@runtime_checkable
class Signer(Protocol):
    """Signs with a key that is elsewhere: an HSM, a key management service."""

    @property
    def kid(self) -> str:
        """The key id that the service's provider assigned to the public key."""
        ...

    def sign(self, request: SigningRequest, /) -> bytes:
        """Give the RSASSA-PKCS1-v1_5 signature with SHA-256: 512 bytes for 4096 bits."""
        ...


@runtime_checkable
class TokenStore(Protocol):
    """Keeps bearer tokens for all clients that share it.

    Entries are JSON texts that hold a token: treat them as secrets. ``key`` is
    64 hexadecimal digits. A store that raises is bypassed: the call goes on
    with a token in memory. Methods are called by several threads at once.
    """

    def load(self, key: str, call: Call, /) -> str | None:
        """Give the entry, or ``None`` when there is none."""
        ...

    def save(self, key: str, entry: str, fence: int, call: Call, /) -> bool:
        """Keep the entry unless one was saved with a larger fence; say whether it was kept."""
        ...

    def delete_if(self, key: str, token: str, call: Call, /) -> bool:
        """Remove the entry's ``token`` if its ``value`` is ``token``, and leave the rest.

        Say whether it was removed.
        """
        ...

    def try_lock(self, key: str, call: Call, /) -> int | None:
        """Take the lock of the entry; give ``None`` at once when another has it.

        What is given is larger than what every earlier lock of ``key`` gave.
        """
        ...

    def unlock(self, key: str, fence: int, /) -> None:
        """Give the lock back, unless it lapsed and another has it."""
        ...


@runtime_checkable
class Observer(Protocol):
    """Told of what a client does, on the thread that makes the call."""

    def on_event(self, event: Event, /) -> None:
        """Take note, and be quick: the call waits. An exception fails no call."""
        ...
