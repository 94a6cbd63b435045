"""The command ``python -m libpayments explain``."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from importlib.resources import files
from typing import Any

from ._error_codes import INVALID_ARGUMENTS
from ._help import EXPLAIN

_HELP = f"""\
Explains an error code: what happened, whether money may have moved, and what to do.

Usage: {EXPLAIN} [CODE] [--json]

CODE      the `code` or `service_code` of an error; without it, lists all
--json    prints JSON on a terminal too
"""


def explanation(words: Sequence[str], is_terminal: bool) -> dict[str, Any]:
    """Return the output of the command with these words after its name."""
    asked, *more = [word for word in words if word != "--json"] or [""]
    if asked in ("--help", "-h"):
        return _printed(_HELP)
    if more:
        return _refused("give one code; see --help")
    is_for_people = is_terminal and "--json" not in words
    data = json.loads(files("libpayments").joinpath("explanations.json").read_text("utf-8"))
    if not asked and is_for_people:
        return _printed(f"{data['list']}{EXPLAIN} CODE says what to do.\n")
    if not asked:
        return _printed(_line_of(data["codes"]))
    name = _name_of(asked)
    entries = [*data["codes"], *data["service_codes"]]
    # The service may use the same word.
    found = [it for it in entries if _name_of(it["json"]["code"]) == name]
    if not found:
        suggestion = _suggestion(name, (entry["json"]["code"] for entry in entries))
        return _refused(f"there is no error code {asked}; {suggestion}")
    if is_for_people:
        return _printed("\n".join(entry["text"] for entry in found))
    return _printed(_line(found[0]["json"]) if len(found) == 1 else _line_of(found))


def _name_of(code: str) -> str:
    """Return the code in lower case, without the kind before a slash."""
    return code.rpartition("/")[2].lower()


def _suggestion(name: str, known: Iterable[str]) -> str:
    codes = {_name_of(code): code for code in known}
    near = [codes[it] for it in get_close_matches(name, codes)]
    advice = f"`{EXPLAIN}` lists all"
    return f"did you mean {' or '.join(near)}? {advice}" if near else advice


def _line_of(entries: list[dict[str, Any]]) -> str:
    return _line({"codes": [entry["json"] for entry in entries]})


def _line(json_value: dict[str, Any]) -> str:
    return json.dumps(json_value, ensure_ascii=False, separators=(",", ":")) + "\n"


def _printed(stdout: str) -> dict[str, Any]:
    return {"stdout": stdout, "stderr": "", "exit_code": 0}


def _refused(message: str) -> dict[str, Any]:
    report = {
        "kind": "usage",
        "code": INVALID_ARGUMENTS,
        "message": message,
        "outcome": "not_executed",
        "help": f"{EXPLAIN} {INVALID_ARGUMENTS}",
    }
    return {"stdout": "", "stderr": _line(report), "exit_code": 2}
