"""Members and texts of exceptions, and the secrets that they do not show."""

from __future__ import annotations

import asyncio
import importlib.machinery
import importlib.util
import json
import os
import pickle
from collections.abc import Callable
from typing import Any

import pytest

import libpayments
from libpayments import Outcome, PaymentsError
from support import Sandbox, payment, payout


def failure_of(sandbox: Sandbox, fault: str, **members: Any) -> PaymentsError:
    sandbox.fault(fault, **members)
    with pytest.raises(PaymentsError) as caught:
        sandbox.client().create_payment(payment=payment())
    return caught.value


def test_unknown_outcomes_say_how_to_find_out(sandbox: Sandbox) -> None:
    error = failure_of(sandbox, "close", execute=True)
    assert type(error) is libpayments.TransportError
    assert (error.kind, error.outcome) == ("transport", Outcome.UNKNOWN)
    assert error.may_have_been_executed
    assert (error.reference, error.operation) == ("order-1", "create_payment")
    assert "query" in str(error.advice)
    assert str(error.advice) in str(error)
    assert str(error).endswith(f"[transport/{error.code}, unknown]")
    assert error.attempts == 1


def test_refusals_carry_what_the_service_says(sandbox: Sandbox) -> None:
    sandbox.client().create_payment(payment=payment())
    with pytest.raises(libpayments.RejectedError) as caught:
        sandbox.client().create_payment(payment=payment())
    error = caught.value
    assert (error.service_code, error.outcome) == ("BP-DR-0", Outcome.UNKNOWN)
    assert error.service_message
    assert error.service_message not in f"{error}{error!r}{error.report()}"
    assert error.request_body is not None
    assert error.response_body is not None
    assert b"Ana" in error.request_body
    assert "Ana" not in f"{error}{error!r}{error.report()}"


def test_rate_limits_say_how_long(sandbox: Sandbox) -> None:
    error = failure_of(sandbox, "response", status=429, headers={"Retry-After": "7"})
    assert type(error) is libpayments.RateLimitedError
    assert (error.retry_after, error.http_status) == (7, 429)


def test_refused_signatures_are_diagnosed(sandbox: Sandbox) -> None:
    client = sandbox.client(kid="nobody", client_id=None, client_secret=None)
    with pytest.raises(libpayments.UnauthorizedError) as caught:
        client.create_payment(payment=payment())
    diagnosis = caught.value.diagnosis
    assert diagnosis is not None
    assert diagnosis.finding == "cannot_tell"
    assert "no call of this client with this kid was accepted" in diagnosis.message


def test_a_deadline_ends_a_call(sandbox: Sandbox) -> None:
    sandbox.fault("hang", operation="create_payout")
    with pytest.raises(libpayments.CallTimeoutError) as caught:
        sandbox.client().create_payout(payout(), timeout_ms=300)
    assert caught.value.outcome is Outcome.UNKNOWN
    assert not isinstance(caught.value, OSError)
    assert "platform" in str(caught.value.advice)


def test_without_a_network_nothing_is_executed() -> None:
    client = libpayments.Client(base_url="http://127.0.0.1:1", integration_key="k")
    with pytest.raises(libpayments.ConnectError, match="check base_url") as caught:
        client.create_payment(payment=payment())
    assert caught.value.outcome is Outcome.NOT_EXECUTED
    assert caught.value.advice is None


def test_errors_can_be_pickled_without_their_bytes(sandbox: Sandbox) -> None:
    error = failure_of(sandbox, "html")
    same = pickle.loads(pickle.dumps(error))
    assert type(same) is type(error) is libpayments.DecodeError
    assert (str(same), same.outcome, same.report()) == (str(error), error.outcome, error.report())
    assert error.response_body is not None
    assert same.response_body is None


def test_an_error_without_a_report_claims_nothing() -> None:
    error = PaymentsError("made by hand")
    assert error.outcome is Outcome.UNKNOWN
    assert (error.code, error.path, error.diagnosis, error.attempts) == ("", None, None, 0)


@pytest.mark.parametrize("request_of", [payment, lambda: payment(email=None)])
def test_an_error_made_from_its_text_has_no_known_outcome(
    sandbox: Sandbox, request_of: Callable[[], Any]
) -> None:
    # Celery's JSON keeps the class and the arguments.
    sandbox.fault("close", execute=True)
    request = request_of()
    with pytest.raises(PaymentsError) as caught:
        sandbox.client().create_payment(payment=request)
    kept = json.loads(json.dumps(caught.value.args))
    again = type(caught.value)(*kept)
    assert (type(again), again.kind) == (type(caught.value), caught.value.kind)
    assert (again.outcome, again.may_have_been_executed) == (Outcome.UNKNOWN, True)
    assert again.message == str(caught.value)
    assert "not known" in str(again.advice)
    assert str(again) == f"{caught.value}; {again.advice}"
    assert again.report()["outcome"] == "unknown"
    # An error that was made again claims no more, and does not repeat itself.
    for twice in (type(again)(*again.args), pickle.loads(pickle.dumps(again))):
        assert (str(twice), twice.report()) == (str(again), again.report())


def test_errors_are_the_same_from_asyncio(sandbox: Sandbox) -> None:
    sandbox.fault("response", status=503)

    async def call() -> None:
        await sandbox.async_client().create_payment(payment=payment())

    with pytest.raises(libpayments.StatusError) as caught:
        asyncio.run(call())
    assert (caught.value.http_status, caught.value.outcome) == (503, Outcome.UNKNOWN)


def test_a_caught_panic_is_an_exception() -> None:
    # A build of the native module with a function that panics.
    file = os.environ["PAYMENTS_TEST_HOOKS"]
    loader = importlib.machinery.ExtensionFileLoader("_native", file)
    spec = importlib.util.spec_from_loader("_native", loader)
    assert spec is not None
    hooks = importlib.util.module_from_spec(spec)
    loader.exec_module(hooks)
    caught: Any = None
    try:
        hooks.panic_inside()
    except Exception as error:
        caught = error
    assert type(caught) is libpayments.InternalError
    assert (caught.code, caught.kind) == ("panic", "internal")
    assert not hasattr(libpayments._native, "panic_inside")


def test_the_error_behind_an_exception_is_found() -> None:
    inner = PaymentsError("inner")
    middle, outer = KeyboardInterrupt(), RuntimeError()
    middle.__context__, outer.__cause__ = inner, middle
    inner.__context__ = outer
    assert libpayments.payments_error_in(outer) is inner
    assert libpayments.payments_error_in(RuntimeError()) is None
    assert libpayments.payments_error_in(None) is None
    loop = RuntimeError()
    loop.__context__ = loop
    assert libpayments.payments_error_in(loop) is None
