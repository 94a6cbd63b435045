"""Signers, token stores and observers, as callables or as objects."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from ._errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Callable

    from ._events import Event
    from ._native import Call, SigningRequest

_STORE_METHODS = ("load", "save", "delete_if", "try_lock", "unlock")


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


def signer_parts(
    signer: Signer | Callable[[SigningRequest], bytes] | None, kid: str | None
) -> tuple[str, Callable[[SigningRequest], bytes]] | None:
    """Give the kid of a signer and what signs."""
    if signer is None:
        return None
    if isinstance(signer, Signer):
        return signer.kid, signer.sign
    if not callable(signer):
        raise _wrong("signer", "must be a callable, or an object with kid and sign")
    if kid is None:
        raise _wrong("kid", "required with a signer that is a callable")
    return kid, signer


def store_part(store: TokenStore | None) -> TokenStore | None:
    """Check that a store has all methods."""
    for method in _STORE_METHODS if store is not None else ():
        if not callable(getattr(store, method, None)):
            raise _wrong("token_store", f"has no method {method}")
    return store


def observer_part(
    observer: Observer | Callable[[Event], object] | None,
) -> Callable[[Event], object] | None:
    """Give what is called with events."""
    if isinstance(observer, Observer):
        return observer.on_event
    if observer is None or callable(observer):
        return observer
    raise _wrong("observer", "must be a callable, or an object with on_event")


def log_failure(what: str, exception: BaseException) -> None:
    """Tell of an exception that fails no call."""
    logging.getLogger("libpayments").warning("%s raised", what, exc_info=exception)


def _wrong(path: str, message: str) -> ConfigError:
    report: dict[str, Any] = {
        "kind": "config",
        "code": "wrong_type",
        "message": message,
        "outcome": "not_executed",
        "path": path,
    }
    return ConfigError(f"{path}: {message} [config/wrong_type, not_executed]", report)
