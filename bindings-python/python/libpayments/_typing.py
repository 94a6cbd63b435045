"""Names for type checkers only: importing typing takes as long as all the rest."""

from __future__ import annotations

# Type checkers treat this as true.
TYPE_CHECKING = False

if TYPE_CHECKING:
    from typing import overload as overload
else:

    def overload(function):
        """Do nothing: only type checkers read overloads."""
        return function
