"""A client and the callbacks that refer to it are collected together."""

from __future__ import annotations

import asyncio
import gc
import threading
import weakref
from typing import Any

import pytest

import libpayments
from support import payment

CLIENTS = (libpayments.Client, libpayments.AsyncClient)


class Holder:
    """Has a client that calls it back, as an observer, a signer, a store and a journal."""

    kid = "k"

    def __init__(self, kind: type[libpayments.Client | libpayments.AsyncClient]) -> None:
        self.client = kind(
            base_url="http://127.0.0.1:1",
            signer=self,
            observer=self,
            token_store=self,
            journal=self,
        )

    def sign(self, _: libpayments.SigningRequest) -> bytes:
        return b""

    def on_event(self, event: libpayments.Event) -> None:
        pass

    def load(self, key: str, call: libpayments.Call) -> str | None:
        return None

    def save(self, key: str, entry: str, fence: int, call: libpayments.Call) -> bool:
        return False

    def delete_if(self, key: str, token: str, call: libpayments.Call) -> bool:
        return False

    def try_lock(self, key: str, call: libpayments.Call) -> int | None:
        return None

    def unlock(self, key: str, fence: int) -> None:
        pass

    def insert(self, entry: dict[str, Any], call: libpayments.Call) -> bool:
        return False

    def update(self, entry: dict[str, Any], call: libpayments.Call) -> libpayments.JournalUpdated:
        return {"changed": False, "taken_by": None}

    def find(self, filter: dict[str, Any], call: libpayments.Call) -> libpayments.JournalFound:
        return {"now": 0, "entries": []}

    def count(self, scope: str, before: int, call: libpayments.Call) -> libpayments.JournalCounted:
        return {"now": 0, "newest": None, "done": 0, "failed": 0, "open": 0}

    def prune(self, scope: str, before: int, limit: int, call: libpayments.Call) -> int:
        return 0


@pytest.mark.parametrize("kind", CLIENTS)
def test_a_client_that_its_own_callback_holds_is_collected(
    kind: type[libpayments.Client | libpayments.AsyncClient],
) -> None:
    holders = [weakref.ref(Holder(kind)) for _ in range(20)]
    gc.collect()
    assert [holder() for holder in holders] == [None] * 20


def test_the_callbacks_of_a_call_in_flight_are_not_collected() -> None:
    signing, go_on = threading.Event(), threading.Event()
    ended: list[str] = []

    def start() -> None:
        class PayingSigner:
            client: libpayments.AsyncClient

            def sign(self, _: libpayments.SigningRequest) -> bytes:
                signing.set()
                go_on.wait(60)
                return b""

            def observe(self, event: libpayments.Event) -> None:
                if event["event"] == "request_ended":
                    ended.append(str(event["kind"]))

            async def pay(self) -> None:
                await self.client.create_payment(payment=payment())

        own = PayingSigner()
        own.client = libpayments.AsyncClient(
            base_url="http://127.0.0.1:1", signer=own.sign, kid="k", observer=own.observe
        )

        async def abandon() -> None:
            task = asyncio.create_task(own.pay())
            while not signing.is_set():
                await asyncio.sleep(0.01)
            asyncio.get_running_loop().call_later(0.1, go_on.set)
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)

        asyncio.run(abandon())

    start()
    assert ended == ["cancelled"]
