# Generated from the core's tables; do not edit. To update: cargo xtask generate

"""What the operations give."""

from __future__ import annotations

from ._answer import Answer, AnswerMapping

# Type checkers take this for true. Importing typing takes as long as all the rest.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from ._answer_parts import (
        CodeMismatch,
        CountMismatch,
        TrackingResult,
    )
    from ._codes import (
        PaymentStatus,
        RefundStatus,
    )

__all__ = [
    "PaymentAnswer",
    "PayoutAnswer",
    "RefundAnswer",
    "TrackingAnswer",
]


class PaymentAnswer(AnswerMapping):
    """A payment as the service answered it.

    That the call was answered does not mean that the payment was made: ``is_paid`` does.
    """

    @property
    def status(self) -> PaymentStatus | None:
        """Status of the payment."""
        code = self._view.get("status")
        if code is None:
            return None
        from ._codes import PaymentStatus

        return PaymentStatus(code)

    @property
    def is_paid(self) -> bool:
        """Whether the payment is paid: true for the status ``CO`` only."""
        return bool(self._view.get("is_paid"))

    @property
    def hash(self) -> str | None:
        """Payment hash, by which the payment is queried and refunded."""
        return self._text("hash")

    @property
    def merchant_payment_code(self) -> str | None:
        """Merchant's own reference for the payment."""
        return self._text("merchant_payment_code")

    @property
    def qr_code_value(self) -> str | None:
        """What the payer scans or pastes to pay by ``pix``."""
        return self._text("qr_code_value")

    def __repr__(self) -> str:
        """Show neither payer nor payee."""
        return self._shown("status", "is_paid")


class RefundAnswer(AnswerMapping):
    """A refund as the service answered it."""

    @property
    def refund_id(self) -> str | None:
        """The service's id of the refund."""
        return self._text("refund_id")

    @property
    def refund_status(self) -> RefundStatus | None:
        """Status of the refund."""
        code = self._view.get("refund_status")
        if code is None:
            return None
        from ._codes import RefundStatus

        return RefundStatus(code)

    @property
    def payment_status(self) -> PaymentStatus | None:
        """Status of the refunded payment."""
        code = self._view.get("payment_status")
        if code is None:
            return None
        from ._codes import PaymentStatus

        return PaymentStatus(code)

    @property
    def hash(self) -> str | None:
        """Hash of the refunded payment."""
        return self._text("hash")

    def __repr__(self) -> str:
        """Show neither payer nor payee."""
        return self._shown("refund_status", "payment_status")


class PayoutAnswer(AnswerMapping):
    """A payout as the service answered it."""

    @property
    def uid(self) -> str | None:
        """The service's id of the payout."""
        return self._text("uid")

    @property
    def status(self) -> str | None:
        """Status of the payout; which there are is not stated in the interface."""
        return self._text("status")

    def __repr__(self) -> str:
        """Show neither payer nor payee."""
        return self._shown("status")


class TrackingAnswer(AnswerMapping):
    """What the service did with the tracking codes."""

    @property
    def status(self) -> str | None:
        """Overall result: ``SUCCESS`` on success."""
        return self._text("status")

    @property
    def result(self) -> list[TrackingResult]:
        """One entry for each submitted code, in the order in which they came."""
        from ._answer_parts import TrackingResult
        from ._records import members_of

        found = self._part("result") or []
        return [members_of(TrackingResult, each) for each in found]

    @property
    def count_mismatch(self) -> CountMismatch | None:
        """Set if the service answered for another number of codes than were sent."""
        from ._answer_parts import CountMismatch
        from ._records import members_of

        found = self._part("count_mismatch")
        return None if found is None else members_of(CountMismatch, found)

    @property
    def code_mismatch(self) -> list[CodeMismatch] | None:
        """Set if entries are about other codes than were sent in their places."""
        from ._answer_parts import CodeMismatch
        from ._records import members_of

        found = self._part("code_mismatch")
        return None if found is None else [members_of(CodeMismatch, each) for each in found]

    def __repr__(self) -> str:
        """Show neither payer nor payee."""
        return self._shown("status")


ANSWERS: dict[str, type[Answer]] = {
    "create_payment": PaymentAnswer,
    "query_payment": PaymentAnswer,
    "refund_payment": RefundAnswer,
    "create_payout": PayoutAnswer,
    "register_tracking": TrackingAnswer,
}
"""The class of each operation's answer."""
