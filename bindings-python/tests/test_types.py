"""Type checkers refuse every misspelling, and accept what is right."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

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
