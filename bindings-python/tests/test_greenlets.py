"""Calls that take turns on one thread, as the greenlets of gevent do."""

from __future__ import annotations

from programs import run_quietly
from support import Sandbox

_HEAD = """
import gevent
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import padding

with open(configuration.pop("key_file"), "rb") as file:
    key = serialization.load_pem_private_key(file.read(), None)

def signature(request):
    return key.sign(request.input, padding.PKCS1v15(), hashes.SHA256())

def reference_in(request):
    return json.loads(request.input.split(b".", 1)[1])["payment"]["merchant_payment_code"]

def pay(client, number):
    reference = f"order-{number}"
    given = {**payment, "merchant_payment_code": reference}
    try:
        response = client.create_payment(payment=given)
    except BaseException as error:
        return reference, error
    assert response.merchant_payment_code == reference
    return reference, None

def take_turns(client, first=0):
    greenlets = [gevent.spawn(pay, client, number) for number in range(first, first + 6)]
    gevent.joinall(greenlets, timeout=30)
    return [greenlet.get(block=False) for greenlet in greenlets]
"""


def _run(sandbox: Sandbox, code: str) -> list[str]:
    return run_quietly(sandbox, _HEAD + code).split()


def test_greenlets_share_a_client_with_a_cooperative_signer(sandbox: Sandbox) -> None:
    printed = _run(
        sandbox,
        """
signing = set()

def sign(request):
    reference = reference_in(request)
    signing.add(reference)
    most.append(len(signing))
    # The first one to ask is the last one to get a response.
    gevent.sleep(0.3 - 0.04 * int(reference[-1]))
    signing.remove(reference)
    return signature(request)

most = []
client = libpayments.Client(**configuration, signer=sign)
client.access_token()
for reference, error in take_turns(client):
    print(error or reference)
print(max(most))
""",
    )
    assert printed == [*(f"order-{number}" for number in range(6)), "6"]
    signed = [request["signature"] for request in sandbox.requests("create_payment")]
    assert signed == ["verified"] * 6


def test_an_exception_belongs_to_the_call_of_its_greenlet(sandbox: Sandbox) -> None:
    printed = _run(
        sandbox,
        """
class OwnError(Exception):
    pass

class Leave(BaseException):
    pass

def sign(request):
    reference = reference_in(request)
    number = int(reference[-1])
    gevent.sleep(0.3 - 0.04 * number)
    if number % 3:
        raise (OwnError if number % 3 == 1 else Leave)(reference)
    return signature(request)

def observe(event):
    gevent.sleep(0.01)

client = libpayments.Client(**configuration, signer=sign, observer=observe)
client.access_token()
for reference, error in take_turns(client):
    raised = error.__cause__ if isinstance(error, libpayments.SigningError) else error
    print(reference, type(raised).__name__, *raised.args if raised else "")
""",
    )
    expected = []
    for number in range(6):
        raised = ("NoneType", "OwnError", "Leave")[number % 3]
        expected += [f"order-{number}", raised] + [f"order-{number}"] * (number % 3 > 0)
    assert printed == expected


def test_a_call_does_not_wait_for_a_greenlet_with_the_token(sandbox: Sandbox) -> None:
    printed = _run(
        sandbox,
        """
class Store:
    entries = {}
    def load(self, key, call):
        gevent.sleep(0.02)
        return self.entries.get(key)
    def save(self, key, entry, fence, call):
        gevent.sleep(0.02)
        self.entries[key] = entry
        return True
    def delete_if(self, key, token, call):
        return self.entries.pop(key, None) is not None
    def try_lock(self, key, call):
        gevent.sleep(0.02)
        return 1
    def unlock(self, key, fence):
        gevent.sleep(0.02)

def sign(request):
    gevent.sleep(0.01)
    return signature(request)

client = libpayments.Client(**configuration, signer=sign, token_store=Store())
outcomes = take_turns(client)
for reference, error in outcomes:
    print(error and f"{error.kind}/{error.outcome}/{error.code}" or "paid")
# Then there is a token.
print(all(error is None for _, error in take_turns(client, 6)))
""",
    )
    assert printed[6:] == ["True"]
    refused = "token/not_executed/reentrant_call"
    assert set(printed[:6]) <= {"paid", refused}
    assert "paid" in printed


def test_a_callback_in_a_greenlet_cannot_call_its_client(sandbox: Sandbox) -> None:
    printed = _run(
        sandbox,
        """
def sign(request):
    gevent.sleep(0.01)
    try:
        client.access_token()
    except libpayments.PaymentsError as error:
        codes.append(error.code)
    gevent.sleep(0.01)
    return signature(request)

codes = []
client = libpayments.Client(**configuration, signer=sign)
client.access_token()
print(sum(error is None for _, error in take_turns(client)), *codes)
""",
    )
    assert printed == ["6", *["reentrant_call"] * 6]
