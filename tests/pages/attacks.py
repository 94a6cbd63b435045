"""Attacks on the programs of the framework pages: one list for all of them.

Such a program shows a form at /orders/REFERENCE, whose button pays 10.50 BRL, or is
a shop of examples/shop. It prints `deliver REFERENCE` in a terminal. A query of an
attacker is answered by the sandbox; what was delivered is read when a later, honest
order has been delivered.
"""

from __future__ import annotations

import hashlib
import http.cookiejar
import json
import re
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from terminal import Mistake, Terminal

HIDDEN = re.compile(r'<input\b[^>]*\bname="([^"]+)"[^>]*\bvalue="([^"]*)"')
DELIVERED = re.compile(r"deliver ([\w-]+)")
TOTAL, CURRENCY = "10.50", "BRL"
LONGEST_WAIT = 180  # Seconds: queues return the job of a killed worker late.
REFUSAL = {"status": "ERROR", "status_code": "BP-DR-36"}
PAYER = {"name": "Maria Souza", "email": "maria@example.com", "document": "853.513.468-93"}
# Each pays 1.00 by the configuration of the page, without and with its journal.
WITHOUT_JOURNAL = """
jq 'del(.journal)' merchant/payments.json >elsewhere.json
payments --config elsewhere.json create-payment --name 'Maria Souza' --email maria@example.com \\
  --country br --document 853.513.468-93 --payment-type-code pix --currency-code BRL \\
  --merchant-payment-code '{reference}' --amount-total 1.00
"""
WITH_JOURNAL = WITHOUT_JOURNAL.replace("del(.journal)", ".")
BY_DJANGO = """venv/bin/python manage.py shell -c '
from libpayments.django import client
client().create_payment(payment=dict(
    name="Maria Souza", email="maria@example.com", document="853.513.468-93", country="br",
    payment_type_code="pix", merchant_payment_code="{reference}", currency_code="BRL",
    amount_total="1.00",
))'
"""


class Shop:
    """A page's program, its sandbox, and the terminals that show what it delivers.

    Orders have names here; `reference` is what the program makes of one.
    """

    def __init__(self, address: str, control: str, terminals: list[Terminal]) -> None:
        self.address, self.control, self.terminals = address, control, terminals
        self.orders, _, self.first = address.rpartition("/")
        self.follower = terminals[-1]

    def reference(self, name: str) -> str:
        return name

    def look(self, name: str) -> None:
        Browser().open(f"{self.orders}/{name}")

    def click(self, name: str, **members: str) -> tuple[int, Any]:
        """Open the page, and click its button. Returns the status and the reply."""
        browser = Browser()
        fields = dict(HIDDEN.findall(browser.open(f"{self.orders}/{name}")[1]))
        return browser.open(f"{self.orders}/{name}", {**fields, **members}, self.orders)

    def forge(self, name: str) -> bool:
        """Click by a page of another site. Returns whether that was refused."""
        browser = Browser()
        browser.open(f"{self.orders}/{name}")
        return browser.open(f"{self.orders}/{name}", {"pay": "1"})[0] in (400, 403, 419, 422)

    def ask(self, method: str, path: str, body: Any = None) -> Any:
        """Call the control API of the sandbox."""
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.control + path, data, method=method)
        with urllib.request.urlopen(request, timeout=60) as response:
            return json.load(response)

    def payments(self, name: str) -> list[Any]:
        payments = self.ask("GET", "payments")["payments"]
        return [it for it in payments if it["merchant_payment_code"] == self.reference(name)]

    def pay(self, name: str) -> None:
        self.ask("POST", f"payments/{self.reference(name)}/confirm")

    def fault(self, operation: str, times: int = 1, **fault: Any) -> None:
        script = {"operation": operation, "times": times, "then": [fault]}
        self.ask("POST", "faults", script)

    def deliveries(self) -> list[str]:
        return [name for it in self.terminals for name in DELIVERED.findall(it.output)]

    def delivered(self, name: str) -> int:
        return self.deliveries().count(self.reference(name))

    def await_delivery(self, name: str) -> None:
        self.wait(lambda: self.delivered(name) > 0, f"{name} is not delivered")

    def await_query(self, name: str) -> None:
        """Wait until the follower has asked for the payment since now."""
        before = self.queries(name)
        self.wait(lambda: self.queries(name) > before, f"nothing asks for {name}")

    def queries(self, name: str) -> int:
        [payment] = self.payments(name)
        made = json.dumps(self.ask("GET", "requests?operation=query_payment")["requests"])
        return made.count(f"={self.reference(name)}") + made.count(payment["hash"])

    def wait(self, is_so: Callable[[], bool], failure: str) -> None:
        until = time.monotonic() + LONGEST_WAIT
        while not is_so():
            if time.monotonic() > until:
                raise AssertionError(failure)
            time.sleep(0.1)

    def sell(self, name: str) -> None:
        """Sell an honest order."""
        self.click(name)
        self.pay(name)
        self.await_delivery(name)

    def restart_follower(self) -> None:
        self.follower.enter(self.follower.block)
        self.follower.await_server(self.address)  # The follower of a shop serves its page too.

    def pay_elsewhere(self, reference: str, command: str) -> None:
        """Let another program of the merchant make a payment of 1.00."""
        other = Terminal(self.follower.folder(), self.follower.environment)
        other.enter(command.format(reference=reference))
        other.finish()
        other.close()

    def shown(self) -> str:
        return "\n".join(it.output[-2000:] for it in self.terminals[1:])


class JsonShop(Shop):
    """A shop of examples/shop, whose page sends JSON."""

    def __init__(self, address: str, control: str, terminals: list[Terminal]) -> None:
        super().__init__(address, control, terminals)
        self.orders, self.first = f"{address.rstrip('/')}/orders", "first"

    def reference(self, name: str) -> str:
        return f"order-{self.number(name)}"

    def number(self, name: str) -> str:
        return hashlib.sha256(name.encode()).hexdigest()[:12]

    def look(self, name: str) -> None:
        super().look(self.number(name))

    def click(self, name: str, **members: str) -> tuple[int, Any]:
        """Order a mug. Returns the status that a page with a form has, and the order."""
        order = {"items": {"mug": 1, "shirt": 0}, "payer": PAYER, **members}
        headers = {"Content-Type": "application/json"}
        address = f"{self.orders}/{self.number(name)}"
        request = urllib.request.Request(address, json.dumps(order).encode(), headers, method="PUT")
        with urllib.request.urlopen(request, timeout=60) as response:
            reply = json.load(response)
        if reply.get("code") and not reply["picture"].startswith("<svg "):
            raise Mistake(f"the order at {address} has no picture")
        return {"not_paid": 422, "conflict": 409}.get(reply["state"], 200), reply

    def forge(self, name: str) -> bool:
        """Order by a page of another site: a form, then what a browser asks before a PUT."""
        address = f"{self.orders}/{self.number(name)}"
        status, _ = Browser().open(address, {"items": "1"})
        asked = {"Origin": "http://evil.example", "Access-Control-Request-Method": "PUT"}
        request = urllib.request.Request(address, None, asked, method="OPTIONS")
        try:
            with urllib.request.urlopen(request, timeout=60) as response:
                allowed = response.headers["Access-Control-Allow-Origin"]
        except urllib.error.HTTPError as error:
            with error:
                allowed = error.headers["Access-Control-Allow-Origin"]
        return status in (404, 405) and allowed is None


class Browser:
    """Keeps cookies, and follows redirects."""

    def __init__(self) -> None:
        jar = urllib.request.HTTPCookieProcessor(http.cookiejar.CookieJar())
        self.opener = urllib.request.build_opener(jar)

    def open(
        self, address: str, form: dict[str, str] | None = None, site: str = "http://evil.example"
    ) -> tuple[int, Any]:
        """Show a page, or send a form from a page of a site."""
        data = None if form is None else urllib.parse.urlencode(form).encode()
        origin = {} if form is None else {"Origin": "/".join(site.split("/")[:3])}
        try:
            request = urllib.request.Request(address, data, origin)
            with self.opener.open(request, timeout=60) as response:
                status, body = response.status, response.read().decode()
        except urllib.error.HTTPError as error:
            with error:
                status, body = error.code, error.read().decode()
        return status, json.loads(body) if body.startswith("{") else body


def a_look_pays_nothing(shop: Shop) -> None:
    shop.look("attack-look")
    assert not shop.payments("attack-look")


def a_form_of_another_site_pays_nothing(shop: Shop) -> None:
    assert shop.forge("attack-token")
    assert not shop.payments("attack-token")


def the_browser_sets_no_amount(shop: Shop) -> None:
    wrong = {"total": "0.01", "amount": "0.01", "amount_total": "0.01", "currency_code": "USD"}
    shop.click("attack-amount", **wrong)
    [payment] = shop.payments("attack-amount")
    assert (payment["amount_ext"], payment["currency_ext"]) == (TOTAL, CURRENCY), payment


def reloads_and_clicks_at_once_deliver_once(shop: Shop) -> None:
    with ThreadPoolExecutor(5) as pool:
        list(pool.map(lambda _: shop.click("attack-clicks"), range(5)))
    shop.click("attack-clicks")
    assert len(shop.payments("attack-clicks")) == 1
    shop.pay("attack-clicks")
    shop.await_delivery("attack-clicks")
    shop.click("attack-clicks")


def a_lost_answer_is_delivered(shop: Shop) -> None:
    shop.fault("create_payment", fault="close", execute=True)
    status, _ = shop.click("attack-lost")
    assert status in (200, 202), status
    shop.pay("attack-lost")
    shop.await_delivery("attack-lost")


def a_refused_payment_may_be_tried_again(shop: Shop) -> None:
    shop.fault("create_payment", fault="response", json=REFUSAL)
    status, reply = shop.click("attack-refused")
    assert status == 422, (status, reply)
    status, reply = shop.click("attack-refused")
    assert status == 200, (status, reply)
    shop.pay("attack-refused")
    shop.await_delivery("attack-refused")


def a_killed_follower_delivers_when_it_runs_again(shop: Shop) -> None:
    shop.click("attack-killed")
    shop.follower = shop.follower.killed()
    shop.terminals.append(shop.follower)
    shop.pay("attack-killed")
    shop.restart_follower()
    shop.await_delivery("attack-killed")


def another_amount_is_not_delivered(shop: Shop) -> None:
    shop.click("attack-cheap")
    edit = {"/payment/amount_ext": "0.01", "/payment/amount_br": "0.01"}
    shop.fault("query_payment", 1000, fault="edit", set=edit)
    shop.pay("attack-cheap")
    shop.await_query("attack-cheap")
    shop.ask("DELETE", "faults")
    shop.sell("attack-honest-1")
    assert not shop.delivered("attack-cheap")


def a_payment_of_another_program_is_not_delivered(shop: Shop) -> None:
    shop.pay_elsewhere(shop.reference("attack-foreign"), WITHOUT_JOURNAL)
    shop.pay("attack-foreign")
    status, reply = shop.click("attack-foreign")
    assert status in (202, 409, 422), (status, reply)
    shop.sell("attack-honest-2")
    assert not shop.delivered("attack-foreign")


def payments_of_the_same_journal_are_not_delivered(shop: Shop) -> None:
    has_django = (shop.follower.folder() / "manage.py").exists()
    command = BY_DJANGO if has_django else WITH_JOURNAL
    # One that this program would not give must not stop its follower either.
    for reference in (shop.reference("attack-journal"), "../gift 1"):
        shop.pay_elsewhere(reference, command)
    status, reply = shop.click("attack-journal")
    assert status in (202, 409, 422), (status, reply)
    for payment in shop.ask("GET", "payments")["payments"]:
        if payment["status"] == "PE":
            shop.ask("POST", f"payments/{payment['hash']}/confirm")
    shop.await_query("attack-journal")
    shop.sell("attack-honest-3")
    assert not shop.delivered("attack-journal")


ATTACKS: list[Callable[[Shop], None]] = [
    a_look_pays_nothing,
    a_form_of_another_site_pays_nothing,
    the_browser_sets_no_amount,
    reloads_and_clicks_at_once_deliver_once,
    a_lost_answer_is_delivered,
    a_refused_payment_may_be_tried_again,
    a_killed_follower_delivers_when_it_runs_again,
    another_amount_is_not_delivered,
    a_payment_of_another_program_is_not_delivered,
    payments_of_the_same_journal_are_not_delivered,
]


def attack(shop: Shop) -> None:
    """Try them in turn, and look that nothing was delivered twice."""
    for each in ATTACKS:
        try:
            each(shop)
        except AssertionError as failed:
            raise Mistake(f"{each.__name__}: {failed}\n{shop.shown()}") from failed
    deliveries = shop.deliveries()
    twice = {reference for reference in deliveries if deliveries.count(reference) != 1}
    if twice:
        raise Mistake(f"delivered more than once: {twice}")
