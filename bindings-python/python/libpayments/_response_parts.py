# Generated from spec/operations by generate/templates/_response_parts.py.jinja; do not edit.
# To update: cargo xtask generate

"""Plain values of responses."""

from __future__ import annotations

from decimal import Decimal

from ._records import Record


class PaymentRefund(Record):
    """A refund of a payment, in the list that the payment has."""

    _secret = ("id", "merchant_refund_code", "amount_ext")

    id: str | None = None
    """The service's id of the refund."""

    merchant_refund_code: str | None = None
    """Merchant's own reference for the refund."""

    status: str | None = None
    """Status of the refund, for example ``CO`` once it is confirmed."""

    amount_ext: Decimal | None = None
    """Refunded amount, in the currency of the payment: 10.50, not 1050 cents."""


class NextAction(Record):
    """The next action to show the payer, so that the payment is made."""

    _secret = ("value", "reference", "expires")

    kind: str
    """``qr_code``, ``pay_slip``, ``account``, ``page``, ``none`` (nothing to do) or ``unknown``."""

    value: str | None = None
    """The code, address, digits or account."""

    reference: str | None = None
    """The reference to name with a transfer, or the digits of a pay slip that has an address."""

    expires: str | None = None
    """The last day on which the payer can pay."""


class TrackingResult(Record):
    """The service's result for one tracking code."""

    _secret = ("customer_email", "tracking_code", "order_number")

    customer_email: str | None = None
    """Customer e-mail."""

    tracking_code: str | None = None
    """The code."""

    order_number: str | None = None
    """Merchant's order reference."""

    status: str | None = None
    """``CREATED`` for a newly registered code."""


class CountMismatch(Record):
    """The service responded for more or fewer codes than were sent."""

    sent: int
    """How many codes were sent."""

    received: int
    """How many entries came back."""


class TrackingMismatch(Record):
    """A member of an entry that differs from the sent value."""

    _secret = ("sent", "received")

    index: int
    """The entry of ``result``, counted from zero."""

    member: str
    """The member of the entry that differs."""

    sent: str
    """The value that was sent."""

    received: str
    """The value that came back."""


class AccessToken(Record):
    """A bearer token that is valid now.

    It is a secret.
    """

    _secret = ("access_token", "jti")

    access_token: str
    """The token itself."""

    token_type: str
    """``bearer``."""

    expires_at: int
    """When it must no longer be used, in seconds since 1970 UTC."""

    scope: str | None = None
    """Scope, as the token server gave it."""

    user_name: str | None = None
    """User name, as the token server gave it."""

    jti: str | None = None
    """The token's own id, as the token server gave it."""
