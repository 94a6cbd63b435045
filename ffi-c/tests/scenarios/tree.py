"""JSON that keeps the digits of numbers, placeholders, and comparison."""

from __future__ import annotations

import json
import re
from typing import Any


class Number(str):
    """A number by its digits."""


def parse_exactly(text: str) -> Any:
    return json.loads(text, parse_float=Number, parse_int=Number)


def write_exactly(tree: Any) -> str:
    if isinstance(tree, Number):
        return str(tree)
    if isinstance(tree, dict):
        members = (f"{json.dumps(name)}:{write_exactly(it)}" for name, it in tree.items())
        return "{" + ",".join(members) + "}"
    if isinstance(tree, list):
        return "[" + ",".join(write_exactly(it) for it in tree) + "]"
    return json.dumps(tree, ensure_ascii=False)


def to_plain(tree: Any) -> Any:
    """The tree with plain numbers, as a host holds it that ignores their digits."""
    return json.loads(write_exactly(tree))


class Placeholders:
    """`{name}` in texts; an unknown name is an error of the suite.

    `exact_differences` knows what PATTERNS stand for.
    """

    PATTERNS = {name: f"{{{name}}}" for name in ("number", "text", "duration")}

    def __init__(self, values: dict[str, str]):
        self.values = dict(values)

    def copy(self) -> Placeholders:
        return Placeholders(self.values)

    def fill(self, text: str) -> str:
        known = self.PATTERNS | self.values
        return re.sub(r"\{([a-z_]+)\}", lambda match: known[match[1]], text)

    def fill_tree(self, tree: Any) -> Any:
        if isinstance(tree, Number):
            return tree
        if isinstance(tree, str):
            return self.fill(tree)
        if isinstance(tree, list):
            return [self.fill_tree(it) for it in tree]
        if isinstance(tree, dict):
            return {name: self.fill_tree(it) for name, it in tree.items()}
        return tree


def at_pointer(tree: Any, pointer: str) -> Any:
    """The value at the pointer; None if it leads nowhere."""
    for step in pointer.split("/")[1:]:
        step = step.replace("~1", "/").replace("~0", "~")
        if isinstance(tree, dict):
            tree = tree.get(step)
        elif isinstance(tree, list) and step.isdigit() and int(step) < len(tree):
            tree = tree[int(step)]
        else:
            return None
    return tree


def remove(tree: Any, pointer: str) -> None:
    holder, _, name = pointer.rpartition("/")
    del at_pointer(tree, holder)[name]


def differences(place: str, expected: Any, found: Any) -> list[str]:
    """Where `found` differs; in objects, only the expected members are compared."""
    if isinstance(expected, dict) and isinstance(found, dict):
        listed = []
        for name, value in expected.items():
            if name in found:
                listed += differences(f"{place}/{name}", value, found[name])
            else:
                listed.append(f"{place}/{name}: is not there, expected {value!r}")
        return listed
    # In Python true is 1; here it is not.
    if json.dumps(expected, sort_keys=True) == json.dumps(found, sort_keys=True):
        return []
    return [f"{place}: {found!r}, expected {expected!r}"]


def exact_differences(place: str, expected: Any, found: Any) -> list[str]:
    """Like `differences`, with exactly the expected members.

    `{number}` is any whole number that is not negative, `{text}` any text but an empty one.
    """
    if isinstance(expected, dict) and isinstance(found, dict):
        unexpected = [f"{place}/{it}: is not expected" for it in found if it not in expected]
        same = {name: it for name, it in expected.items() if name in found}
        lacking = [f"{place}/{it}: is not there" for it in expected if it not in found]
        listed = [exact_differences(f"{place}/{it}", same[it], found[it]) for it in same]
        return unexpected + lacking + [line for lines in listed for line in lines]
    if isinstance(expected, list) and isinstance(found, list) and len(expected) == len(found):
        pairs = enumerate(zip(expected, found))
        listed = [exact_differences(f"{place}/{at}", *pair) for at, pair in pairs]
        return [line for lines in listed for line in lines]
    if expected == "{number}" and type(found) is int and found >= 0:
        return []
    if expected == "{text}" and isinstance(found, str) and found:
        return []
    return differences(place, expected, found)


def line_differences(expected: list[str], found: list[str]) -> list[str]:
    """Lines of a log; `{duration}` is a time such as `1.204ms` or `30s`."""
    lines = [re.escape(line).replace(r"\{duration\}", r"[\d.]+m?s") for line in expected]
    is_same = len(lines) == len(found) and all(map(re.fullmatch, lines, found))
    return [] if is_same else ["log:", *found, "expected:", *expected]
