# Generated from _open_call.py; do not edit. To update: cargo xtask generate

"""A call whose request your own HTTP client sends."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from . import _native
from ._open_request import OpenRequest
from ._types import Bytes


class AsyncOpenCall(OpenRequest):
    """A call that waits for the response to its request, which you send.

    Send the request once, with headers and body unchanged, follow no redirect and
    retry nothing, and do not start when nothing ``remaining`` is left. Then end the
    call once, with :meth:`finish` or :meth:`fail`. A call that is dropped stays open
    in the journal. :mod:`libpayments.httpx` does all of this.
    """

    async def finish(
        self,
        status: int,
        headers: Mapping[str, str] | Iterable[tuple[str, str]],
        body: Bytes,
        *,
        complete: bool = True,
    ) -> Any:
        """End the call with the response, also after the deadline.

        Returns what the operation's own method returns, or an open call: then its
        request is to be sent, because the service responded with a 401 and there is
        another token, or because a query failed.

        Args:
            status: the HTTP status.
            headers: names and values.
            body: as received; it was not decompressed.
            complete: whether it is all of the body.

        Raises:
            PaymentsError: as for the operation's own method, or the call has ended
                before (``already_ended``).

        """
        try:
            work = self._finish(status, headers, body, complete)
        finally:
            del headers, body
        return await self._client._run(work, self._step, None)

    async def fail(
        self,
        *,
        nothing_left: bool,
    ) -> Any:
        """End the call without a response.

        Returns an open call if a query is to be sent again.

        Args:
            nothing_left: whether certainly no byte of the request was sent; otherwise
                the outcome is ``unknown``.

        Raises:
            PaymentsError: always, unless the call is a query.

        """
        work = _native.Work.fail(self._native, nothing_left)
        return await self._client._run(work, self._step, None)
