"""The journal in the project's database."""

from __future__ import annotations

import argparse
import sys
from typing import Any

from django.core.management.base import BaseCommand

from libpayments._journal_command import TABLE, change_table, output, perform, plan_of, reporting
from libpayments.django import client, journal

PROGRAM = "manage.py payments_journal"


class Command(BaseCommand):
    """The command ``payments journal``, for the journal that the settings name."""

    help = "Works with the journal in the project's database"

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        """Leave the arguments to the command itself."""
        parser.add_argument(
            "arguments",
            nargs=argparse.REMAINDER,
            metavar="create | upgrade | list | show | recover | resolve | prune",
            help="`create` makes the table, once; `help` lists the others",
        )

    def handle(self, *, arguments: list[str], **_: Any) -> None:
        """Perform the command, and exit with its code."""
        sys.exit(reporting(lambda: _perform(arguments)))


def _perform(arguments: list[str]) -> int:
    plan = plan_of(PROGRAM, arguments or ["help"], None)
    if plan["exit_code"] is not None:
        return output(plan)
    mode = "rwc" if plan["action"] == "create" else "rw"
    named = journal(mode) if plan["action"] in TABLE else None
    return perform(client(), plan) if named is None else change_table(named, plan)
