"""A sandbox of the command `payments`, and its control API."""

from __future__ import annotations

import http.client
import json
import os
import subprocess
from itertools import count
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import libpayments

SHARED = Path(__file__).parents[2] / "tests"
KEYS = SHARED / "vectors" / "keys"
KEY_FILE = KEYS / "test_rsa_4096_pkcs8.pem"
PUBLIC_KEY_FILE = KEYS / "test_rsa_4096_public.pem"
OTHER_KEY_FILE = KEYS / "test_other_rsa_4096_pkcs8.pem"


_RESETS = count(1)


class Sandbox:
    """The service on loopback, in a process of its own."""

    def __init__(self) -> None:
        options = ["--seed", "1", "--json", "--require", "none", "--accept-path", "/ws/*"]
        # Given a key, it makes none.
        options += ["--public-key", str(PUBLIC_KEY_FILE)]
        command = [os.environ["PAYMENTS_COMMAND"], "sandbox", *options]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE)
        assert self.process.stdout is not None
        addresses = json.loads(self.process.stdout.readline())
        self.base_url: str = addresses["base_url"]
        self.kid: str = self.post("/sandbox/keys", {"pem": PUBLIC_KEY_FILE.read_text()})["kid"]
        self.settings: dict[str, Any] = self.get("/sandbox/settings")

    def stop(self) -> None:
        self.process.kill()
        self.process.communicate()

    def reset(self) -> None:
        """Start over, with a client id that has no token in this process yet."""
        self.post("/sandbox/reset")
        client_id = f"client-{os.getpid()}-{next(_RESETS)}"
        self.settings = self.post("/sandbox/settings", {"client_id": client_id})

    def get(self, path: str) -> Any:
        return self.call("GET", path)

    def post(self, path: str, body: object = None) -> Any:
        return self.call("POST", path, body)

    def call(self, method: str, path: str, body: object = None) -> Any:
        """Give the JSON response of the control API, which must be a 200."""
        sent = None if body is None else json.dumps(body).encode()
        status, response = deliver(method, self.base_url + path, {}, sent or b"")
        assert status == 200, f"{method} {path}: {status} {response!r}"
        return json.loads(response)

    def fault(self, fault: str, operation: str = "create_payment", **members: object) -> None:
        """Let the next request of an operation meet a fault."""
        self.post(
            "/sandbox/faults", {"operation": operation, "then": [{"fault": fault, **members}]}
        )

    def requests(self, operation: str) -> list[dict[str, Any]]:
        listed: list[dict[str, Any]] = self.get(f"/sandbox/requests?operation={operation}")[
            "requests"
        ]
        return listed

    def secrets(self) -> set[str]:
        """Give every credential that payments presented, and those of the settings."""
        presented = {
            value.split(" ")[-1]
            for request in self.requests("create_payment")
            for name, value in request["headers"]
            if name.lower() in ("authorization", "x-jws-signature")
        }
        assert len(presented) >= 2
        return presented | {self.settings[name] for name in ("integration_key", "client_secret")}

    def stats(self) -> dict[str, int]:
        stats: dict[str, int] = self.get("/sandbox/stats")
        return stats

    def configuration(self, **members: Any) -> libpayments.Configuration:
        """Give every credential, and `members` over them; `None` takes one away."""
        names = ("integration_key", "client_id", "client_secret", "auth_url")
        given: dict[str, Any] = {name: self.settings[name] for name in names}
        given.update(base_url=self.base_url, environment="sandbox")
        given.update(key_file=str(KEY_FILE), kid=self.kid)
        given.update(members)
        kept: Any = {name: value for name, value in given.items() if value is not None}
        configuration: libpayments.Configuration = kept
        return configuration

    def client(self, **members: Any) -> libpayments.Client:
        return libpayments.Client(**self.configuration(**members))

    def async_client(self, **members: Any) -> libpayments.AsyncClient:
        return libpayments.AsyncClient(**self.configuration(**members))


def deliver(method: str, url: str, headers: dict[str, str], body: bytes) -> tuple[int, bytes]:
    """Send a request with an HTTP client that is not the one under test."""
    address = urlsplit(url)
    assert address.hostname is not None
    connection = http.client.HTTPConnection(address.hostname, address.port, timeout=30)
    target = url[url.index(address.netloc) + len(address.netloc) :]
    try:
        connection.request(method, target, body=body or None, headers=headers)
        response = connection.getresponse()
        return response.status, response.read()
    finally:
        connection.close()


def payment(**members: Any) -> libpayments.Payment:
    """Give a payment that is accepted, with `members` over it."""
    given: Any = {
        "name": "Ana López",
        "email": "ana@example.com",
        "country": "mx",
        "payment_type_code": "oxxo",
        "merchant_payment_code": "order-1",
        "currency_code": "MXN",
        "amount_total": "250.00",
        **members,
    }
    made: libpayments.Payment = given
    return made


def payout(**members: Any) -> libpayments.CreatePayout:
    """Give a payout that is accepted, with `members` over it."""
    given: Any = {
        "external_reference": "payout-1",
        "country": "br",
        "amount": "10.00",
        "currency_code": "BRL",
        "target": "pix_key",
        "target_account": "joao@example.com",
        "payee": {
            "name": "João Souza",
            "email": "joao@example.com",
            "document": "853.513.468-93",
            "document_type": "CPF",
        },
        **members,
    }
    made: libpayments.CreatePayout = given
    return made
