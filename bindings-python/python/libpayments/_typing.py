"""Names that :mod:`typing` has from Python 3.11 on, and typed dictionaries for pydantic."""

from __future__ import annotations

import contextlib
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import TypedDict as TypedDict

    from typing_extensions import Required as Required
    from typing_extensions import Unpack as Unpack
    from typing_extensions import dataclass_transform as dataclass_transform
elif sys.version_info >= (3, 11):
    from typing import Required, TypedDict, Unpack, dataclass_transform
else:
    from typing import TypedDict

    class Required:
        """Stands for the type in brackets."""

        def __class_getitem__(cls, of):
            """Return the type."""
            return of

    Unpack = Required

    def dataclass_transform(**_):
        """Change nothing: only type checkers read it."""
        return lambda of: of


if not TYPE_CHECKING and sys.version_info < (3, 12):
    # Earlier dictionaries of `typing` lack members that pydantic needs.
    with contextlib.suppress(ImportError):
        from typing_extensions import Required, TypedDict, Unpack  # noqa: F401
