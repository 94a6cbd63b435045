"""Type checkers refuse every misspelling, and accept correct code."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import typing
from collections.abc import Callable
from pathlib import Path

import pydantic
import pytest
import typing_extensions

import libpayments
from support import payment

FILE = Path(__file__).parent / "checked" / "misspellings.py"
SOURCE = FILE.read_text()


def lines_of_mypy(folder: Path) -> set[int]:
    command = [sys.executable, "-m", "mypy", "--strict", "--cache-dir", str(folder), str(FILE)]
    run = subprocess.run(command, capture_output=True, text=True, check=False, cwd=folder)
    assert not run.stderr, run.stderr
    return {
        int(line) for line in re.findall(r"^[^:\n]*misspellings\.py:(\d+): error", run.stdout, re.M)
    }


def lines_of_pyright(folder: Path) -> set[int]:
    command = [sys.executable, "-m", "pyright", "--outputjson", "--pythonpath", sys.executable]
    run = subprocess.run(
        [*command, str(FILE)], capture_output=True, text=True, check=False, cwd=folder
    )
    found = json.loads(run.stdout)["generalDiagnostics"]
    return {it["range"]["start"]["line"] + 1 for it in found if it["severity"] == "error"}


@pytest.mark.parametrize("lines_of", [lines_of_mypy, lines_of_pyright])
def test_every_misspelling_is_refused(lines_of: Callable[[Path], set[int]], tmp_path: Path) -> None:
    lines = enumerate(SOURCE.splitlines(), start=1)
    wrong = {number for number, line in lines if line.endswith("# wrong")}
    assert len(wrong) > 25
    assert lines_of(tmp_path) == wrong


def test_pydantic_takes_the_types() -> None:
    # Below Python 3.12 it refuses those of `typing`. A configuration holds the caller's objects.
    everything = {name: getattr(libpayments, name) for name in libpayments.__all__}
    types = [each for each in everything.values() if typing_extensions.is_typeddict(each)]
    types.remove(libpayments.Configuration)
    assert {libpayments.CreatePayment, libpayments.RetryEvent, libpayments.JournalFound} <= {*types}
    for each in types:
        assert pydantic.TypeAdapter(each).json_schema()["properties"].keys() == {
            *each.__annotations__
        }


def test_pydantic_keeps_the_digits_of_an_amount() -> None:
    adapter = pydantic.TypeAdapter(libpayments.CreatePayment)
    given = {**payment(), "amount_total": "100.10"}
    assert adapter.validate_python({"payment": given})["payment"]["amount_total"] == "100.10"
    del given["email"]
    with pytest.raises(pydantic.ValidationError, match=r"payment\.email"):
        adapter.validate_python({"payment": given})


def test_codes_are_open_sets_of_those_that_are_known() -> None:
    for name, known in [
        ("CountryCode", "uy"),
        ("CurrencyCode", "BOB"),
        ("PaymentTypeCode", "nequi"),
    ]:
        codes, others = typing.get_args(getattr(libpayments, name))
        assert known in typing.get_args(codes)
        assert others is str


def test_the_types_need_no_other_package() -> None:
    code = """
import sys, typing
sys.modules["typing_extensions"] = None
import libpayments
print(typing.is_typeddict(libpayments.Payment))
"""
    line = [sys.executable, "-c", code]
    assert subprocess.run(line, check=True, capture_output=True, text=True).stdout == "True\n"
