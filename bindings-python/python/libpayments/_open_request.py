"""What an open call has in both clients."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, cast

from . import _native
from ._base import BaseClient


class OpenRequest:
    """The request of an open call. Its texts and bytes are secrets."""

    method: str
    """In upper case."""
    url: str
    headers: list[tuple[str, str]]
    """The HTTP client adds ``Host`` and ``Content-Length``."""
    body: bytes
    """The bytes that were signed: send them unchanged."""
    max_response_bytes: int
    """Stop reading the response after so many bytes, and pass on one more."""

    def __init__(
        self, client: BaseClient, native: _native.NativeCall, read: Callable[[Any], Any]
    ) -> None:
        """Take what the client began; ``read`` builds the response."""
        # Works when the other client is closed.
        self._client: Any = type(client).__new__(type(client))
        self._client._native_client = client._core()
        self._native = native
        self._read = read
        self.method, self.url, self.headers, self.body = native.request
        self.max_response_bytes = native.max_response_bytes

    @property
    def remaining(self) -> float:
        """The seconds left for the request; 0 if it must not be sent any more."""
        return self._native.remaining

    def _step(self, value: Any) -> Any:
        if isinstance(value, _native.NativeCall):
            return type(self)(self._client, value, self._read)
        return self._read(value)

    def _finish(
        self,
        status: int,
        headers: Mapping[str, str] | Iterable[tuple[str, str]],
        body: Any,
        complete: bool,
    ) -> _native.Work:
        try:
            pairs = headers.items() if isinstance(headers, Mapping) else headers
            pairs = cast("Iterable[tuple[str, str]]", pairs)
            return _native.Work.finish(self._native, status, list(pairs), body, complete)
        finally:
            del headers, body

    def __repr__(self) -> str:
        """Show method and time, but no secrets."""
        return f"<{type(self).__name__} {self.method} remaining={self.remaining:.3f}>"
