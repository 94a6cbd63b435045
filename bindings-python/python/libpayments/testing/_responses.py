# Generated from spec/operations by generate/templates/_made_responses.py.jinja; do not edit.
# To update: cargo xtask generate

"""Responses made without a service."""

from __future__ import annotations

from typing import Any

from .. import PaymentResponse, PayoutResponse, RefundResponse
from ._builders import first_of, made


def payment_response(
    status: str | None = "PE",
    *,
    hash: str | None = "000000000000000000000000000000000000000000000000",
    merchant_payment_code: str | None = "order-1",
    qr_code_value: str | None = None,
    redirect_url: str | None = None,
    oxxo_url: str | None = None,
    oxxo_barcode: str | None = None,
    clabe_account: str | None = None,
    **members: Any,
) -> PaymentResponse:
    """Make what ``create_payment`` and ``query_payment`` return.

    Args:
        status: status of the payment.
        hash: payment hash, by which the payment is queried and refunded.
        merchant_payment_code: merchant's own reference for the payment.
        qr_code_value: the code that the payer scans or pastes to pay by ``pix``; if it is missing,
            query it.
        redirect_url: page on which the payer continues.
        oxxo_url: page with the pay slip to pay by ``oxxo``.
        oxxo_barcode: digits of the barcode to pay by ``oxxo``.
        clabe_account: account (CLABE) to which the payer sends the money.
        members: further members of ``payment``, as the service names them.

    """
    view = {
        "status": status,
        "is_paid": status == "CO",
        "hash": hash,
        "merchant_payment_code": merchant_payment_code,
        "qr_code_value": qr_code_value,
        "redirect_url": redirect_url,
        "oxxo_url": oxxo_url,
        "oxxo_barcode": oxxo_barcode,
        "clabe_account": clabe_account,
        "next_action": first_of(
            status in ("CO", "CA"),
            ("qr_code", qr_code_value),
            ("pay_slip", oxxo_url),
            ("pay_slip", oxxo_barcode),
            ("account", clabe_account),
            ("page", redirect_url),
        ),
    }
    places = {
        "/payment/status": status,
        "/payment/hash": hash,
        "/payment/merchant_payment_code": merchant_payment_code,
        "/pix/qr_code_value": qr_code_value,
        "/redirect_url": redirect_url,
        "/payment/oxxo_url": oxxo_url,
        "/payment/oxxo_barcode": oxxo_barcode,
        "/payment/clabe_account": clabe_account,
        "/status": "SUCCESS",
    }
    return made(PaymentResponse, view, places, "/payment", members)


def refund_response(
    refund_id: str | None = "1",
    *,
    refund_status: str | None = "RE",
    payment_status: str | None = "CO",
    hash: str | None = "000000000000000000000000000000000000000000000000",
    **members: Any,
) -> RefundResponse:
    """Make what ``refund_payment`` returns.

    Args:
        refund_id: the service's id of the refund.
        refund_status: status of the refund.
        payment_status: status of the refunded payment.
        hash: hash of the refunded payment.
        members: further members of ``refund``, as the service names them.

    """
    view = {
        "refund_id": refund_id,
        "refund_status": refund_status,
        "payment_status": payment_status,
        "hash": hash,
    }
    places = {
        "/refund/id": refund_id,
        "/refund/status": refund_status,
        "/payment/status": payment_status,
        "/payment/hash": hash,
        "/operation": "refund",
        "/status": "SUCCESS",
    }
    return made(RefundResponse, view, places, "/refund", members)


def payout_response(
    uid: str | None = "00000000-0000-4000-a000-000000000000",
    *,
    status: str | None = "OP",
    code: str | None = None,
    **members: Any,
) -> PayoutResponse:
    """Make what ``create_payout`` returns.

    Args:
        uid: the service's id of the payout.
        status: status of the payout.
        code: the service's code of a cancelled payout, for example ``TAX_ID_MISMATCH``.
        members: further members of ``payout``, as the service names them.

    """
    view = {
        "uid": uid,
        "status": status,
        "is_paid": status == "PA",
        "code": code,
    }
    places = {
        "/payout/uid": uid,
        "/payout/status": status,
        "/payout/code": code,
        "/type": "success",
    }
    return made(PayoutResponse, view, places, "/payout", members)
