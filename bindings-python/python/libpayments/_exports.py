# Generated from spec by generate/templates/_exports.py.jinja; do not edit.
# To update: cargo xtask generate

"""The public names of requests and responses."""

from ._codes import (
    PaymentStatus,
    PayoutStatus,
    RefundStatus,
)
from ._requests import (
    Address,
    Amount,
    CountryCode,
    CreatePayment,
    CreatePayout,
    CurrencyCode,
    Item,
    Payee,
    Payment,
    PaymentTypeCode,
    QueryPayment,
    QueryPayout,
    RefundPayment,
    RegisterTracking,
    TrackingDetails,
)
from ._response_parts import (
    AccessToken,
    CountMismatch,
    NextAction,
    PaymentRefund,
    TrackingMismatch,
    TrackingResult,
)
from ._responses import (
    PaymentResponse,
    PayoutResponse,
    RefundResponse,
    TrackingResponse,
)

__all__ = [
    "AccessToken",
    "Address",
    "Amount",
    "CountMismatch",
    "CountryCode",
    "CreatePayment",
    "CreatePayout",
    "CurrencyCode",
    "Item",
    "NextAction",
    "Payee",
    "Payment",
    "PaymentRefund",
    "PaymentResponse",
    "PaymentStatus",
    "PaymentTypeCode",
    "PayoutResponse",
    "PayoutStatus",
    "QueryPayment",
    "QueryPayout",
    "RefundPayment",
    "RefundResponse",
    "RefundStatus",
    "RegisterTracking",
    "TrackingDetails",
    "TrackingMismatch",
    "TrackingResponse",
    "TrackingResult",
]
