"""A journal by configuration alone, its open entries, and a journal in Python."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import sqlite3
from collections.abc import Callable
from datetime import date, datetime, timedelta, timezone
from decimal import Decimal
from pathlib import Path
from typing import Any, TypeVar

import pytest

import libpayments
from programs import end, start
from support import Sandbox, payment, payout

_Result = TypeVar("_Result")


@pytest.fixture
def journal(tmp_path: Path) -> str:
    path = tmp_path / "journal" / "payments.db"
    libpayments.create_journal(path)
    return f"file:{path}"


def test_a_request_refused_here_has_its_references_outcome(sandbox: Sandbox, journal: str) -> None:
    wrong: Any = payment(amount_total=100.1)
    late: Any = True
    with sandbox.client(journal=journal) as client:
        for outcome in ("not_executed", "unknown"):
            for members in ({"payment": wrong}, {"payment": payment(), "ensure_wait_ms": late}):
                with pytest.raises(libpayments.ValidationError) as caught:
                    client.ensure_payment(**members)
                error = caught.value
                assert (error.code, error.outcome) == ("wrong_type", outcome)
                assert error.operation == "create_payment"
            client.ensure_payment(payment=payment())
        assert error.path == "ensure_wait_ms"
        assert error.journal_entry is not None


def test_a_reference_is_paid_once_and_a_person_resolves_it(sandbox: Sandbox, journal: str) -> None:
    with sandbox.client(journal=journal) as client:
        uid = client.create_payout(payout(external_reference="p-1")).uid
        with pytest.raises(libpayments.JournalError) as caught:
            client.create_payout(payout(external_reference="p-1"))
        error = caught.value
        assert (error.code, error.outcome) == ("already_done", "executed")
        assert error.journal_entry is not None
        assert (error.journal_entry["uid"], error.journal_entry["has_same_body"]) == (uid, True)
        sandbox.fault("close", "create_payout", execute=True)
        with pytest.raises(libpayments.PaymentsError):
            client.create_payout(payout(external_reference="p-2"))
        [still_open] = client.journal.recover().open
        assert (still_open.entry.reference, still_open.needs) == ("p-2", "time")
        assert "p-2" not in still_open.reason
        resolved = client.journal.resolve("p-2", executed=True, note="seen")
        assert (resolved.state, resolved.decided_by, resolved.note) == ("done", "person", "seen")
        assert [entry.state for entry in client.journal.list()] == ["done", "done"]
        with pytest.raises(libpayments.ValidationError) as refused:
            client.journal.resolve("p-2", executed=True, note="seen")
        assert refused.value.code == "entry_not_open"
    assert len(sandbox.requests("create_payout")) == 2


def test_an_entry_has_every_fact_about_its_call(sandbox: Sandbox, journal: str) -> None:
    before = datetime.now(timezone.utc)
    with sandbox.client(journal=journal, journal_scope="shop", settle_after_ms=900_000) as client:
        made = client.create_payout(payout(external_reference="p-1"), timeout_ms=20_000)
        [entry] = client.journal.show("p-1")
        assert client.journal.show(entry.id) == [entry]
        assert client.journal.show("p-2") == []
    assert (entry.scope, entry.operation, entry.reference) == ("shop", "create_payout", "p-1")
    assert (entry.amount, entry.currency) == (Decimal("10.00"), "BRL")
    assert (entry.state, entry.decided_by, entry.version) == ("done", "call", 2)
    assert (entry.uid, entry.hash, entry.process) == (made.uid, None, str(os.getpid()))
    assert (len(entry.id), len(entry.body_sha256)) == (32, 64)
    assert entry.created_at.tzinfo is timezone.utc
    minute = timedelta(minutes=1)
    assert before - minute < entry.created_at < before + minute
    assert timedelta(seconds=19) < entry.deadline_at - entry.created_at <= timedelta(seconds=20)
    assert entry.settles_at - entry.deadline_at == timedelta(minutes=15)
    assert entry.ended_at is not None
    assert entry.ended_at >= entry.created_at
    nothing = (entry.refund_code, entry.kind, entry.code, entry.note, entry.rival, entry.needs)
    assert nothing == (None,) * 6


def test_a_time_after_the_year_9999_becomes_its_end(sandbox: Sandbox, journal: str) -> None:
    with sandbox.client(journal=journal) as client:
        client.create_payout(payout(external_reference="p-1"), timeout_ms=2**62)
        [entry] = client.journal.list()
    assert entry.deadline_at.year == 9999


def test_recovery_finds_a_payment_that_was_lost(sandbox: Sandbox, journal: str) -> None:
    with sandbox.client(journal=journal) as client:
        sandbox.fault("close", "create_payment", execute=True)
        with pytest.raises(libpayments.PaymentsError):
            client.create_payment(payment=payment())
        [unknown] = client.journal.list(only_open=True)
        assert (unknown.state, unknown.needs, unknown.kind) == ("unknown", "query", "transport")
        recovery = client.journal.recover()
        [found] = recovery.recovered
        assert (found.id, found.state, found.decided_by) == (unknown.id, "done", "recovery")
        assert found.hash is not None
        assert recovery.open == []
        assert list(client.journal.list(only_open=True)) == []


def test_a_list_has_all_pages(sandbox: Sandbox, journal: str) -> None:
    with sandbox.client(journal=journal, journal_scope="shop") as client:
        path = journal.removeprefix("file:")
        client.create_payout(payout(external_reference="p-1"))
        with contextlib.closing(sqlite3.connect(path)) as connection:
            connection.execute("CREATE TEMPORARY TABLE more AS SELECT * FROM payments_journal")
            for number in range(2, 1_503):
                connection.execute(
                    "UPDATE more SET id = ?, reference = ?",
                    (f"{'f' * 24}{number:08x}", str(number)),
                )
                connection.execute("INSERT INTO payments_journal SELECT * FROM more")
            connection.commit()
        entries = list(client.journal.list())
        assert len({entry.id for entry in entries}) == 1_502
        assert entries == sorted(entries, key=lambda entry: entry.id)
        assert list(client.journal.list(after=entries[-2].id)) == entries[-1:]
        # Only the pages that are asked for are read.
        assert next(client.journal.list()) == entries[0]


@pytest.mark.parametrize(
    "before",
    [
        date(2100, 1, 31),
        "2100-01-31",
        "2100-01-31T00:00:00-03:00",
        datetime(2100, 1, 31, 0, 0, 0, 7, timezone.utc),
        datetime(2100, 1, 31, tzinfo=timezone(timedelta(hours=-3))),
    ],
    ids=str,
)
def test_old_entries_are_deleted_on_demand(
    sandbox: Sandbox, journal: str, before: date | str
) -> None:
    with sandbox.client(journal=journal) as client:
        client.create_payout(payout(external_reference="p-1"))
        counted = client.journal.prune(before=before, dry_run=True)
        assert counted == libpayments.Pruned(dry_run=True, done=1, failed=0, open=0)
        with pytest.raises(libpayments.ValidationError) as refused:
            client.journal.prune(before=before)
        assert (refused.value.code, refused.value.path) == ("not_confirmed", "before")
        deleted = client.journal.prune(before=before, recent=True)
        assert deleted == libpayments.Pruned(dry_run=False, done=1, failed=0, open=0)
        assert list(client.journal.list()) == []


@pytest.mark.parametrize("before", [datetime(2025, 1, 31), "31/01/2025", ""])
def test_a_time_without_its_zone_is_refused(
    sandbox: Sandbox, journal: str, before: datetime | str
) -> None:
    client = sandbox.client(journal=journal)
    with pytest.raises(libpayments.ValidationError) as refused:
        client.journal.prune(before=before)
    assert (refused.value.code, refused.value.path) == ("value_invalid", "before")


def test_methods_of_a_missing_journal_are_refused(sandbox: Sandbox) -> None:
    client = sandbox.client()
    asks: list[Callable[[], object]] = [
        lambda: list(client.journal.list()),
        lambda: client.journal.show("p-1"),
        client.journal.recover,
        lambda: client.journal.resolve("p-1", executed=True, note="seen"),
        lambda: client.journal.prune(before="2025-01-31"),
    ]
    for ask in asks:
        with pytest.raises(libpayments.ConfigError) as refused:
            ask()
        assert refused.value.path == "journal"


def test_asyncio_has_the_same_journal(sandbox: Sandbox, journal: str) -> None:
    async def main() -> None:
        async with sandbox.async_client(journal=journal) as client:
            await client.create_payout(payout(external_reference="p-1"))
            [entry] = await client.journal.show("p-1")
            assert (entry.operation, entry.state) == ("create_payout", "done")
            assert [it async for it in client.journal.list()] == [entry]
            assert [it async for it in client.journal.list(after=entry.id)] == []
            sandbox.fault("close", "create_payout", execute=True)
            with pytest.raises(libpayments.PaymentsError):
                await client.create_payout(payout(external_reference="p-2"))
            [still_open] = (await client.journal.recover()).open
            assert still_open.needs == still_open.entry.needs == "time"
            resolved = await client.journal.resolve("p-2", executed=True, note="seen")
            assert resolved.id == still_open.entry.id
            pruned = await client.journal.prune(before=date(2100, 1, 31), recent=True)
            assert (pruned.done, pruned.open) == (2, 0)

    asyncio.run(main())


def test_a_journal_is_created_only_on_purpose(sandbox: Sandbox, tmp_path: Path) -> None:
    path = tmp_path / "journal" / "payments.db"
    with pytest.raises(libpayments.ConfigError) as caught:
        sandbox.client(journal=f"file:{path}")
    assert (caught.value.code, caught.value.path) == ("missing", "journal")
    libpayments.create_journal(path)
    with pytest.raises(libpayments.JournalError):
        libpayments.create_journal(path)


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
entries = list(client.journal.list())
assert len(entries) == 6, entries
assert {entry.state for entry in entries} == {"done"}, entries
"""


def test_parent_and_children_write_to_one_journal(sandbox: Sandbox, journal: str) -> None:
    end(start(sandbox, _FORKS, journal=journal))
    assert len(sandbox.requests("create_payment")) == 6


class OwnJournal:
    """Keeps no entries, and raises where a test says so."""

    def __init__(self, raises: dict[str, BaseException]) -> None:
        self.raises = raises
        self.calls: list[tuple[Any, ...]] = []

    def _act(self, method: str, result: _Result, *arguments: object) -> _Result:
        assert isinstance(arguments[-1], libpayments.Call)
        assert arguments[-1].remaining > 0
        self.calls.append((method, *arguments[:-1]))
        if method in self.raises:
            raise self.raises[method]
        return result

    def insert(self, entry: dict[str, Any], call: libpayments.Call) -> bool:
        return self._act("insert", True, entry, call)

    def update(self, entry: dict[str, Any], call: libpayments.Call) -> libpayments.JournalUpdated:
        changed: libpayments.JournalUpdated = {"changed": True, "taken_by": None}
        return self._act("update", changed, entry, call)

    def find(self, filter: dict[str, Any], call: libpayments.Call) -> libpayments.JournalFound:
        found: libpayments.JournalFound = {"now": 7, "entries": []}
        return self._act("find", found, filter, call)

    def count(self, scope: str, before: int, call: libpayments.Call) -> libpayments.JournalCounted:
        counted: libpayments.JournalCounted
        counted = {"now": 10**13, "newest": 7, "done": 3, "failed": 1, "open": 2}
        return self._act("count", counted, scope, before, call)

    def prune(self, scope: str, before: int, limit: int, call: libpayments.Call) -> int:
        return self._act("prune", 4, scope, before, limit, call)


def test_a_custom_journal_gets_unchanged_entries(sandbox: Sandbox, tmp_path: Path) -> None:
    file = tmp_path / "payments.json"
    file.write_text(json.dumps(sandbox.configuration(journal_scope="shop")))
    journal = OwnJournal({})
    with libpayments.Client.from_file(file, journal=journal) as client:
        client.create_payout(payout())
        assert client.journal.recover() == libpayments.Recovery([], [])
        pruned = client.journal.prune(before="1970-01-02", recent=True)
    assert pruned == libpayments.Pruned(dry_run=False, done=3, failed=1, open=2)
    (_, entry), (_, others), (_, ended), (_, open_ones), *old = journal.calls
    assert (entry["amount"], entry["hash"], entry["state"]) == ("10.00", None, "in_progress")
    assert entry["created_at"] < entry["deadline_at"] < entry["settles_at"]
    assert ended == {**entry, **{name: ended[name] for name in ("state", "decided_by", "uid")}}
    assert (ended["state"], ended["decided_by"]) == ("done", "call")
    limits = {"scope": "shop", "id": None, "hash": None, "after": None, "limit": 1_000}
    assert others == {**limits, "reference": "payout-1", "is_open": False}
    assert open_ones == {**limits, "reference": None, "is_open": True}
    assert old == [("count", "shop", 86_400_000), ("prune", "shop", 86_400_000, 500)]


class Broken(Exception):
    pass


def test_nothing_is_sent_if_the_journal_raises_first(
    sandbox: Sandbox, caplog: pytest.LogCaptureFixture
) -> None:
    raised = Broken("the database is away")
    journal = OwnJournal({"insert": raised})
    with pytest.raises(libpayments.JournalError, match="it raised Broken") as caught:
        sandbox.client(journal=journal).create_payout(payout())
    assert (caught.value.code, caught.value.outcome) == ("unavailable", "not_executed")
    assert caught.value.__cause__ is raised
    assert "the database is away" not in str(caught.value)
    assert "journal.insert raised" in caplog.text
    with pytest.raises(libpayments.JournalError) as caught:
        asyncio.run(sandbox.async_client(journal=journal).create_payout(payout()))
    assert caught.value.__cause__ is raised
    assert sandbox.requests("create_payout") == []


def test_a_later_exception_of_a_journal_goes_to_the_observer(
    sandbox: Sandbox, caplog: pytest.LogCaptureFixture
) -> None:
    events: list[Any] = []
    journal = OwnJournal({"update": Broken()})
    client = libpayments.Client(**sandbox.configuration(journal=journal), observer=events.append)
    assert client.create_payout(payout(), timeout_ms=2000).uid
    [failed] = [event for event in events if event["event"] == "journal_failed"]
    assert failed["reason"] == "the journal failed: it raised Broken"
    assert caplog.text.count("journal.update raised") == 1, "each attempt raises the same"
    sandbox.fault("response", operation="create_payout", status=503)
    with pytest.raises(libpayments.StatusError):
        client.create_payout(payout(external_reference="payout-2"), timeout_ms=2000)
    assert len(sandbox.requests("create_payout")) == 2


def test_an_exit_in_a_journal_ends_its_call(sandbox: Sandbox) -> None:
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
