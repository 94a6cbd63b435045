"""A journal by configuration alone, what is open in it, and one in Python."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

import libpayments
from programs import end, start
from support import Sandbox, payment, payout
from waiting import until


@pytest.fixture
def journal(tmp_path: Path) -> str:
    path = tmp_path / "books" / "journal.db"
    libpayments.create_journal(path)
    return f"file:{path}"


def test_a_reference_is_paid_once_and_a_person_settles_a_lost_one(
    sandbox: Sandbox, journal: str
) -> None:
    with sandbox.client(journal=journal) as client:
        uid = client.create_payout(payout(external_reference="p-1")).uid
        with pytest.raises(libpayments.JournalError) as caught:
            client.create_payout(payout(external_reference="p-1"))
        error = caught.value
        assert (error.code, error.outcome) == ("already_done", "unknown")
        assert error.journal_entry is not None
        assert (error.journal_entry["uid"], error.journal_entry["has_same_body"]) == (uid, True)
        sandbox.fault("close", "create_payout", execute=True)
        with pytest.raises(libpayments.PaymentsError):
            client.create_payout(payout(external_reference="p-2"))
        [open_entry] = client.journal("recover")["open"]
        assert open_entry["needs"] == "person"
        resolved = client.journal("resolve", entry="p-2", executed=True, note="seen")
        assert resolved["entries"][0]["state"] == "done"
        states = [entry["state"] for entry in client.journal("list")["entries"]]
        assert states == ["done", "done"]
        with pytest.raises(libpayments.ValidationError):
            client.journal("resolve", entry="p-2", executed=True, note="seen")
    assert len(sandbox.requests("create_payout")) == 2


def test_asyncio_has_the_same_books(sandbox: Sandbox, journal: str) -> None:
    async def main() -> dict[str, Any]:
        async with sandbox.async_client(journal=journal) as client:
            await client.create_payout(payout(external_reference="p-1"))
            return await client.journal("show", reference="p-1")

    [entry] = asyncio.run(main())["entries"]
    assert (entry["operation"], entry["state"]) == ("create_payout", "done")


def test_a_journal_is_made_on_purpose_only(sandbox: Sandbox, tmp_path: Path) -> None:
    path = tmp_path / "books" / "journal.db"
    with pytest.raises(libpayments.ConfigError) as caught:
        sandbox.client(journal=f"file:{path}")
    assert (caught.value.code, caught.value.path) == ("missing", "journal")
    libpayments.create_journal(path)
    with pytest.raises(libpayments.JournalError):
        libpayments.create_journal(path)


@pytest.mark.parametrize("is_async", [False, True])
def test_whatever_moves_money_may_supersede(
    sandbox: Sandbox, journal: str, *, is_async: bool
) -> None:
    client: Any = sandbox.client(journal=journal)
    hash = client.create_payment(payment=payment()).hash
    sandbox.post("/sandbox/payments/order-1/confirm")
    by_name = payout(external_reference="by name")
    calls: list[Callable[[Any], partial[Any]]] = [
        lambda client: partial(
            client.create_payment, payment=payment(merchant_payment_code="order-2")
        ),
        lambda client: partial(client.create_payout, payout()),
        lambda client: partial(client.refund_payment, hash=hash, merchant_refund_code="r-1"),
        lambda client: partial(client.call, "create_payout", by_name),
        lambda client: partial(client.send, "POST", "/ws/transfer", body=b"{}", reference="t-1"),
    ]
    for call in calls:
        call(client)(timeout_ms=2_000)
    again: Any = sandbox.async_client(journal=journal) if is_async else client

    def goes_ahead(call: Callable[[Any], partial[Any]]) -> bool:
        try:
            response = call(again)(supersede=True)
            if is_async:
                asyncio.run(response)
        except libpayments.JournalError:
            return False
        except libpayments.RejectedError:
            pass  # The service itself knows the reference.
        return True

    for call in calls:
        until(partial(goes_ahead, call), "a deadline that has passed")
    entries = client.journal("list")["entries"]
    superseded = [entry["operation"] for entry in entries if entry["superseded_by"]]
    # The second refund is refused, and so the first one counts again.
    assert sorted(superseded) == ["create_payment", "create_payout", "create_payout", "send"]
    assert len(entries) == 1 + 2 * len(calls)
    with pytest.raises(TypeError):
        client.create_payout(payout(), supersede="yes")


_FORKS = """
client = libpayments.Client(**configuration)
def pay(reference):
    client.create_payment(payment={**payment, "merchant_payment_code": reference})
pay("parent")
children = []
for number in range(4):
    child = os.fork()
    if child == 0:
        pay(f"child-{number}")
        try:
            pay("parent")
        except libpayments.JournalError:
            os._exit(0)
        os._exit(1)
    children.append(child)
pay("parent again")
for child in children:
    assert os.waitpid(child, 0)[1] == 0
entries = client.journal("list")["entries"]
assert len(entries) == 6, entries
assert {entry["state"] for entry in entries} == {"done"}, entries
"""


def test_parent_and_children_write_to_one_journal(sandbox: Sandbox, journal: str) -> None:
    end(start(sandbox, _FORKS, journal=journal))
    assert len(sandbox.requests("create_payment")) == 6


class OwnJournal:
    """Keeps no entries, and raises where a test says so."""

    def __init__(self, raises: dict[str, BaseException]) -> None:
        self.raises = raises
        self.told: list[tuple[Any, ...]] = []

    def _act(self, method: str, result: Any, *told: object) -> Any:
        assert isinstance(told[-1], libpayments.Call)
        assert told[-1].remaining > 0
        self.told.append((method, *told[:-1]))
        if method in self.raises:
            raise self.raises[method]
        return result

    def insert(
        self, entry: dict[str, Any], superseded: list[dict[str, Any]], call: libpayments.Call
    ) -> bool:
        return bool(self._act("insert", True, entry, superseded, call))

    def update(self, entry: dict[str, Any], call: libpayments.Call) -> bool:
        return bool(self._act("update", True, entry, call))

    def find(self, filter: dict[str, Any], call: libpayments.Call) -> dict[str, Any]:
        found: dict[str, Any] = self._act("find", {"now": 7, "entries": []}, filter, call)
        return found

    def prune(self, scope: str, age_ms: int, call: libpayments.Call) -> int:
        return int(self._act("prune", 3, scope, age_ms, call))


def test_a_journal_of_ones_own_gets_entries_as_they_are(sandbox: Sandbox, tmp_path: Path) -> None:
    file = tmp_path / "payments.json"
    file.write_text(json.dumps(sandbox.configuration(journal_scope="shop")))
    journal = OwnJournal({})
    with libpayments.Client.from_file(file, journal=journal) as client:
        client.create_payout(payout())
        assert client.journal("recover") == {"recovered": [], "open": [], "deleted": 3}
    (_, entry, superseded), (_, ended), (_, filter), (*prune,) = journal.told
    assert superseded == []
    assert (entry["amount"], entry["hash"], entry["state"]) == ("10.00", None, "in_progress")
    assert ended == {**entry, **{name: ended[name] for name in ("state", "decided_by", "uid")}}
    assert (ended["state"], ended["decided_by"]) == ("done", "call")
    assert sorted(filter) == ["after", "id", "is_open", "limit", "reference", "scope"]
    assert (filter["scope"], filter["is_open"], filter["id"]) == ("shop", True, None)
    assert prune == ["prune", "shop", 400 * 86_400_000]


class Broken(Exception):
    pass


def test_nothing_is_sent_if_a_journal_raises_before(
    sandbox: Sandbox, caplog: pytest.LogCaptureFixture
) -> None:
    raised = Broken("the books are away")
    journal = OwnJournal({"insert": raised})
    with pytest.raises(libpayments.JournalError, match="it raised Broken") as caught:
        sandbox.client(journal=journal).create_payout(payout())
    assert (caught.value.code, caught.value.outcome) == ("unavailable", "not_executed")
    assert caught.value.__cause__ is raised
    assert "the books are away" not in str(caught.value)
    assert "journal.insert raised" in caplog.text
    with pytest.raises(libpayments.JournalError) as caught:
        asyncio.run(sandbox.async_client(journal=journal).create_payout(payout()))
    assert caught.value.__cause__ is raised
    assert sandbox.requests("create_payout") == []


def test_what_a_journal_raises_afterwards_is_told_to_the_observer(
    sandbox: Sandbox, caplog: pytest.LogCaptureFixture
) -> None:
    events: list[Any] = []
    journal = OwnJournal({"update": Broken()})
    client = libpayments.Client(**sandbox.configuration(journal=journal), observer=events.append)
    assert client.create_payout(payout()).uid
    [failed] = [event for event in events if event["event"] == "journal_failed"]
    assert failed["reason"] == "the journal failed: it raised Broken"
    assert "journal.update raised" in caplog.text
    sandbox.fault("response", operation="create_payout", status=503)
    with pytest.raises(libpayments.StatusError):
        client.create_payout(payout(external_reference="payout-2"))
    assert len(sandbox.requests("create_payout")) == 2


def test_what_ends_a_program_ends_a_call_that_its_journal_raised_it_in(sandbox: Sandbox) -> None:
    client = sandbox.client(journal=OwnJournal({"insert": SystemExit(3)}))
    with pytest.raises(SystemExit) as caught:
        client.create_payout(payout())
    error = libpayments.payments_error_in(caught.value)
    assert error is not None
    assert error.outcome is libpayments.Outcome.NOT_EXECUTED
    assert sandbox.requests("create_payout") == []


@pytest.mark.parametrize("result", [None, 1, "yes", object(), {"now": 1.5}])
def test_a_journal_that_returns_nonsense_does_not_work(sandbox: Sandbox, result: object) -> None:
    journal: Any = OwnJournal({})
    journal.insert = lambda *_: result
    with pytest.raises(libpayments.JournalError) as caught:
        sandbox.client(journal=journal).create_payout(payout())
    assert (caught.value.code, caught.value.outcome) == ("unavailable", "not_executed")
    assert sandbox.requests("create_payout") == []
