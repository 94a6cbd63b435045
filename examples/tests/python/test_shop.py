"""The tests of the shop, against the sandbox and without it."""

from __future__ import annotations

from unittest.mock import Mock

import pytest

import libpayments
from libpayments.testing import Sandbox, error, payment_response
from shop import Order, Shop


@pytest.fixture
def shop(payments_sandbox: Sandbox) -> Shop:
    return Shop(payments_sandbox.client())


@pytest.fixture
def order() -> Order:
    return Order("order-1", "100.10")


def test_payer_pays(shop: Shop, order: Order, payments_sandbox: Sandbox) -> None:
    assert shop.pay(order) == "waiting"
    payments_sandbox.pay("order-1")
    assert shop.settle(order) == "paid"


def test_payer_declines(shop: Shop, order: Order, payments_sandbox: Sandbox) -> None:
    shop.pay(order)
    payments_sandbox.decline("order-1")
    assert shop.settle(order) == "declined"


def test_service_declines_at_once(shop: Shop, order: Order, payments_sandbox: Sandbox) -> None:
    payments_sandbox.fail_next("declined")
    assert shop.pay(order) == "declined"


def test_lost_response_is_found(shop: Shop, order: Order, payments_sandbox: Sandbox) -> None:
    payments_sandbox.fail_next("response_lost", operation="create_payment")
    assert shop.pay(order) == "waiting"
    assert len(payments_sandbox.payments()) == 1
    assert len(payments_sandbox.requests("create_payment")) == 1, "it was not sent again"


def test_lost_response_stays_unknown_until_it_is_found(
    shop: Shop, order: Order, payments_sandbox: Sandbox
) -> None:
    payments_sandbox.fail_next("response_lost", operation="create_payment")
    payments_sandbox.fail_next("unavailable", operation="query_payment", times=10)
    assert shop.pay(order) == "unknown"
    payments_sandbox.call("DELETE", "faults")
    assert shop.settle(order) == "waiting"


def test_duplicate_click_pays_once(shop: Shop, order: Order, payments_sandbox: Sandbox) -> None:
    shop.pay(order)
    assert shop.pay(order) == "waiting"
    assert shop.pay(Order("order-1", "100.10")) == "waiting", "another process"
    assert len(payments_sandbox.payments()) == 1


def test_unregistered_key_pays_nothing(order: Order, payments_sandbox: Sandbox) -> None:
    client = payments_sandbox.client(kid="not-registered")
    assert Shop(client).pay(order) == "failed"
    refused = payments_sandbox.requests("create_payment")[-1]
    assert refused["signature"] == "signature_mismatch"
    with pytest.raises(libpayments.UnauthorizedError) as caught:
        client.query_payment(merchant_payment_code="order-1")
    assert caught.value.outcome == "not_executed"


def test_blocked_token_server_pays_nothing(
    shop: Shop, order: Order, payments_sandbox: Sandbox
) -> None:
    payments_sandbox.block_tokens()
    assert shop.pay(order) == "failed"
    assert payments_sandbox.requests("create_payment") == []


def test_deadline_leaves_the_outcome_unknown(order: Order, payments_sandbox: Sandbox) -> None:
    shop = Shop(payments_sandbox.client(timeout_ms=2000))
    payments_sandbox.fail_next("silence_after_execution", operation="create_payment")
    assert shop.pay(order) == "waiting"
    assert len(payments_sandbox.payments()) == 1


def test_shop_without_a_service(order: Order) -> None:
    client = Mock(spec=libpayments.Client)
    client.create_payment.return_value = payment_response("CO", merchant_payment_code="order-1")
    assert Shop(client).pay(order) == "paid"


def test_unknown_outcome_without_a_service(order: Order) -> None:
    client = Mock(spec=libpayments.Client)
    client.create_payment.side_effect = error(libpayments.CallTimeoutError, "deadline_exceeded")
    client.query_payment.side_effect = error(
        libpayments.ConnectError, "connect_failed", outcome="not_executed"
    )
    assert Shop(client).pay(order) == "unknown"
    client.create_payment.assert_called_once()


def test_payment_that_is_not_found_is_not_sent_again(order: Order) -> None:
    client = Mock(spec=libpayments.Client)
    client.create_payment.side_effect = error(libpayments.CallTimeoutError, "deadline_exceeded")
    client.query_payment.side_effect = error(
        libpayments.RejectedError, "payment_not_found", outcome="not_executed"
    )
    assert Shop(client).pay(order) == "unknown"
    assert Shop(client).pay(order) == "unknown"
    client.create_payment.assert_called_once()
