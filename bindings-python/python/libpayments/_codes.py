# Generated from spec/codes.toml by generate/templates/_codes.py.jinja; do not edit.
# To update: cargo xtask generate

"""Codes of responses, each an open set."""

from __future__ import annotations

from ._enums import OpenCode


class PaymentStatus(OpenCode):
    """The status of a payment. An unknown code is kept: ``PaymentStatus("XX")``."""

    OPEN = "OP"
    """Nothing is decided."""
    PENDING = "PE"
    """Waiting for the payer or the bank."""
    CONFIRMED = "CO"
    """Paid."""
    CANCELLED = "CA"
    """Declined, expired or withdrawn."""


class PayoutStatus(OpenCode):
    """The status of a payout. An unknown code is kept: ``PayoutStatus("XX")``."""

    OPEN = "OP"
    """Nothing is decided."""
    PENDING = "PE"
    """On its way to the payee."""
    PAID = "PA"
    """The payee has the money."""
    CANCELLED = "CA"
    """The payee does not get the money."""


class RefundStatus(OpenCode):
    """The status of a refund. An unknown code is kept: ``RefundStatus("XX")``."""

    REQUESTED = "RE"
    """Requested."""
    PENDING = "PE"
    """Not decided yet."""
    CONFIRMED = "CO"
    """Refunded."""
    CANCELLED = "CA"
    """Will not be refunded."""
