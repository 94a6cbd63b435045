"""What the service answers.

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

    from ._codes import PaymentStatus, RefundStatus
    from ._records import CodeMismatch, CountMismatch, TrackingResult
else:
    # Where `collections.abc` has it from, and loaded by Python itself.
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


class _Members(Answer, Mapping[str, "Any"]):
    """An answer whose members are had by their names on the wire."""

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


class PaymentAnswer(_Members):
    """A payment as the service answered it."""

    @property
    def status(self) -> PaymentStatus | None:
        """The status of the payment."""
        code = self._text("status")
        if code is None:
            return None
        from ._codes import PaymentStatus

        return PaymentStatus(code)

    @property
    def is_paid(self) -> bool:
        """Whether the payment is confirmed (``CO``). An answer alone is no payment."""
        return bool(self._view.get("is_paid"))

    @property
    def hash(self) -> str | None:
        """The payment hash, by which it is queried and refunded."""
        return self._text("hash")

    @property
    def merchant_payment_code(self) -> str | None:
        """Your own reference for the payment."""
        return self._text("merchant_payment_code")

    @property
    def qr_code_value(self) -> str | None:
        """What a payer scans or pastes to pay by pix."""
        return self._text("qr_code_value")

    def __repr__(self) -> str:
        """Show the status only."""
        return f"<PaymentAnswer status={self._text('status')} http_status={self.http_status}>"


class RefundAnswer(_Members):
    """A refund as the service answered it."""

    @property
    def refund_id(self) -> str | None:
        """The service's id of the refund."""
        return self._text("refund_id")

    @property
    def refund_status(self) -> RefundStatus | None:
        """The status of the refund."""
        code = self._text("refund_status")
        if code is None:
            return None
        from ._codes import RefundStatus

        return RefundStatus(code)

    @property
    def payment_status(self) -> PaymentStatus | None:
        """The status of the payment that was refunded."""
        code = self._text("payment_status")
        if code is None:
            return None
        from ._codes import PaymentStatus

        return PaymentStatus(code)

    @property
    def hash(self) -> str | None:
        """The hash of the payment that was refunded."""
        return self._text("hash")

    def __repr__(self) -> str:
        """Show the status only."""
        return f"<RefundAnswer refund_status={self._text('refund_status')}>"


class PayoutAnswer(_Members):
    """A payout as the service answered it."""

    @property
    def uid(self) -> str | None:
        """The service's id of the payout."""
        return self._text("uid")

    @property
    def status(self) -> str | None:
        """The status of the payout; which there are is not stated by the service."""
        return self._text("status")

    def __repr__(self) -> str:
        """Show the status only."""
        return f"<PayoutAnswer status={self.status}>"


class TrackingAnswer(_Members):
    """What became of the tracking codes."""

    @property
    def status(self) -> str | None:
        """The overall result: ``SUCCESS`` on success."""
        return self._text("status")

    @property
    def result(self) -> list[TrackingResult]:
        """One entry for each code, in the order in which they came."""
        from ._records import TrackingResult, members_of

        return [members_of(TrackingResult, entry) for entry in self._part("result") or []]

    @property
    def count_mismatch(self) -> CountMismatch | None:
        """Set when the service answered for another number of codes than were sent."""
        from ._records import CountMismatch, members_of

        found = self._part("count_mismatch")
        return None if found is None else members_of(CountMismatch, found)

    @property
    def code_mismatch(self) -> list[CodeMismatch] | None:
        """Set when entries are about other codes than were sent in their places."""
        from ._records import CodeMismatch, members_of

        found = self._part("code_mismatch")
        return None if found is None else [members_of(CodeMismatch, each) for each in found]

    def __repr__(self) -> str:
        """Show the status only."""
        return f"<TrackingAnswer status={self.status}>"
