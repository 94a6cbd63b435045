"""Signers, token stores and observers in Python."""

from __future__ import annotations

import asyncio
import contextvars
import json
import logging
import threading
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import padding, rsa, utils

import libpayments
from libpayments import Call, Event, SigningRequest
from support import KEY_FILE, PUBLIC_KEY_FILE, Sandbox, payment


class ElsewhereSigner:
    """Signs digests, as key management services do."""

    def __init__(self, kid: str) -> None:
        self.kid = kid
        key = serialization.load_pem_private_key(KEY_FILE.read_bytes(), None)
        assert isinstance(key, rsa.RSAPrivateKey)
        self.key = key
        self.asked: list[SigningRequest] = []

    def sign(self, request: SigningRequest) -> bytes:
        self.asked.append(request)
        digested = utils.Prehashed(hashes.SHA256())
        return self.key.sign(request.sha256, padding.PKCS1v15(), digested)


class Store:
    """Keeps entries in a dictionary."""

    def __init__(self) -> None:
        self.entries: dict[str, str] = {}
        self.locked: dict[str, int] = {}
        self.fence = 0
        self.lock = threading.Lock()

    def load(self, key: str, call: Call) -> str | None:
        assert call.remaining > 0
        return self.entries.get(key)

    def save(self, key: str, entry: str, fence: int, call: Call) -> bool:
        assert not call.is_ended
        with self.lock:
            if fence < self.locked.get(key, 0):
                return False
            self.entries[key] = entry
            return True

    def delete_if(self, key: str, token: str, call: Call) -> bool:
        with self.lock:
            entry = json.loads(self.entries.get(key, "{}"))
            if entry.get("token", {}).get("value") != token:
                return False
            del entry["token"]
            self.entries[key] = json.dumps(entry)
            return True

    def try_lock(self, key: str, call: Call) -> int | None:
        with self.lock:
            if key in self.locked:
                return None
            self.fence += 1
            self.locked[key] = self.fence
            return self.fence

    def unlock(self, key: str, fence: int) -> None:
        with self.lock:
            if self.locked.get(key) == fence:
                del self.locked[key]


class Broken(Exception):
    pass


def unsigned(sandbox: Sandbox, **members: Any) -> libpayments.Configuration:
    return sandbox.configuration(key_file=None, **members)


def test_a_signer_may_be_a_callable_or_an_object(sandbox: Sandbox) -> None:
    signer = ElsewhereSigner(sandbox.kid)
    public_key = PUBLIC_KEY_FILE.read_text()
    clients = [
        libpayments.Client(**unsigned(sandbox), signer=signer.sign),
        libpayments.Client(**unsigned(sandbox, kid=None), signer=signer),
        libpayments.Client(**unsigned(sandbox, public_key=public_key), signer=signer),
    ]
    for number, client in enumerate(clients):
        client.create_payment(payment=payment(merchant_payment_code=f"order-{number}"))
    assert [each["signature"] for each in sandbox.requests("create_payment")] == ["verified"] * 3
    assert signer.asked[0].input.count(b".") >= 1
    assert signer.asked[0].call.remaining > 0


def test_a_signer_serves_asyncio_too(sandbox: Sandbox) -> None:
    client = libpayments.AsyncClient(**unsigned(sandbox), signer=ElsewhereSigner(sandbox.kid))
    response = asyncio.run(client.create_payment(payment=payment()))
    assert response.status == "PE"


def test_callbacks_see_the_context_of_their_call(sandbox: Sandbox) -> None:
    order: contextvars.ContextVar[str] = contextvars.ContextVar("order", default="nobody's")
    seen: dict[str, set[str]] = {"signer": set(), "store": set(), "observer": set()}

    class RecordingStore(Store):
        def load(self, key: str, call: Call) -> str | None:
            seen["store"].add(order.get())
            return super().load(key, call)

    class RecordingSigner(ElsewhereSigner):
        def sign(self, request: SigningRequest) -> bytes:
            seen["signer"].add(order.get())
            return super().sign(request)

    def observe(event: Event) -> None:
        seen["observer"].add(order.get())
        # It belongs to this call only: neither its task nor another call sees
        # it.
        order.set(order.get().upper())

    config = unsigned(sandbox, kid=None, token_store=RecordingStore())
    parts: Any = {"signer": RecordingSigner(sandbox.kid), "observer": observe}
    client = libpayments.AsyncClient(**config, **parts)

    async def pay(name: str) -> str:
        order.set(name)
        await client.create_payment(payment=payment(merchant_payment_code=name))
        return order.get()

    async def main() -> list[str]:
        return list(await asyncio.gather(pay("a"), pay("b")))

    assert asyncio.run(main()) == ["a", "b"]
    assert seen["observer"] == {"a", "A", "b", "B"}
    assert seen["signer"] == {"A", "B"}
    # One of the calls may find the token of the other in memory.
    assert seen["store"] in ({"A"}, {"B"}, {"A", "B"})
    assert order.get() == "nobody's"


def test_the_exception_of_a_signer_is_the_cause(sandbox: Sandbox) -> None:
    raised = Broken("the HSM is away")

    def sign(_: SigningRequest) -> bytes:
        raise raised

    blocking = libpayments.Client(**unsigned(sandbox), signer=sign)
    with pytest.raises(libpayments.SigningError, match="it raised Broken") as caught:
        blocking.create_payment(payment=payment())
    assert caught.value.__cause__ is raised
    assert "the HSM is away" not in str(caught.value)
    coroutines = libpayments.AsyncClient(**unsigned(sandbox), signer=sign)
    with pytest.raises(libpayments.SigningError) as caught:
        asyncio.run(coroutines.create_payment(payment=payment()))
    assert caught.value.__cause__ is raised
    assert sandbox.stats()["requests"] == 0


def test_a_signer_that_returns_no_bytes_is_refused(sandbox: Sandbox) -> None:
    def sign(_: SigningRequest) -> Any:
        return "signature"

    client = libpayments.Client(**unsigned(sandbox), signer=sign)
    with pytest.raises(libpayments.SigningError) as caught:
        client.create_payment(payment=payment())
    assert "must return bytes, not str" in str(caught.value.__cause__)


def test_a_wrong_signature_is_not_sent(sandbox: Sandbox) -> None:
    config = unsigned(sandbox, public_key=PUBLIC_KEY_FILE.read_text())
    client = libpayments.Client(**config, signer=lambda _: bytes(512))
    with pytest.raises(libpayments.SigningError):
        client.create_payment(payment=payment())
    assert sandbox.stats()["requests"] == 0


@pytest.mark.parametrize("length", [0, 256, 513])
def test_a_signature_of_a_wrong_length_is_not_sent(sandbox: Sandbox, length: int) -> None:
    client = libpayments.Client(**unsigned(sandbox), signer=lambda _: bytes(length))
    with pytest.raises(libpayments.SigningError) as caught:
        client.create_payment(payment=payment())
    error = caught.value
    assert (error.code, error.outcome) == ("signature_invalid", libpayments.Outcome.NOT_EXECUTED)
    assert sandbox.stats()["requests"] == 0


def test_an_exit_of_the_program_ends_a_call(sandbox: Sandbox) -> None:
    def sign(_: SigningRequest) -> bytes:
        raise SystemExit(3)

    client = libpayments.Client(**unsigned(sandbox), signer=sign)
    with pytest.raises(SystemExit) as caught:
        client.create_payment(payment=payment())
    error = libpayments.payments_error_in(caught.value)
    assert error is not None
    assert error.outcome is libpayments.Outcome.NOT_EXECUTED


def test_an_exit_in_one_call_ends_no_other_with_its_handle(sandbox: Sandbox) -> None:
    def sign(_: SigningRequest) -> bytes:
        raise SystemExit(3)

    cancel = libpayments.CancelHandle()
    client = libpayments.Client(**unsigned(sandbox), signer=sign)
    with pytest.raises(SystemExit):
        client.create_payment(payment=payment(), cancel=cancel)
    assert not cancel.is_cancelled
    assert sandbox.client().create_payment(payment=payment(), cancel=cancel).status == "PE"


def test_a_callback_must_not_call_its_client(sandbox: Sandbox) -> None:
    clients: list[libpayments.Client] = []

    def sign(_: SigningRequest) -> bytes:
        clients[0].access_token()
        return b""

    client = libpayments.Client(**unsigned(sandbox), signer=sign)
    clients.append(client)
    with pytest.raises(libpayments.SigningError) as caught:
        client.create_payment(payment=payment())
    inner = caught.value.__cause__
    assert isinstance(inner, libpayments.ConfigError)
    assert inner.code == "reentrant_call"


def test_clients_share_the_token_of_a_store(sandbox: Sandbox) -> None:
    store = Store()
    clients = [libpayments.Client(**sandbox.configuration(token_store=store)) for _ in range(3)]
    for client in clients:
        client.access_token()
    assert len(sandbox.requests("access_token")) == 1
    assert not store.locked
    sandbox.post("/sandbox/tokens/revoke")
    clients[0].create_payment(payment=payment())
    assert len(sandbox.requests("access_token")) == 2


def test_a_store_of_the_core_is_named_by_a_text(sandbox: Sandbox, tmp_path: Path) -> None:
    for _ in range(3):
        sandbox.client(token_store=f"file:{tmp_path}").access_token()
    assert len(sandbox.requests("access_token")) == 1


def test_a_custom_store_overrides_a_file(sandbox: Sandbox, tmp_path: Path) -> None:
    file = tmp_path / "payments.json"
    file.write_text(json.dumps(sandbox.configuration()))
    store = Store()
    libpayments.Client.from_file(file, token_store=store).access_token()
    assert len(store.entries) == 1


def test_a_store_that_raises_is_bypassed_and_seen(
    sandbox: Sandbox, caplog: pytest.LogCaptureFixture
) -> None:
    class UnavailableStore(Store):
        def load(self, key: str, call: Call) -> str | None:
            raise raised

    raised = Broken("away")
    events: list[Event] = []
    client = libpayments.Client(
        **sandbox.configuration(token_store=UnavailableStore()), observer=events.append
    )
    with caplog.at_level(logging.WARNING, logger="libpayments"):
        client.create_payment(payment=payment())
    assert "token_store.load raised" in caplog.text
    assert "store_bypassed" in [each["event"] for each in events]
    sandbox.fault("close", execute=True)
    with pytest.raises(libpayments.TransportError) as caught:
        libpayments.Client(**sandbox.configuration(token_store=UnavailableStore())).create_payment(
            payment=payment(merchant_payment_code="order-2")
        )
    assert caught.value.__cause__ is raised


def test_an_observer_that_raises_fails_no_call(
    sandbox: Sandbox, caplog: pytest.LogCaptureFixture
) -> None:
    raised = Broken("told wrongly")

    def observer(_: Event) -> None:
        raise raised

    client = libpayments.Client(**sandbox.configuration(), observer=observer)
    client.create_payment(payment=payment())
    assert "observer raised" in caplog.text
    sandbox.fault("response", operation="create_payment", status=503)
    with pytest.raises(libpayments.StatusError) as caught:
        client.create_payment(payment=payment(merchant_payment_code="order-2"))
    assert caught.value.__cause__ is raised


@pytest.mark.parametrize(
    ("parts", "path", "part"),
    [
        ({"signer": 7}, "signer", "callable"),
        ({"signer": lambda _: b""}, "kid", "required"),
        ({"token_store": object()}, "token_store", "methods load, .*libpayments.TokenStore"),
        ({"journal": 5}, "journal", "methods insert, .*libpayments.Journal"),
        ({"observer": 7}, "observer", "callable"),
    ],
)
def test_callbacks_of_the_wrong_kind_are_refused(
    parts: dict[str, Any], path: str, part: str
) -> None:
    with pytest.raises(libpayments.ConfigError, match=part) as caught:
        libpayments.Client(base_url="http://127.0.0.1:1", **parts)
    assert caught.value.path == path


def test_a_key_with_a_signer_is_refused(sandbox: Sandbox) -> None:
    with pytest.raises(libpayments.ConfigError) as caught:
        libpayments.Client(**sandbox.configuration(), signer=ElsewhereSigner("k"))
    assert caught.value.code == "conflicting_members"
