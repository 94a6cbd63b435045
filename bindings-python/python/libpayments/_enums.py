"""Enumerations."""

from __future__ import annotations

import enum
from typing import TypeVar

_Code = TypeVar("_Code", bound="OpenCode")


class Outcome(str, enum.Enum):
    """Whether the operation of a failed call was executed by the service."""

    NOT_EXECUTED = "not_executed"
    """The service did not execute the operation: you may send it again."""

    UNKNOWN = "unknown"
    """The service may have executed the operation: find out before you send it again."""

    EXECUTED = "executed"
    """The service executed the operation, for this call or for an earlier one with
    the same body: do not send it again. It does not mean paid."""

    def __str__(self) -> str:
        """Return the text, for example ``unknown``."""
        return self.value


class OpenCode(str, enum.Enum):
    """A code of an open set: an unknown code keeps its text."""

    @classmethod
    def _missing_(cls: type[_Code], value: object) -> _Code | None:
        if not isinstance(value, str):
            return None
        unknown = str.__new__(cls, value)
        unknown._name_ = value
        unknown._value_ = value
        return unknown

    def __str__(self) -> str:
        """Return the code, for example ``CO``."""
        return str(self.value)

    def __reduce_ex__(self, protocol: object) -> tuple[type[OpenCode], tuple[str]]:
        # Pickle the code: some releases of Python 3.11 look up the name in the class.
        return type(self), (self.value,)
