"""A client made before a fork works in the parent and in the child."""

from __future__ import annotations

from programs import run
from support import Sandbox

_PAY = """
def order(code):
    return {**payment, "merchant_payment_code": code}

def in_child(act):
    child = os.fork()
    if child == 0:
        status = 1
        try:
            act()
            status = 0
        finally:
            os._exit(status)
    assert os.waitpid(child, 0)[1] == 0
"""


def test_a_client_works_on_both_sides_of_a_fork(sandbox: Sandbox) -> None:
    run(
        sandbox,
        _PAY
        + """
client = libpayments.Client(**configuration)
client.create_payment(payment=order("before"))
in_child(lambda: client.create_payment(payment=order("child")))
client.create_payment(payment=order("parent"))
in_child(lambda: client.create_payment(payment=order("second child")))
""",
    )
    codes = [each["merchant_payment_code"] for each in sandbox.get("/sandbox/payments")["payments"]]
    assert sorted(codes) == ["before", "child", "parent", "second child"]
    # A child brings its parent's token along.
    assert len(sandbox.requests("access_token")) == 1


def test_threads_of_asyncio_are_made_anew_in_a_child(sandbox: Sandbox) -> None:
    run(
        sandbox,
        _PAY
        + """
import asyncio
client = libpayments.AsyncClient(**configuration)
async def pay(name):
    calls = (client.create_payment(payment=order(f"{name} {number}")) for number in range(4))
    await asyncio.gather(*calls)
asyncio.run(pay("before"))
in_child(lambda: asyncio.run(pay("child")))
asyncio.run(pay("parent"))
""",
    )
    assert len(sandbox.get("/sandbox/payments")["payments"]) == 12


def test_a_child_may_be_forked_while_calls_are_in_flight(sandbox: Sandbox) -> None:
    sandbox.post("/sandbox/settings", {"latency_ms": 100})
    run(
        sandbox,
        _PAY
        + """
client = libpayments.Client(**configuration)
client.access_token()
threads = [
    threading.Thread(target=client.create_payment, args=({"payment": order(f"thread {number}")},))
    for number in range(4)
]
for thread in threads:
    thread.start()
time.sleep(0.05)
in_child(lambda: client.create_payment(payment=order("child")))
for thread in threads:
    thread.join()
""",
    )
    assert len(sandbox.get("/sandbox/payments")["payments"]) == 5


def test_multiprocessing_with_fork(sandbox: Sandbox) -> None:
    printed = run(
        sandbox,
        _PAY
        + """
import multiprocessing
client = libpayments.Client(**configuration)
client.access_token()
def pay(number):
    try:
        return str(client.create_payment(payment=order(f"order-{number % 6}")).status)
    except libpayments.PaymentsError as error:
        return error
with multiprocessing.get_context("fork").Pool(3) as pool:
    ends = pool.map(pay, range(7))
print([str(end) for end in ends if not isinstance(end, Exception)])
print([(end.kind, end.service_code) for end in ends if isinstance(end, Exception)])
""",
    )
    assert printed.splitlines() == [str(["PE"] * 6), "[('rejected', 'BP-DR-0')]"]
    assert len(sandbox.requests("access_token")) == 1
