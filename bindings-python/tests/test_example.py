"""The checkout of the examples, with a service that breaks off."""

from __future__ import annotations

import time
from decimal import Decimal

import pytest
from flask.testing import FlaskClient

from checkout import SETTLE_AFTER_MINUTES, Order, create_app
from support import Sandbox

PAYER = {"name": "Maria Souza", "email": "maria@example.com", "document": "853.513.468-93"}


@pytest.fixture
def order() -> Order:
    return Order("order-7", Decimal("100.10"))


@pytest.fixture
def shop(sandbox: Sandbox, order: Order) -> FlaskClient:
    client = sandbox.client(query_retries=0)
    return create_app(client, {order.number: order}).test_client()


def payments_of(sandbox: Sandbox) -> int:
    return len(sandbox.get("/sandbox/payments")["payments"])


def test_checkout_shows_the_code_and_notes_the_payment(shop: FlaskClient, sandbox: Sandbox) -> None:
    first = shop.post("/orders/order-7/pay", json=PAYER)
    assert (first.status_code, first.get_json()["state"]) == (200, "waiting")
    assert first.get_json()["qr_code"]
    sandbox.post("/sandbox/payments/order-7/confirm")
    second = shop.post("/orders/order-7/pay", json=PAYER)
    assert second.get_json()["state"] == "paid"
    assert payments_of(sandbox) == 1


def test_missing_code_is_told_and_found_by_the_next_click(
    shop: FlaskClient, sandbox: Sandbox
) -> None:
    payment = {"hash": "5a", "merchant_payment_code": "order-7", "status": "PE"}
    sandbox.fault("response", execute=True, json={"status": "SUCCESS", "payment": payment})
    first = shop.post("/orders/order-7/pay", json=PAYER).get_json()
    assert (first["state"], first["qr_code"]) == ("waiting", None)
    assert "no code yet" in first["message"]
    second = shop.post("/orders/order-7/pay", json=PAYER).get_json()
    assert second["qr_code"]
    assert "message" not in second


def test_lost_response_is_found_out_and_not_paid_again(shop: FlaskClient, sandbox: Sandbox) -> None:
    sandbox.fault("close", execute=True)
    response = shop.post("/orders/order-7/pay", json=PAYER)
    assert (response.status_code, response.get_json()["state"]) == (200, "waiting")
    assert len(sandbox.requests("create_payment")) == 1
    assert payments_of(sandbox) == 1


def test_unknown_stays_unknown_until_the_service_knows(
    shop: FlaskClient, sandbox: Sandbox, order: Order
) -> None:
    sandbox.fault("close", execute=True)
    sandbox.fault("response", operation="query_payment", status=503)
    first = shop.post("/orders/order-7/pay", json=PAYER)
    assert (first.status_code, order.state) == (202, "unknown")
    second = shop.post("/orders/order-7/pay", json=PAYER)
    assert (second.status_code, order.state) == (200, "waiting")
    assert len(sandbox.requests("create_payment")) == 1


def refuse_queries(sandbox: Sandbox, *codes: str) -> None:
    for code in codes:
        refusal = {"status": "ERROR", "status_code": code}
        sandbox.fault("response", operation="query_payment", json=refusal)


def test_a_refused_query_never_gives_a_payment_up(
    shop: FlaskClient, sandbox: Sandbox, order: Order
) -> None:
    sandbox.fault("close", execute=True)
    refuse_queries(sandbox, "BP-SA-2", "BP-REF-CAN-2")
    for _ in range(2):
        response = shop.post("/orders/order-7/pay", json=PAYER)
        assert (response.status_code, order.state) == (202, "unknown")
    found = shop.post("/orders/order-7/pay", json=PAYER)
    assert (found.status_code, order.state) == (200, "waiting")
    assert len(sandbox.requests("create_payment")) == 1


def test_a_person_decides_and_only_after_the_wait(
    shop: FlaskClient, sandbox: Sandbox, order: Order
) -> None:
    sandbox.fault("close", execute=False)
    assert shop.post("/orders/order-7/pay", json=PAYER).status_code == 202
    order.deadline = time.time() - 60 * SETTLE_AFTER_MINUTES + 60
    shop.post("/orders/order-7/pay", json=PAYER)
    assert order.state == "unknown"
    order.deadline -= 120
    refuse_queries(sandbox, "BP-SA-2")
    shop.post("/orders/order-7/pay", json=PAYER)
    assert order.state == "unknown"
    for _ in range(2):
        response = shop.post("/orders/order-7/pay", json=PAYER)
        assert (response.status_code, order.state) == (202, "needs_decision")
    assert len(sandbox.requests("create_payment")) == 1


def test_refusal_leaves_the_order_open(shop: FlaskClient, sandbox: Sandbox, order: Order) -> None:
    wrong = shop.post("/orders/order-7/pay", json={**PAYER, "document": ""})
    assert (wrong.status_code, wrong.get_json()["wrong"]) == (422, "payment.document")
    sandbox.fault("response", status=429)
    busy = shop.post("/orders/order-7/pay", json=PAYER)
    assert (busy.status_code, order.state) == (503, "open")
