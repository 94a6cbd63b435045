"""One scenario: the client, its steps, and the end."""

from __future__ import annotations

import base64
import json
import tempfile
from pathlib import Path
from typing import Any

from abi import Client, Library, Observer, Refusal, with_members_set
from events import check_events, logging
from service import Sandbox, check_service
from tree import (
    Placeholders,
    at_pointer,
    differences,
    parse_exactly,
    remove,
    to_plain,
    write_exactly,
)

# Members that are not named here are refused: no part is skipped.
SCENARIO = set(
    "name doc credentials config settings block_tokens faults client_error steps seen requests"
    " effects events log spans".split()
)
STEP = set(
    "call send prepare control sample input input_text set remove options response error prepared deliver"
    " remember".split()
)
SEND = set("method path query body body_base64 content_type reference".split())
RESPONSE = set("http_status view present body".split())
PREPARED = set("method target body body_base64 headers has_headers lacks_headers".split())
CREDENTIALS = {
    "integration_key": ["integration_key"],
    "jws": ["key_file", "kid"],
    "bearer": ["auth_url", "client_id", "client_secret"],
}
# The data of payers and payees in the samples, which no error may show.
PAYER = [
    "Maria Souza",
    "maria@example.com",
    "Ana López",
    "ana@example.com",
    "João Souza",
    "joao@example.com",
    "853.513.468-93",
]


def only(members: dict, known: set[str]) -> None:
    unknown = set(members) - known
    assert not unknown, f"unknown members: {sorted(unknown)}"


class Stage:
    """A sandbox that runs one scenario after another."""

    def __init__(self, library: Library, command: str, samples: dict, log: Path):
        self.library = library
        self.log = log
        self.samples = samples
        self.sandbox = Sandbox(command)
        self.placeholders = self.sandbox.placeholders()

    def close(self) -> None:
        self.sandbox.close()

    def run(self, exact: dict) -> list[str]:
        """The differences from the scenario. `exact` has numbers by their digits."""
        only(exact, SCENARIO)
        with tempfile.TemporaryDirectory() as folder:
            return self.run_in(Path(folder), exact, to_plain(exact))

    def run_in(self, folder: Path, exact: dict, scenario: dict) -> list[str]:
        credentials = scenario.get("credentials", list(CREDENTIALS))
        self.sandbox.set_up(scenario, credentials)
        placeholders = self.placeholders.copy()
        placeholders.values["client_id"] = f"client-of-{scenario['name']}"
        if "{journal}" in scenario.get("config", {}).values():
            file = str(folder / "payments.db").encode()
            assert self.library.journal_create(file, len(file), None) == 0
            placeholders.values["journal"] = f"file:{file.decode()}"
        config = configuration(exact, credentials, placeholders)
        # Without an observer, a client takes another path.
        observer = Observer(self.library) if "events" in scenario else None
        try:
            with logging("log" in scenario):
                client = Client(self.library, write_exactly(config), observer)
        except Refusal as refusal:
            if "client_error" not in scenario:
                return [f"no client: {refusal.text}"]
            return check_error(refusal, scenario["client_error"], placeholders)
        try:
            if "client_error" in scenario:
                return ["the configuration was accepted"]
            for index, step in enumerate(exact.get("steps", [])):
                found = self.perform(step, to_plain(step), client, placeholders)
                if found:
                    return [f"steps/{index}: {it}" for it in found]
        finally:
            client.close()
        found = check_service(self.sandbox, scenario, credentials, placeholders)
        if observer:
            found += check_events(scenario, observer.events, self.log, placeholders)
        return found

    def perform(
        self, exact: dict, step: dict, client: Client, placeholders: Placeholders
    ) -> list[str]:
        only(step, STEP)
        if "control" in step:
            control = placeholders.fill_tree(step["control"])
            only(control, {"method", "path", "body"})
            self.sandbox.call(control["method"], control["path"], control.get("body"))
            return []
        head, body = send_parts(step["send"]) if "send" in step else ("", b"")
        options = step.get("options", {})
        only(options, {"timeout_ms", "traceparent", "ensure_wait_ms"})
        try:
            if "prepare" in step:
                text = head.encode() if "send" in step else self.input(exact, placeholders)
                prepared = client.prepare(step["prepare"], text, body, options)
                if "prepared" not in step:
                    return ["it was prepared"]
                return self.check_prepared(prepared, step, placeholders)
            if "send" in step:
                response = client.send(head, body, options)
                response.view = json_or_none(response.body)
            else:
                response = client.call(step["call"], self.input(exact, placeholders), options)
        except Refusal as refusal:
            if "error" not in step:
                return [f"failed: {refusal.text}"]
            return check_error(refusal, step["error"], placeholders)
        if "response" not in step:
            return [f"responded {response.http_status}"]
        for name, pointer in step.get("remember", {}).items():
            text = at_pointer(response.view, pointer)
            if not isinstance(text, str):
                return [f"no text at {pointer}"]
            placeholders.values[name] = text
        return check_response(response, step["response"], placeholders)

    def input(self, step: dict, placeholders: Placeholders) -> bytes:
        """The JSON text that a step hands over."""
        if "input_text" in step:
            return placeholders.fill(step["input_text"]).encode()
        assert not ("sample" in step and "input" in step), "a sample or an input"
        if "sample" not in step and "input" not in step:
            return b""
        tree = step["input"] if "input" in step else self.samples[step["sample"]]
        tree = parse_exactly(write_exactly(tree))
        for pointer in step.get("remove", []):
            remove(tree, pointer)
        members = {
            pointer: placeholders.fill(write_exactly(value))
            for pointer, value in step.get("set", {}).items()
        }
        return with_members_set(self.library, placeholders.fill(write_exactly(tree)), members)

    def check_prepared(self, prepared, step: dict, placeholders: Placeholders) -> list[str]:
        expected = step["prepared"]
        only(expected, PREPARED)
        found = []
        target = prepared.url.removeprefix(self.sandbox.base_url)
        wanted = (expected["method"], placeholders.fill(expected["target"]))
        if (prepared.method, target) != wanted:
            found.append(f"{prepared.method} {target}")
        if prepared.body != body_of(placeholders.fill_tree(expected)):
            found.append(f"body {prepared.body!r}")
        headers = {name.lower(): value for name, value in prepared.headers}
        for name, value in expected.get("headers", {}).items():
            if headers.get(name.lower()) != value:
                found.append(f"header {name}: {headers.get(name.lower())}")
        found += [f"no {it}" for it in expected.get("has_headers", []) if it.lower() not in headers]
        found += [f"has {it}" for it in expected.get("lacks_headers", []) if it.lower() in headers]
        if step.get("deliver"):
            status, _ = self.sandbox.exchange(
                prepared.method, prepared.url, prepared.headers, prepared.body
            )
            if status != 200:
                found.append(f"delivered by another client, it got {status}")
        return found


def configuration(scenario: dict, credentials: list[str], placeholders: Placeholders) -> dict:
    config: dict[str, Any] = {"base_url": "{base_url}", "environment": "sandbox"}
    for credential in credentials:
        config.update({name: f"{{{name}}}" for name in CREDENTIALS[credential]})
    config.update(scenario.get("config", {}))
    config = {name: value for name, value in config.items() if value is not None}
    return placeholders.fill_tree(config)


def send_parts(send: dict) -> tuple[str, bytes]:
    only(send, SEND)
    head = {name: it for name, it in send.items() if name not in ("body", "body_base64")}
    return json.dumps(head, ensure_ascii=False), body_of(send)


def body_of(members: dict) -> bytes:
    assert not ("body" in members and "body_base64" in members), "body or body_base64"
    if "body_base64" in members:
        return base64.b64decode(members["body_base64"])
    return members.get("body", "").encode()


def json_or_none(body: bytes) -> Any:
    try:
        return json.loads(body)
    except ValueError:
        return None


def check_response(response, expected: dict, placeholders: Placeholders) -> list[str]:
    only(expected, RESPONSE)
    found = []
    if response.http_status != expected.get("http_status", 200):
        found.append(f"status {response.http_status}")
    for pointer, value in expected.get("view", {}).items():
        value = placeholders.fill_tree(value)
        found += differences(pointer, value, at_pointer(response.view, pointer))
    for pointer in expected.get("present", []):
        if at_pointer(response.view, pointer) is None:
            found.append(f"{pointer}: is not there")
    if "body" in expected and response.body != placeholders.fill(expected["body"]).encode():
        found.append(f"body {response.body!r}")
    return found


def check_error(refusal: Refusal, expected: dict, placeholders: Placeholders) -> list[str]:
    expected = placeholders.fill_tree(expected)
    found = []
    for list_name, member in (("message_has", "message"), ("advice_has", "advice")):
        text = refusal.report[member] or ""
        for part in expected.pop(list_name, []):
            if part not in text:
                found.append(f"{list_name} {part}: {text!r}")
    found += differences("error", expected, refusal.report)
    secrets = [placeholders.values["integration_key"], placeholders.values["client_secret"]]
    found += [f"the error shows {it}" for it in secrets + PAYER if it in refusal.text]
    return found
