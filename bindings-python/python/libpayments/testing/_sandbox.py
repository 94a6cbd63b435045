"""A sandbox in its own process."""

from __future__ import annotations

import http.client
import json
import os
import subprocess
from collections.abc import Sequence
from itertools import count
from types import TracebackType
from typing import Any
from urllib.parse import quote, urlsplit

from .. import AsyncClient, Client, Configuration
from ._command import find_command

_SECONDS_TO_END = 10
_CLIENT_IDS = count(1)


class SandboxError(Exception):
    """The sandbox did not start, or refused a call. The message says why."""


class Sandbox:
    """The payments service on loopback, for tests.

    It is a context manager, and ends with this process at the latest. A start
    takes about a second, because an RSA key is made: keep one sandbox for many
    tests, and call :meth:`reset` between them.

    Args:
        options: further options of ``payments sandbox``.
        command: the path of the command; by default, it is looked up.

    Raises:
        CommandNotFoundError: the command is not installed.
        SandboxError: the sandbox did not start.

    """

    def __init__(self, options: Sequence[str] = (), *, command: str | None = None) -> None:
        """Start a sandbox, and wait until it is ready."""
        line = [command or find_command(), "sandbox", "--json", "--stdin-lifetime", *options]
        self._process = subprocess.Popen(line, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        assert self._process.stdout is not None
        try:
            self._given: dict[str, Any] = json.loads(self._process.stdout.readline())
        except ValueError:
            status = self._process.wait()
            self.close()
            message = (
                f"the sandbox did not start (exit code {status}); standard error has the reason"
            )
            raise SandboxError(message) from None

    def __enter__(self) -> Sandbox:
        """Return the sandbox itself."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """End the sandbox."""
        self.close()

    def close(self) -> None:
        """End the sandbox. Harmless when repeated."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.close()
        try:
            self._process.wait(_SECONDS_TO_END)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._process.stdout.close()

    @property
    def base_url(self) -> str:
        """The address of the service."""
        return str(self._given["base_url"])

    @property
    def page_url(self) -> str:
        """The address of the page that shows the requests and payments."""
        return f"{self.base_url}/sandbox/"

    def reset(self) -> None:
        """Start over, with a client id that has no token in this process yet.

        Clients of one process share tokens and backoff by client id. Only the
        registered keys stay.
        """
        self.call("POST", "reset")
        client_id = f"test-{os.getpid()}-{next(_CLIENT_IDS)}"
        self._given["client_id"] = client_id
        self.call("POST", "settings", {"client_id": client_id})

    def configuration(self, **members: Any) -> Configuration:
        """Return the configuration of a client, updated with `members`.

        ``None`` leaves a member out.
        """
        merged = {**self._given, **members}
        kept: Any = {name: value for name, value in merged.items() if value is not None}
        configuration: Configuration = kept
        return configuration

    def client(self, **members: Any) -> Client:
        """Make a client that works, with its configuration updated with `members`."""
        return Client(**self.configuration(**members))

    def async_client(self, **members: Any) -> AsyncClient:
        """Make the same for asyncio."""
        return AsyncClient(**self.configuration(**members))

    def fail_next(
        self,
        fault: str,
        *,
        operation: str | None = None,
        times: int = 1,
        **members: Any,
    ) -> None:
        """Let the next request meet a fault.

        Args:
            fault: a name such as ``response_lost``, ``silence``, ``declined`` or
                ``token_server_blocked``; the page and the README of the sandbox
                list them.
            operation: the operation whose requests meet it, for example
                ``create_payment``; by default any of the service, or the one
                that the fault is for.
            times: how many requests meet it.
            members: members of the fault, such as ``delay_ms``.

        Raises:
            SandboxError: there is no such fault or operation.

        """
        script: dict[str, Any] = {"then": [{"fault": fault, **members}], "times": times}
        if operation is not None:
            script["operation"] = operation
        self.call("POST", "faults", script)

    def pay(self, reference: str) -> dict[str, Any]:
        """Let the payer pay a payment, named by your reference or its hash."""
        return self._move(reference, "confirm")

    def decline(self, reference: str) -> dict[str, Any]:
        """Let the payer decline a payment, named by your reference or its hash."""
        return self._move(reference, "cancel")

    def payments(self) -> list[dict[str, Any]]:
        """Return all payments, oldest first, as the service returns them."""
        return self._list("payments")

    def payouts(self) -> list[dict[str, Any]]:
        """Return all payouts, oldest first."""
        return self._list("payouts")

    def requests(self, operation: str | None = None) -> list[dict[str, Any]]:
        """Return all requests, oldest first, or those of one operation.

        Each has ``signature``, ``bearer``, ``refused``, ``executed`` and so on;
        the README of the sandbox lists them.
        """
        query = "" if operation is None else f"?operation={quote(operation, safe='')}"
        return self._list("requests", query)

    def block_tokens(self, *, status: int = 429, retry_after: int | None = 60) -> None:
        """Refuse all token requests, until :meth:`unblock_tokens` or :meth:`reset`."""
        block = {"status": status}
        if retry_after is not None:
            block["retry_after"] = retry_after
        self.call("POST", "tokens/block", block)

    def unblock_tokens(self) -> None:
        """Respond to token requests again."""
        self.call("POST", "tokens/block", {"blocked": False})

    def revoke_tokens(self) -> None:
        """Revoke all tokens that were issued."""
        self.call("POST", "tokens/revoke")

    def call(self, method: str, path: str, body: object = None) -> Any:
        """Call the control API, whose paths begin with ``/sandbox/``.

        Args:
            method: for example ``POST``.
            path: without ``/sandbox/``, for example ``settings``.
            body: sent as JSON.

        Raises:
            SandboxError: it refused the call.

        """
        address = urlsplit(self.base_url)
        assert address.hostname is not None
        connection = http.client.HTTPConnection(address.hostname, address.port, timeout=30)
        try:
            sent = None if body is None else json.dumps(body).encode()
            connection.request(method, f"/sandbox/{path}", sent)
            response = connection.getresponse()
            json_text = response.read()
        finally:
            connection.close()
        if response.status != 200:
            raise SandboxError(f"{method} {path}: {response.status} {json_text.decode()}")
        return json.loads(json_text)

    def _move(self, reference: str, move: str) -> dict[str, Any]:
        path = f"payments/{quote(reference, safe='')}/{move}"
        payment: dict[str, Any] = self.call("POST", path)["payment"]
        return payment

    def _list(self, name: str, query: str = "") -> list[dict[str, Any]]:
        entries: list[dict[str, Any]] = self.call("GET", name + query)[name]
        return entries
