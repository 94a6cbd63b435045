# Generated from _client_methods.py; do not edit. To update: cargo xtask generate

"""The methods of a client besides its operations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from . import _native
from ._base import call, prepare, send_head
from ._async_client_journal import AsyncClientJournal
from ._async_operations import AsyncOperations
from ._readers import read_prepared, read_status, read_token, reader_of
from ._records import PreparedRequest, TokenStatus
from ._requests import Members, Request
from ._response import SendResponse
from ._response_parts import AccessToken
from ._types import Bytes, JsonText
from ._typing import Unpack


class AsyncClientMethods(AsyncOperations):
    """Any operation by its name, tokens, the journal, and requests of your own."""

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
        return await self._run(work, reader_of(operation), timeout_ms)

    async def access_token(
        self,
        *,
        timeout_ms: int | None = None,
    ) -> AccessToken:
        """Return a bearer token that is valid now: the cached one, or a new one.

        Raises:
            TokenError: no token could be obtained.
            ConfigError: no client credentials are configured.

        """
        work = call("access_token", None, {})
        return await self._run(work, read_token, timeout_ms)

    async def token_status(self, *, timeout_ms: int | None = None) -> TokenStatus:
        """Return the state of the bearer token, without fetching one.

        Raises:
            ConfigError: no client credentials are configured.

        """
        work = _native.Work.token_status()
        return await self._run(work, read_status, timeout_ms)

    @property
    def journal(self) -> AsyncClientJournal:
        """The journal of this client: ``list``, ``show``, ``recover``, ``resolve``, ``prune``."""
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
        return await self._run(work, SendResponse._of, timeout_ms)

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
        return await self._run(work, read_prepared, timeout_ms)

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
        return await self._run(work, read_prepared, timeout_ms)
