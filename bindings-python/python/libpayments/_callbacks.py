"""Signers, token stores, journals and observers in the form that the native module calls."""

from __future__ import annotations

from ._kinds import ConfigError

# Type checkers treat this as true. Importing typing takes as long as all the rest.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from ._events import Event
    from ._native import SigningRequest
    from ._protocols import Journal, Observer, Signer, TokenStore

_STORE_METHODS = ("load", "save", "delete_if", "try_lock", "unlock")
_JOURNAL_METHODS = ("insert", "update", "find", "count", "prune")


def signer_parts(
    signer: Signer | Callable[[SigningRequest], bytes] | None, kid: str | None
) -> tuple[str, Callable[[SigningRequest], bytes]] | None:
    """Return the kid of a signer and its function."""
    if signer is None:
        return None
    from ._protocols import Signer

    if isinstance(signer, Signer):
        return signer.kid, signer.sign
    if not callable(signer):
        raise _wrong("signer", "must be a callable, or an object with kid and sign")
    if kid is None:
        raise _wrong("kid", "required because the signer is a callable")
    return kid, signer


def store_part(store: TokenStore | None) -> TokenStore | None:
    """Check that a store has all methods."""
    _check_methods("token_store", store, "TokenStore", _STORE_METHODS)
    return store


def journal_part(journal: Journal | None) -> Journal | None:
    """Check that a journal has all methods."""
    _check_methods("journal", journal, "Journal", _JOURNAL_METHODS)
    return journal


def observer_part(
    observer: Observer | Callable[[Event], object] | None,
) -> Callable[[Event], object] | None:
    """Return the function that receives the events."""
    if observer is None:
        return None
    from ._protocols import Observer

    if isinstance(observer, Observer):
        return observer.on_event
    if callable(observer):
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
        "code": "wrong_type",
        "message": message,
        "outcome": "not_executed",
        "path": path,
    }
    return ConfigError(f"{path}: {message} [config/wrong_type, not_executed]", report)
