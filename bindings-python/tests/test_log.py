"""The level of the logger ``libpayments``, its handlers, and programs without it.

The scenarios compare every line, its level and its members.
"""

from __future__ import annotations

import logging
import subprocess
import sys
from collections.abc import Iterator

import pytest

import libpayments
from support import Sandbox, payment

LOGGER = logging.getLogger("libpayments")


@pytest.fixture(autouse=True)
def level_is_restored() -> Iterator[None]:
    LOGGER.setLevel(logging.NOTSET)
    yield
    LOGGER.setLevel(logging.NOTSET)


def events_in(caplog: pytest.LogCaptureFixture) -> list[tuple[str, str]]:
    return [
        (record.levelname, vars(record)["payments_event"])
        for record in caplog.records
        if record.name == "libpayments" and hasattr(record, "payments_event")
    ]


def test_a_usual_level_logs_only_retries_and_failures(
    sandbox: Sandbox, caplog: pytest.LogCaptureFixture
) -> None:
    client = libpayments.Client(**sandbox.configuration())
    client.create_payment(payment=payment())
    assert events_in(caplog) == []
    sandbox.fault("response", operation="query_payment", status=503)
    client.query_payment(merchant_payment_code="order-1")
    assert events_in(caplog) == [("WARNING", "retry")]
    caplog.clear()
    sandbox.fault("close", execute=True)
    with pytest.raises(libpayments.TransportError):
        client.create_payment(payment=payment(merchant_payment_code="order-2"))
    assert events_in(caplog) == [("WARNING", "request_ended")]
    caplog.clear()
    LOGGER.setLevel(logging.INFO)
    sandbox.fault("response", status=422, json={})
    with pytest.raises(libpayments.StatusError):
        client.create_payment(payment=payment(merchant_payment_code="order-3"))
    assert events_in(caplog) == [("INFO", "request_ended")]


def test_shared_clients_log_beside_an_observer(
    sandbox: Sandbox, caplog: pytest.LogCaptureFixture
) -> None:
    LOGGER.setLevel(logging.DEBUG)
    heard: list[str] = []
    shared = libpayments.Client.shared(**sandbox.configuration())
    shared.create_payment(payment=payment())
    own = libpayments.Client(
        **sandbox.configuration(), observer=lambda event: heard.append(event["event"])
    )
    own.query_payment(merchant_payment_code="order-1")
    names = [name for _, name in events_in(caplog)]
    assert names.count("request_ended") == 2
    assert heard == ["request_started", "token_reused", "attempt", "attempt_ended", "request_ended"]


def test_an_exception_of_a_handler_changes_nothing(sandbox: Sandbox) -> None:
    class Failing(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            raise RuntimeError(record.getMessage())

    handler = Failing()
    LOGGER.addHandler(handler)
    LOGGER.setLevel(logging.DEBUG)
    try:
        response = libpayments.Client(**sandbox.configuration()).create_payment(payment=payment())
    finally:
        LOGGER.removeHandler(handler)
    assert response.status == "PE"


def test_a_program_without_logging_does_not_load_it(sandbox: Sandbox) -> None:
    program = f"""
import sys
import libpayments
client = libpayments.Client(**{dict(sandbox.configuration())!r})
client.create_payment(payment={dict(payment())!r})
assert "logging" not in sys.modules
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
