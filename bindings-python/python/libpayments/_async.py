"""The client for asyncio: the event loop never blocks."""

from __future__ import annotations

from typing import TypeVar

from ._async_client_methods import AsyncClientMethods

_Self = TypeVar("_Self", bound="AsyncClient")


class AsyncClient(AsyncClientMethods):
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

    async def aclose(self) -> None:
        """Release the key and the connections. Calls in flight continue."""
        self._close()

    async def close(self) -> None:
        """Do what :meth:`aclose` does, under the name of other clients of asyncio."""
        await self.aclose()

    async def __aenter__(self: _Self) -> _Self:
        """Return the client itself."""
        return self

    async def __aexit__(self, *exception: object) -> None:
        """Close the client."""
        self._close()
