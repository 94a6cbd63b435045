"""A web application that pays, and uses its client before gunicorn forks."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable
from typing import Any

import libpayments

ORDER: dict[str, Any] = {
    "name": "Ana López",
    "email": "ana@example.com",
    "country": "mx",
    "payment_type_code": "oxxo",
    "currency_code": "MXN",
    "amount_total": "250.00",
}

client = libpayments.Client.from_file(os.environ["TEST_PAYMENTS_JSON"])


def pay(code: str) -> dict[str, Any]:
    """Pay, and say which process did."""
    process = os.getpid()
    payment: Any = {**ORDER, "merchant_payment_code": f"{code} of {process}"}
    response = client.create_payment(payment=payment, extra={"sent_by": process})
    return {"process": process, "status": str(response.status)}


# Key, token and a connection are there when the workers are forked.
for number in range(2):
    pay(f"import {number}")


def app(environment: dict[str, Any], start_response: Callable[..., object]) -> Iterable[bytes]:
    paid = pay(environment["PATH_INFO"].removeprefix("/"))
    start_response("200 OK", [("Content-Type", "application/json")])
    return [json.dumps(paid).encode()]
