"""A journal by configuration alone, and what is open in it."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

import libpayments
from programs import end, start
from support import Sandbox, payout


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
