"""Enumerations. Importing enum takes as long as all the rest of the package."""

from __future__ import annotations

import enum

# Type checkers take this for true.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeVar

    _Code = TypeVar("_Code", bound="OpenCode")


class Outcome(str, enum.Enum):
    """Whether a failed operation may have been executed by the service."""

    NOT_EXECUTED = "not_executed"
    """The service did not execute it: it may be sent again."""

    UNKNOWN = "unknown"
    """The service may have executed it: find out before you send it again."""

    def __str__(self) -> str:
        """Give the text, for example ``unknown``."""
        return self.value


class OpenCode(str, enum.Enum):
    """A code of an open set: one that is not named here survives as its text."""

    @classmethod
    def _missing_(cls: type[_Code], value: object) -> _Code | None:
        if not isinstance(value, str):
            return None
        unknown = str.__new__(cls, value)
        unknown._name_ = value
        unknown._value_ = value
        return unknown

    def __str__(self) -> str:
        """Give the code, for example ``CO``."""
        return str(self.value)

    def __reduce_ex__(self, protocol: object) -> tuple[type[OpenCode], tuple[str]]:
        # By the code: some releases of Python 3.11 look for the name in the class.
        return type(self), (self.value,)
