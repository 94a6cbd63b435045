"""A checkout that never pays twice.

A shop's order is paid by pix. What matters is what happens when a payment
fails: was nothing done, or can nobody say?

* ``not_executed``: nothing was done. The customer may try again.
* ``unknown``: the payment may exist. The order is kept as it is, and the
  service is asked about it, by the order's own number, before anything is
  sent again. This holds for a second click on the button too.

Run it with ``flask --app checkout:main run`` beside a ``payments.json``.
"""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass, field
from decimal import Decimal

from flask import Flask, Response, jsonify, request

import libpayments

# The service says this of a payment that it does not know.
NO_SUCH_PAYMENT = "BP-REF-CAN-2"
# A request that was cut off may arrive a little later.
GRACE_SECONDS = 300.0


@dataclass
class Order:
    """An order of the shop; a database row in a real one."""

    number: str
    total: Decimal
    state: str = "open"  # open, unknown, waiting, paid
    sent_at: float = 0.0
    qr_code: str | None = None
    lock: threading.Lock = field(default_factory=threading.Lock)


def pay(client: libpayments.Client, order: Order, payer: dict[str, str]) -> None:
    """Send the payment of an order that is open."""
    # Written down before it is sent: if this process dies now, the order is
    # found as unknown and not as open.
    order.state, order.sent_at = "unknown", time.time()
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
            }
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
    except libpayments.RejectedError as error:
        is_over = time.time() - order.sent_at > GRACE_SECONDS
        if error.service_code == NO_SUCH_PAYMENT and is_over:
            order.state = "open"
    except libpayments.PaymentsError:
        pass  # Still unknown; a later call or a scheduled job asks again.
    else:
        note(order, answer)


def note(order: Order, answer: libpayments.PaymentAnswer) -> None:
    """Take over what the service says of the payment."""
    order.qr_code = answer.qr_code_value or order.qr_code
    if answer.is_paid:
        order.state = "paid"
    elif answer.status == libpayments.PaymentStatus.CANCELLED:
        order.state = "open"
    else:
        order.state = "waiting"


def create_app(client: libpayments.Client, orders: dict[str, Order]) -> Flask:
    """Make the shop."""
    app = Flask(__name__)

    @app.post("/orders/<number>/pay")
    def pay_order(number: str) -> tuple[Response, int]:
        order = orders[number]
        with order.lock:
            if order.state in ("unknown", "waiting"):
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
            status = 202 if order.state == "unknown" else 200
            return jsonify(state=order.state, qr_code=order.qr_code), status

    return app


def main() -> Flask:
    """Make the shop of the command line."""
    order = Order("order-1001", Decimal("100.10"))
    return create_app(libpayments.Client.from_file("payments.json"), {order.number: order})
