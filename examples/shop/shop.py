"""A shop that sells mugs: ``uvicorn shop:app``, beside ``merchant/payments.json``.

``payments sandbox --config-out merchant`` writes that file; PAYMENTS_CONFIG names another.
"""

from __future__ import annotations

import fcntl
import json
import logging
import os
import threading
from decimal import Decimal
from pathlib import Path
from typing import Annotated, Any

from fastapi import FastAPI, HTTPException
from fastapi.responses import FileResponse, JSONResponse
from pydantic import BaseModel, NonNegativeInt, StringConstraints

import libpayments

PRICES = {"mug": Decimal("10.50"), "shirt": Decimal("45.00")}
ORDERS = Path("orders")
ENDS = {"create_payment": ("paid", "cancelled"), "refund_payment": ("refunded", "paid")}

logging.basicConfig(level=logging.INFO)
log = logging.getLogger("shop")
client = libpayments.Client.from_file(os.environ.get("PAYMENTS_CONFIG", "merchant/payments.json"))


class Items(BaseModel):
    """How many of each: the page chooses no price."""

    mug: NonNegativeInt
    shirt: NonNegativeInt


class Payer(BaseModel):
    """The payer."""

    name: str
    email: str
    document: str


Number = Annotated[str, StringConstraints(pattern="^[0-9a-f-]{6,20}$")]


def order_of(number: str) -> Any:
    """Read an order; empty if there is none. In your shop, this is a row of your database."""
    file = ORDERS / f"{number}.json"
    return json.loads(file.read_text()) if file.exists() else {}


def change(number: str, **members: Any) -> Any:
    """Save members of an order, and return it as it was before."""
    ORDERS.mkdir(exist_ok=True)
    with (ORDERS / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # Other workers wait too.
        order = order_of(number)
        draft = ORDERS / f"{number}.new"
        draft.write_text(json.dumps(order | members))
        draft.replace(ORDERS / f"{number}.json")
        return order


def follow() -> None:
    """Learn how payments and refunds end, even if their page was closed."""
    said = ""
    while True:
        try:
            for end in client.follow(state="follow.state"):
                log.info("%s of %s: %s", end.operation, end.reference, end.end)
                if end.end in ("confirmed", "cancelled"):  # For the others, ask a person.
                    take(end)
        except libpayments.PaymentsError as error:
            if str(error) != said:  # Another worker may follow for long.
                log.error("follow: %s", said := str(error))
        threading.Event().wait(1)


def take(end: libpayments.FollowEnd) -> None:
    """Change the order if it is one of this shop, and deliver it once it is paid."""
    number = (end.refund_code or end.reference).partition("-")[2]
    state = order_of(number) and ENDS[end.operation][end.end == "cancelled"]
    if state and change(number, state=state)["state"] == "waiting" and state == "paid":
        log.info("deliver order-%s", number)


app = FastAPI()
threading.Thread(target=follow, daemon=True).start()


@app.get("/")
def page() -> FileResponse:
    """Return the page."""
    return FileResponse(Path(__file__).with_name("shop.html"))


@app.put("/orders/{number}")
def pay(number: Number, items: Items, payer: Payer) -> Any:
    """Pay an order. A second click finds the payment of the first."""
    if not order_of(number):  # Saved before the call.
        total = str(sum(PRICES[name] * count for name, count in items))
        change(number, reference=f"order-{number}", total=total, state="waiting")
    payment: libpayments.Payment = {
        "name": payer.name,
        "email": payer.email,
        "document": payer.document,
        "country": "br",
        "payment_type_code": "pix",
        "currency_code": "BRL",
        "merchant_payment_code": f"order-{number}",
        "amount_total": order_of(number)["total"],
    }
    try:
        ensured = client.ensure_payment(payment=payment)
    except libpayments.PaymentsError as error:
        log.warning("order-%s: %s", number, error)
        if error.may_have_been_executed:
            return JSONResponse({"message": "One moment, please: click again."}, 202)
        return JSONResponse({"message": f"Not paid: {error}"}, 422)
    change(number, hash=ensured.hash, code=ensured.qr_code_value, picture=ensured.qr_svg())
    return order_of(number)


@app.get("/orders/{number}")
def look(number: Number) -> Any:
    """Return an order: the page asks for it every second."""
    if order := order_of(number):
        return order
    raise HTTPException(404)


@app.post("/orders/{number}/refund")
def refund(number: Number) -> Any:
    """Refund an order. A second click is refused by the journal."""
    order = look(number)
    try:
        client.refund_payment(
            hash=order["hash"],
            operation="request",
            amount=order["total"],
            description="order returned",
            merchant_refund_code=f"refund-{number}",
        )
    except libpayments.PaymentsError as error:
        log.warning("refund of order-%s: %s", number, error)
        if not error.may_have_been_executed:
            return JSONResponse({"message": f"Not refunded: {error}"}, 422)
    return change(number, state="refunding") | {"state": "refunding"}
