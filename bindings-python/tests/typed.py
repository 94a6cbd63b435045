"""Compares values with the types that the package declares for them."""

from __future__ import annotations

import types
from collections.abc import Iterable
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from libpayments._records import Record


def misfits(holder: object, names: Iterable[str]) -> list[str]:
    """Name the attributes whose values do not have their declared types."""
    hints = {name: _declared(type(holder), name) for name in names}
    return [
        f"{name} is {getattr(holder, name)!r}, not {hint}"
        for name, hint in hints.items()
        if not fits(getattr(holder, name), hint)
    ]


def _declared(kind: type, name: str) -> Any:
    item = getattr(kind, name, None)
    if isinstance(item, property) and item.fget is not None:
        return get_type_hints(item.fget)["return"]
    return get_type_hints(kind)[name]


def texts_of(hint: Any) -> list[str]:
    """Return the texts that a type allows."""
    if get_origin(hint) is Literal:
        return list(get_args(hint))
    return [text for part in get_args(hint) for text in texts_of(part)]


def fits(value: object, hint: Any) -> bool:
    """Return whether a value is of a type; durations and numbers are never negative."""
    origin = get_origin(hint)
    if origin in (Union, types.UnionType):
        return any(fits(value, part) for part in get_args(hint))
    if origin is Literal:
        return value in get_args(hint)
    if origin is list:
        [part] = get_args(hint)
        return type(value) is list and all(fits(each, part) for each in value)
    if hint is int:
        return type(value) is int and value >= 0
    if isinstance(value, Record) and type(value) is hint:
        return misfits(value, hint.__match_args__) == []
    return type(value) is (origin or hint)
