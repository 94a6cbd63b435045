"""A signal handler that raises never hides what became of the call that it ends."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest

import libpayments
from libpayments import Outcome, PaymentsError, payments_error_in
from support import Sandbox, payment
from waiting import hang

SOON = 0.3


class TimeLimit(Exception):
    """What a task queue raises when a task has had its time."""


@contextmanager
def handled_by(handler: Callable[[], object]) -> Iterator[None]:
    """Let a handler run soon."""
    before = signal.signal(signal.SIGALRM, lambda *_: handler())
    signal.setitimer(signal.ITIMER_REAL, SOON)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def query_who_is_down() -> None:
    libpayments.Client(base_url="http://127.0.0.1:1").query_payment(hash="a", timeout_ms=100)


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
