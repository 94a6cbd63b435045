# Generated from spec/operations by generate/templates/_made_responses.py.jinja; do not edit.
# To update: cargo xtask generate

"""Responses made without a service."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .. import PaymentResponse, PayoutResponse, RefundResponse
from ._builders import entries, made, next_action

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


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
    due_date: str | None = None,
    decline_code: str | None = None,
    decline_reason: str | None = None,
    capture_available: bool = False,
    refunds: Sequence[Mapping[str, Any]] = (),
    **members: Any,
) -> PaymentResponse:
    """Make the response of ``create_payment`` and ``query_payment``.

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
        due_date: the last day on which the payer can pay.
        decline_code: the acquirer's code of its decision, for example ``OK`` or ``NOK``.
        decline_reason: the acquirer's decision in words.
        capture_available: whether a card payment is authorized and waits for its capture.
        refunds: the refunds of the payment.
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
        "due_date": due_date,
        "decline_code": decline_code,
        "decline_reason": decline_reason,
        "capture_available": capture_available,
        "refunds": entries(refunds, "id", "merchant_refund_code", "status", "amount_ext"),
        "next_action": next_action(
            status in ("CO", "CA") or capture_available,
            due_date,
            ("qr_code", qr_code_value, None),
            ("pay_slip", oxxo_url, oxxo_barcode),
            ("pay_slip", members.get("boleto_url"), members.get("boleto_barcode")),
            ("pay_slip", members.get("baloto_url"), members.get("voucher_id")),
            ("pay_slip", members.get("voucher_url"), members.get("voucher_id")),
            ("pay_slip", members.get("cip_url"), members.get("cip_code")),
            ("pay_slip", oxxo_barcode, None),
            ("pay_slip", members.get("boleto_barcode"), None),
            ("pay_slip", members.get("voucher_id"), None),
            ("pay_slip", members.get("cip_code"), None),
            ("account", clabe_account, members.get("clabe_reference")),
            ("pay_slip", members.get("spei_url"), members.get("clabe_reference")),
            ("page", redirect_url, None),
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
        "/payment/due_date": due_date,
        "/payment/transaction_status/code": decline_code,
        "/payment/transaction_status/description": decline_reason,
        "/payment/capture_available": capture_available or None,
        "/payment/refunds": refunds or None,
        "/status": "SUCCESS",
    }
    return made(PaymentResponse, view, places, "/payment", members)


def refund_response(
    refund_id: str | None = "1",
    *,
    refund_status: str | None = "RE",
    payment_status: str | None = "CO",
    hash: str | None = "000000000000000000000000000000000000000000000000",
    refunds: Sequence[Mapping[str, Any]] = (),
    **members: Any,
) -> RefundResponse:
    """Make the response of ``refund_payment``.

    Args:
        refund_id: the service's id of the refund.
        refund_status: status of the refund.
        payment_status: status of the refunded payment.
        hash: hash of the refunded payment.
        refunds: all refunds of the payment, with this one.
        members: further members of ``refund``, as the service names them.

    """
    view = {
        "refund_id": refund_id,
        "refund_status": refund_status,
        "payment_status": payment_status,
        "hash": hash,
        "refunds": entries(refunds, "id", "merchant_refund_code", "status", "amount_ext"),
    }
    places = {
        "/refund/id": refund_id,
        "/refund/status": refund_status,
        "/payment/status": payment_status,
        "/payment/hash": hash,
        "/payment/refunds": refunds or None,
        "/operation": "refund",
        "/status": "SUCCESS",
    }
    return made(RefundResponse, view, places, "/refund", members)


def payout_response(
    uid: str | None = "00000000-0000-4000-a000-000000000000",
    *,
    external_reference: str | None = None,
    status: str | None = "OP",
    code: str | None = None,
    amount: str | None = None,
    currency: str | None = None,
    request_date: str | None = None,
    status_date: str | None = None,
    paid_date: str | None = None,
    cancel_date: str | None = None,
    **members: Any,
) -> PayoutResponse:
    """Make the response of ``create_payout`` and ``query_payout``.

    Args:
        uid: the service's id of the payout.
        external_reference: merchant's reference for the payout.
        status: status of the payout.
        code: the service's code of a cancelled payout, for example ``TAX_ID_MISMATCH``.
        amount: amount in ``currency``, as it was requested: 10.50, not 1050 cents.
        currency: three-letter currency code of ``amount``.
        request_date: when the payout was requested, as the service wrote it.
        status_date: when the status changed, as the service wrote it.
        paid_date: when the payee got the money, as the service wrote it.
        cancel_date: when the payout was cancelled, as the service wrote it.
        members: further members of ``payout``, as the service names them.

    """
    view = {
        "uid": uid,
        "external_reference": external_reference,
        "status": status,
        "is_paid": status == "PA",
        "code": code,
        "amount": amount,
        "currency": currency,
        "request_date": request_date,
        "status_date": status_date,
        "paid_date": paid_date,
        "cancel_date": cancel_date,
    }
    places = {
        "/payout/uid": uid,
        "/payout/external_reference": external_reference,
        "/payout/status": status,
        "/payout/code": code,
        "/payout/request_amount": amount,
        "/payout/request_currency": currency,
        "/payout/request_date": request_date,
        "/payout/status_date": status_date,
        "/payout/paid_date": paid_date,
        "/payout/cancel_date": cancel_date,
        "/type": "success",
    }
    return made(PayoutResponse, view, places, "/payout", members)
