"""Checked only: every line that ends in `# wrong` is refused by mypy and by pyright."""

from decimal import Decimal

import libpayments
from libpayments import (
    Address,
    Client,
    CreatePayout,
    Item,
    Payee,
    Payment,
    RefundPayment,
    TrackingDetails,
)


def refunds(client: Client, h: str) -> None:
    client.refund_payment(hash=h, amount_total="10.00")  # wrong
    client.refund_payment(hash=h, amout="10.00")  # wrong
    client.refund_payment(hash=h, Amount="10.00")  # wrong
    client.refund_payment(hash=h, refund_amount="10.00")  # wrong
    client.refund_payment(hash=h, amount=None)  # wrong
    client.refund_payment(hash=h, amount=10.1)  # wrong
    client.refund_payment({"hash": h, "amount_total": "10.00"})  # wrong
    client.refund_payment({"hash": h, "amout": "10.00"})  # wrong
    client.refund_payment({"hash": h, "Amount": "10.00"})  # wrong
    client.refund_payment({"hash": h, "refund_amount": "10.00"})  # wrong
    client.refund_payment({"hash": h, "amount": None})  # wrong
    client.call("refund_payment", hash=h, amout="10.00")  # wrong
    client.call("refund_payment", {"hash": h, "amout": "10.00"})  # wrong
    client.prepare("refund_payment", hash=h, amount_total="10.00")  # wrong
    client.prepare("refund_payment", {"hash": h, "Amount": "10.00"})  # wrong
    request: RefundPayment = {"hash": h, "refund_amount": "10.00"}  # wrong
    client.refund_payment(request)
    client.refund_payment(hash=h, amount=Decimal("10.00"), extra={"amout": "meant"})
    client.refund_payment({"hash": h, "amount": "10.00", "extra": {"amout": "meant"}})
    client.call("refund_payment", hash=h, amount=10, description=None)


async def refunds_later(client: libpayments.AsyncClient, h: str) -> None:
    await client.refund_payment(hash=h, amout="10.00")  # wrong
    await client.refund_payment({"hash": h, "amount_total": "10.00"})  # wrong
    await client.call("refund_payment", hash=h, amout="10.00")  # wrong
    await client.prepare("refund_payment", hash=h, Amount="10.00")  # wrong
    await client.refund_payment(hash=h, amount="10.00")


def others(client: Client, payment: Payment, payee: Payee) -> None:
    client.query_payment(payment_hash="a")  # wrong
    client.query_payment({"hash": "a", "page": 2})  # wrong
    client.create_payment(payment=payment, Operation="request")  # wrong
    client.create_payment(payment=payment, amount_total="1")  # wrong
    payment["amountTotal"] = "1"  # wrong
    payment["extra"] = {"installments": 3}
    payee["nmae"] = "x"  # wrong
    payout: CreatePayout = {
        "external_reference": "p",
        "country": "br",
        "amount": "1.00",
        "currency_code": "BRL",
        "target": "pix_key",
        "target_account": "k",
        "payee": payee,
    }
    client.create_payout(payout)
    client.create_payout(**payout, amout="1.00")  # wrong
    client.register_tracking(order_number="o", email="e", tracking_code=["A"], hash="x")  # wrong
    address: Address = {"zip_code": "1"}  # wrong
    item: Item = {"price": 1}  # wrong
    details: TrackingDetails = {"tracking_code": "B", "item": [item]}  # wrong
    codes: list[str | TrackingDetails] = ["A", details]
    more: TrackingDetails = {"tracking_code": "C", "items": [item], "address": address}
    codes.append(more)
    client.register_tracking(order_number="o", email="e", tracking_code=codes)
