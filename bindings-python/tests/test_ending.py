"""A program may end while calls are in flight: at once, cleanly and silently."""

from __future__ import annotations

import pytest

from programs import run, run_quietly
from support import Sandbox
from waiting import hang

_SIGNERS = """
inside = threading.Event()
def sign_until_it_ends(request):
    inside.set()
    while not request.call.is_ended:
        time.sleep(0.001)
    return b""
def sign_without_end(request):
    inside.set()
    while True:
        time.sleep(0.001)
"""

_BLOCKING = """
client = libpayments.Client(**configuration, signer=SIGNER)
threading.Thread(target=lambda: client.create_payment(payment=payment), daemon=True).start()
inside.wait()
print("left")
"""

_ASYNCIO = """
import asyncio
client = libpayments.AsyncClient(**configuration, signer=SIGNER)
loop = asyncio.new_event_loop()
loop.set_exception_handler(lambda *_: None)
call = loop.create_task(client.create_payment(payment=payment))
loop.run_until_complete(loop.run_in_executor(None, inside.wait))
print("left")
"""


@pytest.mark.parametrize("signer", ["sign_until_it_ends", "sign_without_end"])
@pytest.mark.parametrize("program", [_BLOCKING, _ASYNCIO], ids=["blocking", "asyncio"])
def test_a_program_may_end_while_a_callback_runs(
    sandbox: Sandbox, program: str, signer: str
) -> None:
    code = _SIGNERS + program.replace("SIGNER", signer)
    assert run_quietly(sandbox, code, key_file=None) == "left\n"


def test_a_program_may_end_while_a_request_is_read(sandbox: Sandbox) -> None:
    printed = run_quietly(
        sandbox,
        """
        from collections.abc import Mapping
        inside = threading.Event()
        class Endless(Mapping):
            def __getitem__(self, name):
                return payment
            def __len__(self):
                return 1
            def __iter__(self):
                inside.set()
                while True:
                    time.sleep(0.001)
        client = libpayments.Client(**configuration)
        threading.Thread(target=lambda: client.create_payment(Endless()), daemon=True).start()
        inside.wait()
        print("left")
        """,
    )
    assert printed == "left\n"


def test_a_thread_exits_silently(sandbox: Sandbox) -> None:
    hang(sandbox)
    printed = run_quietly(
        sandbox,
        """
        sent = threading.Event()
        def observe(event):
            if event["event"] == "attempt":
                sent.set()
        client = libpayments.Client(**configuration, observer=observe)
        leavings = []
        def pay():
            try:
                client.create_payment(payment=payment)
            except SystemExit as leaving:
                leavings.append(leaving)
                raise
        thread = threading.Thread(target=pay)
        thread.start()
        sent.wait()
        # As Python does when it ends.
        libpayments._native.close_calls()
        thread.join()
        error = payments_error_in(leavings[0])
        print(error.kind, error.reference)
        """,
    )
    assert printed.split() == ["cancelled", "order-1"]


def test_an_exit_handler_can_still_pay(sandbox: Sandbox) -> None:
    printed = run_quietly(
        sandbox,
        """
        import asyncio
        # As Python does when it ends.
        libpayments._native.close_calls()
        print(libpayments.Client(**configuration).create_payment(payment=payment).status)
        try:
            asyncio.run(libpayments.AsyncClient(**configuration).create_payment(payment=payment))
        except libpayments.PaymentsError as error:
            print(error.kind, error.code, error.outcome)
        """,
    )
    assert printed.splitlines() == ["PE", "cancelled cancelled not_executed"]


def test_a_program_may_end_while_calls_are_in_flight(sandbox: Sandbox) -> None:
    hang(sandbox, "create_payout")
    sandbox.post("/sandbox/settings", {"latency_ms": 30})
    for _ in range(5):
        printed = run(
            sandbox,
            """
            import asyncio, random
            client = libpayments.AsyncClient(**configuration)
            loop = asyncio.new_event_loop()
            async def pay(number):
                code = f"order-{os.getpid()}-{number}"
                await client.create_payment(payment={**payment, "merchant_payment_code": code})
            calls = [loop.create_task(pay(number)) for number in range(20)]
            loop.run_until_complete(asyncio.sleep(0.03 + random.random() / 20))
            blocked = libpayments.Client(**configuration)
            payout = lambda: blocked.create_payout(
                external_reference="1", country="br", amount=1, currency_code="BRL",
                target="pix_key", target_account="a", payee={"name": "João Souza"},
            )
            threading.Thread(target=payout, daemon=True).start()
            print("left")
            os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
            """,
        )
        assert printed == "left\n"
