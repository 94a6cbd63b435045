"""Runs a scenario through one of the clients, and asks the service about it."""

from __future__ import annotations

import asyncio
import base64
import contextlib
import copy
import dataclasses
import enum
import tempfile
import traceback
from collections import Counter
from decimal import Decimal
from pathlib import Path
from typing import Any, Protocol
from urllib.parse import urlsplit

import libpayments
from libpayments._records import Record
from scenario_format import (
    ExpectedRequest,
    ExpectedResponse,
    Placeholders,
    Scenario,
    SendInput,
    Step,
    at,
    differences,
    load_samples,
    put,
    take,
)
from scenario_recorder import Recorder
from support import KEY_FILE, OTHER_KEY_FILE, Sandbox, deliver
from typed import misfits

PAYER = (
    "Maria Souza",
    "maria@example.com",
    "Ana López",
    "ana@example.com",
    "João Souza",
    "joao@example.com",
    "853.513.468-93",
)
CREDENTIALS = {
    "integration_key": ("integration_key",),
    "jws": ("key_file", "kid"),
    "bearer": ("auth_url", "client_id", "client_secret"),
}
# Functions of the client besides the operations, which take no request.
FUNCTIONS = ("token_status", "forget_token", "warm_up")


class Package(Protocol):
    """One of the two clients, as a scenario uses it."""

    def make(self, config: dict[str, Any], observer: Recorder | None) -> Any: ...

    def use(self, client: Any, method: str, /, *args: Any, **members: Any) -> Any: ...

    # The request as arguments, in one of the forms that methods take.
    def given(self, request: Any) -> tuple[list[Any], dict[str, Any]]: ...


class Blocking:
    """Requests are keywords."""

    def make(self, config: dict[str, Any], observer: Recorder | None) -> Any:
        return libpayments.Client(**config, observer=observer)

    def use(self, client: Any, method: str, /, *args: Any, **members: Any) -> Any:
        return getattr(client, method)(*args, **members)

    def given(self, request: Any) -> tuple[list[Any], dict[str, Any]]:
        return ([], request) if isinstance(request, dict) else ([request], {})


class Asyncio:
    """Requests are mappings."""

    def make(self, config: dict[str, Any], observer: Recorder | None) -> Any:
        return libpayments.AsyncClient(**config, observer=observer)

    def use(self, client: Any, method: str, /, *args: Any, **members: Any) -> Any:
        return asyncio.run(getattr(client, method)(*args, **members))

    def given(self, request: Any) -> tuple[list[Any], dict[str, Any]]:
        return [request], {}


class Stage:
    """A sandbox that runs one scenario after another."""

    def __init__(self, package: Package, views: dict[str, list[str]]) -> None:
        self.package = package
        self.views = views
        self.sandbox = Sandbox()
        self.samples = load_samples()
        names = ("base_url", "auth_url", "integration_key", "client_id", "client_secret")
        self.known = {name: self.sandbox.settings[name] for name in names}
        for host, url in (("host", "base_url"), ("auth_host", "auth_url")):
            self.known[host] = urlsplit(self.known[url]).netloc
        self.known["key_file"] = str(KEY_FILE)
        self.known["other_key_file"] = str(OTHER_KEY_FILE)
        self.known["kid"] = self.sandbox.kid

    def run(self, scenario: Scenario) -> list[str]:
        """Return the differences from the scenario."""
        # Without an observer, a client takes another path.
        recorder = None if scenario.events is None else Recorder()
        try:
            with tempfile.TemporaryDirectory() as folder:
                return self._run(scenario, recorder, Path(folder))
        finally:
            if recorder is not None:
                recorder.close()

    def _run(self, scenario: Scenario, recorder: Recorder | None, folder: Path) -> list[str]:
        self._set_up(scenario)
        self.known["client_id"] = self.sandbox.settings["client_id"]
        names = Placeholders(self.known)
        if "{journal}" in scenario.config.values():
            libpayments.create_journal(folder / "payments.db")
            names["journal"] = f"file:{folder / 'payments.db'}"
        config = _configuration(scenario, names)
        try:
            client = self.package.make(config, recorder)
        except libpayments.PaymentsError as error:
            if scenario.client_error is None:
                return [f"no client: {error}"]
            return self._check_error(error, scenario.client_error, names)
        if scenario.client_error is not None:
            return ["the configuration was accepted"]
        for index, step in enumerate(scenario.steps):
            found = self._perform(step, client, names)
            if found:
                return [f"steps/{index}: {each}" for each in found]
        found = [] if recorder is None else recorder.differences(scenario, names)
        return found + ServiceCheck(scenario, self.sandbox, names).differences()

    def _set_up(self, scenario: Scenario) -> None:
        self.sandbox.reset()
        settings = {"require": scenario.credentials, "lenient": False, **scenario.settings}
        self.sandbox.post("/sandbox/settings", settings)
        if scenario.block_tokens is not None:
            self.sandbox.post("/sandbox/tokens/block", scenario.block_tokens)
        if scenario.faults:
            self.sandbox.post("/sandbox/faults", scenario.faults)

    def _perform(self, step: Step, client: Any, names: Placeholders) -> list[str]:
        if step.control is not None:
            control = step.control
            path = names.fill(control.path).removeprefix("/sandbox/")
            self.sandbox.call(control.method, path, names.fill_tree(control.body))
            return []
        try:
            if step.prepare is not None:
                request = self._prepare(step, client, names)
                if step.prepared is None:
                    return ["it was prepared"]
                return shown_by(request, names) + self._check_prepared(
                    request, step.prepared, names, deliver_it=step.deliver
                )
            if step.send is not None:
                members = {**_send_members(step.send), **step.options}
                response = self.package.use(client, "send", **members)
                view = _plain(response.json()) if _is_json(response) else None
            elif step.call in FUNCTIONS:
                response = self.package.use(client, step.call, **step.options)
                view = _plain(response)
            elif step.call == "lint":
                args, members = self._input(step, names)
                response = libpayments.lint(*args or [members])
                view = _plain(response)
            else:
                assert step.call is not None
                has_own = step.call != "send" and hasattr(client, step.call)
                named = [step.call] if has_own else ["call", step.call]
                args, members = self._input(step, names)
                response = self.package.use(client, *named, *args, **members, **step.options)
                view = self._view(step.call, response)
        except libpayments.PaymentsError as error:
            if step.error is None:
                return [f"failed: {error}"]
            return self._check_error(error, step.error, names)
        found = self._check_types(step, response) + shown_by(response, names)
        if step.response is None or found:
            return ["the call succeeded", *found]
        for name, pointer in step.remember.items():
            names[name] = at(view, pointer)
        return _check_response(response, view, step.response, names)

    def _prepare(self, step: Step, client: Any, names: Placeholders) -> Any:
        if step.send is not None:
            members = {**_send_members(step.send), **step.options}
            return self.package.use(client, "prepare_send", **members)
        args, members = self._input(step, names)
        return self.package.use(client, "prepare", step.prepare, *args, **members, **step.options)

    def _input(self, step: Step, names: Placeholders) -> tuple[list[Any], dict[str, Any]]:
        if step.input_text is not None:
            return self.package.given(names.fill(step.input_text))
        if step.sample is None and step.input is None:
            return [], {}
        given = step.input if step.sample is None else self.samples[step.sample]
        tree = copy.deepcopy(given)
        for pointer in step.remove:
            take(tree, pointer)
        for pointer, value in step.set.items():
            put(tree, pointer, value)
        return self.package.given(names.fill_tree(tree))

    def _view(self, operation: str, response: Any) -> Any:
        """Return the members of the manifest's view, from the response's attributes."""
        names = self.views[operation]
        return {
            name: _plain(dict(response) if name == "response" else getattr(response, name))
            for name in names
        }

    def _check_types(self, step: Step, response: Any) -> list[str]:
        """Check that every member of the view has the type that the package declares."""
        view = [] if step.call is None else self.views.get(step.call, [])
        return misfits(response, [name for name in view if name != "response"])

    def _check_prepared(
        self,
        request: libpayments.PreparedRequest,
        expected: ExpectedRequest,
        names: Placeholders,
        *,
        deliver_it: bool,
    ) -> list[str]:
        found: list[str] = []
        target = request.url.removeprefix(self.sandbox.base_url)
        if (request.method, target) != (expected.method, names.fill(expected.target)):
            found.append(f"{request.method} {target}")
        text = None if expected.body is None else names.fill(expected.body)
        if request.body != bytes_of(text, expected.body_base64):
            found.append(f"body {request.body!r}")
        headers = {name.lower(): value for name, value in request.headers}
        found += differences("headers", expected.headers, headers)
        found += [f"no header {name}" for name in expected.has_headers if name not in headers]
        found += [f"has the header {name}" for name in expected.lacks_headers if name in headers]
        if deliver_it:
            status, _ = deliver(request.method, request.url, dict(request.headers), request.body)
            found += [] if status == 200 else [f"delivered otherwise, it got {status}"]
        return found

    def _check_error(
        self, error: libpayments.PaymentsError, expected: dict[str, Any], names: Placeholders
    ) -> list[str]:
        wanted = names.fill_tree(expected)
        found = [
            f"{error} lacks {part!r}"
            for part in wanted.pop("message_has", [])
            if part not in error.message
        ]
        advice = error.advice or ""
        found += [
            f"{advice} lacks {part!r}"
            for part in wanted.pop("advice_has", [])
            if part not in advice
        ]
        report = {name: _plain(getattr(error, name)) for name in self.views["error"]}
        found += differences("error", wanted, report) + misfits(error, self.views["error"])
        if type(error) is libpayments.PaymentsError:
            found.append(f"the kind {error.kind} has no class of its own")
        # Its text has all that a log needs, and its report is for logs too.
        end = f"[{error.kind}/{error.code}, {error.outcome}]"
        text = str(error)
        if not (text.endswith(end) and error.message in text and advice in text):
            found.append(f"its text is {text}")
        shown = _plain(error.report())
        del report["service_message"]
        if shown != {name: value for name, value in report.items() if value or name in shown}:
            found.append(f"its report is {shown}")
        return found + shown_by(error, names)


class ServiceCheck:
    """The requests and effects that the service recorded in its request log and ledger."""

    def __init__(self, scenario: Scenario, sandbox: Sandbox, names: Placeholders) -> None:
        self.scenario = scenario
        self.sandbox = sandbox
        self.names = names

    def differences(self) -> list[str]:
        records = self.sandbox.get("/sandbox/requests")["requests"]
        tokens = [each for each in records if each["operation"] == "access_token"]
        requests = [each for each in records if each["operation"] != "access_token"]
        found: list[str] = []
        seen = Counter(f"{each['method']} {each['path']}" for each in requests)
        seen.update({"token": len(tokens)} if tokens else {})
        if seen != self.scenario.seen:
            found.append(f"the service saw {dict(seen)}, expected {self.scenario.seen}")
        found += self._check_requests(requests)
        effects = self._effects()
        if effects != self.scenario.effects:
            found.append(f"the service made {effects}, expected {self.scenario.effects}")
        pending = self.sandbox.get("/sandbox/faults")["faults"]
        return found + ([f"faults that struck nothing: {pending}"] if pending else [])

    def _check_requests(self, requests: list[dict[str, Any]]) -> list[str]:
        listed = self.scenario.requests
        if listed is not None and len(listed) != len(requests):
            return [f"{len(requests)} requests, and {len(listed)} are listed"]
        found: list[str] = []
        for index, record in enumerate(requests):
            expected = self._usual(record)
            if listed is not None:
                expected.update(self.names.fill_tree(listed[index]))
            readable = _with_readable_members(record)
            headers = readable["headers"]
            place = f"requests/{index}"
            has, lacks = expected.pop("has_headers", []), expected.pop("lacks_headers", [])
            found += [f"{place}: has_headers {name}" for name in has if name not in headers]
            found += [f"{place}: lacks_headers {name}" for name in lacks if name in headers]
            found += differences(place, expected, readable)
        return found

    def _usual(self, record: dict[str, Any]) -> dict[str, Any]:
        """Return the rules for every request, unless the scenario overrides them."""
        if not record["complete"] or record["operation"] is None:
            return {}
        given = self.scenario.credentials
        key = "integration_key" in given and record["operation"] != "send"
        usual: dict[str, Any] = {
            "signature": "verified" if "jws" in given else "absent",
            "bearer": "valid" if "bearer" in given else "absent",
            "integration_key": "valid" if key else "absent",
        }
        if record["method"] != "GET":
            usual["resend"] = False
        return usual

    def _effects(self) -> dict[str, int]:
        payments = self.sandbox.get("/sandbox/payments")["payments"]
        counts = {
            "payments": len(payments),
            "refunds": sum(len(each["refunds"]) for each in payments),
            "payouts": len(self.sandbox.get("/sandbox/payouts")["payouts"]),
            "trackings": len(self.sandbox.get("/sandbox/trackings")["trackings"]),
        }
        return {name: count for name, count in counts.items() if count > 0}


def shown_by(value: Any, names: Placeholders) -> list[str]:
    """Return the secrets and payer data that the texts of a value show."""
    shown = f"{value}{value!r}"
    if isinstance(value, BaseException):
        shown += "".join(traceback.format_exception(value))
    # Every bearer token and every signature begins like this one.
    secrets = (names["integration_key"], names["client_secret"], "eyJ", *PAYER)
    return [f"{type(value).__name__} shows {secret}" for secret in secrets if secret in shown]


def _configuration(scenario: Scenario, names: Placeholders) -> dict[str, Any]:
    config: dict[str, Any] = {"base_url": "{base_url}", "environment": "sandbox"}
    for credential in scenario.credentials:
        config.update({name: f"{{{name}}}" for name in CREDENTIALS[credential]})
    config.update(scenario.config)
    filled = names.fill_tree(config)
    return {name: value for name, value in filled.items() if value is not None}


def _send_members(send: SendInput) -> dict[str, Any]:
    members = dataclasses.asdict(send)
    members["body"] = bytes_of(members.pop("body"), members.pop("body_base64"))
    members["query"] = [(name, value) for name, value in send.query]
    return members


def bytes_of(text: str | None, base64_text: str | None) -> bytes:
    assert text is None or base64_text is None
    if base64_text is not None:
        return base64.b64decode(base64_text)
    return (text or "").encode()


def _is_json(response: libpayments.SendResponse) -> bool:
    try:
        response.json()
    except ValueError:
        return False
    return True


def _check_response(
    response: Any, view: Any, expected: ExpectedResponse, names: Placeholders
) -> list[str]:
    found: list[str] = []
    status = getattr(response, "http_status", 200)
    if status != expected.http_status:
        found.append(f"status {status}, expected {expected.http_status}")
    for pointer, value in expected.view.items():
        found += differences(f"view{pointer}", names.fill_tree(value), at(view, pointer))
    found += [f"nothing at {pointer}" for pointer in expected.present if at(view, pointer) is None]
    if expected.body is not None and response.raw != names.fill(expected.body).encode():
        found.append(f"body {response.raw!r}")
    return found


def _plain(value: Any) -> Any:
    """Write a value as the view does: every amount is a text."""
    if isinstance(value, enum.Enum):
        return value.value
    if isinstance(value, Decimal):
        return format(value, "f")
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) >= 2**53:
        return str(value)
    if isinstance(value, Record):
        return _plain(vars(value))
    if isinstance(value, dict):
        return {name: _plain(each) for name, each in value.items()}
    if isinstance(value, list):
        return [_plain(each) for each in value]
    return value


def _with_readable_members(record: dict[str, Any]) -> dict[str, Any]:
    readable = dict(record)
    body = base64.b64decode(record["body_base64"])
    with contextlib.suppress(UnicodeDecodeError):
        readable["body"] = body.decode()
    readable["headers"] = {name.lower(): value for name, value in record["headers"]}
    readable["resend"] = record["resend_of"] is not None
    return readable
