"""Finds the command ``payments``."""

from __future__ import annotations

import os
import shutil
import sysconfig

VARIABLE = "PAYMENTS_COMMAND"


class CommandNotFoundError(Exception):
    """The command ``payments`` is not installed. The message says what to do."""


def find_command() -> str:
    """Return the path of the command.

    It is ``PAYMENTS_COMMAND`` if that is set, else the one of this environment
    (package ``libpayments-sandbox``), else the first on ``PATH``.

    Raises:
        CommandNotFoundError: there is none.

    """
    named = os.environ.get(VARIABLE)
    scripts = sysconfig.get_path("scripts")
    for found in (named, shutil.which("payments", path=scripts), shutil.which("payments")):
        if found:
            return found
    raise CommandNotFoundError(
        "the command payments was not found: run `pip install libpayments-sandbox`, "
        f"or set {VARIABLE} to its path"
    )
