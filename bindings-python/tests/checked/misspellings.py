"""Checked only: every line that ends in `# wrong` is refused by mypy and by pyright."""

from decimal import Decimal

import libpayments
from libpayments import (
    Address,
    Client,
    CreatePayment,
    CreatePayout,
    EnsuredPayment,
    Item,
    Payee,
    Payment,
    PaymentResponse,
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


def ensured(client: Client, payment: Payment, request: CreatePayment) -> None:
    client.ensure_payment(payment=payment, amount_total="1")  # wrong
    client.ensure_payment({"payment": payment, "Operation": "request"})  # wrong
    client.ensure_payment(request, payment=payment)  # wrong
    client.ensure_payment(hash="a")  # wrong
    client.wait_for_payment(request)  # wrong
    client.wait_for_payment({"hash": "a"}, hash="a")  # wrong
    created: PaymentResponse = client.create_payment(request)
    print(created.is_created)  # wrong
    found: EnsuredPayment = client.create_payment(request)  # wrong
    found = client.ensure_payment(request)
    text: str = found.is_created  # wrong
    names: list[int] = found.unchecked  # wrong
    created = client.ensure_payment(payment=payment, operation="request")
    was_created: bool = client.ensure_payment('{"payment": {}}').is_created
    unchecked: list[str] = found.unchecked
    print(text, names, was_created, unchecked, found.is_paid, created.hash)


async def ensured_later(client: libpayments.AsyncClient, request: CreatePayment) -> None:
    await client.ensure_payment(request, hash="a")  # wrong
    found: EnsuredPayment = await client.ensure_payment(request)
    waited: PaymentResponse = await client.wait_for_payment(hash=found.hash or "")
    print(waited.is_paid, found.is_created)
