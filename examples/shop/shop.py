"""A shop that sells mugs: ``uvicorn shop:app``, beside ``merchant/payments.json``.

``payments sandbox --config-out merchant`` writes that file; PAYMENTS_CONFIG names another.
"""

from __future__ import annotations

import json
import logging
import os
import threading
from decimal import Decimal
from pathlib import Path
from typing import Annotated, Any

from fastapi import FastAPI, HTTPException
from fastapi import Path as InPath
from fastapi.responses import FileResponse, JSONResponse
from pydantic import BaseModel, NonNegativeInt

import libpayments

PRICES = {"mug": Decimal("10.50"), "shirt": Decimal("45.00")}
ORDERS = Path("orders")
ENDS = {"create_payment": ("paid", "cancelled"), "refund_payment": ("refunded", "paid")}

logging.basicConfig(level=logging.INFO)
log = logging.getLogger("shop")
client = libpayments.Client.from_file(os.environ.get("PAYMENTS_CONFIG", "merchant/payments.json"))
lock = threading.Lock()


class Items(BaseModel):
    """How many of each: the page chooses no price."""

    mug: NonNegativeInt
    shirt: NonNegativeInt


class Payer(BaseModel):
    """The payer."""

    name: str
    email: str
    document: str


Number = Annotated[str, InPath(pattern="^[0-9a-f-]{6,20}$")]


def order_of(number: str) -> dict[str, Any]:
    """Read an order. In your shop, this is a row of your database."""
    try:
        order: dict[str, Any] = json.loads((ORDERS / f"{number}.json").read_text())
    except FileNotFoundError:
        raise HTTPException(404) from None
    return order


def change(number: str, **members: Any) -> dict[str, Any]:
    """Save members of an order, and return it as it was before."""
    with lock:
        order = order_of(number)
        draft = ORDERS / f"{number}.new"
        draft.write_text(json.dumps(order | members))
        draft.replace(ORDERS / f"{number}.json")
        return order


def follow() -> None:
    """Learn how payments and refunds end, also those whose page was closed."""
    while True:
        try:
            for end in client.follow(state="follow.state"):
                log.info("%s of %s: %s", end.operation, end.reference, end.end)
                if end.end in ("confirmed", "cancelled"):  # For the others, ask a person.
                    take(end)
        except libpayments.PaymentsError as error:
            log.error("follow: %s", error)
        threading.Event().wait(1)


def take(end: libpayments.FollowEnd) -> None:
    """Change the order, and deliver it once it is paid."""
    number = (end.refund_code or end.reference).partition("-")[2]
    state = ENDS[end.operation][end.end == "cancelled"]
    if change(number, state=state)["state"] == "waiting" and state == "paid":
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
    file = ORDERS / f"{number}.json"
    if not file.exists():  # Saved before the call.
        ORDERS.mkdir(exist_ok=True)
        total = str(sum(PRICES[name] * count for name, count in items))
        order = {"reference": f"order-{number}", "total": total, "state": "waiting"}
        file.write_text(json.dumps(order))
    payment = payer.model_dump() | {
        "country": "br",
        "payment_type_code": "pix",
        "currency_code": "BRL",
        "merchant_payment_code": f"order-{number}",
        "amount_total": order_of(number)["total"],
    }
    try:
        ensured = client.ensure_payment(payment=payment)  # type: ignore[arg-type]
    except libpayments.PaymentsError as error:
        log.warning("order-%s: %s", number, error)
        if error.may_have_been_executed:
            return JSONResponse({"message": "One moment, please: click again."}, 202)
        return JSONResponse({"message": f"Not paid: {error.message}"}, 422)
    change(number, hash=ensured.hash, code=ensured.qr_code_value, picture=ensured.qr_svg())
    return order_of(number)


@app.get("/orders/{number}")
def look(number: Number) -> Any:
    """Return an order: the page asks for it every second."""
    return order_of(number)


@app.post("/orders/{number}/refund")
def refund(number: Number) -> Any:
    """Refund an order. A second click is refused by the journal."""
    order = order_of(number)
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
            return JSONResponse({"message": f"Not refunded: {error.message}"}, 422)
    return change(number, state="refunding") | {"state": "refunding"}
