"""Signers, token stores, journals and observers in the form that the native module calls."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ._error_codes import WRONG_TYPE
from ._events import Event
from ._kinds import ConfigError
from ._native import SigningRequest
from ._protocols import Journal, Observer, Signer, TokenStore

_STORE_METHODS = ("load", "save", "delete_if", "try_lock", "unlock")
_JOURNAL_METHODS = ("insert", "update", "find", "count", "prune")


Callbacks = tuple[
    tuple[str, Callable[[SigningRequest], bytes]] | None,
    TokenStore | None,
    Journal | None,
    Callable[[Event], object] | None,
]
"""Kid and function of a signer, a token store, a journal, and an observer."""


def callbacks_of(
    signer: Signer | Callable[[SigningRequest], bytes] | None,
    kid: str | None,
    token_store: TokenStore | None,
    journal: Journal | None,
    observer: Observer | Callable[[Event], object] | None,
) -> Callbacks:
    """Check the callbacks of a client."""
    _check_methods("token_store", token_store, "TokenStore", _STORE_METHODS)
    _check_methods("journal", journal, "Journal", _JOURNAL_METHODS)
    return _signing(signer, kid), token_store, journal, _observing(observer)


def _signing(
    signer: Signer | Callable[[SigningRequest], bytes] | None, kid: str | None
) -> tuple[str, Callable[[SigningRequest], bytes]] | None:
    if signer is None:
        return None
    if isinstance(signer, Signer):
        return signer.kid, signer.sign
    if not callable(signer):
        raise _wrong("signer", "must be a callable, or an object with kid and sign")
    if kid is None:
        raise _wrong("kid", "required because the signer is a callable")
    return kid, signer


def _observing(
    observer: Observer | Callable[[Event], object] | None,
) -> Callable[[Event], object] | None:
    if isinstance(observer, Observer):
        return observer.on_event
    if observer is None or callable(observer):
        return observer
    raise _wrong("observer", "must be a callable, or an object with on_event")


def log_failure(what: str, exception: BaseException) -> None:
    """Log an exception that does not fail the call."""
    import logging

    logging.getLogger("libpayments").warning("%s raised", what, exc_info=exception)


def _check_methods(path: str, part: object, protocol: str, methods: tuple[str, ...]) -> None:
    for method in methods if part is not None else ():
        if not callable(getattr(part, method, None)):
            message = (
                f"must be an object with the methods {', '.join(methods)} (see "
                f"libpayments.{protocol}); a file is named in the configuration, as file:PATH"
            )
            raise _wrong(path, message)


def _wrong(path: str, message: str) -> ConfigError:
    report: dict[str, Any] = {
        "kind": "config",
        "code": WRONG_TYPE,
        "message": message,
        "outcome": "not_executed",
        "path": path,
    }
    return ConfigError(f"{path}: {message} [config/{WRONG_TYPE}, not_executed]", report)
