"""The examples of pages that are whole programs, run unchanged."""

from __future__ import annotations

import re
from typing import Any

import pytest
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import padding, rsa, utils

import libpayments
from support import KEY_FILE, PUBLIC_KEY_FILE, SHARED, Sandbox, payment


class Kms:
    """Signs digests by the key of its name."""

    def __init__(self) -> None:
        key = serialization.load_pem_private_key(KEY_FILE.read_bytes(), None)
        assert isinstance(key, rsa.RSAPrivateKey)
        self.keys = {"payments/1": key}

    def sign_digest(self, *, key: str, digest: bytes) -> bytes:
        digested = utils.Prehashed(hashes.SHA256())
        return self.keys[key].sign(digest, padding.PKCS1v15(), digested)


class WrongKms:
    """Gives bytes that are not a signature."""

    def sign_digest(self, **_: object) -> bytes:
        return bytes(512)


def example_of(page: str) -> str:
    text = (SHARED.parent / page).read_text()
    [example] = re.findall(r"^```python\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)
    return str(example)


def client_of_the_page(kms: object, sandbox: Sandbox) -> libpayments.Client:
    example = example_of("docs/keys.md").replace("https://payments.example", sandbox.base_url)
    example = example.replace("<KEY_ID>", sandbox.kid)
    names: dict[str, Any] = {"libpayments": libpayments, "kms": kms}
    names["public_key_pem"] = PUBLIC_KEY_FILE.read_text()
    exec(example, names)
    client: libpayments.Client = names["client"]
    return client


def test_a_kms_signs(sandbox: Sandbox) -> None:
    with client_of_the_page(Kms(), sandbox) as client:
        client.create_payment(payment=payment())
    assert [request["signature"] for request in sandbox.requests("create_payment")] == ["verified"]


def test_a_wrong_signature_is_not_sent(sandbox: Sandbox) -> None:
    with (
        client_of_the_page(WrongKms(), sandbox) as client,
        pytest.raises(libpayments.PaymentsError) as failed,
    ):
        client.create_payment(payment=payment())
    error = failed.value
    assert (error.kind, error.code) == ("signing", "signature_invalid")
    assert sandbox.requests("create_payment") == []


def test_refunds(sandbox: Sandbox) -> None:
    with sandbox.client() as client:
        hashes = []
        for code in ("order-1001", "order-1002"):
            created = payment(merchant_payment_code=code, amount_total="100.10")
            hashes.append(client.create_payment(payment=created).hash)
            sandbox.pay(code)
        first, second = hashes
        exec(example_of("docs/refunds.md"), {"client": client, "first": first, "second": second})
    refunds = [entry["refunds"] for entry in sandbox.payments()]
    assert [[refund["amount_ext"] for refund in each] for each in refunds] == [
        ["40.00"],
        ["100.10"],
    ]


def test_from_order_to_delivery_twice(sandbox: Sandbox) -> None:
    shown: list[str] = []
    orders: dict[str, dict[str, str]] = {}

    def save_once(order: dict[str, str]) -> dict[str, str]:
        return orders.setdefault(order["reference"], order)

    def show(picture: str) -> None:
        if not shown:
            sandbox.pay("order-1001")
        shown.append(picture)

    def change(reference: str, before: str, after: str) -> bool:
        if orders[reference]["state"] != before:
            return False
        orders[reference]["state"] = after
        return True

    delivered: list[dict[str, str]] = []
    with sandbox.client() as client:
        names = {"client": client, "save_once": save_once, "show": show, "change": change}
        for _ in range(2):
            exec(example_of("docs/order-to-delivery.md"), names | {"deliver": delivered.append})
    assert [picture[:5] for picture in shown] == ["<svg "] * 2
    assert [order["state"] for order in delivered] == ["delivered"]
