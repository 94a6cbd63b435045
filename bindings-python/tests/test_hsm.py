"""Signing with a key that stays in an HSM, by configuration alone.

A process loads a PKCS#11 module once, and the module finds its files by the
environment: each test runs its own program.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from hsm import Hsm
from programs import run
from support import Sandbox


@pytest.fixture
def hsm(tmp_path: Path) -> Hsm:
    return Hsm(tmp_path)


def signatures(sandbox: Sandbox) -> list[str]:
    return [each["signature"] for each in sandbox.requests("create_payment")]


def test_a_key_in_an_hsm_signs(sandbox: Sandbox, hsm: Hsm) -> None:
    sandbox.post("/sandbox/settings", {"require": ["jws"]})
    printed = run(
        sandbox,
        """
import asyncio
from concurrent.futures import ThreadPoolExecutor
def order(number):
    return {**payment, "merchant_payment_code": f"order-{number}"}
client = libpayments.Client(**configuration)
with ThreadPoolExecutor(4) as threads:
    responses = list(threads.map(lambda n: client.create_payment(payment=order(n)), range(8)))
async def pay():
    async with libpayments.AsyncClient(**configuration) as client:
        return await client.create_payment(payment=order(8))
responses.append(asyncio.run(pay()))
print({str(response.status) for response in responses}, client.kid)
""",
        hsm.environment,
        **hsm.members,
    )
    assert printed == f"{{'PE'}} {sandbox.kid}\n"
    assert signatures(sandbox) == ["verified"] * 9


def test_an_hsm_signs_on_both_sides_of_a_fork(sandbox: Sandbox, hsm: Hsm) -> None:
    run(
        sandbox,
        """
import multiprocessing
client = libpayments.Client(**configuration)
def pay(code):
    client.create_payment(payment={**payment, "merchant_payment_code": code})
pay("before")
child = multiprocessing.get_context("fork").Process(target=pay, args=("child",))
child.start()
child.join()
assert child.exitcode == 0
pay("parent")
""",
        hsm.environment,
        **hsm.members,
    )
    assert signatures(sandbox) == ["verified"] * 3
