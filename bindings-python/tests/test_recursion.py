"""A program that is near its recursion limit learns the outcome of a call."""

from __future__ import annotations

import asyncio
import base64
import json
import sys
from collections.abc import Callable
from typing import Any

import pytest

import libpayments
from support import Sandbox, payment

_LIMIT = 1000


def _depth() -> int:
    depth, frame = 0, sys._getframe()
    while frame.f_back is not None:
        depth, frame = depth + 1, frame.f_back
    return depth


def _at(left: int, act: Callable[[], Any]) -> Any:
    """Run `act` where only so many frames are left."""

    def deeper(count: int) -> Any:
        return deeper(count - 1) if count else act()

    return deeper(_LIMIT - _depth() - left - 3)


@pytest.fixture(autouse=True)
def _limit() -> Any:
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(_LIMIT)
    yield
    sys.setrecursionlimit(before)


def _outcomes(pay: Callable[[str], Any]) -> dict[str, str]:
    outcomes = {}
    for left in range(1, 201):
        reference = f"order-{left}"
        try:
            _at(left, lambda reference=reference: pay(reference))  # type: ignore[misc]
            outcomes[reference] = "executed"
        except (RecursionError, libpayments.PaymentsError) as raised:
            error = libpayments.payments_error_in(raised)
            outcomes[reference] = "not_executed" if error is None else error.outcome
    return outcomes


def _executed(sandbox: Sandbox) -> set[str]:
    requests = sandbox.requests("create_payment")
    bodies = [json.loads(base64.b64decode(it["body_base64"])) for it in requests]
    return {body["payment"]["merchant_payment_code"] for body in bodies}


def test_no_executed_payment_ends_as_a_bare_recursion_error(sandbox: Sandbox) -> None:
    client = sandbox.client()
    client.warm_up()
    outcomes = _outcomes(
        lambda it: client.create_payment(payment=payment(merchant_payment_code=it))
    )
    assert set(outcomes.values()) == {"executed", "not_executed"}
    assert {it for it, outcome in outcomes.items() if outcome == "executed"} == _executed(sandbox)


def test_no_lost_payment_ends_as_a_bare_recursion_error(sandbox: Sandbox) -> None:
    client = sandbox.client()
    client.warm_up()
    sandbox.fault("response_lost", times=200)
    outcomes = _outcomes(
        lambda it: client.create_payment(payment=payment(merchant_payment_code=it))
    )
    assert set(outcomes.values()) == {"unknown", "not_executed"}
    assert {it for it, outcome in outcomes.items() if outcome == "unknown"} == _executed(sandbox)


def test_no_task_ends_as_a_bare_recursion_error(sandbox: Sandbox) -> None:
    async def main() -> dict[str, str]:
        outcomes = {}
        async with sandbox.async_client() as client:
            await client.warm_up()

            async def pay(reference: str, count: int) -> Any:
                if count:
                    return await pay(reference, count - 1)
                return await client.create_payment(payment=payment(merchant_payment_code=reference))

            for left in range(1, 201):
                reference = f"order-{left}"
                try:
                    await pay(reference, _LIMIT - _depth() - left)
                    outcomes[reference] = "executed"
                except (RecursionError, libpayments.PaymentsError) as raised:
                    error = libpayments.payments_error_in(raised)
                    outcomes[reference] = "not_executed" if error is None else error.outcome
        return outcomes

    outcomes = asyncio.run(main())
    assert set(outcomes.values()) == {"executed", "not_executed"}
    assert {it for it, outcome in outcomes.items() if outcome == "executed"} == _executed(sandbox)
