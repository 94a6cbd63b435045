"""What all answers have in common.

Every answer keeps its bytes, and is a mapping of all of its members: amounts
are ``Decimal``, and members that this package does not know are there too.
"""

from __future__ import annotations

from . import _native

# Type checkers take this for true. Importing typing takes as long as all the rest.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any
else:
    # Where `collections.abc` has it from; Python has loaded it already.
    from _collections_abc import Mapping


class Answer:
    """An answer as it came: status, headers and bytes."""

    def __init__(
        self,
        http_status: int,
        headers: list[tuple[str, str]],
        raw: bytes,
        view: dict[str, Any],
        max_values: int,
    ) -> None:
        """Hold the parts of an answer."""
        self._http_status = http_status
        self._headers = headers
        self._raw = raw
        self._view = view
        self._max_values = max_values
        self._tree: Any = None

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
        """The bytes of the body. They may hold payer data."""
        return self._raw

    def header(self, name: str) -> str | None:
        """Give the first header of that name, in any case."""
        wanted = name.lower()
        return next((value for own, value in self._headers if own.lower() == wanted), None)

    def json(self) -> Any:
        """Read the body as JSON, amounts as ``Decimal``.

        Raises:
            ValueError: the body is not JSON, or has more values than
                ``max_response_values``.

        """
        if self._tree is None:
            self._tree = _native.parse_answer(self._raw, self._max_values)
        return self._tree

    def __repr__(self) -> str:
        """Show neither the body nor a header."""
        return f"<{type(self).__name__} http_status={self._http_status}>"


class SendAnswer(Answer):
    """What ``send`` gives: whatever the service answered with a 2xx."""


class AnswerMapping(Answer, Mapping[str, "Any"]):
    """An answer that is a mapping of its members, by their names on the wire."""

    def __getitem__(self, name: str) -> Any:
        """Give a member of the answer."""
        return self.json()[name]

    def __iter__(self) -> Iterator[str]:
        """Go through the names of the members."""
        return iter(self.json())

    def __len__(self) -> int:
        """Count the members."""
        return len(self.json())

    def _part(self, member: str) -> Any:
        text = self._view.get(member)
        return None if text is None else _native.parse_answer(text, self._max_values)

    def _text(self, member: str) -> str | None:
        value = self._view.get(member)
        return None if value is None else str(value)

    def _shown(self, *members: str) -> str:
        shown = "".join(f" {name}={self._view.get(name)}" for name in members)
        return f"<{type(self).__name__}{shown} http_status={self.http_status}>"
