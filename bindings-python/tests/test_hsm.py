"""Signing with a key that stays in an HSM, by configuration alone.

A process loads a PKCS#11 module once, and the module finds its files by the
environment: each test runs its own program.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from hsm import PIN, Hsm
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


def test_a_file_and_the_environment_name_an_hsm_too(
    sandbox: Sandbox, hsm: Hsm, tmp_path: Path
) -> None:
    (tmp_path / "pin").write_text(PIN)
    printed = run(
        sandbox,
        """
with open(os.environ["TEST_FILE"], "w") as file:
    json.dump(configuration, file)
with libpayments.Client.from_file(os.environ["TEST_FILE"], with_env=True) as client:
    print(client.create_payment(payment=payment).status)
""",
        {
            **hsm.environment,
            "TEST_FILE": str(tmp_path / "payments.json"),
            "PAYMENTS_PKCS11_KEY_ID": "a1",
        },
        **{**hsm.members, "pkcs11_pin": None, "pkcs11_pin_file": "pin", "pkcs11_key_label": None},
    )
    assert printed == "PE\n"
    assert signatures(sandbox) == ["verified"]


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


@pytest.mark.parametrize(
    ("members", "path"),
    [
        ({"pkcs11_pin": "canary-wrong-pin"}, "pkcs11_pin"),
        ({"pkcs11_key_label": "another"}, "pkcs11_key_label"),
        ({"pkcs11_token": "another"}, "pkcs11_token"),
        ({"pkcs11_module": "/nowhere.so"}, "pkcs11_module"),
    ],
)
def test_a_refusal_of_an_hsm_names_the_member_and_no_pin(
    sandbox: Sandbox, hsm: Hsm, members: dict[str, str], path: str
) -> None:
    printed = run(
        sandbox,
        """
try:
    libpayments.Client(**configuration)
except libpayments.ConfigError as error:
    print(error.path)
    print(repr(error), error, error.report())
""",
        hsm.environment,
        **{**hsm.members, **members},
    )
    first, rest = printed.split("\n", 1)
    assert first == path
    assert PIN not in rest
    assert "canary" not in rest
