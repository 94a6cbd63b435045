"""The command ``python -m libpayments explain``."""

from __future__ import annotations

import json
import re
import textwrap
from collections.abc import Sequence
from importlib.resources import files
from itertools import pairwise
from typing import Any

from ._error_codes import INVALID_ARGUMENTS
from ._help import EXPLAIN

_WIDTH = 80
# The column of the texts in the list.
_COLUMN = 30
_MOST_SUGGESTIONS = 3
_LEAST_LIKENESS = 0.6

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
    if not asked:
        return _printed(_list() if is_for_people else _line({"codes": _codes()}))
    name = _name_of(asked)
    entries = [*_codes(), *_data()["service_codes"]]
    # An earlier code may be several now, or a word of the service too.
    found = [it for it in entries if _name_of(it["code"]) == name or _was(it, name)]
    if not found:
        suggestion = _suggestion(name, [entry["code"] for entry in entries])
        return _refused(f"there is no error code {asked}; {suggestion}")
    if is_for_people:
        return _printed(_text_of(found, name))
    return _printed(_line(found[0] if len(found) == 1 else {"codes": found}))


def _data() -> dict[str, Any]:
    text = files("libpayments").joinpath("explanations.json").read_text("utf-8")
    data: dict[str, Any] = json.loads(text)
    return data


def _codes() -> list[dict[str, Any]]:
    return [entry for subject in _data()["subjects"] for entry in subject["codes"]]


def _name_of(code: str) -> str:
    """Return it in lower case, without the kind before a slash."""
    return code.rpartition("/")[2].lower()


def _was(entry: dict[str, Any], name: str) -> bool:
    return name in entry.get("was", ())


def _list() -> str:
    text = ""
    for subject in _data()["subjects"]:
        text += f"{subject['title']}\n"
        for entry in subject["codes"]:
            cause = re.split("[:.](?: |$)", entry["cause"])[0]
            text += _wrapped(cause, f"  {entry['code']}".ljust(_COLUMN), " " * _COLUMN)
        text += "\n"
    return f"{text}{EXPLAIN} CODE says what to do.\n"


def _text_of(entries: list[dict[str, Any]], name: str) -> str:
    now = " or ".join(entry["code"] for entry in entries if _was(entry, name))
    earlier = f"{name} is now {now}.\n\n" if now else ""
    return earlier + "\n".join(map(_text_of_entry, entries))


def _text_of_entry(entry: dict[str, Any]) -> str:
    text = f"{entry['code']} ({entry['kind']})\n"
    for member, heading in _data()["headings"]:
        value = entry.get(member, [])
        paragraphs = [value] if isinstance(value, str) else value
        text += f"\n{heading}\n" if paragraphs else ""
        text += "".join(_wrapped(paragraph, "  ", "  ") for paragraph in paragraphs)
    return text


def _wrapped(text: str, first: str, rest: str) -> str:
    """Return lines of at most `_WIDTH` characters, unless a word is longer."""
    wrapper = textwrap.TextWrapper(_WIDTH, first, rest)
    wrapper.break_long_words = wrapper.break_on_hyphens = False
    return wrapper.fill(text) + "\n"


def _suggestion(name: str, known: list[str]) -> str:
    rated = [(_likeness(name, _name_of(code)), code) for code in known]
    rated.sort(key=lambda rating: -rating[0])
    near = [code for rating, code in rated[:_MOST_SUGGESTIONS] if rating >= _LEAST_LIKENESS]
    advice = f"`{EXPLAIN}` lists all"
    return f"did you mean {' or '.join(near)}? {advice}" if near else advice


def _likeness(one: str, other: str) -> float:
    """Return the share of pairs of neighboring letters that two names have in common."""
    pairs, others = ({a + b for a, b in pairwise(name)} for name in (one, other))
    return 2 * len(pairs & others) / max(len(pairs) + len(others), 1)


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
