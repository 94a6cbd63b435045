# Generated from the core's tables; do not edit. To update: cargo xtask generate

"""The public names of requests and responses, and where each is."""

# Type checkers treat this as true. Importing typing takes as long as all the rest.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from ._codes import (
        PaymentStatus,
        RefundStatus,
    )
    from ._requests import (
        Address,
        Amount,
        CreatePayment,
        CreatePayout,
        Item,
        Payee,
        Payment,
        QueryPayment,
        RefundPayment,
        RegisterTracking,
        TrackingDetails,
    )
    from ._response_parts import (
        AccessToken,
        CountMismatch,
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
    "CreatePayment",
    "CreatePayout",
    "Item",
    "Payee",
    "Payment",
    "PaymentResponse",
    "PaymentStatus",
    "PayoutResponse",
    "QueryPayment",
    "RefundPayment",
    "RefundResponse",
    "RefundStatus",
    "RegisterTracking",
    "TrackingDetails",
    "TrackingMismatch",
    "TrackingResponse",
    "TrackingResult",
]

# Imported on first use.
LATER = {
    "AccessToken": "_response_parts",
    "CountMismatch": "_response_parts",
    "TrackingMismatch": "_response_parts",
    "TrackingResult": "_response_parts",
    "PaymentStatus": "_codes",
    "RefundStatus": "_codes",
    "Address": "_requests",
    "Amount": "_requests",
    "CreatePayment": "_requests",
    "CreatePayout": "_requests",
    "Item": "_requests",
    "Payee": "_requests",
    "Payment": "_requests",
    "QueryPayment": "_requests",
    "RefundPayment": "_requests",
    "RegisterTracking": "_requests",
    "TrackingDetails": "_requests",
}
