"""Exceptions that are pickled, made from their text, raised by a panic, or inside others."""

from __future__ import annotations

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
from support import Sandbox, payment


def test_errors_can_be_pickled_without_their_bytes(sandbox: Sandbox) -> None:
    sandbox.fault("html")
    with pytest.raises(libpayments.DecodeError) as caught:
        sandbox.client().create_payment(payment=payment())
    error = caught.value
    same = pickle.loads(pickle.dumps(error))
    assert type(same) is type(error)
    assert (str(same), same.outcome, same.report()) == (str(error), error.outcome, error.report())
    assert error.request_body is not None
    assert b"Ana" in error.request_body
    assert error.response_body is not None
    assert (same.request_body, same.response_body) == (None, None)


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
    assert (caught.code, caught.kind) == ("internal_error", "internal")
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
