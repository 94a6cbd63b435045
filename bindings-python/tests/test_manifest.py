"""The package has what the core has: `tests/manifest.json`."""

from __future__ import annotations

import inspect
import re
from pathlib import Path
from typing import Any

import pytest

import databases
import libpayments
import test_journal_command
from levels import CASES, FUNCTIONS, MANIFEST, OWN
from libpayments._client_journal import ClientJournal
from libpayments._reports import from_report
from support import SHARED, payment

CLIENTS = (libpayments.Client, libpayments.AsyncClient)


@pytest.mark.parametrize("operation", MANIFEST["operations"], ids=lambda each: each["name"])
def test_operation_has_method_fields_and_view(operation: dict[str, Any]) -> None:
    name = operation["name"]
    for client in CLIENTS:
        method = getattr(client, name)
        assert callable(method)
        if name != "send" and operation["request"] is not None:
            assert_members_are_documented(str(method.__doc__), operation["fields"], "")
    if name == "send":
        return
    if operation["request"] is not None:
        kind = getattr(libpayments, operation["request"]["type"])
        assert_fields(kind, operation["request"], operation["fields"])
    response = getattr(libpayments, getattr(libpayments.Client, name).__annotations__["return"])
    names = dir(response) + list(getattr(response, "__match_args__", ()))
    for member in operation["view"]:
        # `response` is the response itself, as a mapping.
        assert member == "response" or member in names, member


def assert_members_are_documented(doc: str, fields: list[dict[str, Any]], above: str) -> None:
    """Check that the documentation names every member."""
    text = " ".join(doc.split()).replace("``", "`")
    for field in fields:
        place = above + field["name"]
        meaning = field["meaning"][:1].upper() + field["meaning"][1:]
        assert f"`{place}`: {meaning}." in text, place
        list_of = "" if field["shape"] == "object" else "[]"
        assert_members_are_documented(doc, field.get("fields", []), f"{place}{list_of}.")


def assert_fields(kind: Any, described: dict[str, Any], fields: list[dict[str, Any]]) -> None:
    assert kind.__name__ == described["type"]
    key = ["integration_key"] if described["holds_key"] else []
    named = [each["name"] for each in fields]
    assert sorted(kind.__annotations__) == sorted([*named, *key, "extra"])
    for field in fields:
        if "object" in field:
            part = getattr(libpayments, field["object"]["type"])
            assert_fields(part, field["object"], field["fields"])


def test_functions_exist() -> None:
    for name in FUNCTIONS:
        assert hasattr(libpayments, name) or all(hasattr(client, name) for client in CLIENTS), name


def test_the_readme_lists_every_method() -> None:
    readme = (SHARED.parent / "bindings-python" / "README.md").read_text(encoding="utf-8")
    table = readme.split("<!-- methods:begin -->")[1].split("<!-- methods:end -->")[0]
    named = [
        name for row in table.splitlines() for name in re.findall("`(.+?)`", row.split(" | ")[0])
    ]
    listed = {name.split(".")[-1] for name in named}
    methods = {name for client in CLIENTS for name in dir(client) if not name.startswith("_")}
    functions = {name for name, it in vars(libpayments).items() if inspect.isroutine(it)}
    assert listed == methods | {name for name in functions if not name.startswith("_")}
    for name in dir(ClientJournal):
        assert name.startswith("_") or f"`{name}`" in readme.split("<!-- methods:end -->")[1], name


def test_every_case_of_the_level_runs() -> None:
    of_databases = databases.CASES["actions"] + databases.CASES["tables"]
    run = {
        "journal_commands.json": len(test_journal_command.CASES),
        "journal_databases.json": len(of_databases),
    }
    assert run == CASES
    named = {"SQLite" if it == "sqlite3" else "PostgreSQL" for it in databases.DRIVERS}
    assert sorted(named) == OWN["databases"]


def test_options_are_those_of_the_core() -> None:
    named = libpayments.Configuration.__annotations__
    assert sorted(named) == sorted(each["name"] for each in MANIFEST["configuration"])


def test_every_option_reaches_the_core() -> None:
    samples: dict[str, Any] = {
        "integer": 7,
        "switch": True,
        "list": ["A"],
        "object": {"send": {"bearer": True}},
    }
    for option in MANIFEST["configuration"]:
        members: dict[str, Any] = {option["name"]: samples.get(option["shape"], "text"), "zzz": 1}
        with pytest.raises(libpayments.ConfigError) as caught:
            libpayments.Client(**members)
        assert (caught.value.code == "member_unknown") == (caught.value.path == "zzz")


def test_every_kind_of_error_has_a_class() -> None:
    classes = {
        each.kind: each
        for _, each in inspect.getmembers(libpayments, inspect.isclass)
        if issubclass(each, libpayments.PaymentsError) and each is not libpayments.PaymentsError
    }
    assert sorted(classes) == sorted(each["name"] for each in MANIFEST["error_kinds"])
    for kind, each in classes.items():
        assert type(from_report("", {"kind": kind})) is each
        # `except TimeoutError` and `except ConnectionError` are for other failures.
        assert not issubclass(each, OSError)
    assert type(from_report("", {"kind": "of a later release"})) is libpayments.PaymentsError


def test_errors_have_every_member_of_the_report() -> None:
    with pytest.raises(libpayments.PaymentsError) as caught:
        libpayments.Client(base_url="http://127.0.0.1:1", integration_key="k").prepare(
            "create_payment", payment=payment(amount_total="0")
        )
    for member in MANIFEST["error_members"]:
        assert hasattr(caught.value, member), member
    for detail in MANIFEST["error_details"]:
        # Only a cancelled call can fail with a response.
        assert hasattr(libpayments.CallCancelledError, detail), detail
    without_message = set(MANIFEST["error_members"]) - {"service_message"}
    core_report = set(caught.value.report())
    assert core_report == without_message


def test_causes_and_findings_are_documented() -> None:
    text = (Path(libpayments.__file__).parent / "_records.py").read_text(encoding="utf-8")
    documented = set(re.findall(r"``(\w+)``", text.partition("class Diagnosis")[2]))
    for name in MANIFEST["diagnosis"]["causes"] + MANIFEST["diagnosis"]["findings"]:
        assert name in documented


def test_outcomes_are_those_of_the_core() -> None:
    assert [each.value for each in libpayments.Outcome] == MANIFEST["outcomes"]
