"""The shared scenarios as data; unknown members are refused."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import MISSING, dataclass, field, fields
from typing import Any, TypeVar

from support import SHARED

_Type = TypeVar("_Type")


@dataclass
class SendInput:
    method: str
    path: str
    query: list[tuple[str, str]] = field(default_factory=list)
    body: str | None = None
    body_base64: str | None = None
    content_type: str | None = None
    reference: str | None = None


@dataclass
class ControlCall:
    method: str
    path: str
    body: Any = None


@dataclass
class ExpectedResponse:
    http_status: int = 200
    view: dict[str, Any] = field(default_factory=dict)
    present: list[str] = field(default_factory=list)
    body: str | None = None


@dataclass
class ExpectedRequest:
    method: str
    target: str
    body: str | None = None
    body_base64: str | None = None
    headers: dict[str, str] = field(default_factory=dict)
    has_headers: list[str] = field(default_factory=list)
    lacks_headers: list[str] = field(default_factory=list)


@dataclass
class Step:
    call: str | None = None
    send: SendInput | None = None
    prepare: str | None = None
    control: ControlCall | None = None
    sample: str | None = None
    input: Any = None
    input_text: str | None = None
    set: dict[str, Any] = field(default_factory=dict)
    remove: list[str] = field(default_factory=list)
    options: dict[str, Any] = field(default_factory=dict)
    response: ExpectedResponse | None = None
    error: dict[str, Any] | None = None
    prepared: ExpectedRequest | None = None
    deliver: bool = False
    remember: dict[str, str] = field(default_factory=dict)


@dataclass
class Scenario:
    name: str
    doc: str
    credentials: list[str] = field(default_factory=lambda: ["integration_key", "jws", "bearer"])
    config: dict[str, Any] = field(default_factory=dict)
    settings: dict[str, Any] = field(default_factory=dict)
    block_tokens: Any = None
    faults: list[Any] = field(default_factory=list)
    client_error: dict[str, Any] | None = None
    steps: list[Step] = field(default_factory=list)
    seen: dict[str, int] = field(default_factory=dict)
    requests: list[dict[str, Any]] | None = None
    effects: dict[str, int] = field(default_factory=dict)
    events: list[dict[str, Any]] | None = None
    log: list[str] | None = None
    spans: list[dict[str, Any]] | None = None


_PARTS: dict[tuple[type, str], type] = {
    (Step, "send"): SendInput,
    (Step, "control"): ControlCall,
    (Step, "response"): ExpectedResponse,
    (Step, "prepared"): ExpectedRequest,
}


def read(kind: type[_Type], members: Mapping[str, Any]) -> _Type:
    """Make a part of a scenario, and refuse members that it does not have."""
    known: Any = kind
    names = {each.name for each in fields(known)}
    unknown = members.keys() - names
    assert not unknown, f"{kind.__name__} has no {unknown}"
    required = {
        each.name
        for each in fields(known)
        if each.default is MISSING and each.default_factory is MISSING
    }
    assert required <= members.keys(), f"{kind.__name__} needs {required}"
    values: dict[str, Any] = {}
    for name, value in members.items():
        part = _PARTS.get((kind, name))
        if part is not None:
            values[name] = read(part, value)
        elif (kind, name) == (Scenario, "steps"):
            values[name] = [read(Step, step) for step in value]
        else:
            values[name] = value
    return kind(**values)


def load_all() -> list[Scenario]:
    """Read every scenario of every file, in the order of the files' names."""
    scenarios: list[Scenario] = []
    for file in sorted((SHARED / "scenarios").glob("*.json")):
        content = json.loads(file.read_text(encoding="utf-8"))
        assert content.keys() == {"about", "scenarios"}, file
        scenarios += [read(Scenario, each) for each in content["scenarios"]]
    return scenarios


def load_samples() -> dict[str, Any]:
    """Read the requests that scenarios start from."""
    samples: dict[str, Any] = json.loads((SHARED / "samples.json").read_text(encoding="utf-8"))
    return samples


class Placeholders(dict[str, str]):
    """The values of the names in braces; `exact_differences` knows what some stand for."""

    def __missing__(self, name: str) -> str:
        if name in {"number", "text", "duration"}:
            return f"{{{name}}}"
        raise KeyError(name)

    def fill(self, text: str) -> str:
        return re.sub(r"\{([a-z_]+)\}", lambda found: self[found.group(1)], text)

    def fill_tree(self, tree: Any) -> Any:
        if isinstance(tree, str):
            return self.fill(tree)
        if isinstance(tree, list):
            return [self.fill_tree(each) for each in tree]
        if isinstance(tree, dict):
            return {name: self.fill_tree(each) for name, each in tree.items()}
        return tree


_ABSENT = object()


def at(tree: Any, pointer: str) -> Any:
    """Return the value at a JSON Pointer, `None` when it leads nowhere."""
    found = _look(tree, pointer)
    return None if found is _ABSENT else found


def _look(tree: Any, pointer: str) -> Any:
    for part in _parts(pointer):
        if isinstance(tree, dict) and part in tree:
            tree = tree[part]
        elif isinstance(tree, list) and part.isdigit() and int(part) < len(tree):
            tree = tree[int(part)]
        else:
            return _ABSENT
    return tree


def put(tree: Any, pointer: str, value: Any) -> None:
    """Set the value at a JSON Pointer."""
    *way, last = _parts(pointer)
    for part in way:
        tree = tree[int(part)] if isinstance(tree, list) else tree.setdefault(part, {})
    if isinstance(tree, list) and last == "-":
        tree.append(value)
    elif isinstance(tree, list):
        tree[int(last)] = value
    else:
        tree[last] = value


def take(tree: Any, pointer: str) -> None:
    """Remove the value at a JSON Pointer."""
    holder, _, last = pointer.rpartition("/")
    del _look(tree, holder)[last]


def _parts(pointer: str) -> list[str]:
    return [part.replace("~1", "/").replace("~0", "~") for part in pointer.split("/")[1:]]


def differences(place: str, expected: Any, found: Any) -> list[str]:
    """List where `found` differs from the expected members."""
    if isinstance(expected, dict) and isinstance(found, dict):
        lines: list[str] = []
        for name, value in expected.items():
            if name in found:
                lines += differences(f"{place}/{name}", value, found[name])
            else:
                lines.append(f"{place}/{name}: is not there, expected {value!r}")
        return lines
    if type(expected) is type(found) and expected == found:
        return []
    return [f"{place}: {found!r}, expected {expected!r}"]


def exact_differences(place: str, expected: Any, found: Any) -> list[str]:
    """List the differences, including members that are not expected.

    `{number}` is any whole number that is not negative, `{text}` any text but an empty one.
    """
    if isinstance(expected, dict) and isinstance(found, dict):
        lines = [f"{place}/{name}: is not expected" for name in found if name not in expected]
        for name, value in expected.items():
            lines += (
                exact_differences(f"{place}/{name}", value, found[name])
                if name in found
                else [f"{place}/{name}: is not there, expected {value!r}"]
            )
        return lines
    if isinstance(expected, list) and isinstance(found, list) and len(expected) == len(found):
        pairs = enumerate(zip(expected, found, strict=True))
        listed = [exact_differences(f"{place}/{at}", *pair) for at, pair in pairs]
        return [line for lines in listed for line in lines]
    if expected == "{number}" and type(found) is int and found >= 0:
        return []
    if expected == "{text}" and isinstance(found, str) and found:
        return []
    return differences(place, expected, found)


def line_differences(expected: list[str], found: list[str]) -> list[str]:
    """Compare lines of a log; `{duration}` is a time such as `1.204ms` or `30s`."""
    lines = [re.escape(line).replace(r"\{duration\}", r"[\d.]+m?s") for line in expected]
    is_same = len(lines) == len(found) and all(map(re.fullmatch, lines, found))
    return [] if is_same else ["log:", *found, "expected:", *expected]
