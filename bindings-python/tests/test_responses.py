"""Responses as Python values: amounts as `Decimal`, open enumerations, headers, pickling."""

from __future__ import annotations

import copy
import json
import pickle
from decimal import Decimal

import pytest

import libpayments
from libpayments import PaymentStatus
from support import PUBLIC_KEY_FILE, Sandbox, payment


def test_headers_have_no_case_and_a_body_may_be_anything(sandbox: Sandbox) -> None:
    sandbox.fault("response", operation="send", body="no JSON", headers={"X-Own": "1"})
    response = sandbox.client().send("GET", "/ws/anything")
    assert (response.header("x-OWN"), response.header("no-such-header")) == ("1", None)
    assert ("x-own", "1") in [(name.lower(), value) for name, value in response.headers]
    with pytest.raises(ValueError, match="not JSON"):
        response.json()


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
    assert "PRIVATE" not in f"{key!r}{key!s}"
    kid = sandbox.post("/sandbox/keys", {"pem": key.public_key})["kid"]
    client = sandbox.client(key=key.private_key, key_file=None, kid=kid)
    client.create_payment(payment=payment())
    assert sandbox.requests("create_payment")[0]["signature"] == "verified"
