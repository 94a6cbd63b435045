"""A shop that sells mugs: ``uvicorn shop:app``, beside ``merchant/payments.json``.

``payments sandbox --config-out merchant`` writes that file; PAYMENTS_CONFIG names another.
SHOP_KEY is the owner's password: without it, nothing is refunded.
"""

import fcntl
import hmac
import json
import logging
import os
import re
import secrets
import threading
import time
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Annotated, Any, Literal

from fastapi import Body, FastAPI, HTTPException
from fastapi.responses import FileResponse
from pydantic import Field, StringConstraints

import libpayments

CENTS = {"mug": 1050, "shirt": 4500}
TEXTS = {  # For buyers, by the code of an error.
    "required": "Please fill in your name, e-mail and CPF.",
    "value_invalid": "Please check your name, e-mail and CPF.",
    "refused": "Your payment was refused. Please check your CPF, and try again.",
    "reference_used": "This order needs our help. Please write to us, and name its number.",
    "unknown": "One moment, please: we are looking for your payment.",
    "other": "You have not paid, and we cannot take payments now. Please try again soon.",
}
PIX = {"country": "br", "payment_type_code": "pix", "currency_code": "BRL"}
PAYMENT_ENDS = {"confirmed": "delivering", "cancelled": "cancelled"}
OPEN = ("waiting", "not_paid", "refunding")
ORDERS = Path("orders")
NUMBER = "[0-9a-f-]{6,16}"
CALL_MS = 8000
KEY = os.environ.get("SHOP_KEY")
CONFIG = Path(os.environ.get("PAYMENTS_CONFIG", "merchant/payments.json"))
BASE = json.loads(CONFIG.read_text())["base_url"]
SANDBOX = f"{BASE}/sandbox/#payments" if BASE.startswith("http://127.0.0.1:") else None

logging.basicConfig(level=logging.INFO)
log = logging.getLogger("shop")
client = libpayments.Client.from_file(CONFIG)
next(client.journal.list(), None)  # Fails without a journal.

Number = Annotated[str, StringConstraints(pattern=f"^{NUMBER}$")]
Items = dict[Literal["mug", "shirt"], Annotated[int, Field(strict=True, ge=0, le=99)]]
Payer = dict[Literal["name", "email", "document"], Annotated[str, Field(max_length=100)]]
Order = dict[str, Any]


def load(number: str) -> Order:
    """Read an order; empty if there is none. In your shop, this is a row of your database."""
    file = ORDERS / f"{number}.json"
    return json.loads(file.read_text()) if file.exists() else {}


def change(number: str, following: Callable[[Order], Order]) -> Order:
    """Store what follows an order, and return it; empty if nothing follows."""
    with (ORDERS / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # Other workers wait too.
        if order := following(load(number)):
            with (ORDERS / "draft").open("w") as draft:
                json.dump(order, draft)
                draft.flush()
                os.fsync(draft.fileno())
            os.replace(draft.name, ORDERS / f"{number}.json")
        return order


def attempt(order: Order, **members: Any) -> Order:
    """Begin a call for an order: until it has ended for sure, no other request makes one."""
    until = time.time() + CALL_MS / 1000 + 2
    return order | members | {"attempt": secrets.token_hex(8), "until": until}


def settle(number: str, order: Order, **members: Any) -> None:
    """Store how a call ended, unless the order has moved on."""
    was, ended = (order["state"], order["attempt"]), members | {"until": 0}
    change(number, lambda it: it | ended if (it["state"], it["attempt"]) == was else {})


def follow() -> None:
    """Learn how payments and refunds end, even if their page was closed."""
    while True:
        try:
            for end in client.follow(state="follow.state"):
                log.info("%s of %s: %s", end.operation, end.reference, end.end)
                take(end)
        except Exception as error:
            if getattr(error, "code", "") != "already_running":  # In another worker.
                log.exception("follow")
        time.sleep(1)


def take(end: libpayments.FollowEnd) -> None:
    """Change the order that ended. If it waits for no such end, ask a person."""
    amount, currency = getattr(end, "amount", None), getattr(end, "currency", None)
    is_amount = re.fullmatch(r"\d+(\.\d+)?", f"{amount}") is not None

    def ended(order: Order) -> Order:
        is_its = order["expects"] == [end.operation, end.reference, end.refund_code]
        if (
            is_amount
            and Decimal(amount) != Decimal(order["total"])
            or currency not in (None, "BRL")
        ):
            is_its = False
        if not (is_amount and currency) and order.get("hash") not in (None, end.hash):
            is_its = False  # The service shows too little to compare.
        if not is_its or order["state"] not in OPEN or end.end not in order["ends"]:
            return {}
        due = {"hash": order.get("hash") or end.hash, "tries": 0, "due": 0}
        return order | due | {"state": order["ends"][end.end]}

    number = (end.refund_code or end.reference).partition("-")[2]
    if re.fullmatch(NUMBER, number) and load(number):
        change(number, ended)


def deliver(order: Order) -> None:
    """Deliver an order. After a failure or a crash, it is called again."""
    with (ORDERS / "deliveries.txt").open("a") as file:
        file.write(f"{order['reference']}\n")
    log.info("deliver %s", order["reference"])


def deliver_all() -> None:
    """Deliver what is paid, with growing pauses between the tries."""

    def tried(order: Order) -> Order:
        if order["state"] != "delivering" or order["due"] > time.time():
            return {}
        pause = min(5 * 2 ** order["tries"], 3600)
        return order | {"tries": order["tries"] + 1, "due": time.time() + pause}

    while True:
        for number in [file.stem for file in ORDERS.glob("*.json")]:
            try:
                if order := change(number, tried):
                    deliver(order)
                    settle(number, order, state="delivered")
            except Exception:
                log.exception("order-%s is delivered later", number)
        time.sleep(1)


ORDERS.mkdir(exist_ok=True)
for work in (follow, deliver_all):
    threading.Thread(target=work, daemon=True).start()
app = FastAPI()
app.get("/")(lambda: FileResponse(Path(__file__).with_name("shop.html")))


@app.get("/orders/{number}")
def look(number: Number) -> Any:
    """Return what a page may know of an order, for which it asks every second."""
    if not (order := load(number)):
        raise HTTPException(404)
    code = order.get("code") if order["state"] == "waiting" else None
    problem = {"waiting": "" if code else "unknown"}.get(order["state"], order.get("problem"))
    text = TEXTS.get(problem, TEXTS["other"]) if problem else ""
    shown = {name: order.get(name) for name in ("reference", "total", "state", "hash")}
    shown |= {"code": code, "picture": order["picture"]} if code else {}
    return shown | {"message": text, "sandbox": SANDBOX}


@app.put("/orders/{number}")
def pay(number: Number, items: Items, payer: Payer) -> Any:
    """Pay an order. A second click finds the payment of the first."""
    cents = sum(CENTS[name] * count for name, count in items.items())
    if cents == 0:
        raise HTTPException(422)
    reference, total = f"order-{number}", f"{cents // 100}.{cents % 100:02}"
    asked = {"reference": reference, "total": total, "items": items, "payer": payer}
    expects = {"expects": ["create_payment", reference, None], "ends": PAYMENT_ENDS}

    def attempted(order: Order) -> Order:
        if not order or order["state"] == "not_paid":
            return attempt(order, **asked, **expects, state="waiting")
        is_open = order["state"] == "waiting" and not order.get("code")
        return attempt(order) if is_open and order["until"] < time.time() else {}

    if not (order := change(number, attempted)):
        return look(number)
    its = {"merchant_payment_code": reference, "amount_total": order["total"]}
    try:
        found = client.ensure_payment(payment=order["payer"] | PIX | its, timeout_ms=CALL_MS)
        code = {"code": found.qr_code_value, "picture": found.qr_svg()}
        settle(number, order, hash=found.hash, **code)
    except libpayments.PaymentsError as error:
        log.warning("order-%s: %s", number, error)
        state = "conflict" if error.code == "reference_used" else "waiting"
        state = "not_paid" if error.outcome == "not_executed" else state
        settle(number, order, state=state, problem=error.code)
    return look(number)


@app.post("/orders/{number}/refund")
def refund(number: Number, key: Annotated[str, Body(embed=True)]) -> Any:
    """Refund an order. A second click asks for the refund of the first."""
    if not KEY or not hmac.compare_digest(key.encode(), KEY.encode()):
        raise HTTPException(403)

    def attempted(order: Order) -> Order:
        if order.get("state") in ("delivering", "delivered"):
            refunds = order.get("refunds", 0) + 1
            expects = ["refund_payment", order["hash"], f"r{refunds}-{number}"]
            ends = {"confirmed": "refunded", "cancelled": order["state"]}
            more = {"refunds": refunds, "expects": expects, "ends": ends, "is_new": True}
            return attempt(order, **more, state="refunding")
        is_open = order.get("state") == "refunding" and order["until"] < time.time()
        return attempt(order, is_new=False) if is_open else {}

    if order := change(number, attempted):
        settle(number, order, state=refund_once(order))
    return look(number)


def refund_once(order: Order) -> str:
    """Ask for a refund, or send it, and return the state. The journal sends none twice."""
    _, hash_, code = order["expects"]
    refund = {"operation": "request", "amount": order["total"], "merchant_refund_code": code}
    try:
        refunds = client.query_payment(hash=hash_, timeout_ms=CALL_MS // 2).refunds
        found = [it.status for it in refunds if it.merchant_refund_code == code]
        if not found:
            client.refund_payment(hash=hash_, **refund, timeout_ms=CALL_MS // 2)
        ends = {"CA": order["ends"]["cancelled"], "CO": order["ends"]["confirmed"]}
        return ends.get("".join(found), "refunding")
    except libpayments.PaymentsError as error:
        log.warning("%s: %s", code, error)
        is_none = order["is_new"] and error.outcome == "not_executed"
        return order["ends"]["cancelled"] if is_none else "refunding"
