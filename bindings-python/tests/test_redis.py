"""Processes that share one token through a Redis server."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from programs import end, start
from redis_server import RedisServer, redis_server
from support import Sandbox
from waiting import until

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
    """Return the token of two processes that pay at once, and of one that comes later."""
    together = [start(sandbox, _PAY, **members) for _ in range(2)]
    tokens = {end(each).strip() for each in together} | {
        end(start(sandbox, _PAY, **members)).strip()
    }
    [token] = tokens
    assert len(sandbox.requests("access_token")) == 1
    assert [each["bearer"] for each in sandbox.requests("create_payment")] == ["valid"] * 3
    return token


def test_a_token_is_kept_encrypted(sandbox: Sandbox, redis: RedisServer) -> None:
    key = base64.b64encode(bytes(range(32))).decode()
    token = token_of_two(sandbox, token_store=redis.url, token_store_key=key)
    assert redis.cli("DBSIZE") != "0"
    assert token.encode() not in redis.dump()
    # A process with another key cannot use it.
    other = base64.b64encode(bytes(32)).decode()
    process = start(sandbox, _PAY, token_store=redis.url, token_store_key=other)
    assert end(process).strip() != token


_WAITING = """
import asyncio

def work():
    if configuration.pop("is_async"):
        async def call():
            client = libpayments.AsyncClient(**configuration)
            task = asyncio.ensure_future(client.access_token())
            asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, task.cancel)
            await task
        asyncio.run(call())
    else:
        def stop(signum, frame):
            sys.exit(0)
        signal.signal(signal.SIGTERM, stop)
        libpayments.Client(**configuration).access_token()

try:
    work()
except (asyncio.CancelledError, SystemExit):
    sys.exit(0)
"""


@pytest.mark.parametrize("is_async", [False, True])
def test_a_worker_that_is_terminated_gives_the_lock_back(
    sandbox: Sandbox, redis: RedisServer, *, is_async: bool
) -> None:
    sandbox.fault("hang", operation="access_token")
    code = f"configuration['is_async'] = {is_async}\n{_WAITING}"
    worker = start(sandbox, code, token_store=redis.url, timeout_ms=60_000)
    until(lambda: len(sandbox.requests("access_token")) == 1, "a request for a token")
    assert any(key.endswith(":lock") for key in redis.cli("KEYS", "*").split())
    worker.terminate()
    end(worker)
    assert not any(key.endswith(":lock") for key in redis.cli("KEYS", "*").split())
