"""A client made before a fork works in the parent and in the child."""

from __future__ import annotations

from processes import assert_connections_belong_to_one_process_each, assert_one_token_was_fetched
from programs import run
from support import Sandbox

_PAY = """
def order(code):
    return {"payment": {**payment, "merchant_payment_code": code}, "sent_by": os.getpid()}

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
def pay(*codes):
    for code in codes:
        client.create_payment(order(code))
pay("before", "before too")
in_child(lambda: pay("child", "child too"))
pay("parent")
in_child(lambda: pay("second child"))
""",
    )
    codes = [each["merchant_payment_code"] for each in sandbox.get("/sandbox/payments")["payments"]]
    assert codes == ["before", "before too", "child", "child too", "parent", "second child"]
    assert_connections_belong_to_one_process_each(sandbox, 3)
    # A child brings its parent's token along.
    assert_one_token_was_fetched(sandbox)


def test_a_child_fetches_the_token_that_its_parent_did_not_have(sandbox: Sandbox) -> None:
    run(
        sandbox,
        _PAY
        + """
client = libpayments.Client(**configuration)
in_child(lambda: client.create_payment(order("child")))
client.create_payment(order("parent"))
client.create_payment(order("parent again"))
""",
    )
    assert_connections_belong_to_one_process_each(sandbox, 2)
    # A child's token does not reach its parent.
    assert len(sandbox.requests("access_token")) == 2


def test_threads_of_asyncio_start_again_in_a_child(sandbox: Sandbox) -> None:
    run(
        sandbox,
        _PAY
        + """
import asyncio
client = libpayments.AsyncClient(**configuration)
async def pay(name):
    calls = (client.create_payment(order(f"{name} {number}")) for number in range(4))
    await asyncio.gather(*calls)
asyncio.run(pay("before"))
in_child(lambda: asyncio.run(pay("child")))
asyncio.run(pay("parent"))
""",
    )
    assert len(sandbox.get("/sandbox/payments")["payments"]) == 12
    assert_connections_belong_to_one_process_each(sandbox, 2)
    assert_one_token_was_fetched(sandbox)


def test_a_child_may_be_forked_while_calls_are_in_flight(sandbox: Sandbox) -> None:
    sandbox.post("/sandbox/settings", {"latency_ms": 100})
    run(
        sandbox,
        _PAY
        + """
client = libpayments.Client(**configuration)
client.access_token()
threads = [
    threading.Thread(target=client.create_payment, args=(order(f"thread {number}"),))
    for number in range(4)
]
for thread in threads:
    thread.start()
time.sleep(0.05)
in_child(lambda: client.create_payment(order("child")))
for thread in threads:
    thread.join()
""",
    )
    assert len(sandbox.get("/sandbox/payments")["payments"]) == 5


def test_a_child_waits_for_no_thread_of_its_parent_when_it_ends(sandbox: Sandbox) -> None:
    printed = run(
        sandbox,
        _PAY
        + """
import asyncio, resource
inside, go_on = threading.Event(), threading.Event()
def observe(event):
    inside.set()
    go_on.wait()
client = libpayments.AsyncClient(**configuration, observer=observe)
def end():
    before = resource.getrusage(resource.RUSAGE_SELF).ru_nvcsw
    libpayments._native.close_calls()
    print(resource.getrusage(resource.RUSAGE_SELF).ru_nvcsw - before, flush=True)
async def main():
    call = asyncio.create_task(client.create_payment(order("before")))
    await asyncio.to_thread(inside.wait)
    in_child(end)
    go_on.set()
    await call
asyncio.run(main())
""",
    )
    # How often it slept; it would look 200 times for the thread of its parent.
    assert int(printed) < 50


def test_multiprocessing_with_fork(sandbox: Sandbox) -> None:
    printed = run(
        sandbox,
        _PAY
        + """
import multiprocessing
client = libpayments.Client(**configuration)
client.create_payment(order("before"))
def pay(number):
    together.wait()
    try:
        return str(client.create_payment(order(f"order-{number % 8}")).status)
    except libpayments.PaymentsError as error:
        return error
fork = multiprocessing.get_context("fork")
together = fork.Barrier(3)
with fork.Pool(3) as pool:
    ends = pool.map(pay, range(9), chunksize=1)
client.create_payment(order("after"))
print([str(end) for end in ends if not isinstance(end, Exception)])
print([(end.kind, end.service_code) for end in ends if isinstance(end, Exception)])
""",
    )
    assert printed.splitlines() == [str(["PE"] * 8), "[('rejected', 'BP-DR-0')]"]
    assert_connections_belong_to_one_process_each(sandbox, 4)
    assert_one_token_was_fetched(sandbox)
