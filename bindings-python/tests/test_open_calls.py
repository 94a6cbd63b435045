"""Calls whose request another HTTP client sends."""

from __future__ import annotations

import asyncio
import sqlite3
import time
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import pytest

import libpayments
from libpayments import Outcome, PaymentsError, payments_error_in
from libpayments.httpx import send, send_async
from support import Sandbox, deliver, payment
from waiting import hang, until, until_in_flight

CREATED = b'{"status":"SUCCESS","payment":{"hash":"5f2c","status":"PE"}}'


def begin(sandbox: Sandbox, **config: Any) -> libpayments.OpenCall:
    return sandbox.client(**config).begin("create_payment", payment=payment())


def test_a_response_ends_a_call_once(sandbox: Sandbox) -> None:
    call = begin(sandbox)
    assert call.remaining > 0
    status, body = deliver(call.method, call.url, dict(call.headers), call.body)
    response = call.finish(status, {"Content-Type": "application/json"}, body)
    assert isinstance(response, libpayments.PaymentResponse)
    assert (response.merchant_payment_code, response.status) == ("order-1", "PE")
    ends: list[Callable[[], object]] = [
        lambda: call.finish(200, [], CREATED),
        lambda: call.fail(nothing_left=True),
    ]
    for end in ends:
        with pytest.raises(libpayments.InternalError) as caught:
            end()
        error = caught.value
        assert (error.code, error.outcome) == ("already_ended", Outcome.UNKNOWN)
        assert (error.operation, error.reference) == ("create_payment", "order-1")


@pytest.mark.parametrize(
    ("nothing_left", "kind", "outcome"),
    [(True, "connect", Outcome.NOT_EXECUTED), (False, "transport", Outcome.UNKNOWN)],
)
def test_a_failure_says_whether_anything_left(
    sandbox: Sandbox, nothing_left: bool, kind: str, outcome: Outcome, tmp_path: Path
) -> None:
    path = tmp_path / "journal.db"
    libpayments.create_journal(path)
    client = sandbox.client(journal=f"file:{path}")
    call = client.begin("create_payment", payment=payment())
    assert [entry.state for entry in client.journal.list()] == ["in_progress"]
    with pytest.raises(PaymentsError) as caught:
        call.fail(nothing_left=nothing_left)
    assert (caught.value.kind, caught.value.outcome) == (kind, outcome)
    state = "failed" if nothing_left else "unknown"
    assert [entry.state for entry in client.journal.list()] == [state]


def test_a_call_outlives_the_end_of_its_client(sandbox: Sandbox) -> None:
    with sandbox.client() as client:
        call = client.begin("create_payment", payment=payment())
    assert call.finish(200, {}, bytearray(CREATED)).hash == "5f2c"


def test_what_is_wrong_ends_nothing(sandbox: Sandbox) -> None:
    call: Any = begin(sandbox)
    with pytest.raises(TypeError):
        call.finish(200, {}, "text")
    with pytest.raises(OverflowError):
        call.finish(-1, {}, CREATED)
    assert call.finish(200, {}, CREATED).hash == "5f2c"


def test_an_open_call_shows_no_secret(sandbox: Sandbox) -> None:
    call = begin(sandbox)
    secrets = [value.split(" ")[-1] for _, value in call.headers if len(value) > 100]
    assert not [secret for secret in (*secrets, "Ana") if secret in repr(call) or not secrets]


def test_bytes_of_your_own_are_begun_too(sandbox: Sandbox) -> None:
    call = sandbox.client().begin_send("POST", "/ws/transfer", body=b" {} ", reference="t-1")
    assert (call.method, call.body) == ("POST", b" {} ")
    assert call.finish(202, {}, b"done").raw == b"done"


def test_a_query_is_sent_again_and_a_body_may_be_cut(sandbox: Sandbox) -> None:
    client = sandbox.client()
    call = client.begin("query_payment", hash="5f2c")
    again = call.finish(503, {}, b"")
    assert isinstance(again, libpayments.OpenCall)
    with pytest.raises(libpayments.TransportError) as caught:
        begin(sandbox).finish(200, {}, CREATED[:10], complete=False)
    assert (caught.value.http_status, caught.value.outcome) == (200, Outcome.UNKNOWN)


def test_asyncio_ends_calls_too(sandbox: Sandbox) -> None:
    async def main() -> None:
        client = sandbox.async_client()
        call = await client.begin("create_payment", payment=payment())
        assert isinstance(call, libpayments.AsyncOpenCall)
        assert (await call.finish(200, {}, CREATED)).hash == "5f2c"
        with pytest.raises(libpayments.InternalError):
            await call.fail(nothing_left=False)

    asyncio.run(main())


def test_an_end_is_never_withdrawn(sandbox: Sandbox) -> None:
    async def main() -> None:
        client = sandbox.async_client()
        call = await client.begin("create_payment", payment=payment())
        task = asyncio.ensure_future(call.finish(200, {}, CREATED))
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError) as caught:
            await task
        error = payments_error_in(caught.value)
        assert error is not None
        assert (error.kind, error.outcome) == ("cancelled", Outcome.EXECUTED)
        assert error.payment_hash == "5f2c"

    asyncio.run(main())


@pytest.mark.parametrize("is_own", [False, True])
def test_a_task_that_is_cancelled_when_its_call_has_begun_leaves_no_open_entry(
    sandbox: Sandbox, tmp_path: Path, is_own: bool
) -> None:
    path = tmp_path / "journal.db"
    journal: Any = f"file:{path}"
    if is_own:
        journal = libpayments.DatabaseJournal(lambda: sqlite3.connect(path))
        journal.create()
    else:
        libpayments.create_journal(path)
    events: list[str] = []

    def observe(event: libpayments.Event) -> None:
        events.append(event["event"])

    async def main() -> None:
        configuration = sandbox.configuration(journal=journal)
        client = libpayments.AsyncClient(**configuration, observer=observe)
        task = asyncio.ensure_future(client.begin("create_payment", payment=payment()))
        await asyncio.sleep(0)
        # The loop is held up here, so it does not hear of the end before it cancels.
        until(lambda: "attempt" in events, "an attempt")
        time.sleep(0.2)
        task.cancel()
        with pytest.raises(asyncio.CancelledError) as caught:
            await task
        error = payments_error_in(caught.value)
        assert error is not None
        assert (error.kind, error.outcome) == ("cancelled", Outcome.NOT_EXECUTED)
        assert error.reference == "order-1"
        assert [entry.state async for entry in client.journal.list()] == ["failed"]
        assert events[-2:] == ["attempt_ended", "request_ended"]

    asyncio.run(main())


def test_httpx_adds_nothing_of_its_own(sandbox: Sandbox) -> None:
    http = httpx.Client(
        trust_env=False,
        headers={"x-canary": "1"},
        cookies={"canary": "1"},
        auth=("canary", "1"),
        params={"canary": "1"},
        follow_redirects=True,
    )
    with http:
        send(begin(sandbox), http)
    [request] = sandbox.requests("create_payment")
    assert "canary" not in repr(request)
    assert request["signature"] == "verified"


def test_httpx_does_not_start_after_the_deadline(sandbox: Sandbox) -> None:
    client = sandbox.client()
    call = client.begin("create_payment", payment=payment(), timeout_ms=1000)
    while call.remaining > 0:
        pass
    with (
        httpx.Client(trust_env=False) as http,
        pytest.raises(libpayments.CallTimeoutError) as caught,
    ):
        send(call, http)
    assert caught.value.outcome == Outcome.NOT_EXECUTED
    assert sandbox.requests("create_payment") == []


def test_a_task_that_is_cancelled_within_httpx_ends_its_call(sandbox: Sandbox) -> None:
    hang(sandbox)

    async def main() -> None:
        client = sandbox.async_client()
        async with httpx.AsyncClient(trust_env=False) as http:
            call = await client.begin("create_payment", payment=payment())
            task = asyncio.ensure_future(send_async(call, http))
            await asyncio.to_thread(until_in_flight, sandbox, 1)
            task.cancel()
            with pytest.raises(asyncio.CancelledError) as caught:
                await task
        error = payments_error_in(caught.value)
        assert error is not None
        assert error.outcome == Outcome.UNKNOWN

    asyncio.run(main())


@pytest.mark.parametrize("raised", [RuntimeError("canary"), KeyboardInterrupt()])
def test_what_a_hook_of_httpx_raises_ends_the_call(sandbox: Sandbox, raised: BaseException) -> None:
    def refuse(_: object) -> None:
        raise raised

    http = httpx.Client(trust_env=False, event_hooks={"request": [refuse]})
    with http, pytest.raises((PaymentsError, KeyboardInterrupt)) as caught:
        send(begin(sandbox), http)
    error = payments_error_in(caught.value)
    assert error is not None
    assert error.outcome == Outcome.UNKNOWN
    assert isinstance(caught.value, KeyboardInterrupt) == isinstance(raised, KeyboardInterrupt)
    assert "canary" not in "".join(traceback.format_exception(caught.value))
