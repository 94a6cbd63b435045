"""The shared cases of journals in a database, with each driver."""

from __future__ import annotations

import time
from typing import Any

import pytest

import libpayments
from databases import CASES, DRIVERS, NOW, Connect, execute, found_in
from libpayments import DatabaseJournal
from support import Sandbox, assert_has, payout

REMEDIES = {
    "create": "make it with DatabaseJournal.create()",
    "repair": "repair it, and keep its rows",
}

Entries = dict[str, dict[str, Any]]


def found(journal: DatabaseJournal, filter: dict[str, Any]) -> list[dict[str, Any]]:
    entries = found_in(journal, **filter)
    for entry in entries:
        created_at = entry["created_at"]
        assert abs(created_at - time.time() * 1000) < 60_000
        # The clock may advance between the two.
        assert 30_000 <= entry["deadline_at"] - created_at < 31_000
        assert 930_000 <= entry["settles_at"] - created_at < 931_000
        assert (entry["ended_at"] is None) == (entry["version"] == 1)
    return entries


def act(connect: Connect, journal: DatabaseJournal, entries: Entries, step: dict[str, Any]) -> Any:
    if "sql" in step:
        statements = CASES["format_1"] if step["sql"] == "format_1" else step["sql"]
        return execute(connect, *statements)
    if "upgrade" in step:
        return journal.upgrade()
    if "insert" in step:
        entry = {**CASES["entry"], **step["insert"]}
        entries[entry["id"]] = entry
        return journal.insert(entry, NOW)
    if "update" in step:
        return journal.update({**entries[step["update"]["id"]], **step["update"]}, NOW)
    if "find" in step:
        return found(journal, step["find"])
    if "prune" in step:
        scope, before, limit = step["prune"]
        return journal.prune(scope, before, limit, NOW)
    scope, before = step["count"]
    counted: dict[str, Any] = {**journal.count(scope, before, NOW)}
    newest = max(it["created_at"] for it in found(journal, {}))
    assert newest <= counted["now"] < newest + 60_000
    return {**counted, "newest": "newest" if counted["newest"] == newest else counted["newest"]}


@pytest.mark.parametrize("case", CASES["actions"], ids=lambda case: case["name"])
def test_the_shared_cases_of_actions_hold(
    connect: Connect, journal: DatabaseJournal, case: dict[str, Any]
) -> None:
    entries: Entries = {}
    for step in case["steps"]:
        if "fails" in step:
            with pytest.raises(libpayments.JournalUnavailableError) as caught:
                act(connect, journal, entries, step)
            assert "check constraint" in str(caught.value.__cause__).lower()
        elif "refused" in step:
            with pytest.raises(libpayments.JournalUnavailableError) as caught:
                act(connect, journal, entries, step)
            assert all(text in str(caught.value) for text in step["refused"])
        else:
            assert_has(act(connect, journal, entries, step), step.get("gives"))


def tables_by_driver() -> list[Any]:
    return [
        pytest.param(driver, case, id=f"{case['name']} ({driver})")
        for case in CASES["tables"]
        for driver in DRIVERS
        if case.get("database", "") in ("", "sqlite" if driver == "sqlite3" else "postgresql")
    ]


@pytest.mark.parametrize(("connect", "case"), tables_by_driver(), indirect=["connect"])
def test_a_table_is_used_if_it_refuses_a_second_payment(
    sandbox: Sandbox, connect: Connect, case: dict[str, Any]
) -> None:
    DatabaseJournal(connect).create()
    for step in case["steps"]:
        execute(connect, *step["sql"])
        with sandbox.client(journal=DatabaseJournal(connect)) as client:
            if "refused" not in step:
                client.create_payout(payout(external_reference="p-1"))
                assert [it.state for it in client.journal.list()] == ["done"]
                continue
            with pytest.raises(libpayments.JournalError) as caught:
                client.create_payout(payout(external_reference="p-1"))
        assert (caught.value.code, caught.value.outcome) == ("unavailable", "not_executed")
        assert isinstance(caught.value.__cause__, libpayments.JournalUnavailableError)
        remedy = REMEDIES[step.get("remedy", "repair")]
        assert f"{step['refused']}; {remedy}" in str(caught.value)
        assert sandbox.requests("create_payout") == []
