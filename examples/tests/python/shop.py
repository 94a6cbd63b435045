"""A shop's own code around libpayments, which the tests of this folder test."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, Protocol

import libpayments

State = Literal["new", "waiting", "paid", "declined", "failed", "unknown"]
STATES: dict[str, State] = {"OP": "waiting", "PE": "waiting", "CO": "paid", "CA": "declined"}


class Payments(Protocol):
    """The methods of a client that the shop uses."""

    def create_payment(self, *, payment: libpayments.Payment) -> libpayments.PaymentResponse:
        """Create a payment."""
        ...

    def query_payment(self, *, merchant_payment_code: str) -> libpayments.PaymentResponse:
        """Query a payment by the shop's own reference."""
        ...


@dataclass
class Order:
    """An order, which in a real shop is a row of a table."""

    number: str
    amount: str
    state: State = "new"


class Shop:
    """Pays orders, once each."""

    def __init__(self, payments: Payments) -> None:
        """Use this client, or a stand-in for it."""
        self._payments = payments

    def pay(self, order: Order) -> State:
        """Create the payment of an order, unless that was tried before."""
        if order.state not in ("new", "failed"):
            return self.settle(order)
        # In a real shop, this is committed before the call.
        order.state = "unknown"
        try:
            response = self._payments.create_payment(payment=payment_of(order))
        except libpayments.PaymentsError as error:
            if error.may_have_been_executed:
                return self.settle(order)
            order.state = "failed"
            return order.state
        return self._note(order, response)

    def settle(self, order: Order) -> State:
        """Find out the outcome of a payment. Safe at any time."""
        try:
            response = self._payments.query_payment(merchant_payment_code=order.number)
        except libpayments.PaymentsError:
            # Still unknown: a job asks again later. Even a payment that is not
            # found may appear yet, so the order is never reopened here.
            pass
        else:
            self._note(order, response)
        return order.state

    def _note(self, order: Order, response: libpayments.PaymentResponse) -> State:
        order.state = STATES.get(str(response.status), "unknown")
        return order.state


def payment_of(order: Order) -> libpayments.Payment:
    """Make the payment of an order."""
    return {
        "name": "Maria Souza",
        "email": "maria@example.com",
        "document": "853.513.468-93",
        "country": "br",
        "payment_type_code": "pix",
        "currency_code": "BRL",
        "merchant_payment_code": order.number,
        "amount_total": order.amount,
    }
