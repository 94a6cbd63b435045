"""What a client returns or raises, made without a service."""

from __future__ import annotations

import json
from typing import Any, TypeVar

from .. import PaymentResponse, PaymentsError, PayoutResponse, RefundResponse, TrackingResponse

_JSON = [("Content-Type", "application/json")]
# As many values as a client reads by default.
_MAX_VALUES = 100_000

ErrorT = TypeVar("ErrorT", bound=PaymentsError)


def payment_response(
    status: str = "PE",
    *,
    hash: str = "0" * 48,
    merchant_payment_code: str = "order-1",
    qr_code_value: str | None = None,
    **members: Any,
) -> PaymentResponse:
    """Make what ``create_payment`` and ``query_payment`` return.

    Args:
        status: the status of the payment; ``CO`` is paid.
        hash: the payment hash.
        merchant_payment_code: your reference.
        qr_code_value: what the payer of a pix payment scans.
        members: further members of ``payment``, such as ``amount_ext``.

    """
    payment = {
        "hash": hash,
        "merchant_payment_code": merchant_payment_code,
        "status": status,
        **members,
    }
    body: dict[str, Any] = {"payment": payment, "status": "SUCCESS"}
    if qr_code_value is not None:
        body["pix"] = {"qr_code_value": qr_code_value}
    view = {
        "status": status,
        "is_paid": status == "CO",
        "hash": hash,
        "merchant_payment_code": merchant_payment_code,
        "qr_code_value": qr_code_value,
    }
    return PaymentResponse(200, _JSON, _bytes(body), view, _MAX_VALUES)


def refund_response(
    status: str = "RE",
    *,
    refund_id: str = "1",
    payment_status: str = "CO",
    hash: str = "0" * 48,
    **members: Any,
) -> RefundResponse:
    """Make what ``refund_payment`` returns; `members` are those of ``refund``."""
    refund = {"id": refund_id, "status": status, **members}
    payment = {"hash": hash, "status": payment_status, "refunds": [refund]}
    body = {"payment": payment, "refund": refund, "operation": "refund", "status": "SUCCESS"}
    view = {
        "refund_id": refund_id,
        "refund_status": status,
        "payment_status": payment_status,
        "hash": hash,
    }
    return RefundResponse(200, _JSON, _bytes(body), view, _MAX_VALUES)


def payout_response(
    status: str = "OP",
    *,
    uid: str = "00000000-0000-4000-a000-000000000000",
    external_reference: str = "payout-1",
    **members: Any,
) -> PayoutResponse:
    """Make what ``create_payout`` returns; `members` are those of ``payout``."""
    payout = {"uid": uid, "status": status, "external_reference": external_reference, **members}
    body = {"type": "success", "payout": payout}
    return PayoutResponse(200, _JSON, _bytes(body), {"uid": uid, "status": status}, _MAX_VALUES)


def tracking_response(
    *tracking_codes: str, order_number: str = "1", customer_email: str = ""
) -> TrackingResponse:
    """Make what ``register_tracking`` returns, with every code registered."""
    result = [
        {
            "customer_email": customer_email,
            "tracking_code": code,
            "order_number": order_number,
            "status": "CREATED",
        }
        for code in tracking_codes
    ]
    body = {"status": "SUCCESS", "result": result}
    view = {"status": "SUCCESS", "all_created": True, "result": _bytes(result)}
    return TrackingResponse(200, _JSON, _bytes(body), view, _MAX_VALUES)


def error(kind: type[ErrorT], code: str, *, outcome: str = "unknown", **members: Any) -> ErrorT:
    """Make an error as a client raises it.

    ::

        client.create_payment.side_effect = error(CallTimeoutError, "deadline_exceeded")

    Args:
        kind: its class.
        code: its code, as ``docs/errors.md`` lists them.
        outcome: ``not_executed``, ``unknown`` or ``executed``.
        members: further members, such as ``reference`` or ``service_code``.

    """
    report = {"kind": kind.kind, "code": code, "outcome": outcome, "message": code, **members}
    return kind(f"{code} ({outcome})", report)


def _bytes(body: object) -> bytes:
    # Amounts may be Decimal, which JSON has no type for; the service writes texts.
    return json.dumps(body, default=str).encode()
