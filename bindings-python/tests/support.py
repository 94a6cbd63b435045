"""A sandbox of the command `payments`, and its control API."""

from __future__ import annotations

import http.client
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import libpayments
from libpayments import testing

SHARED = Path(__file__).parents[2] / "tests"
KEYS = SHARED / "vectors" / "keys"
KEY_FILE = KEYS / "test_rsa_4096_pkcs8.pem"
PUBLIC_KEY_FILE = KEYS / "test_rsa_4096_public.pem"
OTHER_KEY_FILE = KEYS / "test_other_rsa_4096_pkcs8.pem"


class Sandbox(testing.Sandbox):
    """A sandbox with the shared test key. It requires no credentials."""

    def __init__(self) -> None:
        options = ["--seed", "1", "--require", "none", "--accept-path", "/ws/*", "--lenient"]
        # With this key, it does not generate one.
        options += ["--public-key", str(PUBLIC_KEY_FILE), "--key-file", str(KEY_FILE)]
        super().__init__(options)
        self.kid = str(self.configuration().get("kid"))
        self.settings: dict[str, Any] = self.get("/sandbox/settings")

    def reset(self) -> None:
        super().reset()
        self.settings = self.get("/sandbox/settings")

    def get(self, path: str) -> Any:
        return self.call("GET", path.removeprefix("/sandbox/"))

    def post(self, path: str, body: object = None) -> Any:
        return self.call("POST", path.removeprefix("/sandbox/"), body)

    def fault(self, fault: str, operation: str = "create_payment", **members: Any) -> None:
        """Let the next request of an operation meet a fault."""
        self.fail_next(fault, operation=operation, **members)

    def secrets(self) -> set[str]:
        """Return every credential that payments presented, and those of the settings."""
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
    """Return a payment that is accepted, updated with `members`."""
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
    """Return a payout that is accepted, updated with `members`."""
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


def assert_has(found: Any, expected: Any) -> None:
    """Check that `found` has the members of `expected`, at any depth."""
    if isinstance(expected, dict):
        for name, value in expected.items():
            assert_has(found.get(name), value)
    elif isinstance(expected, list):
        assert len(found) == len(expected), (found, expected)
        for one, other in zip(found, expected, strict=True):
            assert_has(one, other)
    else:
        assert found == expected
