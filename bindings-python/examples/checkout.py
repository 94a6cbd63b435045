"""A checkout that never pays twice.

A shop's order is paid by pix. What matters is what happens when a payment
fails: was nothing done, or can nobody say?

* ``not_executed``: nothing was done. The customer may try again.
* ``unknown``: the payment may exist. The order is kept as it is, and the
  service is asked about it, by the order's own number, until it finds the
  payment. A second click on the button asks as well, and sends nothing.

"Not found" proves nothing at first: a request that was cut off may still
arrive. Only when the payment is not found ``SETTLE_AFTER_MINUTES`` after the
deadline of its call does a person decide. Nothing here relies on the service
to refuse a number that was used before.

Run it with ``flask --app checkout:main run`` beside a ``payments.json``.
"""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass, field
from decimal import Decimal

from flask import Flask, Response, jsonify, request

import libpayments

CALL_SECONDS = 30
SETTLE_AFTER_MINUTES = 15


@dataclass
class Order:
    """An order of the shop; a database row in a real one."""

    number: str
    total: Decimal
    state: str = "open"  # open, unknown, needs_decision, waiting, paid, cancelled
    deadline: float = 0.0  # of the call that sent the payment
    qr_code: str | None = None
    lock: threading.Lock = field(default_factory=threading.Lock)


def pay(client: libpayments.Client, order: Order, payer: dict[str, str]) -> None:
    """Send the payment of an order that is open."""
    # Written down before it is sent: if this process dies now, the order is
    # found as unknown and not as open.
    order.state, order.deadline = "unknown", time.time() + CALL_SECONDS
    try:
        answer = client.create_payment(
            payment={
                "name": payer["name"],
                "email": payer["email"],
                "document": payer["document"],
                "country": "br",
                "payment_type_code": "pix",
                "merchant_payment_code": order.number,
                "currency_code": "BRL",
                "amount_total": order.total,
            },
            timeout_ms=1000 * CALL_SECONDS,
        )
    except libpayments.PaymentsError as error:
        if not error.may_have_been_executed:
            order.state = "open"
            raise
        settle(client, order)
    else:
        note(order, answer)


def settle(client: libpayments.Client, order: Order) -> None:
    """Find out what became of an order whose payment is unknown."""
    try:
        answer = client.query_payment(merchant_payment_code=order.number)
    except libpayments.PaymentsError as error:
        # Any other failure says nothing of the payment. A later click or a
        # scheduled job asks again.
        is_over = time.time() > order.deadline + 60 * SETTLE_AFTER_MINUTES
        if error.code == "payment_not_found" and is_over and order.state == "unknown":
            order.state = "needs_decision"
    else:
        note(order, answer)


def note(order: Order, answer: libpayments.PaymentAnswer) -> None:
    """Take over what the service says of the payment."""
    order.qr_code = answer.qr_code_value or order.qr_code
    if answer.is_paid:
        order.state = "paid"
    elif answer.status == libpayments.PaymentStatus.CANCELLED:
        order.state = "cancelled"
    else:
        order.state = "waiting"


def create_app(client: libpayments.Client, orders: dict[str, Order]) -> Flask:
    """Make the shop."""
    app = Flask(__name__)

    @app.post("/orders/<number>/pay")
    def pay_order(number: str) -> tuple[Response, int]:
        order = orders[number]
        with order.lock:
            if order.state in ("unknown", "needs_decision", "waiting"):
                settle(client, order)
            if order.state == "open":
                try:
                    pay(client, order, request.get_json())
                except libpayments.ValidationError as error:
                    return jsonify(state=order.state, wrong=error.path), 422
                except libpayments.PaymentsError as error:
                    app.logger.warning("payment of %s: %s", number, error)
                    return jsonify(state=order.state, message="please try again"), 503
            # 202: we do not know yet, and say so instead of guessing.
            status = 202 if order.state in ("unknown", "needs_decision") else 200
            return jsonify(state=order.state, qr_code=order.qr_code), status

    return app


def main() -> Flask:
    """Make the shop of the command line."""
    order = Order("order-1001", Decimal("100.10"))
    return create_app(libpayments.Client.from_file("payments.json"), {order.number: order})
