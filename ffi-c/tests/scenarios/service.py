"""The sandbox: its start, its control API, and the requests that it saw."""

from __future__ import annotations

import base64
import http.client
import json
import subprocess
from collections import Counter
from typing import Any
from urllib.parse import urlsplit

from abi import ROOT
from tree import Placeholders, differences

KEYS = ROOT / "tests/vectors/keys"


class Sandbox:
    """A sandbox in its own process."""

    def __init__(self, command: str):
        self.process = subprocess.Popen(
            [command, "sandbox", "--json", "--seed", "1"], stdout=subprocess.PIPE, text=True
        )
        self.base_url = json.loads(self.process.stdout.readline())["base_url"]

    def close(self) -> None:
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()

    def exchange(self, method: str, url: str, headers: list, body: bytes) -> tuple[int, bytes]:
        """Any request, by an HTTP client that is not the one under test."""
        parts = urlsplit(url)
        connection = http.client.HTTPConnection(parts.hostname, parts.port, timeout=30)
        target = parts.path + (f"?{parts.query}" if parts.query else "")
        connection.request(method, target, body, dict(headers))
        response = connection.getresponse()
        status, content = response.status, response.read()
        connection.close()
        return status, content

    def call(self, method: str, path: str, body: Any = None) -> Any:
        """The control API; the status must be 200."""
        content = b"" if body is None else json.dumps(body).encode()
        status, response = self.exchange(method, self.base_url + path, [], content)
        assert status == 200, (method, path, status, response)
        return json.loads(response)

    def placeholders(self) -> Placeholders:
        settings = self.call("GET", "/sandbox/settings")
        names = ("base_url", "auth_url", "integration_key", "client_id", "client_secret")
        values = {name: settings[name] for name in names}
        for host, url in (("host", "base_url"), ("auth_host", "auth_url")):
            values[host] = urlsplit(settings[url]).netloc
        values["key_file"] = str(KEYS / "test_rsa_4096_pkcs8.pem")
        values["other_key_file"] = str(KEYS / "test_other_rsa_4096_pkcs8.pem")
        pem = (KEYS / "test_rsa_4096_public.pem").read_text()
        values["kid"] = self.call("POST", "/sandbox/keys", {"pem": pem})["kid"]
        return Placeholders(values)

    def set_up(self, scenario: dict, credentials: list[str]) -> None:
        self.call("POST", "/sandbox/reset")
        # All clients of this process with one client id share a token.
        settings = {"require": credentials, "client_id": f"client-of-{scenario['name']}"}
        settings |= scenario.get("settings") or {}
        self.call("POST", "/sandbox/settings", settings)
        if scenario.get("block_tokens"):
            self.call("POST", "/sandbox/tokens/block", scenario["block_tokens"])
        if scenario.get("faults"):
            self.call("POST", "/sandbox/faults", scenario["faults"])


def check_service(
    sandbox: Sandbox, scenario: dict, credentials: list[str], placeholders: Placeholders
) -> list[str]:
    """Compares the service's requests and effects with the scenario."""
    records = sandbox.call("GET", "/sandbox/requests")["requests"]
    requests = [it for it in records if it["operation"] != "access_token"]
    seen = Counter(f"{it['method']} {it['path']}" for it in requests)
    if len(requests) < len(records):
        seen["token"] = len(records) - len(requests)
    found = []
    if dict(seen) != scenario.get("seen", {}):
        found.append(f"the service saw {dict(seen)}, expected {scenario.get('seen', {})}")
    found += _check_requests(scenario, credentials, requests, placeholders)
    found += _check_effects(scenario, sandbox)
    pending = sandbox.call("GET", "/sandbox/faults")["faults"]
    if pending:
        found.append(f"faults that struck nothing: {pending}")
    return found


def _check_requests(scenario, credentials, requests, placeholders) -> list[str]:
    listed = scenario.get("requests")
    if listed is not None and len(listed) != len(requests):
        return [f"{len(requests)} requests, and {len(listed)} are listed"]
    found = []
    for index, record in enumerate(requests):
        expected = _usual(credentials, record)
        if listed is not None:
            expected.update(placeholders.fill_tree(listed[index]))
        record = _with_readable_members(record)
        for members, wanted in (("has_headers", True), ("lacks_headers", False)):
            for name in expected.pop(members, []):
                if (name in record["headers"]) != wanted:
                    found.append(f"requests/{index}: {members} {name}")
        found += differences(f"requests/{index}", expected, record)
    return found


def _usual(credentials: list[str], record: dict) -> dict:
    """Rules for every request, unless the scenario overrides them."""
    if not record["complete"] or record["operation"] is None:
        return {}
    usual = {
        "signature": "verified" if "jws" in credentials else "absent",
        "bearer": "valid" if "bearer" in credentials else "absent",
        "integration_key": "absent",
    }
    if record["operation"] != "send" and "integration_key" in credentials:
        usual["integration_key"] = "valid"
    if record["method"] != "GET":
        usual["resend"] = False
    return usual


def _with_readable_members(record: dict) -> dict:
    readable = dict(record)
    try:
        readable["body"] = base64.b64decode(record["body_base64"]).decode()
    except UnicodeDecodeError:
        pass
    readable["headers"] = {name.lower(): value for name, value in record["headers"]}
    readable["resend"] = record["resend_of"] is not None
    return readable


def _check_effects(scenario: dict, sandbox: Sandbox) -> list[str]:
    def all_of(what: str) -> list:
        return sandbox.call("GET", f"/sandbox/{what}")[what]

    payments = all_of("payments")
    effects = {
        "payments": len(payments),
        "refunds": sum(len(payment["refunds"]) for payment in payments),
        "payouts": len(all_of("payouts")),
        "trackings": len(all_of("trackings")),
    }
    effects = {name: count for name, count in effects.items() if count}
    expected = scenario.get("effects", {})
    return [] if effects == expected else [f"the service made {effects}, expected {expected}"]
