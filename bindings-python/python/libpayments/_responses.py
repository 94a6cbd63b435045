# Generated from spec/operations by generate/templates/_responses.py.jinja; do not edit.
# To update: cargo xtask generate

"""The responses of the operations."""

from __future__ import annotations

from . import _native
from ._codes import (
    PaymentStatus,
    PayoutStatus,
    RefundStatus,
)
from ._records import members_of
from ._response import Response, ResponseMapping
from ._response_parts import (
    CountMismatch,
    NextAction,
    PaymentRefund,
    TrackingMismatch,
    TrackingResult,
)


class PaymentResponse(ResponseMapping):
    """A payment as the service returned it.

    A successful response does not mean that the payment was made: ``is_paid`` does.
    """

    @property
    def status(self) -> PaymentStatus | None:
        """Status of the payment."""
        code = self._view.get("status")
        return None if code is None else PaymentStatus(code)

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
        """The code that the payer scans or pastes to pay by ``pix``; if it is missing, query it."""
        return self._text("qr_code_value")

    @property
    def redirect_url(self) -> str | None:
        """Page on which the payer continues."""
        return self._text("redirect_url")

    @property
    def oxxo_url(self) -> str | None:
        """Page with the pay slip to pay by ``oxxo``."""
        return self._text("oxxo_url")

    @property
    def oxxo_barcode(self) -> str | None:
        """Digits of the barcode to pay by ``oxxo``."""
        return self._text("oxxo_barcode")

    @property
    def clabe_account(self) -> str | None:
        """Account (CLABE) to which the payer sends the money."""
        return self._text("clabe_account")

    @property
    def due_date(self) -> str | None:
        """The last day on which the payer can pay."""
        return self._text("due_date")

    @property
    def decline_code(self) -> str | None:
        """The acquirer's code of its decision, for example ``OK`` or ``NOK``."""
        return self._text("decline_code")

    @property
    def decline_reason(self) -> str | None:
        """The acquirer's decision in words."""
        return self._text("decline_reason")

    @property
    def capture_available(self) -> bool:
        """Whether a card payment is authorized and waits for its capture."""
        return bool(self._view.get("capture_available"))

    @property
    def refunds(self) -> list[PaymentRefund]:
        """The refunds of the payment."""
        found = self._part("refunds") or []
        return [members_of(PaymentRefund, each) for each in found]

    @property
    def next_action(self) -> NextAction:
        """The next action to show the payer."""
        found = self._part("next_action")
        return members_of(NextAction, found)

    def qr_svg(self) -> str | None:
        """Draw ``qr_code_value`` as a QR code, an SVG document; ``None`` without one."""
        code = self.qr_code_value
        return None if code is None else _native.qr_svg(code)

    def qr_png(self, *, module_size: int = 6) -> bytes | None:
        """Draw ``qr_code_value`` as a QR code, a PNG file; ``None`` without one.

        A module is a square of ``module_size`` pixels, from 1 to 64.
        """
        code = self.qr_code_value
        return None if code is None else _native.qr_png(code, module_size)

    def __repr__(self) -> str:
        """Show neither payer nor payee."""
        return self._shown("status", "is_paid")


class RefundResponse(ResponseMapping):
    """A refund as the service returned it."""

    @property
    def refund_id(self) -> str | None:
        """The service's id of the refund."""
        return self._text("refund_id")

    @property
    def refund_status(self) -> RefundStatus | None:
        """Status of the refund."""
        code = self._view.get("refund_status")
        return None if code is None else RefundStatus(code)

    @property
    def payment_status(self) -> PaymentStatus | None:
        """Status of the refunded payment."""
        code = self._view.get("payment_status")
        return None if code is None else PaymentStatus(code)

    @property
    def hash(self) -> str | None:
        """Hash of the refunded payment."""
        return self._text("hash")

    @property
    def refunds(self) -> list[PaymentRefund]:
        """All refunds of the payment, with this one."""
        found = self._part("refunds") or []
        return [members_of(PaymentRefund, each) for each in found]

    def __repr__(self) -> str:
        """Show neither payer nor payee."""
        return self._shown("refund_status", "payment_status")


class PayoutResponse(ResponseMapping):
    """A payout as the service returned it.

    A successful response does not mean that the payee has the money: ``is_paid`` does. One with the
    status ``CA`` was created, and cancelled by the service: correct what ``code`` is about, and
    send it again under a new reference.
    """

    @property
    def uid(self) -> str | None:
        """The service's id of the payout."""
        return self._text("uid")

    @property
    def external_reference(self) -> str | None:
        """Merchant's reference for the payout."""
        return self._text("external_reference")

    @property
    def status(self) -> PayoutStatus | None:
        """Status of the payout."""
        code = self._view.get("status")
        return None if code is None else PayoutStatus(code)

    @property
    def is_paid(self) -> bool:
        """Whether the payee has the money: true for the status ``PA`` only."""
        return bool(self._view.get("is_paid"))

    @property
    def code(self) -> str | None:
        """The service's code of a cancelled payout, for example ``TAX_ID_MISMATCH``."""
        return self._text("code")

    @property
    def amount(self) -> str | None:
        """Amount in ``currency``, as it was requested: 10.50, not 1050 cents."""
        return self._text("amount")

    @property
    def currency(self) -> str | None:
        """Three-letter currency code of ``amount``."""
        return self._text("currency")

    @property
    def request_date(self) -> str | None:
        """When the payout was requested, as the service wrote it."""
        return self._text("request_date")

    @property
    def status_date(self) -> str | None:
        """When the status changed, as the service wrote it."""
        return self._text("status_date")

    @property
    def paid_date(self) -> str | None:
        """When the payee got the money, as the service wrote it."""
        return self._text("paid_date")

    @property
    def cancel_date(self) -> str | None:
        """When the payout was cancelled, as the service wrote it."""
        return self._text("cancel_date")

    def __repr__(self) -> str:
        """Show neither payer nor payee."""
        return self._shown("status", "is_paid", "currency")


class TrackingResponse(ResponseMapping):
    """The service's results for the tracking codes."""

    @property
    def status(self) -> str | None:
        """Overall result: ``SUCCESS`` on success."""
        return self._text("status")

    @property
    def all_created(self) -> bool:
        """Whether every code was newly registered, and nothing differs from the request."""
        return bool(self._view.get("all_created"))

    @property
    def result(self) -> list[TrackingResult]:
        """One entry for each submitted code, in the order in which they came."""
        found = self._part("result") or []
        return [members_of(TrackingResult, each) for each in found]

    @property
    def count_mismatch(self) -> CountMismatch | None:
        """Set if the service responded for more or fewer codes than were sent."""
        found = self._part("count_mismatch")
        return None if found is None else members_of(CountMismatch, found)

    @property
    def mismatches(self) -> list[TrackingMismatch] | None:
        """Set if entries name a different code, order or customer than was sent."""
        found = self._part("mismatches")
        return None if found is None else [members_of(TrackingMismatch, each) for each in found]

    def __repr__(self) -> str:
        """Show neither payer nor payee."""
        return self._shown("status", "all_created")


RESPONSES: dict[str, type[Response]] = {
    "create_payment": PaymentResponse,
    "query_payment": PaymentResponse,
    "refund_payment": RefundResponse,
    "create_payout": PayoutResponse,
    "query_payout": PayoutResponse,
    "register_tracking": TrackingResponse,
}
"""The class of each operation's response."""
