"""A checkout that never pays twice.

A shop takes payments by pix. The important part is what it does when a
payment fails, depending on the outcome:

* ``not_executed``: nothing was done. The customer may try again.
* ``unknown``: the payment may exist, and ``executed``: it does. The order stays
  as it is, and the shop queries the payment by the order's own number until the
  service finds it. A second click on the button queries too, and sends no
  payment.

Try a query by that number with your service before you depend on it.

At first, "not found" proves nothing: a request that was cut off may still
arrive. If the payment is still not found ``SETTLE_AFTER_MINUTES`` after the
deadline of its call, a person decides. The shop does not rely on the service to
refuse a number that was used before.

Run it with ``flask --app checkout:main run`` in a folder with a
``payments.json``.
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
    """An order of the shop. A real shop uses a database row."""

    number: str
    total: Decimal
    state: str = "open"  # open, unknown, needs_decision, waiting, paid, cancelled
    deadline: float = 0.0  # of the call that sent the payment
    qr_code: str | None = None
    lock: threading.Lock = field(default_factory=threading.Lock)


def pay(client: libpayments.Client, order: Order, payer: dict[str, str]) -> None:
    """Send the payment of an open order."""
    # Save the state before sending: if this process dies now, the order is
    # unknown, not open.
    order.state, order.deadline = "unknown", time.time() + CALL_SECONDS
    try:
        response = client.create_payment(
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
        note(order, response)


def settle(client: libpayments.Client, order: Order) -> None:
    """Query the payment of an order."""
    try:
        response = client.query_payment(merchant_payment_code=order.number)
    except libpayments.PaymentsError as error:
        # Any other failure says nothing about the payment. A later click or a
        # scheduled job queries again.
        is_over = time.time() > order.deadline + 60 * SETTLE_AFTER_MINUTES
        if error.code == "payment_not_found" and is_over and order.state == "unknown":
            order.state = "needs_decision"
    else:
        note(order, response)


def note(order: Order, response: libpayments.PaymentResponse) -> None:
    """Update the order from the service's response."""
    order.qr_code = response.qr_code_value or order.qr_code
    if response.is_paid:
        order.state = "paid"
    elif response.status == libpayments.PaymentStatus.CANCELLED:
        order.state = "cancelled"
    else:
        order.state = "waiting"


def shown(order: Order) -> dict[str, str | None]:
    """Return the order as the shop's page shows it."""
    members = {"state": order.state, "qr_code": order.qr_code}
    if order.state == "waiting" and order.qr_code is None:
        # A payment may be there before its code: a query finds that later.
        members["message"] = "no code yet: click again in a moment"
    return members


def create_app(client: libpayments.Client, orders: dict[str, Order]) -> Flask:
    """Create the shop's app."""
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
            # 202: the outcome is not known yet.
            status = 202 if order.state in ("unknown", "needs_decision") else 200
            return jsonify(shown(order)), status

    return app


def main() -> Flask:
    """Create the app for the command line, with one order."""
    order = Order("order-1001", Decimal("100.10"))
    return create_app(libpayments.Client.from_file("payments.json"), {order.number: order})
