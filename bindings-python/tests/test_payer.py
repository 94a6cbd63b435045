"""The payer's next action, and waiting for the payment."""

from __future__ import annotations

import asyncio

import pytest

import libpayments
from libpayments.testing import payment_response
from support import Sandbox, payment


def test_a_response_has_the_next_action_of_the_payer(sandbox: Sandbox) -> None:
    pix = payment(payment_type_code="pix")
    response = sandbox.client().create_payment(payment=pix)
    action = response.next_action
    assert (action.kind, action.value) == ("qr_code", response.qr_code_value)
    assert "000201" not in repr(action)
    picture = response.qr_svg()
    assert picture is not None
    assert picture.startswith("<svg ")


def test_the_kit_makes_the_same_action() -> None:
    made = payment_response(qr_code_value="0002", redirect_url="https://a.example/1")
    assert (made.next_action.kind, made.next_action.value) == ("qr_code", "0002")
    assert payment_response(oxxo_barcode="12").next_action.kind == "pay_slip"
    assert payment_response(status="CO", qr_code_value="0002").next_action.kind == "none"
    without = payment_response()
    assert (without.next_action.kind, without.next_action.value) == ("unknown", None)
    assert payment_response(capture_available=True).next_action.kind == "none"
    address = "https://pay.example"
    slip = payment_response(boleto_url=address, boleto_barcode="34", due_date="2026-12-01")
    action = slip.next_action
    shown = (action.kind, action.value, action.reference, action.expires)
    assert shown == ("pay_slip", address, "34", "2026-12-01")
    (refund,) = payment_response(refunds=[{"id": "7", "status": "CA"}]).refunds
    assert (refund.id, refund.status, refund.amount_ext) == ("7", "CA", None)
    assert without.qr_svg() is None


def test_waiting_ends_with_the_payment(sandbox: Sandbox) -> None:
    client = sandbox.client()
    code = client.create_payment(payment=payment()).hash
    assert code is not None
    still_open = client.wait_for_payment(hash=code, timeout_ms=1000)
    assert still_open.status is libpayments.PaymentStatus.PENDING
    sandbox.pay(code)
    assert client.wait_for_payment({"hash": code}, timeout_ms=60_000).is_paid
    with pytest.raises(libpayments.ValidationError):
        client.wait_for_payment(timeout_ms=1000)


def test_waiting_in_asyncio(sandbox: Sandbox) -> None:
    async def run() -> None:
        async with sandbox.async_client() as client:
            await client.warm_up()
            code = (await client.create_payment(payment=payment())).hash
            assert code is not None
            sandbox.pay(code)
            assert (await client.wait_for_payment(hash=code)).is_paid

    asyncio.run(run())
