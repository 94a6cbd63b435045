"""A signal handler that raises never hides the outcome of the call that it ends."""

from __future__ import annotations

import asyncio
import inspect
import itertools
import random
import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

import pytest

import libpayments
from libpayments import Outcome, PaymentsError, payments_error_in
from support import Sandbox, payment
from waiting import hang

SOON = 0.3
PACKAGE = str(Path(libpayments.__file__).parent)


class TimeLimit(Exception):
    """Raised by a task queue when a task exceeds its time limit."""


@contextmanager
def handled_by(handler: Callable[[], object], after: float = SOON) -> Iterator[None]:
    """Let a handler run soon."""
    before = signal.signal(signal.SIGALRM, lambda *_: handler())
    signal.setitimer(signal.ITIMER_REAL, after)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def query_who_is_down() -> None:
    client = libpayments.Client(base_url="http://127.0.0.1:1", integration_key="k")
    client.query_payment(hash="a", timeout_ms=100)


def assert_is_of_the_call(error: PaymentsError | None) -> None:
    assert error is not None
    assert (error.kind, error.outcome) == ("cancelled", Outcome.UNKNOWN)
    assert (error.operation, error.reference) == ("create_payment", "order-1")


def test_a_failed_call_of_the_handler_is_the_cause(sandbox: Sandbox) -> None:
    hang(sandbox)
    client = sandbox.client()
    with handled_by(query_who_is_down), pytest.raises(PaymentsError) as caught:
        client.create_payment(payment=payment())
    assert_is_of_the_call(caught.value)
    assert_is_of_the_call(payments_error_in(caught.value))
    assert isinstance(caught.value.__cause__, libpayments.ConnectError)


def test_a_handler_that_calls_the_same_client_is_the_cause(sandbox: Sandbox) -> None:
    hang(sandbox)
    client = sandbox.client()

    def query() -> None:
        client.query_payment(hash="a")

    with handled_by(query), pytest.raises(PaymentsError) as caught:
        client.create_payment(payment=payment())
    assert_is_of_the_call(caught.value)
    cause = caught.value.__cause__
    assert isinstance(cause, PaymentsError)
    assert (cause.code, cause.outcome) == ("reentrant_call", Outcome.NOT_EXECUTED)
    assert "a signal handler called the client whose call it interrupts" in str(cause)


def stop_from_a_failed_call() -> None:
    try:
        query_who_is_down()
    except PaymentsError as error:
        raise TimeLimit from error


def stop_while_a_failed_call_is_handled() -> None:
    try:
        query_who_is_down()
    except PaymentsError:
        raise TimeLimit  # noqa: B904


def stop() -> None:
    raise TimeLimit


if sys.version_info >= (3, 11):
    from builtins import ExceptionGroup

    class TimeLimits(ExceptionGroup):
        """Ends several tasks, one of which has already failed."""

    def stop_with_a_group() -> None:
        try:
            query_who_is_down()
        except PaymentsError as error:
            failed = error
        raise TimeLimits("stopped", [failed])

    def test_a_group_of_exceptions_leads_to_the_error_of_the_call(sandbox: Sandbox) -> None:
        hang(sandbox)
        client = sandbox.client()
        with handled_by(stop_with_a_group), pytest.raises(TimeLimits) as caught:
            client.create_payment(payment=payment())
        assert_is_of_the_call(payments_error_in(caught.value))


@pytest.mark.parametrize(
    "handler", [stop, stop_from_a_failed_call, stop_while_a_failed_call_is_handled]
)
def test_any_other_exception_leads_to_the_error_of_the_call(
    sandbox: Sandbox, handler: Callable[[], object]
) -> None:
    hang(sandbox)
    client = sandbox.client()
    with handled_by(handler), pytest.raises(TimeLimit) as caught:
        client.create_payment(payment=payment())
    error = payments_error_in(caught.value)
    assert_is_of_the_call(error)
    assert caught.value.__context__ is error
    assert error is not None
    behind = payments_error_in(error.__cause__ or error.__context__)
    assert (behind is None) == (handler is stop)


class Alarm(BaseException):
    """Like `KeyboardInterrupt`, not an `Exception`."""


class AtPoint:
    """Raises at a point after a call at which Python may run signal handlers.

    These are the start of each function and the return from each native one.
    """

    def __init__(self, number: int, exception: BaseException) -> None:
        self.left = number
        self.exception = exception
        self.has_ended = self.has_raised = False

    def observe(self, event: libpayments.Event) -> None:
        self.has_ended |= event["event"] == "request_ended"

    def profile(self, frame: FrameType, event: str, _: object) -> None:
        is_own = frame.f_code.co_filename.startswith(PACKAGE)
        # A coroutine that continues does not start again.
        is_start = event == "call" and not frame.f_code.co_flags & inspect.CO_COROUTINE
        if self.has_ended and is_own and (is_start or event == "c_return"):
            self.left -= 1
            if self.left < 0 and not self.has_raised:
                self.has_raised = True
                raise self.exception


def pay(sandbox: Sandbox, reference: str, at_point: AtPoint) -> libpayments.PaymentResponse:
    client = libpayments.Client(**sandbox.configuration(), observer=at_point.observe)
    sys.setprofile(at_point.profile)
    try:
        return client.create_payment(payment=payment(merchant_payment_code=reference))
    finally:
        sys.setprofile(None)


def pay_with_asyncio(
    sandbox: Sandbox, reference: str, at_point: AtPoint
) -> libpayments.PaymentResponse:
    client = libpayments.AsyncClient(**sandbox.configuration(), observer=at_point.observe)

    async def main() -> libpayments.PaymentResponse:
        sys.setprofile(at_point.profile)
        try:
            return await client.create_payment(payment=payment(merchant_payment_code=reference))
        finally:
            sys.setprofile(None)

    return asyncio.run(main())


Pay = Callable[[Sandbox, str, AtPoint], libpayments.PaymentResponse]


def errors_at_every_point(
    sandbox: Sandbox, pay: Pay, make: Callable[[], BaseException], expected: int
) -> Iterator[PaymentsError]:
    """Return the error of a call that is interrupted at each point."""
    for number in itertools.count():
        reference = f"order-{number}"
        exception = make()
        at_point = AtPoint(number, exception)
        raised: BaseException | None = None
        try:
            response = pay(sandbox, reference, at_point)
            assert response.status == "PE"
        except (Alarm, PaymentsError) as caught:
            raised = caught
        assert at_point.has_ended
        if not at_point.has_raised:
            assert number >= expected
            return
        error = payments_error_in(raised)
        assert error is not None, f"point {number}"
        assert error.reference == reference
        other = error.__cause__ if isinstance(exception, PaymentsError) else raised
        assert other is exception
        yield error


def failed_query() -> PaymentsError:
    return PaymentsError("failed", {"kind": "connect", "outcome": "not_executed"})


@pytest.mark.parametrize("make", [Alarm, failed_query])
@pytest.mark.parametrize("pay", [pay, pay_with_asyncio])
def test_no_response_is_lost_at_the_end_of_a_call(
    sandbox: Sandbox, pay: Pay, make: Callable[[], BaseException]
) -> None:
    for error in errors_at_every_point(sandbox, pay, make, 3):
        assert isinstance(error, libpayments.CallCancelledError)
        assert (error.code, error.outcome) == ("interrupted_after_response", Outcome.EXECUTED)
        assert error.response.status == "PE"


@pytest.mark.parametrize("make", [Alarm, failed_query])
@pytest.mark.parametrize("pay", [pay, pay_with_asyncio])
def test_no_failure_is_lost_at_the_end_of_a_call(
    sandbox: Sandbox, pay: Pay, make: Callable[[], BaseException]
) -> None:
    sandbox.fault("close", execute=True, times="always")
    for error in errors_at_every_point(sandbox, pay, make, 2):
        assert (error.kind, error.outcome) == ("transport", Outcome.UNKNOWN)


if sys.version_info >= (3, 11):  # Before, a handler can also run when `response` is not yet set.

    def test_no_response_is_lost_in_a_loop_of_interrupts(sandbox: Sandbox) -> None:
        def interrupt() -> None:
            raise Alarm

        def observe(event: libpayments.Event) -> None:
            ended[-1] |= event["event"] == "request_ended" and event["kind"] is None

        config = sandbox.configuration(client_id=None, client_secret=None, key_file=None, kid=None)
        client = libpayments.Client(**config, observer=observe)
        ended = [False]
        started = time.perf_counter()
        for _ in range(20):
            client.send("GET", "/ws/own")
        usual = (time.perf_counter() - started) / 20
        kept = lost = 0
        while kept < 200:
            ended.append(False)
            response: libpayments.SendResponse | None = None
            try:
                with handled_by(interrupt, after=usual * random.uniform(0.6, 1.4)):
                    response = client.send("GET", "/ws/own")
            except Alarm as alarm:
                error = payments_error_in(alarm)
                is_kept = isinstance(error, libpayments.CallCancelledError) and error.response
                kept += bool(is_kept)
                lost += bool(ended[-1] and response is None and not is_kept)
        assert lost == 0
