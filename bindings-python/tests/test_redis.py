"""Processes that share one token by way of a Redis server."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from programs import end, start
from redis_server import RedisServer, redis_server
from support import Sandbox

_PAY = """
events = []
client = libpayments.Client(**configuration, observer=events.append)
code = f"order of {os.getpid()}"
client.create_payment(payment={**payment, "merchant_payment_code": code})
assert "store_bypassed" not in [event["event"] for event in events], events
print(client.access_token().access_token)
"""


@pytest.fixture
def redis(tmp_path: Path) -> Iterator[RedisServer]:
    with redis_server(tmp_path) as server:
        yield server


def token_of_two(sandbox: Sandbox, **members: Any) -> str:
    """Give the token of two processes that pay at once, and of one that comes later."""
    together = [start(sandbox, _PAY, **members) for _ in range(2)]
    tokens = {end(each).strip() for each in together} | {
        end(start(sandbox, _PAY, **members)).strip()
    }
    [token] = tokens
    assert len(sandbox.requests("access_token")) == 1
    assert [each["bearer"] for each in sandbox.requests("create_payment")] == ["valid"] * 3
    return token


def test_processes_share_one_token(sandbox: Sandbox, redis: RedisServer) -> None:
    token = token_of_two(sandbox, token_store=redis.url)
    assert token.encode() in redis.dump()


def test_a_token_is_kept_encrypted(sandbox: Sandbox, redis: RedisServer) -> None:
    key = base64.b64encode(bytes(range(32))).decode()
    token = token_of_two(sandbox, token_store=redis.url, token_store_key=key)
    assert redis.cli("DBSIZE") != "0"
    assert token.encode() not in redis.dump()
    # Who has another key cannot use it.
    other = base64.b64encode(bytes(32)).decode()
    process = start(sandbox, _PAY, token_store=redis.url, token_store_key=other)
    assert end(process).strip() != token
