"""The level of this package in `tests/manifest.json`, and the shared tests of it."""

from __future__ import annotations

import json
from typing import Any

from support import SHARED

MANIFEST: dict[str, Any] = json.loads((SHARED / "manifest.json").read_text(encoding="utf-8"))
OWN: dict[str, Any] = MANIFEST["languages"]["python"]

_NAMES = [each["name"] for each in MANIFEST["levels"]]
# A level has everything of those before it.
_LEVELS = MANIFEST["levels"][: _NAMES.index(OWN["level"]) + 1]

SCENARIOS = sorted(name for level in _LEVELS for name in level["scenarios"])
# How many cases each file has.
CASES = {file: count for level in _LEVELS for file, count in level["cases"].items()}
FUNCTIONS = [
    each["name"]
    for each in MANIFEST["functions"]
    if each["level"] in [level["name"] for level in _LEVELS]
]
