"""Floats in requests: refused as amounts, and with their shortest digits elsewhere."""

from __future__ import annotations

import pytest

import libpayments
from support import KEY_FILE, payment


@pytest.fixture
def client() -> libpayments.Client:
    return libpayments.Client(base_url="http://127.0.0.1:1", key_file=KEY_FILE, kid="k")


@pytest.mark.parametrize(
    ("member", "value", "part"),
    [
        ("amount", 2.5, "Decimal"),
        ("Net-Amounts", 2.0, "Decimal"),
        ("rate", float("nan"), "NaN or Infinity"),
        ("rate", float("-inf"), "NaN or Infinity"),
        ("id", 12345678901234567890.0, "may have lost digits"),
    ],
)
def test_a_refused_float_is_named_by_its_path(
    client: libpayments.Client, member: str, value: float, part: str
) -> None:
    extra = {"further": [{"a": ()}, {member: [1, value]}]}
    with pytest.raises(libpayments.ValidationError, match=part) as caught:
        client.create_payment(extra=extra, payment=payment())
    assert (caught.value.path, caught.value.code) == (f"extra.further[1].{member}[1]", "wrong_type")


def test_floats_of_other_types_have_the_same_digits(client: libpayments.Client) -> None:
    class Rate(float):
        def __repr__(self) -> str:
            return "a rate"

    prepared = client.prepare("refund_payment", hash="a", extra={"rate": Rate(0.1)})
    assert prepared.body == b'{"hash":"a","rate":0.1}'
