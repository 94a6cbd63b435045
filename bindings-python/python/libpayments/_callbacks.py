"""What signs, keeps tokens and observes, as the native module calls it."""

from __future__ import annotations

from ._kinds import ConfigError

# Type checkers take this for true. Importing typing takes as long as all the rest.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from ._events import Event
    from ._native import SigningRequest
    from ._protocols import Observer, Signer, TokenStore

_STORE_METHODS = ("load", "save", "delete_if", "try_lock", "unlock")


def signer_parts(
    signer: Signer | Callable[[SigningRequest], bytes] | None, kid: str | None
) -> tuple[str, Callable[[SigningRequest], bytes]] | None:
    """Give the kid of a signer and what signs."""
    if signer is None:
        return None
    from ._protocols import Signer

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
    if observer is None:
        return None
    from ._protocols import Observer

    if isinstance(observer, Observer):
        return observer.on_event
    if callable(observer):
        return observer
    raise _wrong("observer", "must be a callable, or an object with on_event")


def log_failure(what: str, exception: BaseException) -> None:
    """Tell of an exception that fails no call."""
    import logging

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
