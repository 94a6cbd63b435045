"""Attacks on the programs of the framework pages: one list for all of them.

Such a program shows a form at /orders/REFERENCE, whose button pays 10.50 BRL, and
prints `deliver REFERENCE` in a terminal. A query of an attacker is answered by the
sandbox; what was delivered is read when a later, honest order has been delivered.
"""

from __future__ import annotations

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
ELSEWHERE = """
jq 'del(.journal)' merchant/payments.json >elsewhere.json
payments --config elsewhere.json create-payment --name 'Maria Souza' --email maria@example.com \\
  --country br --document 853.513.468-93 --payment-type-code pix --currency-code BRL \\
  --merchant-payment-code {reference} --amount-total {amount}
"""


class Shop:
    """A page's program, its sandbox, and the terminals that show what it delivers."""

    def __init__(self, address: str, control: str, terminals: list[Terminal]) -> None:
        self.orders = address.rpartition("/")[0]
        self.reference = address.rpartition("/")[2]
        self.control, self.terminals = control, terminals
        self.follower = terminals[-1]

    def click(self, reference: str | None = None, **members: str) -> tuple[int, Any]:
        """Open the page, and click its button. Returns the status and the reply."""
        address = f"{self.orders}/{reference or self.reference}"
        browser = Browser()
        form = browser.open(address)[1]
        fields = dict(HIDDEN.findall(form))
        return browser.open(address, {**fields, **members}, self.orders)

    def ask(self, method: str, path: str, body: Any = None) -> Any:
        """Call the control API of the sandbox."""
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.control + path, data, method=method)
        with urllib.request.urlopen(request, timeout=60) as response:
            return json.load(response)

    def payments(self, reference: str) -> list[Any]:
        payments = self.ask("GET", "payments")["payments"]
        return [it for it in payments if it["merchant_payment_code"] == reference]

    def pay(self, reference: str) -> None:
        self.ask("POST", f"payments/{reference}/confirm")

    def fault(self, operation: str, times: int = 1, **fault: Any) -> None:
        script = {"operation": operation, "times": times, "then": [fault]}
        self.ask("POST", "faults", script)

    def deliveries(self) -> list[str]:
        return [name for it in self.terminals for name in DELIVERED.findall(it.output)]

    def delivered(self, reference: str) -> int:
        return self.deliveries().count(reference)

    def await_delivery(self, reference: str) -> None:
        self.wait(lambda: self.delivered(reference) > 0, f"{reference} is not delivered")

    def await_query(self, reference: str) -> None:
        """Wait until the follower has asked for the payment since now."""
        before = self.queries(reference)
        self.wait(lambda: self.queries(reference) > before, f"nothing asks for {reference}")

    def queries(self, reference: str) -> int:
        [payment] = self.payments(reference)
        made = json.dumps(self.ask("GET", "requests?operation=query_payment")["requests"])
        return made.count(f"={reference}") + made.count(payment["hash"])

    def wait(self, is_so: Callable[[], bool], failure: str) -> None:
        until = time.monotonic() + LONGEST_WAIT
        while not is_so():
            if time.monotonic() > until:
                raise AssertionError(failure)
            time.sleep(0.1)

    def sell(self, reference: str) -> None:
        """Sell an honest order."""
        self.click(reference)
        self.pay(reference)
        self.await_delivery(reference)

    def pay_elsewhere(self, reference: str, amount: str) -> None:
        """Let another program of the merchant, without this journal, make and be paid a payment."""
        other = Terminal(self.follower.folder(), self.follower.environment)
        other.enter(ELSEWHERE.format(reference=reference, amount=amount))
        other.finish()
        other.close()
        self.pay(reference)

    def shown(self) -> str:
        return "\n".join(it.output[-2000:] for it in self.terminals[1:])


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
    Browser().open(f"{shop.orders}/attack-look")
    assert not shop.payments("attack-look")


def a_form_of_another_site_pays_nothing(shop: Shop) -> None:
    browser = Browser()
    browser.open(f"{shop.orders}/attack-token")
    status, _ = browser.open(f"{shop.orders}/attack-token", {"pay": "1"})
    assert status in (400, 403, 419, 422), status
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
    shop.follower.enter(shop.follower.block)
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
    shop.pay_elsewhere("attack-foreign", "1.00")
    status, reply = shop.click("attack-foreign")
    assert status in (202, 409, 422), (status, reply)
    shop.sell("attack-honest-2")
    assert not shop.delivered("attack-foreign")


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
]


def attack(shop: Shop) -> None:
    """Try them in turn, and look that nothing was delivered twice."""
    for each in ATTACKS:
        try:
            each(shop)
        except AssertionError as failed:
            raise Mistake(f"{each.__name__}: {failed}\n{shop.shown()}") from failed
    twice = {name for name in shop.deliveries() if shop.delivered(name) != 1}
    if twice:
        raise Mistake(f"delivered more than once: {twice}")
