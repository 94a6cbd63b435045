"""Sources of configurations, and the secrets that clients do not show."""

from __future__ import annotations

import asyncio
import copy
import json
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import libpayments
from support import KEY_FILE, Sandbox, payment

SECRET = "a-secret-that-must-not-be-shown"
HERE = "http://127.0.0.1:1"


def test_keywords_file_and_environment_make_the_same_client(
    sandbox: Sandbox, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    members = sandbox.configuration()
    file = tmp_path / "payments.json"
    file.write_text(json.dumps(members))
    for name, value in members.items():
        monkeypatch.setenv(f"PAYMENTS_{name.upper()}", str(value))
    clients = [
        libpayments.Client(**members),
        libpayments.Client.from_file(file),
        libpayments.Client.from_file(str(file)),
        libpayments.Client.from_env(),
        libpayments.Client.shared(**members),
    ]
    for number, client in enumerate(clients):
        response = client.create_payment(payment=payment(merchant_payment_code=f"order-{number}"))
        assert response.status == "PE"
    assert {client.kid for client in clients} == {sandbox.kid}


def test_environment_overrides_the_file_only_when_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "payments.json"
    file.write_text(json.dumps({"base_url": HERE, "integration_key": "k"}))
    monkeypatch.setenv("PAYMENTS_BASE_URL", "http://127.0.0.1:2")
    assert libpayments.Client.from_file(file).base_url == HERE
    over = libpayments.Client.from_file(file, with_env=True)
    assert over.base_url == "http://127.0.0.1:2"


def test_paths_in_a_file_are_taken_from_its_folder(tmp_path: Path) -> None:
    (tmp_path / "key.pem").write_bytes(KEY_FILE.read_bytes())
    file = tmp_path / "payments.json"
    file.write_text(json.dumps({"base_url": HERE, "key_file": "key.pem", "kid": "k"}))
    assert libpayments.AsyncClient.from_file(file).kid == "k"


def test_a_path_object_names_a_file() -> None:
    client = libpayments.Client(base_url=HERE, key_file=KEY_FILE, kid="k")
    assert client.kid == "k"


@pytest.mark.parametrize(
    ("members", "path", "part"),
    [
        ({"base_url": HERE, "baseUrl": HERE}, "baseUrl", "did you mean base_url?"),
        ({"base_url": HERE, "timeout_ms": 1.5}, "timeout_ms", "whole number"),
        ({"base_url": HERE, "timeout_ms": float("nan")}, "timeout_ms", "whole number"),
        ({"base_url": HERE, "card_guard": "yes"}, "card_guard", "true or false"),
        ({"base_url": HERE, "ca_file": object()}, "ca_file", "of type object"),
    ],
)
def test_a_configuration_that_cannot_work_is_refused_by_name(
    members: dict[str, Any], path: str, part: str
) -> None:
    for make in (libpayments.Client, libpayments.AsyncClient, libpayments.Client.shared):
        with pytest.raises(libpayments.ConfigError, match=part) as caught:
            make(**members)
        assert caught.value.path == path
        assert caught.value.outcome is libpayments.Outcome.NOT_EXECUTED


@pytest.mark.parametrize("given", [{"base_url": HERE}, HERE, Path("payments.json")])
def test_a_configuration_without_keywords_is_refused(given: Any) -> None:
    makers: list[tuple[Callable[..., object], str]] = [
        (libpayments.Client, "Client"),
        (libpayments.Client.shared, "Client.shared"),
        (libpayments.AsyncClient, "AsyncClient"),
        (libpayments.AsyncClient.shared, "AsyncClient.shared"),
    ]
    for make, name in makers:
        with pytest.raises(TypeError) as caught:
            make(given)
        assert str(caught.value) == (
            f"{name}() takes the configuration as keywords: for a mapping call "
            f"{name}(**configuration), and for a file {name.split('.')[0]}.from_file(path)"
        )


def test_an_unreadable_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(libpayments.ConfigError, match="config"):
        libpayments.Client.from_file(tmp_path / "none.json")


@pytest.mark.parametrize("make", [libpayments.Client, libpayments.AsyncClient])
def test_repr_shows_no_secret(make: Callable[..., object]) -> None:
    client = make(
        base_url=HERE,
        integration_key=SECRET,
        auth_url=HERE,
        client_id="id",
        client_secret=SECRET,
        key_file=KEY_FILE,
        kid="kid-1",
    )
    assert repr(client) == f"<{make.__name__} base_url='{HERE}' kid='kid-1'>"
    assert SECRET not in f"{client!r}{client!s}{vars(client)}"


@pytest.mark.parametrize("make", [libpayments.Client, libpayments.AsyncClient])
@pytest.mark.parametrize("duplicate", [pickle.dumps, copy.copy, copy.deepcopy])
def test_pickling_and_copying_are_refused(
    make: Callable[..., object], duplicate: Callable[[object], object]
) -> None:
    with pytest.raises(TypeError, match="cannot be pickled or copied"):
        duplicate(make(base_url=HERE, integration_key="k"))


def test_context_managers_close(sandbox: Sandbox) -> None:
    with sandbox.client() as client:
        client.create_payment(payment=payment())
    with pytest.raises(libpayments.ConfigError, match="closed") as caught:
        client.query_payment(hash="a")
    assert caught.value.code == "client_closed"
    assert repr(client) == "<Client closed>"

    async def use() -> None:
        async with sandbox.async_client() as client:
            await client.query_payment(merchant_payment_code="order-1")
        with pytest.raises(libpayments.ConfigError, match="closed"):
            await client.access_token()

    asyncio.run(use())


def test_clients_share_their_token(sandbox: Sandbox) -> None:
    for _ in range(3):
        libpayments.Client.shared(**sandbox.configuration(timeout_ms=12_345)).access_token()
    assert len(sandbox.requests("access_token")) == 1
    sandbox.client().access_token()
    assert len(sandbox.requests("access_token")) == 1
    assert not sandbox.client(client_secret="another").token_status().is_usable


class Shop(libpayments.Client):
    def __init__(self) -> None:
        raise LookupError(repr(self))


@pytest.mark.parametrize("kind", [libpayments.Client, libpayments.AsyncClient])
def test_a_half_constructed_client_can_be_shown_and_closed(kind: Any) -> None:
    with pytest.raises(libpayments.ConfigError) as caught:
        kind(base_url=1)
    failed = caught.traceback[1].locals["self"]
    with pytest.raises(LookupError, match="<Shop closed>"):
        Shop()
    for client in (failed, kind.__new__(kind)):
        assert repr(client) == f"<{kind.__name__} closed>"
        with pytest.raises(libpayments.ConfigError, match="the client is closed"):
            _ = client.base_url
        if kind is libpayments.Client:
            assert client.close() is None
        else:
            assert asyncio.run(client.aclose()) is asyncio.run(client.close()) is None
        del client
