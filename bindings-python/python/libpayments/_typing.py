"""What is in :mod:`typing` from Python 3.11 on."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing_extensions import Required as Required
    from typing_extensions import Unpack as Unpack
    from typing_extensions import dataclass_transform as dataclass_transform
elif sys.version_info >= (3, 11):
    from typing import Required, Unpack, dataclass_transform
else:

    class Required:
        """Stands for the type in brackets."""

        def __class_getitem__(cls, of):
            """Return the type."""
            return of

    Unpack = Required

    def dataclass_transform(**_):
        """Change nothing: only type checkers read it."""
        return lambda of: of
