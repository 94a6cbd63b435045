"""Errors of calls in exception groups, and those that asyncio drops."""

from __future__ import annotations

import asyncio
import builtins
import gc
import sys
import types
from collections.abc import Callable, Coroutine
from typing import Any

import anyio
import pytest

import libpayments
from libpayments import Outcome, PaymentsError, payments_error_in
from support import Sandbox, payment
from waiting import hang, until_hanging

Pays = Callable[[], Coroutine[Any, Any, object]]


def error(outcome: str) -> PaymentsError:
    return PaymentsError(outcome, {"outcome": outcome})


def order(number: int) -> libpayments.Payment:
    return payment(merchant_payment_code=f"order-{number}")


def warnings_of(caplog: pytest.LogCaptureFixture) -> list[str]:
    gc.collect()
    texts = (record.getMessage() for record in caplog.records if record.name == "libpayments")
    return sorted(text for text in texts if text.startswith("the error of"))


def warning(number: int) -> str:
    return (
        "the error of a cancelled call was dropped before it was read: create_payment, "
        f"reference order-{number}, outcome unknown, code cancelled"
    )


class InFlight:
    """Payments that the service ignores."""

    def __init__(self, sandbox: Sandbox) -> None:
        hang(sandbox)
        self.sandbox = sandbox
        self.client = sandbox.async_client()

    def pay(self, number: int) -> Coroutine[Any, Any, libpayments.PaymentResponse]:
        return self.client.create_payment(payment=order(number))

    async def wait(self, count: int) -> None:
        await asyncio.to_thread(until_hanging, self.sandbox, count)


def test_only_one_error_of_cancelled_gathered_calls_is_found(
    sandbox: Sandbox, caplog: pytest.LogCaptureFixture
) -> None:
    calls = InFlight(sandbox)

    async def main() -> None:
        gathered = asyncio.gather(*(calls.pay(number) for number in range(3)))
        await calls.wait(3)
        gathered.cancel()
        with pytest.raises(asyncio.CancelledError) as caught:
            await gathered
        found = payments_error_in(caught.value)
        assert found is not None
        assert found.outcome is Outcome.UNKNOWN
        references.append(found.reference)

    references: list[str | None] = []
    asyncio.run(main())
    dropped = {f"order-{number}" for number in range(3)} - set(references)
    assert warnings_of(caplog) == [warning(int(it[-1])) for it in sorted(dropped)]
    assert len(dropped) == 2


def test_a_cancelled_scope_of_anyio_drops_errors_of_tasks(
    sandbox: Sandbox, caplog: pytest.LogCaptureFixture
) -> None:
    calls = InFlight(sandbox)

    async def main() -> None:
        async with anyio.create_task_group() as group:
            for number in range(2):
                group.start_soon(calls.pay, number)
            await calls.wait(2)
            group.cancel_scope.cancel()

    asyncio.run(main())
    assert warnings_of(caplog) == [warning(0), warning(1)]


def test_an_error_that_is_read_is_not_logged(
    sandbox: Sandbox, caplog: pytest.LogCaptureFixture
) -> None:
    calls = InFlight(sandbox)

    async def main() -> None:
        tasks = [asyncio.create_task(calls.pay(number)) for number in range(2)]
        await calls.wait(2)
        for task in tasks:
            task.cancel()
        for task in tasks:
            with pytest.raises(asyncio.CancelledError) as caught:
                await task
            cause = caught.value.__cause__
            assert isinstance(cause, PaymentsError)
            assert payments_error_in(caught.value) if task is tasks[0] else cause.outcome

    asyncio.run(main())
    assert warnings_of(caplog) == []


def test_a_call_that_was_not_executed_is_not_logged(
    sandbox: Sandbox, caplog: pytest.LogCaptureFixture
) -> None:
    hang(sandbox, "access_token")

    async def main() -> None:
        task = asyncio.create_task(sandbox.async_client().create_payment(payment=order(1)))
        await asyncio.to_thread(until_hanging, sandbox, 1, "access_token")
        task.cancel()
        await asyncio.wait([task])

    asyncio.run(main())
    assert sandbox.requests("create_payment") == []
    assert warnings_of(caplog) == []


def test_backported_groups_are_searched(monkeypatch: pytest.MonkeyPatch) -> None:
    class Group(BaseException):
        def __init__(self, *exceptions: BaseException) -> None:
            self.exceptions = exceptions

    inner = error("unknown")
    group = Group(LookupError(), Group(inner))
    with monkeypatch.context() as patch:
        patch.delattr(builtins, "BaseExceptionGroup", raising=False)
        patch.delitem(sys.modules, "exceptiongroup", raising=False)
        without = payments_error_in(group)
        backport = types.SimpleNamespace(BaseExceptionGroup=Group)
        patch.setitem(sys.modules, "exceptiongroup", backport)
        found = payments_error_in(group)
    assert (without, found) == (None, inner)


if sys.version_info >= (3, 11):
    from builtins import BaseExceptionGroup, ExceptionGroup

    def test_a_limit_around_a_group_of_tasks_drops_their_errors(
        sandbox: Sandbox, caplog: pytest.LogCaptureFixture
    ) -> None:
        calls = InFlight(sandbox)

        async def in_a_group() -> None:
            async with asyncio.TaskGroup() as tasks:
                for number in range(2):
                    tasks.create_task(calls.pay(number))

        async def main() -> None:
            limited = asyncio.create_task(in_a_group())
            await calls.wait(2)
            with pytest.raises(TimeoutError) as caught:
                await asyncio.wait_for(limited, 0.01)
            assert payments_error_in(caught.value) is None

        asyncio.run(main())
        assert warnings_of(caplog) == [warning(0), warning(1)]

    def test_a_failed_group_of_tasks_drops_errors_of_cancelled_tasks(
        sandbox: Sandbox, caplog: pytest.LogCaptureFixture
    ) -> None:
        calls = InFlight(sandbox)

        async def fail() -> None:
            await calls.wait(1)
            raise LookupError

        async def in_a_group() -> None:
            async with asyncio.TaskGroup() as tasks:
                tasks.create_task(calls.pay(0))
                tasks.create_task(fail())

        async def main() -> None:
            with pytest.raises(ExceptionGroup) as caught:
                await in_a_group()
            assert payments_error_in(caught.value) is None

        asyncio.run(main())
        assert warnings_of(caplog) == [warning(0)]

    def test_the_error_in_a_group_is_found() -> None:
        inner = error("unknown")
        other = ExceptionGroup("other", [LookupError()])
        nested = ExceptionGroup("outer", [other, ExceptionGroup("inner", [inner])])
        assert payments_error_in(nested) is inner
        limited = TimeoutError()
        limited.__cause__ = BaseExceptionGroup("group", [KeyboardInterrupt(), nested])
        assert payments_error_in(limited) is inner
        assert payments_error_in(other) is None
        cancelled = asyncio.CancelledError()
        cancelled.__cause__ = inner
        assert payments_error_in(BaseExceptionGroup("group", [cancelled])) is inner
        inner_group = ExceptionGroup("group", [LookupError()])
        inner_group.exceptions[0].__context__ = inner_group
        assert payments_error_in(inner_group) is None

    def test_an_error_that_may_have_been_executed_is_preferred() -> None:
        unknown, first = error("unknown"), error("not_executed")
        members = [first, ExceptionGroup("inner", [error("not_executed"), unknown])]
        assert payments_error_in(ExceptionGroup("group", members)) is unknown
        assert payments_error_in(ExceptionGroup("group", members[:1])) is first
