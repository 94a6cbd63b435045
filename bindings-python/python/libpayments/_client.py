"""The client that blocks only the calling thread."""

from __future__ import annotations

from . import _native
from ._base import (
    call,
    prepare,
    read_prepared,
    read_status,
    read_token,
    reader_of,
    send_head,
)
from ._operations import Operations
from ._response import SendResponse

# Type checkers treat this as true. Importing typing takes as long as all the rest.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any, TypeVar

    from typing_extensions import Unpack

    from ._client_journal import ClientJournal
    from ._native import CancelHandle
    from ._records import PreparedRequest, TokenStatus
    from ._requests import Members, Request
    from ._response_parts import AccessToken
    from ._types import Bytes, JsonText

    _Self = TypeVar("_Self", bound="Client")


class Client(Operations):
    """Talks to the service for one merchant.

    Create one client and use it for every call, from any number of threads: it
    holds the parsed key, the bearer token and the open connections. Other
    threads run while a call waits. You may create it before ``os.fork`` and use
    it afterwards.

    Ctrl-C ends a call at once with ``KeyboardInterrupt``;
    :func:`payments_error_in` returns the error of the call.

    Example::

        with Client.from_file("payments.json") as client:
            response = client.create_payment(payment=payment)
    """

    def call(
        self,
        operation: str,
        request: Request | JsonText | None = None,
        /,
        *,
        timeout_ms: int | None = None,
        cancel: CancelHandle | None = None,
        **members: Unpack[Members],
    ) -> Any:
        """Run an operation by its name, as its own method does.

        Args:
            operation: its name, for example ``create_payment``.
            request: a mapping or JSON text; or pass the members as keywords.
            timeout_ms: the deadline of this call.
            cancel: ends the call from another thread.
            members: the members of the request.

        Raises:
            ValidationError: there is no such operation, or the request breaks
                a rule.
            PaymentsError: as for the operation's own method.

        """
        try:
            work = call(operation, request, members)
        finally:
            del request, members
        return self._run(work, timeout_ms, cancel, reader_of(operation))

    def access_token(
        self, *, timeout_ms: int | None = None, cancel: CancelHandle | None = None
    ) -> AccessToken:
        """Return a bearer token that is valid now: the cached one, or a new one.

        Raises:
            TokenError: no token could be obtained.
            ConfigError: no client credentials are configured.

        """
        work = call("access_token", None, {})
        return self._run(work, timeout_ms, cancel, read_token)

    def token_status(self, *, timeout_ms: int | None = None) -> TokenStatus:
        """Return the state of the bearer token, without fetching one.

        Raises:
            ConfigError: no client credentials are configured.

        """
        work = _native.Work.token_status()
        return self._run(work, timeout_ms, None, read_status)

    @property
    def journal(self) -> ClientJournal:
        """The journal of this client: ``list``, ``show``, ``recover``, ``resolve``, ``prune``."""
        from ._client_journal import ClientJournal

        return ClientJournal(self)

    def send(
        self,
        method: str,
        path: str,
        *,
        body: Bytes = b"",
        query: Mapping[str, str] | Sequence[tuple[str, str]] | None = None,
        content_type: str | None = None,
        reference: str | None = None,
        timeout_ms: int | None = None,
        cancel: CancelHandle | None = None,
    ) -> SendResponse:
        """Sign your own bytes and send them unchanged, to any path.

        Use it for transfers and other endpoints without a method here. It does
        not add the integration key.

        Args:
            method: for example ``POST``.
            path: a path under ``base_url`` that starts with ``/``.
            body: ``bytes``, ``bytearray`` or a contiguous buffer of format ``B``.
            query: the parameters; they are URL-encoded.
            content_type: by default ``application/json`` if there is a body.
            reference: your own reference for errors; it is not sent.
            timeout_ms: the deadline of this call.
            cancel: ends the call from another thread.

        Raises:
            PaymentsError: the call failed; see the classes.
            TypeError: the body is something else.

        """
        try:
            work = _native.Work.send(send_head(method, path, query, content_type, reference), body)
        finally:
            del path, query, body
        return self._run(work, timeout_ms, cancel, SendResponse._of)

    def prepare(
        self,
        operation: str,
        request: Request | JsonText | None = None,
        /,
        *,
        timeout_ms: int | None = None,
        **members: Unpack[Members],
    ) -> PreparedRequest:
        """Prepare an operation without sending it. This may fetch a token.

        Args:
            operation: its name, for example ``create_payment``.
            request: a mapping or JSON text; or pass the members as keywords.
            timeout_ms: the deadline of this call.
            members: the members of the request.

        Raises:
            PaymentsError: preparing failed; nothing was executed.

        """
        try:
            work = prepare(operation, request, members)
        finally:
            del request, members
        return self._run(work, timeout_ms, None, read_prepared)

    def prepare_send(
        self,
        method: str,
        path: str,
        *,
        body: Bytes = b"",
        query: Mapping[str, str] | Sequence[tuple[str, str]] | None = None,
        content_type: str | None = None,
        reference: str | None = None,
        timeout_ms: int | None = None,
    ) -> PreparedRequest:
        """Prepare the request of :meth:`send` without sending it.

        Raises:
            PaymentsError: preparing failed; nothing was executed.

        """
        try:
            work = _native.Work.prepare(
                "send", send_head(method, path, query, content_type, reference), body
            )
        finally:
            del path, query, body
        return self._run(work, timeout_ms, None, read_prepared)

    def close(self) -> None:
        """Release the key and the connections. Calls in flight continue."""
        self._close()

    def __enter__(self: _Self) -> _Self:
        """Return the client itself."""
        return self

    def __exit__(self, *exception: object) -> None:
        """Close the client."""
        self._close()
