"""Frames of the package keep no secret: error reporters send the locals of each frame."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

import libpayments
from libpayments import PaymentsError
from support import KEY_FILE, PUBLIC_KEY_FILE, payment, payout

PACKAGE = str(Path(libpayments.__file__).parent)
DOCUMENT = "853.513.468-93"
SECRET = "correct-horse-battery"
KEY = KEY_FILE.read_text()
SECRETS = (DOCUMENT, SECRET, KEY[40:80])

PAYER: Any = payment(document=DOCUMENT, country="br")
PAYEE: Any = payout()
ADDRESS: Any = {"base_url": "http://127.0.0.1:1", "integration_key": SECRET}
CREDENTIALS: Any = {**ADDRESS, "client_id": "shop", "client_secret": SECRET, "key": KEY, "kid": "k"}
WRONG: Any = {
    "an unknown member": {"unknown": 1},
    "no address": {"base_url": None},
    "no key": {"key": KEY[:80]},
    "no type": {"timeout_ms": SECRET},
    "no JSON": {"headers": object()},
    "no signer": {"signer": 1},
    "no store": {"token_store": 1},
    "no journal": {"journal": 1},
    "no observer": {"observer": 1},
}


def frames_of(exception: BaseException | None) -> Iterator[FrameType]:
    """Return the frames of the package in its traceback, and in those behind it."""
    while exception is not None:
        traceback = exception.__traceback__
        while traceback is not None:
            if traceback.tb_frame.f_code.co_filename.startswith(PACKAGE):
                yield traceback.tb_frame
            traceback = traceback.tb_next
        exception = exception.__cause__ or exception.__context__


def assert_hidden(exception: BaseException) -> None:
    frames = list(frames_of(exception))
    assert frames
    for frame in frames:
        for name, value in frame.f_locals.items():
            shown = f"{value!r} {getattr(value, '__dict__', '')}"
            found = [secret for secret in SECRETS if secret in shown.replace("\\n", "\n")]
            assert not found, f"{frame.f_code.co_name}: {name}"


def failure_of(call: Callable[[], object]) -> BaseException:
    async def called() -> object:
        result = call()
        return await result if inspect.isawaitable(result) else result

    with pytest.raises((PaymentsError, TypeError)) as caught:
        asyncio.run(called())
    return caught.value


@pytest.mark.parametrize("kind", [libpayments.Client, libpayments.AsyncClient])
@pytest.mark.parametrize("wrong", WRONG.values(), ids=WRONG)
def test_a_refused_configuration_leaves_no_secret(kind: Any, wrong: Any) -> None:
    assert_hidden(failure_of(lambda: kind(**{**CREDENTIALS, **wrong})))
    assert_hidden(failure_of(lambda: kind.shared(**{**CREDENTIALS, **wrong})))


@pytest.mark.parametrize("kind", [libpayments.Client, libpayments.AsyncClient])
def test_a_positional_configuration_leaves_no_secret(kind: Any) -> None:
    assert_hidden(failure_of(lambda: kind(CREDENTIALS)))
    assert_hidden(failure_of(lambda: kind.shared(CREDENTIALS)))


CALLS: Any = {
    "create_payment": {"payment": PAYER},
    "query_payment": {"hash": DOCUMENT},
    "refund_payment": {"hash": DOCUMENT},
    "create_payout": PAYEE,
    "register_tracking": {"order_number": DOCUMENT, "email": "a@b.example", "tracking_code": ["A"]},
}


@pytest.mark.parametrize("kind", [libpayments.Client, libpayments.AsyncClient])
@pytest.mark.parametrize("operation", CALLS)
def test_a_failed_call_leaves_no_secret(kind: Any, operation: str) -> None:
    client, request = kind(**ADDRESS), CALLS[operation]
    wrong = {**request, "extra": {"n": float("nan")}}
    for call in (getattr(client, operation), partial(client.call, operation)):
        for members in (request, wrong):
            assert_hidden(failure_of(partial(call, **members)))
            assert_hidden(failure_of(partial(call, members)))
            assert_hidden(failure_of(partial(call, members, **members)))
    assert_hidden(failure_of(partial(client.prepare, operation, **wrong)))
    assert_hidden(failure_of(partial(client.prepare, operation, wrong, **wrong)))


@pytest.mark.parametrize("kind", [libpayments.Client, libpayments.AsyncClient])
@pytest.mark.parametrize("method", ["send", "prepare_send"])
def test_a_failed_custom_request_leaves_no_secret(kind: Any, method: str) -> None:
    send = getattr(kind(**ADDRESS), method)
    query, body = {"document": DOCUMENT}, DOCUMENT.encode()
    wrong: list[Any] = [
        {"body": body, "query": {"document": DOCUMENT, "n": float("nan")}},
        {"body": DOCUMENT, "query": query},
    ]
    for members in wrong:
        assert_hidden(failure_of(partial(send, "POST", f"/ws/{DOCUMENT}", **members)))
    if method == "send":
        assert_hidden(failure_of(partial(send, "POST", "/ws/own", body=body, query=query)))


def test_an_unchecked_signature_leaves_no_secret() -> None:
    body: Any = DOCUMENT.encode()
    key = PUBLIC_KEY_FILE.read_text()
    assert_hidden(failure_of(lambda: libpayments.verify(SECRET, body, public_key="none")))
    assert_hidden(failure_of(lambda: libpayments.verify(1, body, public_key=key)))  # type: ignore[arg-type]


def test_a_closed_client_leaves_no_secret() -> None:
    client = libpayments.Client(**ADDRESS)
    client.close()
    assert_hidden(failure_of(lambda: client.create_payment(payment=PAYER)))
