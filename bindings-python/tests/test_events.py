"""Every event that an observer receives, with all of its members."""

from __future__ import annotations

import asyncio
import json
import re
import types
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints
from urllib.parse import urlsplit

import pytest

import libpayments
from libpayments import Event
from support import SHARED, Sandbox, payment
from waiting import hang, pay_and_cancel, until_in_flight

KINDS: dict[str, Any] = {
    get_args(get_type_hints(kind)["event"])[0]: kind for kind in get_args(Event)
}
SENTINEL = "canary-49916"


def documentation() -> str:
    """Give what the page on monitoring says of events."""
    page = (SHARED.parent / "docs" / "monitoring.md").read_text(encoding="utf-8")
    return page.partition("<!-- events:begin -->")[2].partition("<!-- events:end -->")[0]


def documented() -> dict[str, dict[str, bool]]:
    """Give the events and their own members, and whether these may be null."""
    rows = re.findall(r"^\| `(\w+)` \| (.*?) ?\|", documentation(), re.MULTILINE)
    return {
        name: {member: mark == "?" for member, mark in re.findall(r"`(\w+)`(\??)", members)}
        for name, members in rows
    }


def documented_for_all() -> dict[str, bool]:
    """Give the members of every event, and whether they may be null."""
    sentence = re.search(r"^Every event has (.*)$", documentation(), re.MULTILINE)
    assert sentence
    return {member: mark == "?" for member, mark in re.findall(r"`(\w+)`(\??) \(", sentence[1])}


def members_of(kind: Any) -> dict[str, Any]:
    return {name: hint for name, hint in get_type_hints(kind).items() if name != "event"}


def test_types_are_those_of_the_documentation() -> None:
    typed = {
        name: {member: type(None) in get_args(hint) for member, hint in members_of(kind).items()}
        for name, kind in KINDS.items()
    }
    everywhere = documented_for_all()
    assert list(everywhere) == ["call", "reference", "hash"]
    assert typed == {name: {**everywhere, **members} for name, members in documented().items()}
    assert len(typed) == 12


def test_the_readme_names_every_event_and_member() -> None:
    readme = (SHARED.parent / "bindings-python" / "README.md").read_text(encoding="utf-8")
    for name, members in documented().items():
        marked = ", ".join(f"`{each}`{'?' * may_be_null}" for each, may_be_null in members.items())
        row = f"| `{name}` | `{KINDS[name].__name__}` | {marked} |".replace("|  |", "| |")
        assert row in readme


def test_choices_are_those_of_the_core() -> None:
    manifest = json.loads((SHARED / "manifest.json").read_text(encoding="utf-8"))
    assert list(get_args(libpayments.Operation)) == [it["name"] for it in manifest["operations"]]
    assert list(get_args(libpayments.ErrorKind)) == [it["name"] for it in manifest["error_kinds"]]
    outcome = get_type_hints(libpayments.RequestEndedEvent)["outcome"]
    assert [*texts_of(outcome)] == manifest["outcomes"]


def texts_of(hint: Any) -> list[str]:
    """Give the texts that a type allows."""
    if get_origin(hint) is Literal:
        return list(get_args(hint))
    return [text for part in get_args(hint) for text in texts_of(part)]


def fits(value: object, hint: Any) -> bool:
    """Say whether a value is of a type; durations and numbers are never negative."""
    if get_origin(hint) in (Union, types.UnionType):
        return any(fits(value, part) for part in get_args(hint))
    if get_origin(hint) is Literal:
        return value in get_args(hint)
    if hint is int:
        return type(value) is int and value >= 0
    return type(value) is hint


class Heard:
    """The events that an observer received, each checked on arrival."""

    def __init__(self) -> None:
        self.events: list[Any] = []

    def __call__(self, event: Event) -> None:
        self.events.append(event)

    def names(self) -> list[str]:
        return [each["event"] for each in self.events]

    def only(self, name: str) -> Any:
        [event] = [each for each in self.events if each["event"] == name]
        return event

    def check(self) -> None:
        """Check the members of all events against their types."""
        for event in self.events:
            hints = get_type_hints(KINDS[event["event"]])
            assert sorted(event) == sorted(hints)
            wrong = [name for name, hint in hints.items() if not fits(event[name], hint)]
            assert not wrong, f"{wrong} of {event}"

    def clear(self) -> None:
        self.check()
        self.events.clear()


# A call that needs a token.
CALL = [
    "request_started",
    "token_requested",
    "token_fetched",
    "attempt",
    "attempt_ended",
    "request_ended",
]


@pytest.fixture
def heard() -> Heard:
    return Heard()


def secrets_in(sandbox: Sandbox, heard: Heard) -> list[str]:
    """Return the secrets and payer data of the request that appear in events."""
    secrets = sandbox.secrets() | {"Ana", "ana@example.com", "250.00", sandbox.kid, SENTINEL}
    return [each for each in secrets if each in str(heard.events)]


def test_a_payment_has_events_from_start_to_end(sandbox: Sandbox, heard: Heard) -> None:
    client = libpayments.Client(**sandbox.configuration(), observer=heard)
    created = client.create_payment(payment=payment())
    assert heard.names() == CALL
    assert heard.only("request_ended")["hash"] == created.hash
    assert heard.only("request_started") == {
        "event": "request_started",
        "call": heard.events[0]["call"],
        "reference": payment()["merchant_payment_code"],
        "hash": None,
        "operation": "create_payment",
        "method": "POST",
        "path": "/ws/direct",
        "host": urlsplit(sandbox.configuration()["base_url"]).netloc,
    }
    ended = heard.only("attempt_ended")
    assert (ended["number"], ended["http_status"], ended["kind"]) == (1, 200, None)
    requested = heard.only("token_requested")
    assert requested["host"] == urlsplit(str(sandbox.configuration().get("auth_url"))).netloc
    assert heard.only("attempt")["number"] == 1
    assert heard.only("token_fetched")["lifetime_us"] > 1_000_000
    end = heard.only("request_ended")
    assert (end["http_status"], end["kind"], end["outcome"], end["attempts"]) == (
        200,
        None,
        None,
        1,
    )
    assert end["duration_us"] > end["signing_us"] > 0
    assert end["duration_us"] > ended["duration_us"] > 0
    heard.clear()
    client.create_payment(payment=payment(merchant_payment_code="order-2"))
    assert heard.names() == ["request_started", "token_reused", *CALL[3:]]
    assert heard.only("token_reused")["remaining_us"] > 1_000_000
    heard.check()
    assert secrets_in(sandbox, heard) == []


def test_events_of_a_query_have_retries_and_no_parameters(sandbox: Sandbox, heard: Heard) -> None:
    client = libpayments.Client(**sandbox.configuration(), observer=heard)
    reference = f"{SENTINEL}@example.com"
    client.create_payment(payment=payment(merchant_payment_code=reference))
    heard.clear()
    sandbox.fault("response", operation="query_payment", status=503)
    client.query_payment(merchant_payment_code=reference)
    client.send("GET", "/ws/transfer", query={"document": SENTINEL})
    retry = heard.only("retry")
    assert (retry["operation"], retry["number"], retry["kind"]) == ("query_payment", 1, "status")
    statuses = [each["http_status"] for each in heard.events if each["event"] == "attempt_ended"]
    assert statuses == [503, 200, 200]
    numbers = [each["number"] for each in heard.events if each["event"] == "attempt"]
    assert numbers == [1, 2, 1]
    paths = [each["path"] for each in heard.events if each["event"] == "request_started"]
    assert paths == ["/ws/query", "/ws/transfer"]
    heard.check()
    assert {each["reference"] for each in heard.events} == {"can…", None}
    assert len({each["call"] for each in heard.events}) == 2
    assert SENTINEL not in str(heard.events)


def test_the_log_of_the_environment_has_a_line_for_each_event(
    sandbox: Sandbox,
    heard: Heard,
    capfd: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("PAYMENTS_LOG", "debug")
    client = libpayments.Client(**sandbox.configuration(), observer=heard)
    client.create_payment(payment=payment())
    log = capfd.readouterr().err
    assert [line.split()[1] for line in log.splitlines()] == heard.names()
    assert "http_status=200" in log
    assert not [each for each in sandbox.secrets() | {"Ana", "250.00"} if each in log]
    monkeypatch.delenv("PAYMENTS_LOG")
    libpayments.Client(**sandbox.configuration()).access_token()
    assert capfd.readouterr().err == ""


def test_events_have_refusals_and_failures_of_a_token(sandbox: Sandbox, heard: Heard) -> None:
    client = libpayments.Client(**sandbox.configuration(), observer=heard)
    client.access_token()
    sandbox.post("/sandbox/tokens/revoke")
    client.create_payment(payment=payment())
    assert "token_invalidated" in heard.names()
    assert heard.only("request_ended")["attempts"] == 2
    heard.clear()
    sandbox.post("/sandbox/tokens/revoke")
    sandbox.post("/sandbox/tokens/block", {"status": 503})
    with pytest.raises(libpayments.PaymentsError):
        client.create_payment(payment=payment(merchant_payment_code="order-2"))
    failed = heard.only("token_failed")
    assert failed["kind"] == "token"
    assert failed["backoff_us"] > 0
    assert 0 < failed["duration_us"] < heard.only("request_ended")["duration_us"]
    heard.check()
    assert secrets_in(sandbox, heard) == []


def test_an_event_says_why_a_store_was_bypassed(sandbox: Sandbox, heard: Heard) -> None:
    class Away:
        def refuse(self, *_: object) -> Any:
            raise RuntimeError(f"{SENTINEL} is away")

        load = save = delete_if = try_lock = unlock = refuse

    config = sandbox.configuration(token_store=Away())
    libpayments.Client(**config, observer=heard).create_payment(payment=payment())
    bypassed = [each for each in heard.events if each["event"] == "store_bypassed"]
    assert "load" in [each["action"] for each in bypassed]
    assert "RuntimeError" in bypassed[0]["reason"]
    heard.check()
    assert secrets_in(sandbox, heard) == []


def test_an_end_that_cannot_be_recorded_is_an_event(
    sandbox: Sandbox, heard: Heard, tmp_path: Path
) -> None:
    path = tmp_path / "journal" / "payments.db"
    libpayments.create_journal(path)

    def observer(event: Event) -> None:
        heard(event)
        if event["event"] == "attempt":
            path.rename(tmp_path / "away.db")

    config = sandbox.configuration(journal=f"file:{path}")
    libpayments.Client(**config, observer=observer).create_payment(payment=payment())
    assert "there is no journal at" in heard.only("journal_failed")["reason"]
    heard.check()


def refuse(sandbox: Sandbox, client: libpayments.Client) -> None:
    sandbox.fault("response", status=422, json={"message": SENTINEL})
    client.create_payment(payment=payment())


def break_off(sandbox: Sandbox, client: libpayments.Client) -> None:
    sandbox.fault("close", execute=True)
    client.create_payment(payment=payment())


def run_out_of_time(sandbox: Sandbox, client: libpayments.Client) -> None:
    hang(sandbox)
    client.create_payment(payment=payment(), timeout_ms=300)


def cancel_before(sandbox: Sandbox, client: libpayments.Client) -> None:
    cancel = libpayments.CancelHandle()
    cancel.cancel()
    client.create_payment(payment=payment(), cancel=cancel)


def cancel_meanwhile(sandbox: Sandbox, client: libpayments.Client) -> None:
    hang(sandbox)
    cancel = libpayments.CancelHandle()
    with ThreadPoolExecutor(1) as threads:
        call = threads.submit(lambda: client.create_payment(payment=payment(), cancel=cancel))
        until_in_flight(sandbox, 1)
        cancel.cancel()
        call.result()


@pytest.mark.parametrize(
    ("fail", "kind", "outcome", "http_status"),
    [
        (refuse, "status", "not_executed", 422),
        (break_off, "transport", "unknown", None),
        (run_out_of_time, "timeout", "unknown", None),
        (cancel_before, "cancelled", "not_executed", None),
        (cancel_meanwhile, "cancelled", "unknown", None),
    ],
)
def test_the_event_of_a_failure_has_kind_and_outcome(
    sandbox: Sandbox,
    heard: Heard,
    fail: Callable[[Sandbox, libpayments.Client], None],
    kind: str,
    outcome: str,
    http_status: int | None,
) -> None:
    client = libpayments.Client(**sandbox.configuration(), observer=heard)
    client.access_token()
    with pytest.raises(libpayments.PaymentsError) as caught:
        fail(sandbox, client)
    end = heard.only("request_ended")
    assert (end["kind"], end["outcome"], end["http_status"]) == (kind, outcome, http_status)
    assert (caught.value.kind, caught.value.attempts) == (kind, end["attempts"])
    heard.check()
    assert {each["reference"] for each in heard.events} == {"order-1", None}
    assert len({each["call"] for each in heard.events}) == 2
    assert SENTINEL not in str(heard.events)


def test_a_task_that_is_cancelled_tells_so(sandbox: Sandbox, heard: Heard) -> None:
    client = libpayments.AsyncClient(**sandbox.configuration(), observer=heard)
    asyncio.run(pay_and_cancel(sandbox, client))
    assert heard.names() == CALL
    end = heard.only("request_ended")
    assert (end["kind"], end["outcome"]) == ("cancelled", "unknown")
    heard.check()


def test_a_call_refused_before_it_begins_has_no_events(sandbox: Sandbox, heard: Heard) -> None:
    client = libpayments.Client(**sandbox.configuration(), observer=heard)
    with pytest.raises(libpayments.ValidationError):
        client.create_payment(payment=payment(amount_total="0"))
    assert heard.events == []
    # These do not call an operation: their only events are those of the token.
    client.access_token()
    client.prepare("create_payment", payment=payment())
    assert heard.names() == ["token_requested", "token_fetched", "token_reused"]
