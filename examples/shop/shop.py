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
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Literal

from fastapi import Body, FastAPI, HTTPException
from fastapi.responses import FileResponse
from pydantic import Field, StringConstraints

import libpayments

CENTS = {"mug": 1050, "shirt": 4500}
PIX = {"country": "br", "payment_type_code": "pix", "currency_code": "BRL"}
OPEN = ("waiting", "not_paid", "refunding")
ORDERS = Path("orders")
NUMBER = "[0-9a-f-]{6,16}"
CALL_MS = 8000
KEY = os.environ.get("SHOP_KEY")
CONFIG = Path(os.environ.get("PAYMENTS_CONFIG", "merchant/payments.json"))
HOST = json.loads(CONFIG.read_text())["base_url"]
SANDBOX = f"{HOST}/sandbox/#payments" if HOST.startswith("http://127.0.0.1:") else None

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


def change(number: str, decide: Callable[[Order], Order]) -> Order:
    """Store the members that ``decide`` changes, and return the order; empty if none do."""
    with (ORDERS / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # Other workers wait too.
        order = load(number)
        if not (changes := decide(order)):
            return {}
        with (ORDERS / "draft").open("w") as draft:
            print(json.dumps(order | changes), file=draft, flush=True)
            os.fsync(draft.fileno())
        os.replace(draft.name, ORDERS / f"{number}.json")
        return order | changes


def attempt() -> Order:
    """Begin a call for an order: until it has ended for sure, no other request makes one."""
    return {"attempt": secrets.token_hex(8), "until": time.time() + CALL_MS / 1000 + 2}


def settle(number: str, was: Order, **changes: Any) -> None:
    """Store how a call ended, unless the order has moved on."""
    changes["until"], names = 0, ("state", "attempt")
    change(number, lambda it: changes if all(it[name] == was[name] for name in names) else {})


def follow() -> None:
    """Learn how payments and refunds end, even if their page was closed."""
    while True:
        try:
            for end in client.follow(state="follow.state"):
                log.info("%s of %s: %s", end.operation, end.reference, end.end)
                number = (end.refund_code or end.reference).partition("-")[2]
                if re.fullmatch(NUMBER, number):
                    change(number, partial(take, end=end))
        except Exception as error:
            if getattr(error, "code", "") != "already_running":  # In another worker.
                log.exception("follow")
        time.sleep(1)


def take(order: Order, end: libpayments.FollowEnd) -> Order:
    """Return what changes by an end. If the order waits for no such end, ask a person."""
    amount, currency = getattr(end, "amount", None), getattr(end, "currency", None)
    is_amount = re.fullmatch(r"\d+(\.\d+)?", f"{amount}")
    hash_ = order.get("hash") or end.hash
    is_its = order.get("expects") == [end.operation, end.reference, end.refund_code]
    is_its = is_its and (not is_amount or Decimal(str(amount)) == Decimal(order["total"]))
    is_its = is_its and currency in (None, "BRL")
    is_its = is_its and (bool(is_amount and currency) or hash_ == end.hash)  # Not all is shown.
    if not is_its or order["state"] not in OPEN or end.end not in order["ends"]:
        return {}
    return {"state": order["ends"][end.end], "hash": hash_, "tries": 0, "until": 0}


def deliver(order: Order) -> None:
    """Deliver an order. After a failure or a crash, it is called again."""
    with (ORDERS / "deliveries.txt").open("a") as file:
        file.write(f"{order['reference']}\n")
    log.info("deliver %s", order["reference"])


def deliver_all() -> None:
    """Deliver what is paid, with growing pauses between the tries."""

    def tried(order: Order) -> Order:
        is_due = order["state"] == "delivering" and order["until"] < time.time()
        pause = min(5 * 2 ** order.get("tries", 0), 3600)
        return {"tries": order["tries"] + 1, "until": time.time() + pause} if is_due else {}

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
    names = ["reference", "total", "state", "problem"]
    names += ["code", "picture"] if order["state"] == "waiting" else []
    return {name: order.get(name) for name in names} | {"sandbox": SANDBOX}


@app.put("/orders/{number}")
def pay(number: Number, items: Items, payer: Payer) -> Any:
    """Pay an order. A second click finds the payment of the first."""
    if not (cents := sum(CENTS[name] * count for name, count in items.items())):
        raise HTTPException(422)
    reference, total = f"order-{number}", f"{cents // 100}.{cents % 100:02}"
    ends = {"confirmed": "delivering", "cancelled": "cancelled"}
    asked: Order = {"reference": reference, "total": total, "items": items, "payer": payer}
    asked |= {"expects": ["create_payment", reference, None], "ends": ends, "state": "waiting"}

    def attempted(order: Order) -> Order:
        if not order or order["state"] == "not_paid":
            return asked | attempt()
        is_open = order["state"] == "waiting" and not order.get("code")
        return attempt() if is_open and order["until"] < time.time() else {}

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
        state, refunds = order.get("state"), order.get("refunds", 0) + 1
        if state in ("delivering", "delivered"):
            expects = ["refund_payment", order["hash"], f"r{refunds}-{number}"]
            ends = {"confirmed": "refunded", "cancelled": state}
            its = {"refunds": refunds, "is_new": True, "expects": expects, "ends": ends}
            return its | attempt() | {"state": "refunding"}
        is_open = state == "refunding" and order["until"] < time.time()
        return attempt() | {"is_new": False} if is_open else {}

    if order := change(number, attempted):
        settle(number, order, state=refund_once(order))
    return look(number)


def refund_once(order: Order) -> Any:
    """Ask for a refund, or send it, and return the state. The journal sends none twice."""
    _, hash_, code = order["expects"]
    call: Any = {"hash": hash_, "timeout_ms": CALL_MS // 2}
    text: Any = {"operation": "request", "description": "order returned"}
    try:
        refunds = client.query_payment(**call).refunds
        found = [f"{it.status}" for it in refunds if it.merchant_refund_code == code]
        if not found:
            client.refund_payment(**call, **text, amount=order["total"], merchant_refund_code=code)
        ends = {"CA": order["ends"]["cancelled"], "CO": order["ends"]["confirmed"]}
        return ends.get("".join(found), "refunding")
    except libpayments.PaymentsError as error:
        log.warning("%s: %s", code, error)
        is_none = order["is_new"] and error.outcome == "not_executed"
        return order["ends"]["cancelled"] if is_none else "refunding"
