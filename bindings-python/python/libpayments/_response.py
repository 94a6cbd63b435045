"""The base classes of all responses.

Every response keeps the bytes of its response and is a mapping of all members,
including those that this package does not know. Amounts are ``Decimal``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, TypeVar

from . import _native

_Self = TypeVar("_Self", bound="Response")


class Response:
    """A response as received: status, headers and bytes."""

    def __init__(
        self,
        http_status: int,
        headers: list[tuple[str, str]],
        raw: bytes,
        view: dict[str, Any],
        max_values: int,
    ) -> None:
        """Store the parts of the response."""
        self._http_status = http_status
        self._headers = headers
        self._raw = raw
        self._view = view
        self._max_values = max_values
        self._tree: Any = None

    @classmethod
    def _of(cls: type[_Self], parts: Any) -> _Self:
        return cls(*parts)

    @property
    def http_status(self) -> int:
        """The HTTP status."""
        return self._http_status

    @property
    def headers(self) -> list[tuple[str, str]]:
        """Names and values of the headers, in order."""
        return self._headers

    @property
    def raw(self) -> bytes:
        """The bytes of the body. They may contain payer data."""
        return self._raw

    def header(self, name: str) -> str | None:
        """Return the first header with this name, ignoring case."""
        wanted = name.lower()
        return next((value for own, value in self._headers if own.lower() == wanted), None)

    def json(self) -> Any:
        """Parse the body as JSON, with amounts as ``Decimal``.

        Raises:
            ValueError: the body is not JSON, or has more values than
                ``max_response_values``.

        """
        if self._tree is None:
            self._tree = _native.parse_response(self._raw, self._max_values)
        return self._tree

    def __repr__(self) -> str:
        """Show the status, but neither the body nor a header."""
        return f"<{type(self).__name__} http_status={self._http_status}>"


class SendResponse(Response):
    """The 2xx response that ``send`` returns."""


class ResponseMapping(Response, Mapping[str, Any]):
    """A response that is a mapping of its members, with the service's names."""

    def __getitem__(self, name: str) -> Any:
        """Return a member of the response."""
        return self.json()[name]

    def __iter__(self) -> Iterator[str]:
        """Iterate over the names of the members."""
        return iter(self.json())

    def __len__(self) -> int:
        """Count the members."""
        return len(self.json())

    def _part(self, member: str) -> Any:
        text = self._view.get(member)
        return None if text is None else _native.parse_response(text, self._max_values)

    def _text(self, member: str) -> str | None:
        value = self._view.get(member)
        return None if value is None else str(value)

    def _shown(self, *members: str) -> str:
        shown = "".join(f" {name}={self._view.get(name)}" for name in members)
        return f"<{type(self).__name__}{shown} http_status={self.http_status}>"
