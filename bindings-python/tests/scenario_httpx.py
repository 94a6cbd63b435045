"""Both clients of the package, with httpx for their requests."""

from __future__ import annotations

import asyncio
from typing import Any

import httpx

import libpayments
from libpayments.httpx import send, send_async
from scenario_run import Asyncio, Blocking

OPERATIONS = (
    "create_payment",
    "create_payout",
    "query_payment",
    "refund_payment",
    "register_tracking",
)


def _beginning(method: str, args: tuple[Any, ...]) -> tuple[str, tuple[Any, ...]] | None:
    """Give the method that begins what ``method`` calls, and its arguments."""
    if method in OPERATIONS:
        return "begin", (method, *args)
    if method == "call" and args[0] != "send":
        return "begin", args
    return ("begin_send", args) if method == "send" else None


def _expected(error: dict[str, Any]) -> dict[str, Any]:
    """Say what another HTTP client cannot tell, and what it decides itself."""
    if error.get("kind") == "protocol" and "code" not in error:
        return {**error, "kind": "transport"}
    if error.get("kind") == "connect":
        return {**error, "attempts": 1}
    return error


class Httpx(Blocking):
    def use(self, client: Any, method: str, /, *args: Any, **members: Any) -> Any:
        begun = _beginning(method, args)
        if begun is None:
            return super().use(client, method, *args, **members)
        with httpx.Client(trust_env=False) as http:
            return send(super().use(client, begun[0], *begun[1], **members), http)

    def expected(self, error: dict[str, Any]) -> dict[str, Any]:
        return _expected(error)


class AsyncHttpx(Asyncio):
    def use(self, client: Any, method: str, /, *args: Any, **members: Any) -> Any:
        begun = _beginning(method, args)
        if begun is None:
            return super().use(client, method, *args, **members)
        return asyncio.run(self._send(client, *begun, members))

    async def _send(
        self, client: libpayments.AsyncClient, method: str, args: Any, members: dict[str, Any]
    ) -> Any:
        async with httpx.AsyncClient(trust_env=False) as http:
            return await send_async(await getattr(client, method)(*args, **members), http)

    def expected(self, error: dict[str, Any]) -> dict[str, Any]:
        return _expected(error)
