"""The client for asyncio: the event loop never blocks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

from . import _native
from ._async_operations import AsyncOperations
from ._base import (
    call,
    prepare,
    read_prepared,
    read_status,
    read_token,
    reader_of,
    send_head,
)
from ._response import SendResponse

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from typing_extensions import Unpack

    from ._client_journal import AsyncClientJournal
    from ._records import PreparedRequest, TokenStatus
    from ._requests import Members, Request
    from ._response_parts import AccessToken
    from ._types import Bytes, JsonText

_Self = TypeVar("_Self", bound="AsyncClient")


class AsyncClient(AsyncOperations):
    """Talks to the service for one merchant, from asyncio.

    It is :class:`Client` with coroutines. Calls run on the package's own threads,
    one for each call in flight and at most 512; further calls wait for a thread.
    One client serves any number of tasks and event loops.

    Cancelling a task ends its call at once and raises
    :class:`asyncio.CancelledError`. Its cause is the call's error with the
    outcome; :func:`payments_error_in` returns it. If the response was already
    complete, the error carries the response: a payment that was made must not be
    lost. ``gather`` and task groups drop such errors; the logger ``libpayments``
    gets a warning for each that was not read.

    Example::

        async with AsyncClient.from_file("payments.json") as client:
            response = await client.create_payment(payment=payment)
    """

    async def call(
        self,
        operation: str,
        request: Request | JsonText | None = None,
        /,
        *,
        timeout_ms: int | None = None,
        **members: Unpack[Members],
    ) -> Any:
        """Run an operation by its name, as its own method does.

        Args:
            operation: its name, for example ``create_payment``.
            request: a mapping or JSON text; or pass the members as keywords.
            timeout_ms: the deadline of this call.
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
        return await self._run(work, timeout_ms, reader_of(operation))

    async def access_token(self, *, timeout_ms: int | None = None) -> AccessToken:
        """Return a bearer token that is valid now: the cached one, or a new one.

        Raises:
            TokenError: no token could be obtained.
            ConfigError: no client credentials are configured.

        """
        work = call("access_token", None, {})
        return await self._run(work, timeout_ms, read_token)

    async def token_status(self, *, timeout_ms: int | None = None) -> TokenStatus:
        """Return the state of the bearer token, without fetching one.

        Raises:
            ConfigError: no client credentials are configured.

        """
        work = _native.Work.token_status()
        return await self._run(work, timeout_ms, read_status)

    @property
    def journal(self) -> AsyncClientJournal:
        """The journal of this client: ``list``, ``show``, ``recover``, ``resolve``, ``prune``."""
        from ._client_journal import AsyncClientJournal

        return AsyncClientJournal(self)

    async def send(
        self,
        method: str,
        path: str,
        *,
        body: Bytes = b"",
        query: Mapping[str, str] | Sequence[tuple[str, str]] | None = None,
        content_type: str | None = None,
        reference: str | None = None,
        timeout_ms: int | None = None,
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

        Raises:
            PaymentsError: the call failed; see the classes.
            TypeError: the body is something else.

        """
        try:
            work = _native.Work.send(send_head(method, path, query, content_type, reference), body)
        finally:
            del path, query, body
        return await self._run(work, timeout_ms, SendResponse._of)

    async def prepare(
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
        return await self._run(work, timeout_ms, read_prepared)

    async def prepare_send(
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
        return await self._run(work, timeout_ms, read_prepared)

    async def aclose(self) -> None:
        """Release the key and the connections. Calls in flight continue."""
        self._close()

    async def __aenter__(self: _Self) -> _Self:
        """Return the client itself."""
        return self

    async def __aexit__(self, *exception: object) -> None:
        """Close the client."""
        self._close()
