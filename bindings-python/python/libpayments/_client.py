"""The client that blocks only the calling thread."""

from __future__ import annotations

from typing import TypeVar

from ._client_methods import ClientMethods

_Self = TypeVar("_Self", bound="Client")


class Client(ClientMethods):
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

    def close(self) -> None:
        """Release the key and the connections. Calls in flight continue."""
        self._close()

    def __enter__(self: _Self) -> _Self:
        """Return the client itself."""
        return self

    def __exit__(self, *exception: object) -> None:
        """Close the client."""
        self._close()
