"""The Python of the pages and READMEs compiles and uses names that exist."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

import libpayments
from support import SHARED

ROOT = SHARED.parent
PAGES = sorted([ROOT / "README.md", *ROOT.glob("docs/**/*.md"), *ROOT.glob("*/README.md")])


def blocks(page: Path) -> list[str]:
    text = page.read_text(encoding="utf-8")
    return re.findall(r"^```python[^\n]*\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)


WITH_PYTHON = [page for page in PAGES if blocks(page)]


def test_pages_have_python() -> None:
    names = {str(page.relative_to(ROOT)) for page in WITH_PYTHON}
    assert {"README.md", "docs/getting-started/python.md", "bindings-python/README.md"} <= names


@pytest.mark.parametrize("page", WITH_PYTHON, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_block_compiles(page: Path) -> None:
    for block in blocks(page):
        flags = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT | ast.PyCF_ONLY_AST
        tree = compile(block, str(page), "exec", flags=flags, dont_inherit=True)
        assert isinstance(tree, ast.Module)
        for name in names_of_the_package(tree):
            assert hasattr(libpayments, name), f"libpayments has no {name}:\n{block}"


def names_of_the_package(tree: ast.Module) -> list[str]:
    names = []
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module == "libpayments":
            names += [alias.name for alias in node.names]
        elif (
            isinstance(node, ast.Attribute)
            and isinstance(node.value, ast.Name)
            and node.value.id == "libpayments"
        ):
            names.append(node.attr)
    return names
