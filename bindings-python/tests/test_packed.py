"""Tools that pack a program find every module, even those that only Rust imports."""

from __future__ import annotations

import re
import sys
from modulefinder import ModuleFinder
from pathlib import Path

SOURCES = Path(__file__).parents[1] / "src"
_LITERAL = re.compile(r'\bimport\((?:py, )?"([\w.]+)"')
_LISTED = re.compile(r"const NEEDED: \[&str; \d+\] = \[(.*?)\];", re.DOTALL)


def imported_by_rust() -> set[str]:
    text = "\n".join(path.read_text() for path in sorted(SOURCES.rglob("*.rs")))
    [listed] = _LISTED.findall(text)
    # One import has no literal: that of the list.
    assert len(re.findall(r"\bimport(?:_bound)?\(", text)) == len(_LITERAL.findall(text)) + 1
    return {*_LITERAL.findall(text), *re.findall(r'"([\w.]+)"', listed)}


def test_a_module_finder_sees_modules_imported_by_rust() -> None:
    finder = ModuleFinder()
    finder.import_hook("libpayments")
    names = imported_by_rust()
    assert {"libpayments._log", "libpayments._reports", "contextvars"} <= names
    # Those of the interpreter itself are in every program.
    assert names - set(finder.modules) - set(sys.builtin_module_names) == set()
