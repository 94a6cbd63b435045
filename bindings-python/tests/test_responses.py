"""Responses: typed members, amounts as `Decimal`, and nothing lost."""

from __future__ import annotations

import copy
import json
import pickle
from decimal import Decimal
from typing import Any

import pytest

import libpayments
from libpayments import PaymentStatus, PayoutStatus, RefundStatus
from support import PUBLIC_KEY_FILE, Sandbox, payment, payout

PAYER = ("Ana López", "ana@example.com", "João Souza")


def test_payment_has_typed_members_and_all_others(sandbox: Sandbox) -> None:
    client = sandbox.client()
    response = client.create_payment(payment=payment(amount_total=Decimal("100.10")))
    assert response.status is PaymentStatus.PENDING
    assert not response.is_paid
    assert response.merchant_payment_code == "order-1"
    assert response["payment"]["amount_ext"] == Decimal("100.10")
    assert str(response["payment"]["amount_ext"]) == "100.10"
    assert response["status"] == "SUCCESS"
    assert set(response) >= {"payment", "status"}
    assert response.raw.startswith(b"{")
    assert (response.http_status, response.header("CONTENT-TYPE")) == (200, "application/json")
    assert response.header("no-such-header") is None
    assert response.qr_code_value is None

    sandbox.post("/sandbox/payments/order-1/confirm")
    confirmed = client.query_payment(merchant_payment_code="order-1")
    assert (confirmed.is_paid, confirmed.hash) == (True, response.hash)

    refund = client.refund_payment(hash=str(response.hash), amount="10")
    assert refund.refund_status is RefundStatus.REQUESTED
    assert refund.payment_status is PaymentStatus.CONFIRMED
    assert (refund.hash, bool(refund.refund_id)) == (response.hash, True)
    assert refund["payment"]["refunds"]


@pytest.mark.parametrize("text", ["1e99999999999", "-1e-99999999999999999999", "1e1000000"])
def test_numbers_beyond_the_range_of_decimal_are_texts(sandbox: Sandbox, text: str) -> None:
    body = f'{{"payment":{{"hash":"5f","amount_br":{text},"rate":{text},"amount_ext":"{text}"}}}}'
    sandbox.fault("response", body=body)
    response = sandbox.client().create_payment(payment=payment())
    assert response["payment"] == {
        "hash": "5f",
        "amount_br": text,
        "rate": text,
        "amount_ext": text,
    }


def test_large_numbers_in_the_range_of_decimal_are_decimals(sandbox: Sandbox) -> None:
    body = '{"payment":{"hash":"5f","amount_br":1e300,"rate":-2.50E-300}}'
    sandbox.fault("response", body=body)
    response = sandbox.client().create_payment(payment=payment())
    assert response["payment"]["amount_br"] == Decimal("1e300")
    assert response["payment"]["rate"] == Decimal("-2.50E-300")


def test_payout_and_tracking_have_typed_members(sandbox: Sandbox) -> None:
    client = sandbox.client()
    made = client.create_payout(payout())
    assert (bool(made.uid), made.status, made["type"]) == (True, "OP", "success")
    tracked = client.register_tracking(
        order_number="order-1",
        email="ana@example.com",
        tracking_code=["AA1", {"tracking_code": "AA2", "items": [{"quantity": 2}]}],
    )
    assert tracked.status == "SUCCESS"
    assert [each.tracking_code for each in tracked.result] == ["AA1", "AA2"]
    assert {each.status for each in tracked.result} == {"CREATED"}
    assert tracked.count_mismatch is None


def test_amounts_are_decimals_however_they_were_written(sandbox: Sandbox) -> None:
    numbers = {
        "amount": 7,
        "amount_list": ["1.50", {"amount": 0.1}],
        "amount_word": "much",
        "rate": 0.1,
        "large": 2**70,
        "digits": "100.10",
    }
    body = json.dumps({"status": "SUCCESS", "numbers": numbers})
    sandbox.fault("response", body=body)
    response = sandbox.client().create_payment(payment=payment())["numbers"]
    assert response == {
        "amount": Decimal(7),
        "amount_list": [Decimal("1.50"), {"amount": Decimal("0.1")}],
        "amount_word": "much",
        "rate": Decimal("0.1"),
        "large": 2**70,
        "digits": "100.10",
    }
    assert isinstance(response["amount"], Decimal)
    assert isinstance(response["digits"], str)


def test_an_unknown_status_survives(sandbox: Sandbox) -> None:
    sandbox.fault("edit", set={"/payment/status": "ZZ"})
    status = sandbox.client().create_payment(payment=payment()).status
    assert isinstance(status, PaymentStatus)
    assert (status, str(status), status.value) == ("ZZ", "ZZ", "ZZ")
    assert status == PaymentStatus("ZZ")
    assert status != PaymentStatus.OPEN
    assert {status: 1}["ZZ"] == 1  # type: ignore[index]
    assert {"CO": 1}[PaymentStatus.CONFIRMED] == 1
    for same in (pickle.loads(pickle.dumps(status)), copy.deepcopy(status)):
        assert (same, type(same)) == (status, PaymentStatus)
    assert len(PaymentStatus) == 4


def test_a_payout_has_its_own_statuses(sandbox: Sandbox) -> None:
    client = sandbox.client()
    sandbox.fault("edit", operation="create_payout", set={"/payout/status": "PA"})
    paid = client.create_payout(payout())
    assert (paid.status, paid.is_paid, paid.code) == (PayoutStatus.PAID, True, None)
    sandbox.fault("payout_cancelled", operation="create_payout")
    cancelled = client.create_payout(payout())
    assert (cancelled.status, cancelled.is_paid) == (PayoutStatus.CANCELLED, False)
    assert cancelled.code == "TAX_ID_MISMATCH"


def test_raw_responses_may_be_anything(sandbox: Sandbox) -> None:
    sandbox.fault("response", operation="send", body="no JSON", headers={"X-Own": "1"})
    response = sandbox.client().send("GET", "/ws/anything")
    assert (response.raw, response.header("x-own")) == (b"no JSON", "1")
    with pytest.raises(ValueError, match="not JSON"):
        response.json()


def test_prepared_requests_are_delivered_by_others(sandbox: Sandbox) -> None:
    client = sandbox.client()
    prepared = client.prepare("query_payment", hash="abc")
    assert prepared.method == "GET"
    assert prepared.url.startswith(f"{sandbox.base_url}/ws/query?")
    assert "x-jws-signature" in dict(prepared.headers)
    raw = client.prepare_send("PUT", "/ws/own", body=b"1", content_type="text/plain")
    assert (raw.method, raw.body) == ("PUT", b"1")
    assert repr(prepared) == "PreparedRequest(method='GET')"


def test_token_and_its_status(sandbox: Sandbox) -> None:
    client = sandbox.client()
    before = client.token_status()
    assert (before.is_usable, before.remaining) == (False, None)
    token = client.access_token()
    assert (token.token_type, token.scope) == ("bearer", "all")
    assert token.access_token not in repr(token)
    after = client.token_status()
    assert after.is_usable
    assert after.remaining is not None
    assert after.remaining > 80_000
    assert len(sandbox.requests("access_token")) == 1
    client.forget_token()
    assert not client.token_status().is_usable
    assert client.access_token().access_token != token.access_token
    assert len(sandbox.requests("access_token")) == 2
    with pytest.raises(libpayments.ConfigError) as caught:
        sandbox.client(client_id=None, client_secret=None).token_status()
    assert caught.value.path == "client_id"


def test_no_repr_shows_a_payer_or_a_secret(sandbox: Sandbox) -> None:
    client = sandbox.client()
    responses: list[Any] = [
        client.create_payment(payment=payment()),
        client.query_payment(merchant_payment_code="order-1"),
        client.create_payout(payout()),
        client.register_tracking(
            order_number="order-1", email="ana@example.com", tracking_code=["AA1"]
        ),
        client.send("GET", "/ws/anything"),
        client.prepare("create_payment", payment=payment()),
        client.access_token(),
        libpayments.generate_key(),
    ]
    for response in responses:
        shown = f"{response!r}{response!s}"
        assert not any(text in shown for text in (*PAYER, "PRIVATE", "eyJ"))


def test_responses_can_be_pickled(sandbox: Sandbox) -> None:
    response = sandbox.client().create_payment(payment=payment())
    same = pickle.loads(pickle.dumps(response))
    assert dict(same) == dict(response)
    assert (same.status, same.raw) == (response.status, response.raw)


def test_signatures_are_verified(sandbox: Sandbox) -> None:
    prepared = sandbox.client().prepare("create_payment", payment=payment())
    token = dict(prepared.headers)["x-jws-signature"]
    public_key = PUBLIC_KEY_FILE.read_text()
    good = libpayments.verify(token, prepared.body, public_key=public_key)
    assert (good.valid, good.kid) == (True, sandbox.kid)
    pretty = prepared.body.replace(b":", b": ")
    bad = libpayments.verify(token, pretty, public_key=public_key)
    assert (bad.valid, bad.cause) == (False, "signature_mismatch")
    assert bad.remedy
    assert libpayments.verify(None, b"", public_key=public_key).cause == "missing_signature"
    with pytest.raises(libpayments.ConfigError):
        libpayments.verify(token, b"", public_key="nonsense")


def test_a_new_key_signs(sandbox: Sandbox) -> None:
    key = libpayments.generate_key()
    kid = sandbox.post("/sandbox/keys", {"pem": key.public_key})["kid"]
    client = sandbox.client(key=key.private_key, key_file=None, kid=kid)
    client.create_payment(payment=payment())
    assert sandbox.requests("create_payment")[0]["signature"] == "verified"
