"""Events on the logger ``libpayments``."""

from __future__ import annotations

import asyncio
import logging
import subprocess
import sys
from collections.abc import Iterator

import pytest

import libpayments
from support import Sandbox, payment
from waiting import pay_and_cancel

LOGGER = logging.getLogger("libpayments")


@pytest.fixture(autouse=True)
def level_is_restored() -> Iterator[None]:
    yield
    LOGGER.setLevel(logging.NOTSET)


def events_in(caplog: pytest.LogCaptureFixture) -> list[tuple[str, str]]:
    return [
        (record.levelname, vars(record)["payments_event"])
        for record in caplog.records
        if record.name == "libpayments" and hasattr(record, "payments_event")
    ]


def test_debug_logs_every_event(sandbox: Sandbox, caplog: pytest.LogCaptureFixture) -> None:
    LOGGER.setLevel(logging.DEBUG)
    libpayments.Client(**sandbox.configuration()).create_payment(payment=payment())
    names = [
        "request_started",
        "token_requested",
        "token_fetched",
        "attempt",
        "attempt_ended",
        "request_ended",
    ]
    assert events_in(caplog) == [("DEBUG", name) for name in names]
    ended = caplog.records[-1]
    members = vars(ended)
    assert (members["payments_operation"], members["payments_http_status"]) == (
        "create_payment",
        200,
    )
    text = ended.getMessage()
    about = f"call={members['payments_call']} reference=order-1 hash={members['payments_hash']}"
    rest = "operation=create_payment http_status=200 attempts=1 "
    assert text.startswith(f"request_ended {about} {rest}")
    shown = caplog.text + str([vars(record) for record in caplog.records])
    assert not [each for each in sandbox.secrets() if each in shown]
    assert "ana@example.com" not in shown


# A line feed, an escape sequence, and a character that reverses the text after it.
ODD_REFERENCE = "a\n\x1b[2J\u202eb"
SHOWN = r"a\n\u{1b}[2J\u{202e}b"


def test_a_reference_stays_on_its_line(sandbox: Sandbox, caplog: pytest.LogCaptureFixture) -> None:
    LOGGER.setLevel(logging.DEBUG)
    with pytest.raises(libpayments.RejectedError):
        libpayments.Client(**sandbox.configuration()).query_payment(
            merchant_payment_code=ODD_REFERENCE
        )
    records = [record for record in caplog.records if hasattr(record, "payments_event")]
    assert {vars(record)["payments_reference"] for record in records} == {SHOWN}
    assert all(f" reference={SHOWN} " in record.getMessage() + " " for record in records)
    caplog.clear()
    silent = libpayments.Client(**sandbox.configuration(log_references=False))
    with pytest.raises(libpayments.RejectedError):
        silent.query_payment(merchant_payment_code=ODD_REFERENCE)
    assert "reference=" not in caplog.text


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


def test_normal_operation_logs_nothing_at_warning(
    sandbox: Sandbox, caplog: pytest.LogCaptureFixture
) -> None:
    async def look() -> None:
        async with libpayments.AsyncClient(**sandbox.configuration()) as client:
            await client.query_payment(merchant_payment_code="order-1")

    with caplog.at_level(logging.WARNING), libpayments.Client(**sandbox.configuration()) as client:
        client.warm_up()
        paid = client.create_payment(payment=payment())
        assert paid.hash is not None
        sandbox.post("/sandbox/payments/order-1/confirm")
        client.refund_payment(hash=paid.hash)
        asyncio.run(look())
        # A refusal is an answer, and its exception says all.
        with pytest.raises(libpayments.ValidationError):
            client.create_payment(payment=payment(amount_total="0"))
        sandbox.fault("response", status=422, json={})
        with pytest.raises(libpayments.StatusError):
            client.create_payment(payment=payment(merchant_payment_code="order-2"))
    assert [record.getMessage() for record in caplog.records] == []


def test_the_backoff_is_a_warning(sandbox: Sandbox, caplog: pytest.LogCaptureFixture) -> None:
    sandbox.post("/sandbox/tokens/block", {"status": 429, "retry_after": 7})
    with pytest.raises(libpayments.TokenError):
        libpayments.Client(**sandbox.configuration()).create_payment(payment=payment())
    assert events_in(caplog) == [("WARNING", "token_failed")]
    assert vars(caplog.records[0])["payments_backoff_us"] > 5e6


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


def test_a_cancelled_task_is_logged(sandbox: Sandbox, caplog: pytest.LogCaptureFixture) -> None:
    client = libpayments.AsyncClient(**sandbox.configuration())
    asyncio.run(pay_and_cancel(sandbox, client))
    assert ("WARNING", "request_ended") in events_in(caplog)


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


def test_a_program_without_logging_does_not_get_it(sandbox: Sandbox) -> None:
    program = f"""
import sys
import libpayments
client = libpayments.Client(**{dict(sandbox.configuration())!r})
client.create_payment(payment={dict(payment())!r})
assert "logging" not in sys.modules
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
