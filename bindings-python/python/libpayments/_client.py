"""The client that blocks its thread, and no other."""

from __future__ import annotations

from . import _native
from ._answer import SendAnswer
from ._base import (
    call,
    prepare,
    read_answer,
    read_any,
    read_prepared,
    read_status,
    read_token,
    send_head,
)
from ._operations import Operations

# Type checkers take this for true. Importing typing takes as long as all the rest.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any, TypeVar

    from typing_extensions import Unpack

    from ._answer_parts import AccessToken
    from ._native import CancelHandle
    from ._records import PreparedRequest, TokenStatus
    from ._requests import Members, Request
    from ._types import Bytes, JsonText

    _Self = TypeVar("_Self", bound="Client")


class Client(Operations):
    """Talks to the service for one merchant.

    Make it once and use it for every call, from any number of threads: it
    holds the parsed key, the bearer token and the open connections. Other
    threads run while a call waits. It may be made before ``os.fork`` and used
    after.

    Ctrl-C ends a call at once with ``KeyboardInterrupt``;
    :func:`payments_error_in` finds the call's error in it.

    Example::

        with Client.from_file("payments.json") as client:
            answer = client.create_payment(payment=payment)
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
        """Perform an operation by its name, as its own method does.

        Args:
            operation: its name, for example ``create_payment``.
            request: a mapping, or JSON text; or give its members as keywords.
            timeout_ms: a deadline for this call.
            cancel: ends the call from another thread.
            members: those of the request.

        Raises:
            ValidationError: there is no such operation, or the request breaks
                a rule.
            PaymentsError: as the operation's own method.

        """
        work = call(operation, request, members)
        return read_any(operation, self._run(work, timeout_ms, cancel))

    def access_token(
        self, *, timeout_ms: int | None = None, cancel: CancelHandle | None = None
    ) -> AccessToken:
        """Give a bearer token that is valid now: the cached one, or a new one.

        Raises:
            TokenError: none can be had.
            ConfigError: there are no client credentials.

        """
        work = call("access_token", None, {})
        return read_token(self._run(work, timeout_ms, cancel))

    def token_status(self, *, timeout_ms: int | None = None) -> TokenStatus:
        """Tell what is known of the bearer token, without asking for one.

        Raises:
            ConfigError: there are no client credentials.

        """
        return read_status(self._run(_native.Work.token_status(), timeout_ms, None))

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
    ) -> SendAnswer:
        """Sign your own bytes and send them unchanged, to any path.

        The way to transfers, and to whatever this package does not name. No
        integration key is added.

        Args:
            method: for example ``POST``.
            path: a path under ``base_url`` that begins with ``/``.
            body: the bytes.
            query: parameters; they are encoded for the wire.
            content_type: ``application/json`` for a body, unless given.
            reference: your own reference, which errors carry; it is not sent.
            timeout_ms: a deadline for this call.
            cancel: ends the call from another thread.

        Raises:
            PaymentsError: see its class.

        """
        head = send_head(method, path, query, content_type, reference)
        work = _native.Work.send(head, body)
        return read_answer(SendAnswer, self._run(work, timeout_ms, cancel))

    def prepare(
        self,
        operation: str,
        request: Request | JsonText | None = None,
        /,
        *,
        timeout_ms: int | None = None,
        **members: Unpack[Members],
    ) -> PreparedRequest:
        """Do everything of an operation but the sending. It may fetch a token.

        Args:
            operation: its name, for example ``create_payment``.
            request: a mapping, or JSON text; or give its members as keywords.
            timeout_ms: a deadline for this call.
            members: those of the request.

        Raises:
            PaymentsError: nothing is executed by preparing.

        """
        work = prepare(operation, request, members)
        return read_prepared(self._run(work, timeout_ms, None))

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
        """Do everything of :meth:`send`, with its arguments, but the sending.

        Raises:
            PaymentsError: nothing is executed by preparing.

        """
        head = send_head(method, path, query, content_type, reference)
        work = _native.Work.prepare("send", head, body)
        return read_prepared(self._run(work, timeout_ms, None))

    def close(self) -> None:
        """Let go of key and connections. Calls in flight go on to their end."""
        self._close()

    def __enter__(self: _Self) -> _Self:
        """Give the client itself."""
        return self

    def __exit__(self, *exception: object) -> None:
        """Close the client."""
        self._close()
