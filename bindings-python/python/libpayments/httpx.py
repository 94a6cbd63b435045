"""Sends the requests of open calls with httpx.

The client of httpx keeps its connections, proxies and certificates; libpayments signs,
keeps the journal and judges the response::

    import httpx
    import libpayments
    from libpayments.httpx import send

    http = httpx.Client()
    response = send(client.begin("create_payment", payment=payment), http)

and in asyncio, with ``AsyncClient`` and ``httpx.AsyncClient``::

    call = await client.begin("create_payment", payment=payment)
    response = await send_async(call, http)

Both return and raise what the operation's own method does. They follow no redirect, use
neither the cookies, the headers nor the authentication of the client of httpx, and do not
start after the deadline. A transport of your own must not send a request again.

``send_async`` ends at the deadline. ``send`` gives each step of the connection the time
that was left, so a response that arrives byte by byte may take longer.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Iterator
from typing import Any, NoReturn

import httpx

from ._async_open_call import AsyncOpenCall
from ._errors import PaymentsError
from ._open_call import OpenCall
from ._open_request import OpenRequest

__all__ = ["send", "send_async"]

_BEFORE_SENDING = (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout)
_NO_AUTHENTICATION = httpx.Auth()


def send(call: OpenCall, http: httpx.Client) -> Any:
    """Send the request of an open call, again if necessary, and return the response.

    Args:
        call: what ``client.begin`` returned.
        http: sends the request.

    Raises:
        PaymentsError: as for the operation's own method.

    """
    step: Any = call
    while isinstance(step, OpenCall):
        step = _send_once(step, http)
    return step


async def send_async(call: AsyncOpenCall, http: httpx.AsyncClient) -> Any:
    """Send the request of an open call, again if necessary, and return the response.

    Args:
        call: what ``await client.begin`` returned.
        http: sends the request.

    Raises:
        PaymentsError: as for the operation's own method.

    """
    step: Any = call
    while isinstance(step, AsyncOpenCall):
        step = await _send_once_async(step, http)
    return step


class _Exchange:
    """One request, and what has come of it."""

    def __init__(self, call: OpenRequest) -> None:
        self.call = call
        self.has_sent = False
        self.response: httpx.Response | None = None
        self.body = bytearray()

    def request(self, trace: Any) -> httpx.Request:
        call = self.call
        timeout = httpx.Timeout(max(call.remaining, 0.001)).as_dict()
        extensions = {"timeout": timeout, "trace": trace}
        return httpx.Request(
            call.method, call.url, headers=call.headers, content=call.body, extensions=extensions
        )

    def trace(self, event: str, _: object) -> None:
        self.has_sent |= ".send_" in event

    async def trace_async(self, event: str, _: object) -> None:
        self.trace(event, _)

    def take(self, chunk: bytes) -> bool:
        """Keep a part of the body. Returns whether to go on."""
        self.body += chunk
        return len(self.body) <= self.call.max_response_bytes

    def end(self, error: BaseException | None) -> dict[str, Any]:
        """Say how to end the call: the arguments of ``finish``, or those of ``fail``."""
        if self.response is None:
            left = self.has_sent or not isinstance(error, _BEFORE_SENDING)
            return {"nothing_left": not left}
        status, headers = self.response.status_code, self.response.headers.multi_items()
        is_whole = error is None
        return {"status": status, "headers": headers, "body": self.body, "complete": is_whole}


def _send_once(call: OpenCall, http: httpx.Client) -> Any:
    if call.remaining <= 0:
        return call.fail(nothing_left=True)
    exchange = _Exchange(call)
    error: BaseException | None = None
    try:
        for chunk in _chunks(exchange, http):
            if not exchange.take(chunk):
                break
            if call.remaining <= 0:
                error = TimeoutError()
                break
    except BaseException as raised:
        error = raised
    try:
        step = _ended(call, exchange, error)
    except PaymentsError as ended:
        _raise(ended, error)
    # A query would be sent again.
    if error is not None and not isinstance(error, Exception):
        raise error
    return step


def _ended(call: Any, exchange: _Exchange, error: BaseException | None) -> Any:
    """End the call: give the next step, or the coroutine of it."""
    ending = exchange.end(error)
    try:
        return (call.fail if "nothing_left" in ending else call.finish)(**ending)
    finally:
        # Error reporters send the locals of frames.
        del ending


def _raise(ended: PaymentsError, error: BaseException | None) -> NoReturn:
    if error is None:
        raise ended
    if not isinstance(error, Exception):
        # Ctrl-C or a cancelled task surfaces, with the end of the call as its cause. The
        # frames of httpx hold the request.
        raise error.with_traceback(None) from ended
    # The error itself holds the request.
    text = f": {error}" if isinstance(error, httpx.TransportError) else ""
    raise ended from httpx.TransportError(f"{type(error).__name__}{text}")


def _chunks(exchange: _Exchange, http: httpx.Client) -> Iterator[bytes]:
    request = exchange.request(exchange.trace)
    response = http.send(request, stream=True, auth=_NO_AUTHENTICATION, follow_redirects=False)
    exchange.response = response
    with contextlib.closing(response):
        yield from response.iter_raw()


async def _send_once_async(call: AsyncOpenCall, http: httpx.AsyncClient) -> Any:
    if call.remaining <= 0:
        return await call.fail(nothing_left=True)
    exchange = _Exchange(call)
    error: BaseException | None = None
    try:
        await asyncio.wait_for(_read_async(exchange, http), call.remaining)
    except BaseException as raised:
        error = raised
    try:
        step = await _ended(call, exchange, error)
    except PaymentsError as ended:
        _raise(ended, error)
    # A query would be sent again.
    if error is not None and not isinstance(error, Exception):
        raise error
    return step


async def _read_async(exchange: _Exchange, http: httpx.AsyncClient) -> None:
    request = exchange.request(exchange.trace_async)
    response = await http.send(
        request, stream=True, auth=_NO_AUTHENTICATION, follow_redirects=False
    )
    exchange.response = response
    async with contextlib.aclosing(response):
        async for chunk in response.aiter_raw():
            if not exchange.take(chunk):
                break
