# Generated from _client_methods.py; do not edit. To update: cargo xtask generate

"""The methods of a client besides its operations."""

from __future__ import annotations

from collections.abc import Iterable, AsyncIterator, Mapping, Sequence
from datetime import timedelta
from os import PathLike
from typing import Any, overload

from . import _native
from ._base import call, prepare, send_head
from ._async_client_journal import AsyncClientJournal
from ._ensured import EnsuredPayment
from ._following import FollowEnd, follow_members, read_end
from ._async_operations import AsyncOperations
from ._readers import read_nothing, read_prepared, read_status, read_token, reader_of
from ._records import PreparedRequest, TokenStatus
from ._requests import CreatePayment, Members, QueryPayment, Request
from ._response import SendResponse
from ._response_parts import AccessToken
from ._responses import PaymentResponse
from ._types import Bytes, JsonText
from ._typing import Unpack


class AsyncClientMethods(AsyncOperations):
    """Any operation by its name, tokens, the journal, and your own requests."""

    async def call(
        self,
        operation: str,
        request: Request | JsonText | None = None,
        /,
        *,
        timeout_ms: int | None = None,
        traceparent: str | None = None,
        **members: Unpack[Members],
    ) -> Any:
        """Run an operation by its name, as its own method does.

        Args:
            operation: its name, for example ``create_payment``.
            request: a mapping or JSON text; or pass the members as keywords.
            timeout_ms: the deadline of this call.
            traceparent: sent as the header of W3C Trace Context.
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
        return await self._run(work, reader_of(operation), timeout_ms, traceparent)

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

    async def forget_token(self, *, timeout_ms: int | None = None) -> None:
        """Drop the bearer token from this process and the token store.

        The next call requests another one. Nothing else changes: pauses continue, and
        that request counts like one after a 401.

        Raises:
            ConfigError: no client credentials are configured.
            TokenError: the token store does not work.

        """
        return await self._run(_native.Work.forget_token(), read_nothing, timeout_ms)

    async def warm_up(
        self,
        *,
        timeout_ms: int | None = None,
    ) -> None:
        """Obtain the token and open a connection, so that the next call takes one round trip.

        Sends nothing to the service. The connection stays open for up to 4
        seconds of idleness.

        Raises:
            PaymentsError: there is no token or no connection; calls can still
                be made.

        """
        return await self._run(_native.Work.warm_up(), read_nothing, timeout_ms)

    @overload
    async def ensure_payment(
        self,
        request: CreatePayment | JsonText,
        /,
        *,
        timeout_ms: int | None = None,
        traceparent: str | None = None,
        ensure_wait_ms: int | None = None,
    ) -> EnsuredPayment: ...

    @overload
    async def ensure_payment(
        self,
        request: None = None,
        /,
        *,
        timeout_ms: int | None = None,
        traceparent: str | None = None,
        ensure_wait_ms: int | None = None,
        **members: Unpack[CreatePayment],
    ) -> EnsuredPayment: ...

    async def ensure_payment(
        self,
        request: object = None,
        /,
        *,
        timeout_ms: int | None = None,
        traceparent: str | None = None,
        ensure_wait_ms: int | None = None,
        **members: object,
    ) -> EnsuredPayment:
        """Return the payment with this reference, and create it if the service has none.

        A new attempt needs a new reference: a payment that is found is returned in any
        state, even cancelled.

        One call sends at most one creation. Two calls at a time create one payment if
        they share a journal; without one, that depends on the service.

        Args:
            request: a mapping or JSON text, as for :meth:`create_payment`; or pass the
                members as keywords.
            timeout_ms: the deadline of all its requests; by default the client's
                ``timeout_ms``, which each of them has too.
            traceparent: sent as the header of W3C Trace Context.
            ensure_wait_ms: how long to wait for a payment that may exist and is not found;
                by default the client's ``ensure_wait_ms``.
            members: the members of the request.

        Raises:
            PaymentsError: as for :meth:`create_payment`. With the code
                ``reference_used``, the payment with this reference is another one. An
                error of a query says that nothing was created.

        """
        try:
            work = call("ensure_payment", request, members, ensure_wait_ms)
        finally:
            del request, members
        return await self._run(work, EnsuredPayment._of, timeout_ms, traceparent)

    @overload
    async def wait_for_payment(
        self,
        request: QueryPayment | JsonText,
        /,
        *,
        timeout_ms: int | None = None,
        traceparent: str | None = None,
    ) -> PaymentResponse: ...

    @overload
    async def wait_for_payment(
        self,
        request: None = None,
        /,
        *,
        timeout_ms: int | None = None,
        traceparent: str | None = None,
        **members: Unpack[QueryPayment],
    ) -> PaymentResponse: ...

    async def wait_for_payment(
        self,
        request: object = None,
        /,
        *,
        timeout_ms: int | None = None,
        traceparent: str | None = None,
        **members: object,
    ) -> PaymentResponse:
        """Query a payment until it is over, or until the time is up.

        Returns the last response: the payment may still be open. Between
        queries, a tenth of the time that has passed goes by, but at least two
        seconds.

        Args:
            request: a mapping or JSON text; or pass ``hash`` or
                ``merchant_payment_code`` as keywords.
            timeout_ms: how long to wait; by default the client's ``timeout_ms``.
            traceparent: sent as the header of W3C Trace Context.
            members: the members of the request.

        Raises:
            PaymentsError: no query had a response, or another one would fail
                the same way.

        """
        try:
            work = call("wait_for_payment", request, members)
        finally:
            del request, members
        return await self._run(work, PaymentResponse._of, timeout_ms, traceparent)

    async def follow(
        self,
        references: Iterable[str] | None = None,
        *,
        by_hash: bool = False,
        by_external_reference: bool = False,
        by_uid: bool = False,
        state: str | PathLike[str] | None = None,
        since: timedelta | None = None,
        give_up_after: timedelta | None = None,
        forget_after: timedelta | None = None,
        per_second: int | None = None,
    ) -> AsyncIterator[FollowEnd]:
        """Follow payments, refunds and payouts until all have ended, and iterate over the ends.

        The interface has no events: this queries each of them, later and later,
        one query at a time. An end counts as reported when the next one is asked
        for. If that does not happen, the next iteration with the same state file
        gives it again, as ``repeated``.

        Args:
            references: the payments, by ``merchant_payment_code``; by default the
                payments and refunds that the journal says were done, and its
                payouts if ``payout_query`` is on.
            by_hash: whether the references are payment hashes.
            by_external_reference: whether they are the ``external_reference`` of
                payouts, which needs ``payout_query``.
            by_uid: whether they are the ``uid`` of payouts, which needs
                ``payout_query``.
            state: the file that remembers what was reported, also after a crash.
                One process uses it at a time. Without it, the next run reports
                all again.
            since: how far back the journal is read; by default 7 days.
            give_up_after: the age at which an open payment is given up; by
                default 7 days. That of a reference counts from when it was first
                followed.
            forget_after: how long the state file keeps an end that is not asked
                for; by default 90 days, and at least `since` and a day.
            per_second: the most queries in a second; by default 5.

        Raises:
            ConfigError: there are neither references nor a journal, payouts are
                named while ``payout_query`` is off, or the state file cannot be
                used.
            PaymentsError: the client cannot work on: ``journal``, ``internal``.

        """
        others = {
            "by_hash": by_hash,
            "by_external_reference": by_external_reference,
            "by_uid": by_uid,
            "per_second": per_second,
        }
        members = follow_members(references, state, since, give_up_after, forget_after, others)
        # It begins with its first step, and ends with this object.
        following = self._core().follow(members)
        step: dict[str, object] = {"follow": following.number, "confirmed": False}
        try:
            while True:
                work = _native.Work.journal("follow_next", step)
                end, is_over = await self._run(work, read_end, None)
                if is_over:
                    return
                if end is not None:
                    yield end
                step["confirmed"] = True
        finally:
            following.end()

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
        traceparent: str | None = None,
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
            traceparent: sent as the header of W3C Trace Context.

        Raises:
            PaymentsError: the call failed; see the classes.
            TypeError: the body is something else.

        """
        try:
            work = _native.Work.send(send_head(method, path, query, content_type, reference), body)
        finally:
            del path, query, body
        return await self._run(work, SendResponse._of, timeout_ms, traceparent)

    async def prepare(
        self,
        operation: str,
        request: Request | JsonText | None = None,
        /,
        *,
        timeout_ms: int | None = None,
        traceparent: str | None = None,
        **members: Unpack[Members],
    ) -> PreparedRequest:
        """Prepare an operation without sending it. This may fetch a token.

        The request has no journal and no protection against a second payment: sending
        it twice, as an HTTP client may do on its own, can pay twice. It has no outcome:
        the library does not learn whether it was sent or executed.

        Args:
            operation: its name, for example ``create_payment``.
            request: a mapping or JSON text; or pass the members as keywords.
            timeout_ms: the deadline of this call.
            traceparent: a header of W3C Trace Context.
            members: the members of the request.

        Raises:
            PaymentsError: preparing failed; nothing was executed.

        """
        try:
            work = prepare(operation, request, members)
        finally:
            del request, members
        return await self._run(work, read_prepared, timeout_ms, traceparent)

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
        traceparent: str | None = None,
    ) -> PreparedRequest:
        """Prepare the request of :meth:`send` without sending it, as :meth:`prepare`.

        Raises:
            PaymentsError: preparing failed; nothing was executed.

        """
        try:
            work = _native.Work.prepare(
                "send", send_head(method, path, query, content_type, reference), body
            )
        finally:
            del path, query, body
        return await self._run(work, read_prepared, timeout_ms, traceparent)
