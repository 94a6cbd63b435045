"""The signals that end a command between its steps."""

from __future__ import annotations

import contextlib
import os
import signal
from types import FrameType
from typing import Any

from ._native import CancelHandle

_NAMES = ("SIGINT", "SIGTERM", "SIGHUP")
_DEFAULTS = (signal.SIG_DFL, signal.default_int_handler)


class InterruptedBySignalError(Exception):
    """A signal ended the command, which has nothing to report."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number

    def end(self) -> int:
        """End the process by the signal, or return the exit code that says so."""
        if os.name == "posix":
            signal.signal(self.number, signal.SIG_DFL)
            signal.raise_signal(self.number)
        return 128 + self.number


class Interruption:
    """Cancels the waiting work at the first signal. A second one has its default action.

    Signals that are ignored, or that other code handles, are left alone.
    """

    def __init__(self) -> None:
        self.cancel = CancelHandle()
        self.number = 0
        """The signal that has come, if one has."""
        self._before: dict[int, Any] = {}

    def __enter__(self) -> Interruption:
        """Watch for the signals, if this is the main thread: no other can."""
        with contextlib.suppress(ValueError):
            for number in filter(None, (getattr(signal, name, None) for name in _NAMES)):
                if signal.getsignal(number) in _DEFAULTS:
                    self._before[number] = signal.signal(number, self._come)
        return self

    def __exit__(self, *exception: object) -> None:
        """Handle the signals as before."""
        for number, handler in self._before.items():
            signal.signal(number, handler)

    def _come(self, number: int, _frame: FrameType | None) -> None:
        self.number = number
        for watched in self._before:
            signal.signal(watched, signal.SIG_DFL)
        self.cancel.cancel()
