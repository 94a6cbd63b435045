"""Events of calls that Python ends; the scenarios have the events of all others."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

import libpayments
from support import Sandbox, payment
from waiting import hang, pay_and_cancel, until_hanging


def ends_of(events: list[Any]) -> list[tuple[str, str, int]]:
    ended = [event for event in events if event["event"] == "request_ended"]
    return [(event["kind"], event["outcome"], event["attempts"]) for event in ended]


def test_a_handle_that_cancels_is_in_the_events(sandbox: Sandbox) -> None:
    events: list[Any] = []
    client = libpayments.Client(**sandbox.configuration(), observer=events.append)
    cancel = libpayments.CancelHandle()
    hang(sandbox)
    with ThreadPoolExecutor(1) as threads:
        call = threads.submit(lambda: client.create_payment(payment=payment(), cancel=cancel))
        until_hanging(sandbox)
        cancel.cancel()
        with pytest.raises(libpayments.CallCancelledError) as caught:
            call.result()
    assert caught.value.attempts == 1
    assert ends_of(events) == [("cancelled", "unknown", 1)]
    events.clear()
    with pytest.raises(libpayments.CallCancelledError):
        client.create_payment(payment=payment(), cancel=cancel)
    assert [event["event"] for event in events] == ["request_started", "request_ended"]
    assert ends_of(events) == [("cancelled", "not_executed", 0)]


def test_a_task_that_is_cancelled_is_in_the_events(sandbox: Sandbox) -> None:
    events: list[Any] = []
    client = libpayments.AsyncClient(**sandbox.configuration(), observer=events.append)
    asyncio.run(pay_and_cancel(sandbox, client))
    assert [event["event"] for event in events] == [
        "request_started",
        "token_requested",
        "token_fetched",
        "attempt",
        "attempt_ended",
        "request_ended",
    ]
    assert ends_of(events) == [("cancelled", "unknown", 1)]


def test_an_event_names_the_exception_of_a_store(sandbox: Sandbox) -> None:
    class UnavailableStore:
        def refuse(self, *_: object) -> Any:
            raise RuntimeError("canary-49916 is away")

        load = save = delete_if = try_lock = unlock = refuse

    events: list[Any] = []
    config = sandbox.configuration(token_store=UnavailableStore())
    libpayments.Client(**config, observer=events.append).create_payment(payment=payment())
    bypassed = [event for event in events if event["event"] == "store_bypassed"]
    assert "load" in [event["action"] for event in bypassed]
    assert "RuntimeError" in bypassed[0]["reason"]
    assert "canary" not in str(events)
